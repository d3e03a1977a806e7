package keymap

import (
	"cmp"
	"slices"

	"github.com/kvrace/kvrace/parser/ast"
	"github.com/kvrace/kvrace/parser/facts/component"
	"github.com/kvrace/kvrace/parser/facts/flow"
	"github.com/kvrace/kvrace/report"
	"github.com/kvrace/kvrace/rules/evidence"
)

// A row is one access as the source writes it: the steps of all access programs
// at one place.
type row struct {
	at       report.Location
	kind     report.AccessKind
	key      string
	function string
	entries  []string
	locks    []string
	guards   []guard // nearest first
	update   ast.Stmt
}

func (m *mapper) row(a component.Access, kind report.AccessKind) row {
	r := row{
		at: location(a.Mod, a.Src), kind: kind, function: functionOf(a.Node),
		entries: []string{a.Entry.Name()}, guards: m.guardsOf(a.Entry.Graph, a.ID),
	}
	if a.Key != nil {
		r.key = evidence.KeyText(a.Node)
	}
	for _, l := range a.Locks {
		if name := lockName(l); !slices.Contains(r.locks, name) {
			r.locks = append(r.locks, name)
		}
	}
	if s, ok := a.Stmt.(*ast.AugAssign); ok {
		r.update = s
	}
	return r
}

func functionOf(n *flow.Node) string {
	if n.Fn == nil {
		return ""
	}
	return n.Fn.Qual
}

func lockName(l *flow.Value) string {
	if l.Loc != nil {
		return l.Loc.String()
	}
	return l.String()
}

// access returns the record of a row.
func (r *row) access() report.Access {
	return report.Access{
		Location: r.at, Kind: r.kind, Key: r.key, Function: r.function,
		Entrypoints: r.entries, Locks: r.locks, Guard: best(r.guards),
	}
}

// A table holds the rows of a container or status.
type table []*row

// add adds a row, or joins it with the one at its place: what is locked and
// guarded is so on every way there. The read of d[k] += 1 is part of its write.
func (t *table) add(r row) {
	for _, have := range *t {
		whole := r.update != nil && have.update == r.update
		if !whole && (have.at != r.at || have.kind != r.kind && r.function != have.function) {
			continue
		}
		if rank(r.kind) > rank(have.kind) {
			have.kind, have.at = r.kind, r.at
		}
		for _, e := range r.entries {
			if !slices.Contains(have.entries, e) {
				have.entries = append(have.entries, e)
			}
		}
		have.locks = intersect(have.locks, r.locks)
		have.guards = intersect(have.guards, r.guards)
		return
	}
	*t = append(*t, &r)
}

// rank orders the kinds of accesses at one place: what changes the container
// says more than what reads it.
func rank(k report.AccessKind) int {
	switch k {
	case report.Rebind, report.Drain:
		return 3
	case report.RemoveStrict, report.RemoveTolerant, report.Upsert:
		return 2
	case report.Insert:
		return 1
	}
	return 0
}

// intersect returns the elements of a that are also in b.
func intersect[T comparable](a, b []T) []T {
	var out []T
	for _, x := range a {
		if slices.Contains(b, x) {
			out = append(out, x)
		}
	}
	return out
}

// sorted returns the rows by place, each with its entrypoints by name.
func (t table) sorted() table {
	out := slices.Clone(t)
	slices.SortStableFunc(out, func(a, b *row) int {
		return cmp.Or(compareLocations(a.at, b.at), cmp.Compare(a.kind, b.kind))
	})
	for _, r := range out {
		slices.Sort(r.entries)
	}
	return out
}

func (t table) accesses() []report.Access {
	var out []report.Access
	for _, r := range t.sorted() {
		out = append(out, r.access())
	}
	return out
}
