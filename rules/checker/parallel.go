package checker

import (
	"runtime"
	"sync"
)

// each calls do with the numbers below n, several at a time unless the program is
// itself one of several.
func (p *program) each(n int, do func(i int)) {
	workers := p.opt.Workers
	if workers == 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	workers = min(workers, n)
	if p.alone || workers < 2 {
		for i := range n {
			do(i)
		}
		return
	}
	next := make(chan int)
	var wg sync.WaitGroup
	for range workers {
		wg.Go(func() {
			for i := range next {
				do(i)
			}
		})
	}
	for i := range n {
		next <- i
	}
	close(next)
	wg.Wait()
}
