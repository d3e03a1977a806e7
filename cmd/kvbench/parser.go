package main

import (
	"bufio"
	"bytes"
	_ "embed"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/kvrace/kvrace/parser"
)

// astParse is a Python program that reads the files named on its standard
// input, up to an empty line, and then for each line parses them all and
// prints the seconds of processor time that took.
//
//go:embed astparse.py
var astParse string

// pythonFile is one file of the tree.
type pythonFile struct {
	name string
	text []byte
}

// parserBenchmark compares the parser with CPython's ast.parse over a tree, on
// one core.
func parserBenchmark(args []string) error {
	flags := flag.NewFlagSet("parser", flag.ContinueOnError)
	rounds := flags.Int("rounds", 5, "how often each side parses the tree")
	python := flags.String("python", "python3", "the Python interpreter")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if flags.NArg() != 1 || *rounds < 1 {
		return errors.New("want one tree and at least one round")
	}
	sources, err := readTree(flags.Arg(0))
	if err != nil {
		return err
	}
	if len(sources) == 0 {
		return fmt.Errorf("no Python files in %s", flags.Arg(0))
	}
	other, err := startPython(*python, sources)
	if err != nil {
		return err
	}
	defer other.stop()
	runtime.GOMAXPROCS(1)
	return compareParsers(sources, other, *rounds)
}

// readTree reads the Python files below root.
func readTree(root string) ([]pythonFile, error) {
	var sources []pythonFile
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() || !strings.HasSuffix(path, ".py") {
			return err
		}
		text, err := os.ReadFile(path)
		sources = append(sources, pythonFile{path, text})
		return err
	})
	return sources, err
}

// pythonParser is a running astparse.py.
type pythonParser struct {
	cmd     *exec.Cmd
	in      io.WriteCloser
	out     *bufio.Reader
	version string
}

func startPython(path string, sources []pythonFile) (*pythonParser, error) {
	p := &pythonParser{cmd: exec.Command(path, "-W", "ignore", "-c", astParse)}
	p.cmd.Stderr = os.Stderr
	in, err := p.cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	p.in, p.out = in, bufio.NewReader(out)
	if err := p.cmd.Start(); err != nil {
		return nil, fmt.Errorf("start Python: %w", err)
	}
	for _, s := range sources {
		fmt.Fprintln(p.in, s.name)
	}
	fmt.Fprintln(p.in)
	line, err := p.out.ReadString('\n')
	p.version = strings.TrimSpace(line)
	return p, err
}

// round parses the tree once.
func (p *pythonParser) round() (time.Duration, error) {
	fmt.Fprintln(p.in, "again")
	var seconds float64
	_, err := fmt.Fscanln(p.out, &seconds)
	return time.Duration(seconds * float64(time.Second)), err
}

// stop ends the program.
func (p *pythonParser) stop() {
	p.in.Close()
	p.cmd.Wait()
}

// compareParsers lets the parsers take turns and prints a table.
func compareParsers(sources []pythonFile, other *pythonParser, rounds int) error {
	size := 0
	for _, s := range sources {
		size += len(s.text)
	}
	fmt.Printf("%d files, %.1f MB, processor time; Python %s\n", len(sources), float64(size)/1e6, other.version)
	fmt.Println("round  kvrace MB/s  ast.parse MB/s  ratio")
	rate := func(d time.Duration) float64 { return float64(size) / 1e6 / d.Seconds() }
	var ratios []float64
	for i := range rounds {
		ours := parseAll(sources)
		theirs, err := other.round()
		if err != nil {
			return fmt.Errorf("read from Python: %w", err)
		}
		ratio := theirs.Seconds() / ours.Seconds()
		ratios = append(ratios, ratio)
		fmt.Printf("%5d  %11.1f  %14.2f  %5.1f\n", i+1, rate(ours), rate(theirs), ratio)
	}
	slices.Sort(ratios)
	fmt.Printf("median ratio %.1f\n", ratios[len(ratios)/2])
	printSizes(sources)
	heap, sampled := heapPerByte(sources)
	fmt.Printf("heap of one file's tree: %.2f bytes for each byte of source (%d files)\n", heap, sampled)
	return nil
}

// parseAll parses all sources, one after the other, and returns the
// processor time.
func parseAll(sources []pythonFile) time.Duration {
	start := cpuTime()
	for _, s := range sources {
		// Files with syntax errors are parsed to the end, too.
		parser.ParseFile(s.name, s.text, parser.Options{})
	}
	return cpuTime() - start
}

// printSizes prints the throughput for one file of 1, 2, 4 and 8 MB of the same
// code, so that one sees that the time is linear.
func printSizes(sources []pythonFile) {
	var code []byte
	for _, s := range sources {
		if len(code) >= 1_000_000 {
			break
		}
		code = append(append(code, s.text...), '\n')
	}
	for _, times := range []int{1, 2, 4, 8} {
		large := pythonFile{"large.py", bytes.Repeat(code, times)}
		best := parseAll([]pythonFile{large})
		for range 2 {
			runtime.GC()
			best = min(best, parseAll([]pythonFile{large}))
		}
		size := float64(len(large.text)) / 1e6
		fmt.Printf("one file of %.1f MB: %.1f MB/s\n", size, size/best.Seconds())
	}
}

// maxSampled bounds the files whose trees are measured.
const maxSampled = 500

// heapPerByte returns the heap that the tree of one file takes, apart from its
// source, for each byte of source.
func heapPerByte(sources []pythonFile) (ratio float64, sampled int) {
	step := (len(sources) + maxSampled - 1) / maxSampled
	heap, size := 0.0, 0
	for i := 0; i < len(sources); i += step {
		s := sources[i]
		before := liveHeap()
		m, _ := parser.ParseFile(s.name, s.text, parser.Options{})
		heap += liveHeap() - before
		runtime.KeepAlive(m)
		size += len(s.text)
		sampled++
	}
	return heap / float64(size), sampled
}

func liveHeap() float64 {
	var stats runtime.MemStats
	runtime.GC()
	runtime.GC() // twice, to empty the pools
	runtime.ReadMemStats(&stats)
	return float64(stats.HeapAlloc)
}
