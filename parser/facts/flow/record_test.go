package flow_test

import (
	"strings"
	"testing"

	"github.com/kvrace/kvrace/parser"
	"github.com/kvrace/kvrace/parser/ast"
	"github.com/kvrace/kvrace/parser/facts/flow"
	"github.com/kvrace/kvrace/parser/facts/program"
)

// TestParts puts records and tuples with a number into a queue, and asks which of their parts
// is the number.
func TestParts(t *testing.T) {
	const src = `
import queue
from collections import namedtuple
from dataclasses import dataclass

Named = namedtuple("Named", "kind rid size")

@dataclass
class Data:
    kind: str
    num: int
    size: int

class Plain:
    def __init__(self, kind, rid, size=0):
        self.plain = rid
        self.kept = (kind, size)

class Tagged:
    def __init__(self, *tags, rid):
        self.tagged = rid
        self.tags = tags

class Desk:
    def __init__(self, wire):
        self.wire = wire
        self.numbers = queue.Queue()
        self.done = queue.Queue()
        self.open = {}

    def send(self, first, rest):
        rid = self.numbers.get()
        self.open[rid] = 1
        self.pass_on(RECORD)

    def pass_on(self, record):
        self.done.put(record)

    def swap(self, kind, rid, size):
        self.open[rid] = 2
        return (size, rid, kind)
`
	for _, tt := range []struct{ record, part string }{
		{"Named(1, rid, 2)", "rid"},
		{"Named(*rest, rid)", ""},
		{"Named(first, *rest, rid)", ""},
		{"Named(rid, *rest)", "kind"},
		{"Named(*(1, rid), 2)", "rid"},
		{"Named(*(*rest, rid), 2)", ""},
		{"Named(*rest, rid=rid)", "rid"},
		{"Data(1, rid, 2)", "num"},
		{"Data(*rest, rid)", ""},
		{"Data(*rest, num=rid)", "num"},
		{"Plain(1, rid)", "plain"},
		{"Plain(*rest, rid)", ""},
		{"Plain(*rest, rid=rid)", "plain"},
		{"Tagged(1, rid=rid)", "tagged"},
		{"Tagged(1, rid, 2, rid=3)", ""},
		{"(1, rid, 2)", "1"},
		{"(*rest, rid)", "-1"},
		{"(rid, *rest)", "0"},
		{"(*rest, rid, *rest)", ""},
		{"self.swap(1, rid, 2)", "1"},
		{"self.swap(*rest, rid)", ""},
		{"self.swap(*rest, rid=rid)", "1"},
		{"self.swap(rid, *rest)", "2"},
	} {
		t.Run(tt.record, func(t *testing.T) {
			mod, err := parser.ParseFile("desk.py", []byte(strings.Replace(src, "RECORD", tt.record, 1)), parser.Options{})
			if err != nil {
				t.Fatal(err)
			}
			p := flow.Build(program.New([]*ast.Module{mod}))
			var rid, record *flow.Value
			for _, e := range p.Entries {
				if e.Func.Name != "send" {
					continue
				}
				for i := range e.Graph.Nodes {
					switch n := &e.Graph.Nodes[i]; n.Op {
					case flow.Dequeue:
						rid = n.Res
					case flow.Enqueue:
						record = n.Val
					}
				}
			}
			if rid == nil || record == nil {
				t.Fatal("no queue is used")
			}
			for _, part := range []struct {
				name string
				at   int64
			}{{"kind", -1}, {"rid", -1}, {"size", -1}, {"num", -1}, {"plain", -1}, {"tagged", -1}, {"0", 0}, {"1", 1}, {"2", 2}, {"-1", -1}} {
				if part.name == "-1" && tt.part == "2" {
					continue // the same one
				}
				name := part.name
				if strings.ContainsAny(name, "012") {
					name = ""
				}
				if is := rid.Same(record.Part(name, part.at)); is != (part.name == tt.part) && (name != "" || record.Kind == flow.Derived) {
					t.Errorf("part %s is the number: %v", part.name, is)
				}
			}
		})
	}
}
