package rules_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/kvrace/kvrace/rules"
	"github.com/kvrace/kvrace/rules/checker"
	"github.com/kvrace/kvrace/rules/witness/replay"
)

func TestDebug(t *testing.T) {
	for _, f := range strings.Fields(os.Getenv("FIX")) {
		f, _, _ = strings.Cut(f, ":")
		n := 0
		files := []checker.File{{Name: filepath.Base(f), Path: f}}
		if st, err := os.Stat(f); err == nil && st.IsDir() {
			files = nil
			filepath.Walk(f, func(p string, i os.FileInfo, err error) error {
				if strings.HasSuffix(p, ".py") {
					rel, _ := filepath.Rel(f, p)
					files = append(files, checker.File{Name: rel, Path: p})
				}
				return nil
			})
		}
		run, err := checker.Run(context.Background(), checker.Options{Rules: rules.All, Files: files, NoPatches: os.Getenv("NOPATCH") != "", Replay: func(_ context.Context, ps []string) ([]replay.Outcome, error) {
			var out []replay.Outcome
			for _, p := range ps {
				n++
				os.WriteFile(fmt.Sprintf("/tmp/gp/dbg/%s_%d.py", strings.TrimSuffix(filepath.Base(f), ".py"), n), []byte(p), 0o644)
				start := time.Now()
				out = append(out, executeInTime(p))
				fmt.Println(n, len(p), time.Since(start), out[len(out)-1].Wrong, out[len(out)-1].Err, out[len(out)-1].Skipped)
			}
			return out, nil
		}})
		if err != nil {
			t.Fatal(err)
		}
		for _, x := range run.Findings {
			if x.Witness != nil {
				fmt.Println(f, x.Rule, x.Line, x.Confidence, x.Witness.Property, x.Witness.Reason)
				if os.Getenv("STEPS") != "" {
					for _, s := range x.Witness.Steps {
						fmt.Println("   ", s.Entrypoint, s.Line, s.Action, s.State)
					}
				}
			}
		}
	}
}
