package config

import (
	"fmt"
	"strings"

	"github.com/pelletier/go-toml/v2/unstable"
)

// origins returns the place of each key of a valid document under prefix, by
// its dotted key without prefix. Elements of arrays are called by number.
func origins(src []byte, name, prefix string) map[string]Origin {
	w := originWalker{name: name, prefix: prefix, found: make(map[string]Origin), arrays: make(map[string]int)}
	w.p.Reset(src)
	table := ""
	for w.p.NextExpression() {
		switch n := w.p.Expression(); n.Kind {
		case unstable.Table:
			table = w.key("", n)
			w.record(table, n.Key())
		case unstable.ArrayTable:
			key := w.key("", n)
			table = fmt.Sprintf("%s.%d", key, w.arrays[key])
			w.arrays[key]++
			w.record(table, n.Key())
		case unstable.KeyValue:
			w.keyValue(table, n)
		}
	}
	return w.found
}

// An originWalker collects the places of keys.
type originWalker struct {
	p            unstable.Parser
	name, prefix string
	found        map[string]Origin
	arrays       map[string]int // number of tables in each array of tables
}

// key returns the dotted key of a node inside a table.
func (w *originWalker) key(table string, n *unstable.Node) string {
	var parts []string
	if table != "" {
		parts = append(parts, table)
	}
	for it := n.Key(); it.Next(); {
		parts = append(parts, string(it.Node().Data))
	}
	return strings.Join(parts, ".")
}

// record notes the place of a key: that of its first part.
func (w *originWalker) record(key string, parts unstable.Iterator) {
	if parts.Next() {
		w.recordAt(key, parts.Node())
	}
}

func (w *originWalker) recordAt(key string, n *unstable.Node) {
	short, ok := strings.CutPrefix(key, w.prefix)
	if !ok || n.Raw.Length == 0 {
		return
	}
	start := w.p.Shape(n.Raw).Start
	w.found[short] = Origin{Source: w.name, Line: start.Line, Column: start.Column}
}

// keyValue records a key and what is inside its value.
func (w *originWalker) keyValue(table string, n *unstable.Node) {
	key := w.key(table, n)
	w.record(key, n.Key())
	w.value(key, n.Value())
}

func (w *originWalker) value(key string, v *unstable.Node) {
	switch v.Kind {
	case unstable.InlineTable:
		for it := v.Children(); it.Next(); {
			w.keyValue(key, it.Node())
		}
	case unstable.Array:
		for i, it := 0, v.Children(); it.Next(); i++ {
			elem := fmt.Sprintf("%s.%d", key, i)
			w.recordAt(elem, it.Node())
			w.value(elem, it.Node())
		}
	}
}
