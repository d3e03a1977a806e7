package status_test

import (
	"strings"
	"testing"

	"github.com/kvrace/kvrace/parser"
	"github.com/kvrace/kvrace/parser/ast"
	"github.com/kvrace/kvrace/parser/facts/component"
	"github.com/kvrace/kvrace/parser/facts/flow"
	"github.com/kvrace/kvrace/parser/facts/program"
	"github.com/kvrace/kvrace/parser/facts/status"
)

func TestInfer(t *testing.T) {
	for _, tt := range []struct {
		name, src               string
		maps, terminal, pending string
		pollers, drained        string
	}{
		{
			name: "a map of enumerated statuses",
			src: `
import threading
from enum import IntEnum

class Step(IntEnum):
    LOST = 0
    OPEN = 1
    SENT = 2

class Depot:
    def __init__(self):
        self.steps = {}
        self.names = {}
        threading.Thread(target=self.carry).start()

    def carry(self):
        while True:
            key = self.wire.next()
            self.steps[key] = max(self.steps[key], Step.SENT)

    def fail(self, key):
        self.steps[key] = Step.LOST

class Handle:
    def __init__(self, depot: Depot, key):
        self.depot, self.key = depot, key
        depot.steps[key] = Step.OPEN
        depot.names[key] = str(key)

    def poll(self):
        return self.depot.steps[self.key]

class Line:
    def __init__(self):
        self.waiting = []

    def add(self, handle):
        self.waiting.append(handle)

    def step(self):
        rest = []
        for h in self.waiting:
            s = h.poll()
            if s == Step.LOST:
                h.client.error()
            elif s == Step.SENT:
                h.client.finish()
            else:
                rest.append(h)
        self.waiting = rest
`,
			maps: "steps", terminal: "Step.LOST Step.SENT", pending: "Step.OPEN", pollers: "Handle.poll",
		},
		{
			name: "sets that a hook drains",
			src: `
import threading

class Depot:
    def __init__(self):
        self.lock = threading.Lock()
        self.ended = set()
        self.rows = {}
        threading.Thread(target=self.carry).start()

    def carry(self):
        while True:
            key = self.wire.next()
            self.rows.pop(key, None)
            with self.lock:
                self.ended.add(key)

    def add(self, key):
        self.rows[key] = 1

    def get_ended(self):
        with self.lock:
            ended, self.ended = self.ended, set()
        return ended
`,
			drained: "ended",
		},
		{
			name: "a hook that remembers its answer",
			src: `
from enum import Enum

class Step(Enum):
    LOST = 0
    OPEN = 1
    SENT = 2

class Depot:
    def __init__(self):
        self.rows = {}

class Handle:
    def __init__(self, depot: Depot, key):
        self.depot, self.key = depot, key
        self.over = None
        depot.rows[key] = 0

    def poll(self):
        if self.over is not None:
            return self.over
        if self.depot.rows[self.key] == 0:
            return Step.OPEN
        self.over = Step.SENT
        return self.over

    def label(self):
        return self.over
`,
			terminal: "Step.SENT", pending: "Step.OPEN", pollers: "Handle.poll",
		},
		{
			name: "a table of settings is no status map",
			src: `
class Depot:
    def __init__(self):
        self.modes = {}

    def configure(self, key):
        self.modes[key] = 3

    def width(self, key):
        return self.modes[key] * 2
`,
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f := infer(t, tt.src)
			var maps, terminal, pending, pollers, drained []string
			for _, l := range f.Maps {
				maps = append(maps, l.Name)
			}
			for _, v := range f.Values {
				if v.Terminal {
					terminal = append(terminal, v.Const.String())
				} else {
					pending = append(pending, v.Const.String())
				}
			}
			for _, e := range f.Pollers {
				pollers = append(pollers, e.Name())
			}
			for _, l := range f.Drained {
				drained = append(drained, l.Name)
			}
			for _, x := range []struct {
				what string
				got  []string
				want string
			}{
				{"status maps", maps, tt.maps}, {"terminal statuses", terminal, tt.terminal}, {"other statuses", pending, tt.pending},
				{"pollers", pollers, tt.pollers}, {"drained containers", drained, tt.drained},
			} {
				if got := strings.Join(x.got, " "); got != x.want {
					t.Errorf("%s are %q, want %q", x.what, got, x.want)
				}
			}
		})
	}
}

// infer returns the facts of the component of Depot.
func infer(t *testing.T, src string) *status.Facts {
	t.Helper()
	mod, err := parser.ParseFile("depot.py", []byte(src), parser.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range component.Build(flow.Build(program.New([]*ast.Module{mod}))) {
		if c.Class.Qual == "Depot" {
			return status.Infer(c, status.DefaultWords)
		}
	}
	t.Fatal("Depot is no component")
	return nil
}
