package report

import (
	"compress/gzip"
	"fmt"
	"io"
	"net/url"
	"slices"
	"strings"
)

// Notes on SARIF 2.1.0 and those who read it:
//
//   - GitHub code scanning refuses a file above 10 MB compressed, shows 25,000
//     results at most, 100 locations of one result and 10,000 steps of one
//     thread flow. We put the most severe first, stop before a limit, and say
//     what was left out as a notification.
//   - GitHub, VS Code and the SDK print a message without arguments as it is:
//     braces in it are not placeholders and are not doubled. "[text](1)" is a
//     link to the related location with that id, so "](" in foreign text is
//     taken apart.
//   - Columns count UTF-16 units (columnKind), which is what viewers written
//     in JavaScript and .NET expect.
//   - One thread flow per entrypoint; executionOrder, from 1, is the schedule.
//     Viewers that ignore executionOrder still show each thread in order.
//   - The SARIF Multitool, with the rules for GitHub on, has no error and no
//     warning, and notes of three kinds: SARIF2002 wants messages by id and
//     arguments, which GitHub does not resolve (GH1007), so ours are whole
//     texts; SARIF2003 wants the commit, which the uploader knows and adds;
//     SARIF2006 could not reach an address from a machine without network.
//   - partialFingerprints hold nothing that moves with the lines;
//     primaryLocationLineHash is GitHub's own, see lineHashes.

const (
	homepage = "https://github.com/kvrace/kvrace"

	sarifSchema = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
	sarifRoot   = "%SRCROOT%"
)

// sarifLimits are what a reader of a log takes.
type sarifLimits struct {
	results   int // of a run
	locations int // related to one result
	steps     int // of the thread flows of one result
	bytes     int // compressed
}

// codeScanning are the limits of GitHub code scanning, with some room below
// its 10 MB.
var codeScanning = sarifLimits{results: 25_000, locations: 100, steps: 10_000, bytes: 9_500_000}

// The notifications that a run can hold, as indices of driver.notifications.
const (
	noteNotAnalyzed = iota
	noteCut
)

var sarifNotifications = []sarifDescriptor{
	noteNotAnalyzed: sarifNotice("not-analyzed", "A file, or a part of one, could not be analyzed."),
	noteCut:         sarifNotice("left-out", "Results were left out to stay within the limits of code scanning."),
}

// sarifNotice returns a descriptor with all that GitHub asks for.
func sarifNotice(id, text string) sarifDescriptor {
	t := &sarifText{Text: text}
	return sarifDescriptor{ID: id, Name: pascal(id), ShortDescription: t, FullDescription: t, Help: t, HelpURI: homepage + "#limits"}
}

// SARIF writes run as a SARIF 2.1.0 log.
func SARIF(w io.Writer, run *Run) error { return writeSARIF(w, run, codeScanning) }

func writeSARIF(w io.Writer, run *Run, limits sarifLimits) error {
	size := &gzipSize{}
	size.zip, _ = gzip.NewWriterLevel(size, gzip.BestSpeed) // the level is valid
	s := &sarifWriter{run: run, limits: limits, src: newSources(run), hashes: make(map[string][]string), size: size}
	s.j = newJSONWriter(io.MultiWriter(w, size.zip))
	j := s.j
	j.open("{")
	j.member("$schema", sarifSchema)
	j.member("version", "2.1.0")
	j.name("runs")
	j.open("[")
	j.next()
	j.open("{")
	j.member("tool", s.tool())
	j.member("automationDetails", sarifAutomation{ID: "kvrace/"})
	j.member("originalUriBaseIds", map[string]any{sarifRoot: map[string]sarifText{
		"description": {Text: "The root of the analyzed tree."}}})
	j.member("columnKind", "utf16CodeUnits")
	left := s.results()
	j.member("invocations", []sarifInvocation{s.invocation(left)})
	j.close("}")
	j.close("]")
	j.close("}")
	if err := j.flush(); err != nil {
		return fmt.Errorf("write SARIF: %w", err)
	}
	return nil
}

// A gzipSize counts the bytes that its compressor puts out.
type gzipSize struct {
	zip *gzip.Writer
	n   int
}

func (g *gzipSize) Write(p []byte) (int, error) {
	g.n += len(p)
	return len(p), nil
}

// A sarifWriter builds the parts of one log.
type sarifWriter struct {
	j      *jsonWriter
	run    *Run
	limits sarifLimits
	src    *sources
	hashes map[string][]string // by file, of each line
	size   *gzipSize
}

func (s *sarifWriter) tool() sarifTool {
	d := sarifDriver{
		Name:           s.run.Tool.Name,
		FullName:       "kvrace, a race analyzer for Python KV connectors",
		Version:        s.run.Tool.Version,
		InformationURI: homepage,
		Rules:          []sarifDescriptor{},
		Notifications:  sarifNotifications,
	}
	if isSemantic(d.Version) {
		d.SemanticVersion = d.Version
	}
	for _, rule := range s.run.Rules {
		d.Rules = append(d.Rules, sarifRule(rule))
	}
	return sarifTool{Driver: d}
}

// isSemantic reports whether v looks like a semantic version.
func isSemantic(v string) bool {
	return strings.Count(v, ".") >= 2 && v[0] >= '0' && v[0] <= '9'
}

func sarifRule(rule Rule) sarifDescriptor {
	text := &sarifText{Text: sentence(rule.Summary)}
	d := sarifDescriptor{
		ID:               rule.ID,
		Name:             pascal(rule.Name),
		ShortDescription: text,
		FullDescription:  text,
		Help:             text,
		HelpURI:          rule.page(),
		Default:          &sarifConfiguration{Level: rule.Severity.String()},
		Properties:       &sarifRuleBag{Precision: "high", ProblemSeverity: problemSeverity(rule.Severity), Tags: []string{"concurrency", "kv-cache", "reliability"}},
	}
	if rule.Doc != "" {
		d.Help = &sarifText{Text: rule.Doc, Markdown: rule.Doc}
	}
	return d
}

// page returns the address of the rule's documentation.
func (r Rule) page() string {
	if r.URL != "" {
		return r.URL
	}
	return homepage + "#rules"
}

// problemSeverity returns GitHub's word for a severity.
func problemSeverity(s Severity) string {
	if s == SeverityNote {
		return "recommendation"
	}
	return s.String()
}

// pascal turns conditional-cleanup into ConditionalCleanup.
func pascal(name string) string {
	var b strings.Builder
	for part := range strings.SplitSeq(name, "-") {
		if part != "" {
			b.WriteString(strings.ToUpper(part[:1]) + part[1:])
		}
	}
	return b.String()
}

// sentence ends s with a full stop.
func sentence(s string) string {
	s = strings.TrimRight(s, " \r\n")
	if s == "" || strings.ContainsAny(s[len(s)-1:], ".!?") {
		return s
	}
	return s + "."
}

// results writes the results that fit and returns how many did not.
func (s *sarifWriter) results() int {
	findings := bySeverity(s.run.Findings)
	total := len(findings) + len(s.run.Suppressed)
	written := 0
	room := func() bool { return written < s.limits.results && s.size.n < s.limits.bytes && s.j.err == nil }
	s.j.name("results")
	s.j.open("[")
	for _, f := range findings {
		if !room() {
			break
		}
		result := s.result(f)
		if s.run.Compared {
			result.BaselineState = "new"
		}
		s.j.element(result)
		written++
	}
	for i := range s.run.Suppressed {
		if !room() {
			break
		}
		s.j.element(s.suppressed(&s.run.Suppressed[i]))
		written++
	}
	s.j.close("]")
	return total - written
}

func (s *sarifWriter) suppressed(held *Suppressed) sarifResult {
	result := s.result(&held.Finding)
	suppression := sarifSuppression{Kind: "inSource", Status: "accepted", Justification: held.Reason}
	if held.By == SuppressedByBaseline {
		suppression.Kind = "external"
		result.BaselineState = "unchanged"
	}
	result.Suppressions = []sarifSuppression{suppression}
	return result
}

func (s *sarifWriter) result(f *Finding) sarifResult {
	main := s.location(f.Location, "")
	if f.Function != "" {
		main.Logical = []sarifPlace{{FullyQualifiedName: f.Function, Kind: "function"}}
	}
	main.Physical.Context = s.context(f.Location)
	related := f.Related[:min(len(f.Related), s.limits.locations)]
	result := sarifResult{
		RuleID:              f.Rule,
		Level:               f.Severity.String(),
		Message:             s.message(f, related),
		Locations:           []sarifLocation{main},
		CodeFlows:           s.codeFlows(f),
		PartialFingerprints: map[string]string{"kvrace/v1": f.Fingerprint},
		Properties: sarifResultBag{
			Confidence: f.Confidence.String(), Component: f.Component, Entrypoint: f.Entrypoint,
			Containers: f.Containers, Key: f.Key,
		},
	}
	if i := slices.IndexFunc(s.run.Rules, func(r Rule) bool { return r.ID == f.Rule }); i >= 0 {
		result.RuleIndex = &i
	}
	if hash := s.lineHash(f.Location); hash != "" {
		result.PartialFingerprints["primaryLocationLineHash"] = hash
	}
	for i, rel := range related {
		loc := s.location(rel.Location, relatedText(rel))
		id := i + 1
		loc.ID = &id
		result.RelatedLocations = append(result.RelatedLocations, loc)
	}
	for _, patch := range f.Patches {
		if len(patch.Edits) > 0 {
			result.Fixes = append(result.Fixes, s.fix(patch))
		}
	}
	return result
}

// relatedText says what a related location is.
func relatedText(rel Related) string {
	text := rel.Message
	if text == "" {
		text = rel.Role.String()
	}
	if rel.Entrypoint != "" {
		text = lastPart(rel.Entrypoint) + ": " + text
	}
	return text
}

// message returns the text of a result: the message, what the rivals do with
// links to where, and the consequence. Related are the locations that the
// result has.
func (s *sarifWriter) message(f *Finding, related []Related) sarifText {
	text := unlinked(sentence(f.Message))
	for i, rel := range related {
		if rel.Role == RoleRival {
			text += fmt.Sprintf(" Rival: [%s](%d).", linkText(relatedText(rel)), i+1)
		}
	}
	if f.Consequence != "" {
		text += " Consequence: " + unlinked(sentence(f.Consequence))
	}
	return sarifText{Text: text}
}

// unlinked takes apart what a viewer would take for a link.
func unlinked(s string) string { return strings.ReplaceAll(s, "](", "] (") }

// linkText escapes the text of an embedded link (section 3.11.6).
func linkText(s string) string {
	return strings.NewReplacer(`\`, `\\`, `[`, `\[`, `]`, `\]`).Replace(s)
}

func (s *sarifWriter) location(loc Location, message string) sarifLocation {
	l := sarifLocation{Physical: sarifPhysical{Artifact: artifact(loc.File), Region: s.region(loc)}}
	if message != "" {
		l.Message = &sarifText{Text: unlinked(sentence(message))}
	}
	return l
}

// artifact returns a reference to a file below the root.
func artifact(file string) sarifArtifact {
	return sarifArtifact{URI: (&url.URL{Path: file}).String(), URIBaseID: sarifRoot}
}

// region returns a range in lines and UTF-16 columns, with its text. It is
// nil for a file as a whole.
func (s *sarifWriter) region(loc Location) *sarifRegion {
	if loc.Line < 1 {
		return nil
	}
	r := s.bareRegion(loc)
	if text := s.src.file(loc.File).lines(loc.Line, max(loc.EndLine, loc.Line)); text != "" {
		r.Snippet = &sarifText{Text: text}
	}
	return &r
}

func (s *sarifWriter) bareRegion(loc Location) sarifRegion {
	file := s.src.file(loc.File)
	r := sarifRegion{StartLine: loc.Line, StartColumn: 1}
	if loc.Column > 0 {
		line, _ := file.line(loc.Line)
		r.StartColumn = unitColumn(line, loc.Column)
	}
	if loc.EndLine >= loc.Line && loc.EndColumn > 0 {
		line, _ := file.line(loc.EndLine)
		r.EndLine, r.EndColumn = loc.EndLine, unitColumn(line, loc.EndColumn)
	}
	return r
}

// context returns the lines around a location, or nil when there are none.
func (s *sarifWriter) context(loc Location) *sarifRegion {
	const around = 2
	file := s.src.file(loc.File)
	if file == nil || loc.Line < 1 {
		return nil
	}
	first, last := max(loc.Line-around, 1), min(max(loc.EndLine, loc.Line)+around, len(file.starts))
	text := file.lines(first, last)
	if first == loc.Line && last <= max(loc.EndLine, loc.Line) || text == "" {
		return nil
	}
	return &sarifRegion{StartLine: first, EndLine: last, Snippet: &sarifText{Text: text}}
}

func (s *sarifWriter) lineHash(loc Location) string {
	hashes, ok := s.hashes[loc.File]
	if file := s.src.file(loc.File); !ok && file != nil {
		hashes = lineHashes(file.text)
		s.hashes[loc.File] = hashes
	}
	if loc.Line < 1 || loc.Line > len(hashes) {
		return ""
	}
	return hashes[loc.Line-1]
}

// codeFlows returns the schedule, one thread flow per entrypoint.
func (s *sarifWriter) codeFlows(f *Finding) []sarifCodeFlow {
	plan := newSchedule(f)
	if plan == nil {
		return nil
	}
	flows := make([]sarifThreadFlow, len(plan.lanes))
	for i, entry := range plan.entries {
		flows[i] = sarifThreadFlow{ID: entry, Message: sarifText{Text: sentence(entry)}}
	}
	for i, row := range plan.rows[:min(len(plan.rows), s.limits.steps)] {
		flow := &flows[row.lane]
		flow.Locations = append(flow.Locations, s.flowLocation(plan, i, row))
	}
	flows = slices.DeleteFunc(flows, func(flow sarifThreadFlow) bool { return len(flow.Locations) == 0 })
	return []sarifCodeFlow{{Message: sarifText{Text: sentence(verdictText(f))}, ThreadFlows: flows}}
}

func (s *sarifWriter) flowLocation(plan *schedule, i int, row scheduleRow) sarifFlowLoc {
	loc := sarifFlowLoc{
		Location:       s.location(Location{File: row.step.File, Line: row.step.Line}, fmt.Sprintf("%d. %s: %s", i+1, plan.lanes[row.lane], row.step.Action)),
		ExecutionOrder: i + 1,
		Importance:     "important",
	}
	if i == len(plan.rows)-1 {
		loc.Importance = "essential"
	}
	if len(row.step.State) > 0 {
		loc.State = make(map[string]sarifText, len(row.step.State))
		for name, state := range row.step.State {
			loc.State[name] = sarifText{Text: state}
		}
	}
	return loc
}

func (s *sarifWriter) fix(patch Patch) sarifFix {
	description := patch.Description
	if description == "" {
		description = "suggested fix"
	}
	fix := sarifFix{Description: sarifText{Text: sentence(fmt.Sprintf("%s (%s; %s)", description, patch.Safety, checked(patch)))}}
	for _, edit := range patch.Edits {
		replacement := sarifReplacement{Deleted: s.bareRegion(edit.Location), Inserted: sarifText{Text: edit.NewText}}
		if n := len(fix.Changes); n > 0 && fix.Changes[n-1].Artifact == artifact(edit.File) {
			fix.Changes[n-1].Replacements = append(fix.Changes[n-1].Replacements, replacement)
			continue
		}
		fix.Changes = append(fix.Changes, sarifChange{Artifact: artifact(edit.File), Replacements: []sarifReplacement{replacement}})
	}
	return fix
}

// invocation says what could not be analyzed and what was left out.
func (s *sarifWriter) invocation(left int) sarifInvocation {
	inv := sarifInvocation{ExecutionSuccessful: true}
	for _, e := range s.run.Errors {
		inv.Notifications = append(inv.Notifications, sarifNotification{
			Descriptor: sarifReference{ID: sarifNotifications[noteNotAnalyzed].ID, Index: noteNotAnalyzed},
			Level:      "error",
			Message:    sarifText{Text: unlinked(sentence(e.Message))},
			Locations:  []sarifLocation{s.location(Location{File: e.File, Line: e.Line, Column: e.Column}, "")},
		})
	}
	if left > 0 {
		inv.Notifications = append(inv.Notifications, sarifNotification{
			Descriptor: sarifReference{ID: sarifNotifications[noteCut].ID, Index: noteCut},
			Level:      "warning",
			Message:    sarifText{Text: fmt.Sprintf("%d more results were left out to stay within the limits of code scanning.", left)},
		})
	}
	return inv
}
