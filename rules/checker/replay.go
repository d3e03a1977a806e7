package checker

import (
	"context"
	"errors"
	"fmt"

	"github.com/kvrace/kvrace/parser/facts/flow"
	"github.com/kvrace/kvrace/report"
	"github.com/kvrace/kvrace/rules/witness"
	"github.com/kvrace/kvrace/rules/witness/replay"
)

// replayable is a schedule that was found, and the question it answers.
type replayable struct {
	problem witness.Problem
	result  witness.Result
	script  *replay.Script // nil until write
	// original is the program for the code as it is, or err tells why there is none.
	original *replay.Program
	err      error
	// patched is the program for what the verified patch makes of the code, or
	// patchErr tells why there is none. Both are nil where there is no such patch.
	patched  *replay.Program
	patchErr error
}

// write writes the program for the code as it is.
func (w *replayable) write(code *flow.Program) {
	if w.script != nil || w.err != nil {
		return
	}
	if w.script, w.err = replay.NewScript(w.problem, w.result); w.err == nil {
		w.original, w.err = w.script.Original(code)
	}
}

// patch writes the program for patched code too, which need not be kept for it.
func (w *replayable) patch(code, after *flow.Program) {
	if w.write(code); w.err == nil {
		w.patched, w.patchErr = w.script.Patched(after)
	}
}

// job is the replay of one finding: on the code as it is, and as its patch
// leaves it.
type job struct {
	finding  *report.Finding
	original *replay.Program
	patched  *replay.Program
	at       int // of the original among the programs; the patched one follows
	reason   string
}

// replay writes the reproducers of the findings that have a schedule and runs
// them. A finding is confirmed when the property is violated on the code as it
// is, and holds after its patch.
func (p *program) replay(ctx context.Context, run *report.Run) error {
	if p.opt.Replay == nil {
		return nil
	}
	defer p.stage("replay")()
	var jobs []*job
	var programs []string
	for i, w := range p.found {
		if w == nil {
			continue
		}
		f := &run.Findings[i]
		j := p.job(f, w)
		if j.reason != "" {
			f.Witness.Reason = j.reason
		}
		if j.original == nil {
			continue
		}
		j.at = len(programs)
		programs = append(programs, j.original.Source)
		if j.patched != nil {
			programs = append(programs, j.patched.Source)
		}
		jobs = append(jobs, j)
	}
	if len(jobs) == 0 {
		return nil
	}
	outcomes, err := p.opt.Replay(ctx, programs)
	if err != nil {
		return fmt.Errorf("replay: %w", err)
	}
	for _, o := range outcomes {
		if o.Err == replay.Unended {
			p.unended++
		}
	}
	for _, j := range jobs {
		j.judge(outcomes)
	}
	return nil
}

// job writes the programs of one finding.
func (p *program) job(f *report.Finding, w *replayable) *job {
	j := &job{finding: f}
	w.write(p.graphs())
	if w.err != nil {
		j.reason = reasonOf(w.err)
		return j
	}
	j.original, j.patched = w.original, w.patched
	switch {
	case w.patched != nil:
	case w.patchErr != nil:
		j.reason = reasonOf(w.patchErr)
	default:
		j.reason = "no verified patch to compare with"
	}
	return j
}

func reasonOf(err error) string {
	var r replay.Refusal
	if errors.As(err, &r) {
		return r.Error()
	}
	return err.Error()
}

// judge compares what became of the two programs.
func (j *job) judge(outcomes []replay.Outcome) {
	f := j.finding
	before := outcomes[j.at]
	switch {
	case before.Err != "":
		f.Witness.Reason = "not replayable: " + before.Err
		return
	case len(before.Skipped) > 0:
		f.Witness.Reason = "not replayable: the slice does not come to " + before.Skipped[0]
		return
	case before.Wrong == "":
		f.Witness.Reason = "not replayable: the property holds in the slice"
		return
	}
	f.Witness.Replayed = true
	f.Reproducer = j.original.With(j.header(""))
	if j.patched == nil {
		return
	}
	after := outcomes[j.at+1]
	switch {
	case after.Err != "":
		f.Witness.Reason = "the patched code is not replayable: " + after.Err
	case after.Wrong != "":
		f.Witness.Reason = "the patched code does not pass: " + after.Wrong
		// Whatever an analysis says of it, nobody should apply it unseen.
		f.Patches[0].Verified, f.Patches[0].Safety = false, report.SafetyReview
	default:
		f.Confidence = report.Confirmed
		f.Patches[0].Replayed = true
		f.PatchedReproducer = j.patched.With(j.header(f.Patches[0].Description))
	}
}

// header returns what a reproducer says about its finding.
func (j *job) header(patch string) replay.Header {
	f := j.finding
	return replay.Header{
		Finding: fmt.Sprintf("%s %s at %s:%d", f.Rule, f.Name, f.File, f.Line), Message: f.Message,
		ID: f.Fingerprint, Patch: patch, Trust: f.Witness.Assumptions,
	}
}
