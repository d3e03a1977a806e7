package main

import (
	"context"
	"sync"

	"github.com/kvrace/kvrace/parser/facts/directives"
	"github.com/kvrace/kvrace/parser/source"
)

// A commentIndex knows which files on disk have kvrace comments, so that they
// are read for that once, if at all. It is safe for concurrent use; the zero
// value is empty.
type commentIndex struct {
	mu      sync.Mutex
	seen    map[string]bool   // files that were looked at, by name
	sources map[string][]byte // those of them with a comment
}

// observe looks at a file.
func (c *commentIndex) observe(name string, src []byte) {
	mentioned := directives.Mentioned(src)
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.seen == nil {
		c.seen, c.sources = make(map[string]bool), make(map[string][]byte)
	}
	c.seen[name] = true
	if mentioned {
		c.sources[name] = src
	}
}

// look reads the wanted files that were not looked at. What cannot be read
// has no comments: the analysis reports it.
func (c *commentIndex) look(ctx context.Context, p *source.Program, wanted map[string]bool, workers int) {
	var unseen []int
	for i := range p.Files {
		if name := p.Files[i].Name; wanted[name] && !c.seen[name] {
			unseen = append(unseen, i)
		}
	}
	p.ReadAll(ctx, unseen, workers, func(i int, src []byte) { c.observe(p.Files[i].Name, src) })
}
