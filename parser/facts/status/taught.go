package status

import (
	"github.com/kvrace/kvrace/parser/facts/flow"
	"github.com/kvrace/kvrace/parser/facts/taught"
)

// obey replaces what the hints say about a status by what people tell, if they
// tell anything.
func (f *Facts) obey() {
	for _, v := range f.Values {
		switch f.verdict(v.Const, f.holders(v.Const)) {
		case taught.Ends:
			v.hint(Told)
			v.Terminal = true
		case taught.Goes:
			v.hint(NotTold)
			v.Terminal = false
		}
	}
}

func (f *Facts) verdict(c *flow.Value, holders []taught.Holder) taught.Verdict {
	return f.lore.Status(c.Cls, c.Name, holders)
}

// told reports whether people call one of the constants in a container terminal.
// Such a container is a status map although it has a single status, or nobody is
// seen to ask for it.
func (f *Facts) told(l *flow.Location, consts []*flow.Value) bool {
	for _, c := range consts {
		if f.verdict(c, []taught.Holder{holder(l)}) == taught.Ends {
			return true
		}
	}
	return false
}

// holders returns what keeps a status: the maps and flags in which it is stored.
func (f *Facts) holders(c *flow.Value) []taught.Holder {
	var out []taught.Holder
	seen := map[*flow.Location]bool{}
	for _, e := range f.Comp.Entries {
		for i := range e.Graph.Nodes {
			n := &e.Graph.Nodes[i]
			if n.Op != flow.Put && n.Op != flow.SetFlag || n.Loc == nil || n.Val == nil || seen[n.Loc] || !f.isMap[n.Loc] && !f.flags[n.Loc] {
				continue
			}
			for _, leaf := range n.Val.Leaves() {
				if leaf.ID() == c.ID() {
					seen[n.Loc] = true
					out = append(out, holder(n.Loc))
					break
				}
			}
		}
	}
	return out
}

func holder(l *flow.Location) taught.Holder {
	if l.Owner != nil {
		return taught.Holder{Owner: l.Owner, Name: l.Name}
	}
	return taught.Holder{Mod: l.Mod, Name: l.Name}
}

// IsClear reports whether people say that an entrypoint forgets a request.
func (f *Facts) IsClear(e *flow.Entry) bool { return f.lore.Clears(e.Func.Name) }
