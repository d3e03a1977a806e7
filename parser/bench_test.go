package parser_test

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/kvrace/kvrace/parser"
	"github.com/kvrace/kvrace/parser/ast"
)

// program returns about size bytes of ordinary code.
func program(size int) []byte {
	const class = `
class Manager%d(Base):
    """Keeps the entries of one worker, by the number of their request."""

    def __init__(self, queue: Queue, *, limit: int = 16) -> None:
        super().__init__(queue)
        self.limit = limit
        self.entries: dict[int, list[str]] = {}
        self.status = {"ready": 0, "failed": 1, "done": 2}

    def run(self):
        while not self.closed:
            message = self.queue.get(timeout=1.5)
            if message is None or message.room not in self.entries:
                continue  # somebody else has removed it
            try:
                for index, part in enumerate(message.parts[1:]):
                    self.entries[message.room].append(f"{index}: {part!r}")
            except (KeyError, ValueError) as err:
                logger.warning("cannot store %%s of %%d: %%s", message, len(self.entries), err)
            finally:
                self.count += sum(len(x) for x in self.entries.values() if x)
`
	var b strings.Builder
	for i := 0; b.Len() < size; i++ {
		fmt.Fprintf(&b, class, i)
	}
	return []byte(b.String())
}

// BenchmarkParse parses sources of several sizes: the time is linear if the
// throughput is the same.
func BenchmarkParse(b *testing.B) {
	for _, size := range []int{10_000, 1_000_000, 2_000_000, 4_000_000, 8_000_000} {
		src := program(size)
		b.Run(fmt.Sprintf("%dkB", size/1000), func(b *testing.B) {
			b.SetBytes(int64(len(src)))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := parser.ParseFile("f.py", src, parser.Options{}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkCheck is BenchmarkParse with the errors of CPython's compiler.
func BenchmarkCheck(b *testing.B) {
	src := program(1_000_000)
	b.SetBytes(int64(len(src)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := parser.ParseFile("f.py", src, parser.Options{Mode: parser.Check}); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkInspect walks the tree of a large source.
func BenchmarkInspect(b *testing.B) {
	src := program(1_000_000)
	m, err := parser.ParseFile("f.py", src, parser.Options{})
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(len(src)))
	b.ReportAllocs()
	for b.Loop() {
		ast.Inspect(m, func(ast.Node) bool { return true })
	}
}

// BenchmarkTrees parses the files of KVRACE_TREES.
func BenchmarkTrees(b *testing.B) {
	trees := filepath.SplitList(os.Getenv("KVRACE_TREES"))
	if len(trees) == 0 {
		b.Skip("KVRACE_TREES is not set")
	}
	var sources [][]byte
	var size int64
	for _, tree := range trees {
		for _, file := range pythonFiles(b, tree) {
			src, err := os.ReadFile(file)
			if err != nil {
				b.Fatal(err)
			}
			sources = append(sources, src)
			size += int64(len(src))
		}
	}
	b.SetBytes(size)
	b.ReportAllocs()
	for b.Loop() {
		for _, src := range sources {
			parser.ParseFile("f.py", src, parser.Options{})
		}
	}
}

// treeSize returns the bytes of heap that the tree of src takes.
func treeSize(src []byte) int64 {
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	m, _ := parser.ParseFile("f.py", src, parser.Options{})
	runtime.GC()
	runtime.ReadMemStats(&after)
	runtime.KeepAlive(m)
	return int64(after.HeapAlloc) - int64(before.HeapAlloc)
}

// TestTreeSize bounds the memory of a tree by the size of its source. The code
// is denser than usual: it has few comments and no long strings.
func TestTreeSize(t *testing.T) {
	const limit = 6.5 // bytes of heap for each byte of source
	for _, size := range []int{100_000, 1_000_000} {
		src := program(size)
		treeSize(src) // fills the caches of the runtime
		ratio := float64(treeSize(src)) / float64(len(src))
		t.Logf("%d bytes: %.2f bytes of heap for each byte of source", len(src), ratio)
		if ratio > limit {
			t.Errorf("%d bytes: %.2f bytes of heap for each byte of source, want at most %.1f", len(src), ratio, limit)
		}
	}
}

// TestLinear checks that the work does not grow faster than the source. It
// counts what parsing allocates, which is the same on a machine that is busy;
// the times are printed by kvbench.
func TestLinear(t *testing.T) {
	type work struct{ bytes, objects float64 } // for each byte of source
	parse := func(size int) work {
		src := program(size)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		parser.ParseFile("f.py", src, parser.Options{})
		runtime.ReadMemStats(&after)
		n := float64(len(src))
		return work{float64(after.TotalAlloc-before.TotalAlloc) / n, float64(after.Mallocs-before.Mallocs) / n}
	}
	parse(100_000) // fills the caches of the runtime
	small, large := parse(250_000), parse(8_000_000)
	t.Logf("each byte of source allocates: of 250 kB %.2f bytes in %.4f objects, of 8 MB %.2f bytes in %.4f objects",
		small.bytes, small.objects, large.bytes, large.objects)
	if large.bytes > 1.5*small.bytes || large.objects > 1.5*small.objects {
		t.Errorf("8 MB allocate more for each byte than 250 kB: %+v, %+v", large, small)
	}
}
