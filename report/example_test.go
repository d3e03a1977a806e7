package report

import (
	"bytes"
	"strings"
	"testing"
)

// The runs that all tests of formats share: one of an original connector with
// the founding defect, one whose every string is hostile, and one without
// findings.

const fabricFile = "relay/fabric/conn.py"

const fabricSource = `import threading

from relay.states import State


class FabricManager:
    def __init__(self, sock, backlog):
        self.sock = sock
        self.backlog = backlog
        self.routes = {}
        self.states = {}
        threading.Thread(target=self.pump, daemon=True).start()
        self._listen()

    def pump(self):
        while True:
            chunk = self.backlog.get()
            if chunk.ticket not in self.routes:
                continue
            self.ship(chunk)

    def _listen(self):
        def intake():
            while True:
                verb, ticket, peer, total = self.sock.recv()
                if verb == b"STOP":
                    if (
                        ticket in self.states
                        and self.states[ticket] != State.DONE
                    ):
                        self.set_state(ticket, State.FAILED)
                    self.routes.pop(ticket, None)
                    continue
                self.routes.setdefault(ticket, {})[peer] = total
                if len(self.routes[ticket]) == total:
                    self.set_state(ticket, State.WAITING)

        threading.Thread(target=intake, daemon=True).start()

    def look(self, ticket):
        return self.states.get(ticket, State.WAITING)


class FabricSender:
    def __init__(self, manager, ticket):
        self.manager = manager
        self.ticket = ticket

    def poll(self):
        return self.manager.look(self.ticket)
`

const sharedFile = "relay/shared/conn.py"

const sharedSource = `class SharedSender:
    def abort(self):
        self.verdict = State.FAILED
`

const patchedFabric = `--- a/relay/fabric/conn.py
+++ b/relay/fabric/conn.py
@@ -29,7 +29,7 @@
                         and self.states[ticket] != State.DONE
                     ):
                         self.set_state(ticket, State.FAILED)
-                    self.routes.pop(ticket, None)
+                        self.routes.pop(ticket, None)
                     continue
                 self.routes.setdefault(ticket, {})[peer] = total
                 if len(self.routes[ticket]) == total:
`

// locate returns the range of the nth (from 1) place where text stands in src.
func locate(t testing.TB, file, src, text string, nth int) Location {
	t.Helper()
	start := 0
	for range nth {
		i := strings.Index(src[start:], text)
		if i < 0 {
			t.Fatalf("%s does not hold %q %d times", file, text, nth)
		}
		start += i + 1
	}
	start--
	end := start + len(text)
	loc := Location{File: file}
	loc.Line, loc.Column = position(src, start)
	loc.EndLine, loc.EndColumn = position(src, end)
	return loc
}

// position returns line and column, from 1, of an offset.
func position(src string, offset int) (line, column int) {
	before := src[:offset]
	return strings.Count(before, "\n") + 1, offset - strings.LastIndexByte(before, '\n')
}

// replace returns the edit that replaces the nth place of old by text.
func replace(t testing.TB, file, src, old string, nth int, text string) Edit {
	t.Helper()
	loc := locate(t, file, src, old, nth)
	starts := lineStarts([]byte(src))
	return Edit{
		Location: loc,
		Start:    starts[loc.Line-1] + loc.Column - 1,
		End:      starts[loc.EndLine-1] + loc.EndColumn - 1,
		NewText:  text,
	}
}

var exampleRules = []Rule{
	{ID: "KV101", Name: "conditional-cleanup", Severity: SeverityError,
		Summary: "an entry is removed on every path, its terminal status is written on some",
		Doc:     "# KV101 conditional-cleanup\n\nA handler removes one entry of a key group whatever the state of the\nrequest, and writes the terminal status only behind a guard.\n"},
	{ID: "KV102", Name: "poll-ignores-conclusion", Severity: SeverityWarning,
		Summary: "poll does not read what abort writes",
		Doc:     "# KV102 poll-ignores-conclusion\n\nA poll hook has a path to a non-terminal answer that reads no carrier\nthat abort writes.\n"},
}

func exampleRun(t testing.TB) *Run {
	at := func(text string, nth int) Location { return locate(t, fabricFile, fabricSource, text, nth) }
	intake, pump := "FabricManager._listen.intake", "FabricManager.pump"
	state := func(routes, states string) map[string]string {
		return map[string]string{"routes": routes, "states": states}
	}
	cleanup := Finding{
		Rule: "KV101", Name: "conditional-cleanup", Severity: SeverityError, Confidence: Confirmed,
		Message:     "routes[ticket] is removed on every STOP, State.FAILED is stored only for a registered ticket",
		Location:    at("self.routes.pop(ticket, None)", 1),
		Label:       "removed whether or not the ticket was failed",
		Function:    intake,
		Entrypoint:  intake,
		Component:   "FabricManager",
		Containers:  []string{"routes", "states"},
		Key:         "ticket",
		Fingerprint: "3f2a91c07be4d815",
		Consequence: "the request never leaves in_flight (relay/queue.py:26), its client waits for ever, nothing is logged",
		Related: []Related{
			{Location: at("ticket in self.states", 1), Role: RoleGuard, Entrypoint: intake,
				Message: "false until states[ticket] is first written, line 36"},
			{Location: at("if chunk.ticket not in self.routes:", 1), Role: RoleRival, Entrypoint: pump,
				Message: "drops the chunk of the ticket because the entry is gone"},
			{Location: at("threading.Thread(target=self.pump, daemon=True)", 1), Role: RoleSpawn, Entrypoint: pump,
				Message: "starts pump"},
			{Location: at("threading.Thread(target=intake, daemon=True)", 1), Role: RoleSpawn, Entrypoint: intake,
				Message: "starts intake"},
			{Location: locate(t, sharedFile, sharedSource, "self.verdict = State.FAILED", 1), Role: RoleSibling,
				Message: "SharedSender stores the verdict first"},
		},
		Witness: &Witness{
			Property: "P1", Verdict: VerdictFound, Replayed: true,
			Steps: []Step{
				{intake, fabricFile, 34, "routes[7] = {...}", state("present", "absent")},
				{intake, fabricFile, 28, "7 in states? no", state("present", "absent")},
				{intake, fabricFile, 32, "routes.pop(7)", state("absent", "absent")},
				{pump, fabricFile, 18, "7 missing -> continue", state("absent", "absent")},
				{"scheduler", fabricFile, 50, "poll -> WAITING, for ever: no step can conclude ticket 7", state("absent", "absent")},
			},
			Assumptions: []string{"calls outside the tree do not touch these containers", "at most two messages per ticket"},
		},
		Patches: []Patch{{
			Description: "move the removal under the guard",
			Safety:      SafetySafe, Verified: true, Replayed: true, Diff: patchedFabric,
			Edits: []Edit{replace(t, fabricFile, fabricSource, "                    self.routes.pop(ticket, None)", 1,
				"                        self.routes.pop(ticket, None)")},
		}},
		Reproducer: "\"\"\"Replays finding 3f2a91c07be4d815.\"\"\"\n\nroutes, states = {7: {}}, {}\nassert states.get(7) != \"WAITING\", \"ticket 7 waits for ever\"\n",
	}
	poll := Finding{
		Rule: "KV102", Name: "poll-ignores-conclusion", Severity: SeverityWarning, Confidence: Likely,
		Message:     "poll answers from states alone, abort stores its verdict elsewhere",
		Location:    at("return self.manager.look(self.ticket)", 1),
		Function:    "FabricSender.poll",
		Entrypoint:  "FabricSender.poll",
		Component:   "FabricSender",
		Containers:  []string{"states"},
		Key:         "self.ticket",
		Fingerprint: "a91b0c55d2e3f408",
		Related: []Related{
			{Location: locate(t, sharedFile, sharedSource, "self.verdict", 1), Role: RoleGuard,
				Message: "the carrier that abort writes"},
		},
		Witness: &Witness{Property: "P1", Verdict: VerdictFound, Reason: "the sliced code calls a library",
			Steps: []Step{
				{"SharedSender.abort", sharedFile, 3, "verdict = FAILED", nil},
				{"FabricSender.poll", fabricFile, 50, "poll -> WAITING", nil},
			}},
	}
	return &Run{
		Version:  SchemaVersion,
		Tool:     Tool{Name: "kvrace", Version: "0.1.0"},
		Findings: []Finding{cleanup, poll},
		Errors:   []Error{{File: "relay/broken.py", Line: 3, Column: 7, Message: "expected ':'"}, {File: "relay/latin.py", Message: "not valid UTF-8"}},
		Stats:    Stats{Files: 29, Bytes: 940_000, Parsed: 28, WallMS: 120},
		Rules:    exampleRules,
		Sources:  map[string][]byte{fabricFile: []byte(fabricSource), sharedFile: []byte(sharedSource)},
		Maps:     []KeyGroup{exampleGroup(t)},
	}
}

func exampleGroup(t testing.TB) KeyGroup {
	at := func(text string, nth int) Location { return locate(t, fabricFile, fabricSource, text, nth) }
	access := func(text string, nth int, kind AccessKind, function, guard string, locks ...string) Access {
		return Access{Location: at(text, nth), Kind: kind, Function: function, Entrypoints: []string{function}, Locks: locks, Guard: guard}
	}
	const intake, pump = "FabricManager._listen.intake", "FabricManager.pump"
	return KeyGroup{
		Component: "FabricManager", Key: "ticket",
		Containers: []Container{{
			Name: "routes", Owner: "FabricManager", Type: "dict", Created: at("self.routes = {}", 1),
			Inserts:  []Access{access("self.routes.setdefault(ticket, {})", 1, Upsert, intake, "")},
			Reads:    []Access{access("chunk.ticket not in self.routes", 1, Contains, pump, ""), access("self.routes[ticket]", 1, ReadStrict, intake, "")},
			Removals: []Access{access("self.routes.pop(ticket, None)", 1, RemoveTolerant, intake, `verb == b"STOP"`)},
		}, {
			Name: "states", Owner: "FabricManager", Type: "dict", Created: at("self.states = {}", 1),
			Inserts: []Access{access("self.set_state(ticket, State.WAITING)", 1, Insert, intake, "len(self.routes[ticket]) == total", "state_lock")},
			Reads: []Access{access("ticket in self.states", 1, Contains, intake, ""),
				access("self.states.get(ticket, State.WAITING)", 1, ReadTolerant, "FabricSender.poll", "")},
		}},
		Entrypoints: []Entrypoint{
			{Name: intake, Role: "thread", Spawns: []Location{at("threading.Thread(target=intake, daemon=True)", 1)}},
			{Name: pump, Role: "thread", Many: true, Spawns: []Location{at("threading.Thread(target=self.pump, daemon=True)", 1)}},
			{Name: "FabricSender.poll", Role: "hook"},
		},
		Statuses: []Status{
			{Container: "states", Value: "State.FAILED", Terminal: true, Writers: []Access{access("self.set_state(ticket, State.FAILED)", 1, Upsert, intake, "")}},
			{Container: "states", Value: "State.WAITING", Writers: []Access{access("self.set_state(ticket, State.WAITING)", 1, Upsert, intake, "")},
				Readers: []Access{access("self.states.get(ticket, State.WAITING)", 1, ReadTolerant, "FabricSender.poll", "")}},
		},
	}
}

// hostileFile and hostileSource try to break out of every format: blanks,
// separators, commands, markup, terminal escapes, bytes that are not UTF-8.
const (
	hostileFile = "a b/ü,:%<i>|`\x1b]0;x\a\n::error::.py"

	hostileSource = "\ufeffx = '\u202eevil\u2066'\r\n" +
		"def f(d, k):\r\n" +
		"\tif k in d:  # 漢字 e\u0301 👩\u200d💻 <script>alert(1)</script> ``` \x1b[31m\r\n" +
		"\t\ts = '漢字'; d.pop(k, '漢')\r\n" +
		"\t\treturn '\xff' # ]]> -->"
)

func hostileRun(t testing.TB) *Run {
	at := func(text string) Location { return locate(t, hostileFile, hostileSource, text, 1) }
	evil := "</script><script>alert('x')</script>\"'&]]>\x1b[2J\r\n::set-output name=a::b\n```\n| a | b |\n##[error]x <!-- -->"
	return &Run{
		Version: SchemaVersion,
		Tool:    Tool{Name: "kvrace", Version: "0.1.0"},
		Findings: []Finding{{
			Rule: "KV201", Name: "check-then-act", Severity: SeverityWarning, Confidence: Possible,
			Message:     "d[k] " + evil,
			Location:    at("d.pop(k, '漢')"),
			Label:       evil,
			Function:    "f" + evil,
			Entrypoint:  "f",
			Component:   evil,
			Components:  []string{evil, "B"},
			Containers:  []string{"d", evil},
			Key:         evil,
			Fingerprint: "00000000000000ff",
			Consequence: evil,
			Related: []Related{
				{Location: at("k in d"), Role: RoleGuard, Message: "guard " + evil},
				{Location: at("'\u202eevil\u2066'"), Role: RoleRival, Entrypoint: "g." + evil, Message: evil},
				{Location: Location{File: "gone\u2028.py", Line: 7, Column: 1, EndLine: 7, EndColumn: 2}, Role: RoleContext, Message: evil},
			},
			Witness: &Witness{Property: "P3", Verdict: VerdictFound, Replayed: true, Reason: evil,
				Steps: []Step{
					{"f", hostileFile, 3, "k in d " + evil, map[string]string{"d": "present", evil: evil}},
					{evil, "gone\u2028.py", 7, evil, map[string]string{"d": "absent", evil: "x"}},
				},
				Assumptions: []string{evil}},
			Patches: []Patch{{Description: evil, Safety: SafetyReview, Diff: "--- \"a/" + evil + "\"\r\n+++ b/x\r\n@@ -1 +1 @@\r\n-" + evil + "\r\n+\x1b[31mred\r\n",
				Edits: []Edit{replace(t, hostileFile, hostileSource, "d.pop(k, '漢')", 1, "d.pop(k, None)  # ````\r\n\t\tpass")}}},
			Reproducer: evil,
		}},
		Errors:  []Error{{File: hostileFile, Line: 1, Column: 1, Message: evil}},
		Stats:   Stats{Files: 1, Bytes: 12, Parsed: 1},
		Rules:   []Rule{{ID: "KV201", Name: "check-then-act", Summary: evil, Doc: evil}},
		Sources: map[string][]byte{hostileFile: []byte(hostileSource)},
		Maps: []KeyGroup{{Component: evil, Key: evil,
			Containers:  []Container{{Name: evil, Owner: evil, Type: evil, Created: at("d, k"), Reads: []Access{{Location: at("k in d"), Function: evil, Entrypoints: []string{evil}, Locks: []string{evil}, Guard: evil}}}},
			Entrypoints: []Entrypoint{{Name: evil, Role: evil, Spawns: []Location{at("d, k")}}},
			Statuses:    []Status{{Container: evil, Value: evil}}}},
		Suppressed: []Suppressed{{Finding: Finding{Rule: "KV201", Name: "check-then-act", Message: evil, Location: at("k in d"), Fingerprint: "00000000000000aa"}, Reason: evil}},
	}
}

func emptyRun(testing.TB) *Run {
	return &Run{Version: SchemaVersion, Tool: Tool{Name: "kvrace", Version: "0.1.0"}, Stats: Stats{Files: 3, Bytes: 900, Parsed: 3}, Rules: exampleRules}
}

// exampleRuns lists the shared runs by name.
var exampleRuns = []struct {
	name string
	run  func(testing.TB) *Run
}{
	{"example", exampleRun},
	{"hostile", hostileRun},
	{"empty", emptyRun},
}

// written returns what a format writes for a run.
func written(t testing.TB, f Format, run *Run) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := f.Write(&b, run); err != nil {
		t.Fatalf("%s: %v", f.Name, err)
	}
	return b.Bytes()
}
