package source

import (
	"context"
	"fmt"
	"io"
	"os"
	"sync"
	"sync/atomic"
	"syscall"
)

// Read returns the bytes of file i, which are Overlay's if it has them. It refuses what is not a regular file and
// what is, or grows while it is read, longer than the limit.
func (p *Program) Read(i int) ([]byte, error) {
	if src, ok := p.Overlay[p.Files[i].Name]; ok {
		return src, nil
	}
	return readFile(p.Files[i].Path, p.MaxSize)
}

// ReadFile returns the bytes of one file as Read does. Its error is a Problem.
func ReadFile(name string, limit int64) ([]byte, error) {
	src, err := readFile(name, limit)
	if err != nil {
		return nil, newProblem(name, err)
	}
	return src, nil
}

// ReadAll reads the given files with several workers and calls use with each;
// workers <= 0 means one. Not more than one source per worker is held, unless
// use keeps them. Calls of use are concurrent and in no order; one that panics is
// a problem of its file. Problems come in the order of the files.
func (p *Program) ReadAll(ctx context.Context, files []int, workers int, use func(i int, src []byte)) []Problem {
	errs := make([]error, len(files))
	var next atomic.Int64
	var wg sync.WaitGroup
	for range min(max(workers, 1), len(files)) {
		wg.Go(func() {
			for ctx.Err() == nil {
				n := int(next.Add(1)) - 1
				if n >= len(files) {
					return
				}
				errs[n] = p.readOne(files[n], use)
			}
		})
	}
	wg.Wait()
	var problems []Problem
	for n, err := range errs {
		if err != nil {
			problems = append(problems, newProblem(p.Files[files[n]].Name, err))
		}
	}
	return problems
}

// readOne reads a file and calls use with it. A panic is an error of the file.
func (p *Program) readOne(i int, use func(i int, src []byte)) (err error) {
	defer func() {
		if r := recover(); r != nil {
			if os.Getenv("KVRACE_PANIC") != "" {
				panic(r)
			}
			err = fmt.Errorf("internal error while reading: %v; please report it", r)
		}
	}()
	src, err := p.Read(i)
	if err != nil {
		return err
	}
	use(i, src)
	return nil
}

// readFile returns the bytes of a regular file of at most limit bytes. The
// file is opened without blocking, since a pipe may have taken its place.
func readFile(name string, limit int64) ([]byte, error) {
	f, err := os.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, ErrNotRegular
	}
	if info.Size() > limit {
		return nil, tooLarge(info.Size(), limit)
	}
	// One byte more than expected tells the end without growing the buffer.
	src := make([]byte, info.Size()+1)
	n, err := io.ReadFull(f, src)
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		return src[:n:n], nil
	}
	if err != nil {
		return nil, err
	}
	rest, err := io.ReadAll(io.LimitReader(f, limit-int64(n)+1))
	if err != nil {
		return nil, err
	}
	if total := int64(n + len(rest)); total > limit {
		return nil, tooLarge(total, limit)
	}
	return append(src, rest...), nil
}

func tooLarge(size, limit int64) error {
	return fmt.Errorf("%w: %d bytes, the limit is %d", ErrTooLarge, size, limit)
}
