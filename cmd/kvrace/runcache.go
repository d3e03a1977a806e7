package main

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/rogpeppe/go-internal/cache"
	"github.com/spf13/cobra"

	"github.com/kvrace/kvrace/parser/facts/directives"
	"github.com/kvrace/kvrace/parser/source"
	"github.com/kvrace/kvrace/report"
	"github.com/kvrace/kvrace/rules/config"
)

// What an analysis finds follows from the bytes of the files, from what it is asked and
// from the program that it is. A cache keeps what was found under these three, so that
// the same question about the same files is answered without an analysis: by another
// format, by repro after check, by the next run in a checkout where nothing has changed.
//
// An entry is looked up by the names and sizes of all files, so that none is read where
// there is none, and holds if the digests of all files are those of its run. The entry of
// a run is written only if the files have the same digests before and after it.
//
// The store lies in a folder of its own inside of the one that is named: the library makes
// what is in a store for everybody, and a folder that exists may be open to others.

const (
	// worthwhile is how long an analysis takes at least that is kept: below it, to read
	// all files once more costs as much as it may save.
	worthwhile = time.Second
	// sizable is how many bytes of source a program has at least that is looked up. To
	// open the store and to hash this program takes some 30 ms, which is most of the time
	// for a smaller one unless it is very odd.
	sizable = 16 << 10
)

// cacheFlags say where runs are kept.
type cacheFlags struct {
	dir  string
	none bool
}

func (f *cacheFlags) register(cmd *cobra.Command) {
	fs := cmd.Flags()
	fs.StringVar(&f.dir, "cache-dir", "", "keep what long analyses find in `FOLDER` (default kvrace in the user's cache folder)")
	fs.BoolVar(&f.none, "no-cache", false, "analyze anew, and keep nothing")
}

// folder returns the folder of the cache, or "" for none: a system without a folder for
// caches is none to complain about.
func (f *cacheFlags) folder() string {
	if f.none || f.dir != "" {
		return f.dir
	}
	dir, err := os.UserCacheDir()
	if err != nil {
		return ""
	}
	return filepath.Join(dir, "kvrace")
}

// named reports whether the folder is one that somebody has asked for.
func (f *cacheFlags) named() bool { return f.dir != "" }

// validate returns an error for flags that contradict each other.
func (f *cacheFlags) validate() error {
	if f.none && f.dir != "" {
		return conflict("--cache-dir", "--no-cache")
	}
	return nil
}

// A runCache answers questions to an analysis from what it has kept.
type runCache struct {
	analyze func(context.Context, request) (*report.Run, error)
	// least is how long an analysis takes that is kept.
	least time.Duration
	// leastSize is how many bytes of source a program has that is looked up.
	leastSize int64
}

// caching returns the backend with a cache in front of its analysis.
func caching(b backend) backend {
	b.analyze = (&runCache{b.analyze, worthwhile, sizable}).run
	return b
}

// run answers a request. Whatever goes wrong with the cache costs an analysis and no
// more; it is told to those who have named a folder.
func (c *runCache) run(ctx context.Context, req request) (*report.Run, error) {
	if req.CacheDir == "" {
		return c.analyze(ctx, req)
	}
	if err := usable(req.CacheDir); err != nil {
		req.noCache(err)
		return c.analyze(ctx, req)
	}
	if req.size() < c.leastSize {
		return c.analyze(ctx, req)
	}
	if run := recall(ctx, req); run != nil {
		run.Stats.Recalled = true
		return run, nil
	}
	before := newDigests(req.Program)
	req.Observe = before.note
	start := time.Now()
	run, err := c.analyze(ctx, req)
	if err == nil && time.Since(start) >= c.least && run.Stats.Unended == 0 { // or another run may say more
		if err := keep(ctx, req, before, run); err != nil {
			req.noCache(err)
		}
	}
	return run, err
}

// noCache tells why nothing can be kept, if somebody listens.
func (r *request) noCache(err error) {
	if r.NoCache != nil {
		r.NoCache(err)
	}
}

// usable returns an error for what is there and is no folder.
func usable(dir string) error {
	info, err := os.Stat(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil // it is made when something is kept
	case err == nil && !info.IsDir():
		return &fs.PathError{Op: "open", Path: dir, Err: errors.New("not a folder")}
	}
	return err
}

const (
	storeName = "runs"
	// about tells who comes across the folder whose it is.
	about = "Here kvrace keeps what long analyses have found; the folder can be deleted at any time.\n"
)

// makeStore opens the store in a folder, and makes what is missing, for this user alone.
func makeStore(dir string) (*cache.Cache, error) {
	if err := os.MkdirAll(filepath.Join(dir, storeName), 0o700); err != nil {
		return nil, err
	}
	// To say whose the folder is, is a courtesy, and most likely it is said already.
	if f, err := os.OpenFile(filepath.Join(dir, "README"), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600); err == nil {
		_, _ = f.WriteString(about)
		_ = f.Close()
	}
	return openStore(dir)
}

// openStore opens the store in a folder if there is one.
func openStore(dir string) (*cache.Cache, error) { return cache.Open(filepath.Join(dir, storeName)) }

// idOf returns the ID of what a request asks of this program.
func idOf(req request) (cache.ActionID, error) {
	self, err := selfDigest()
	if err != nil {
		return cache.ActionID{}, err
	}
	return questionID(self, req)
}

// selfDigest identifies this program by its bytes: of two builds of one version, one
// may have changes.
var selfDigest = sync.OnceValues(func() (sum [sha256.Size]byte, err error) {
	name, err := os.Executable()
	if err != nil {
		return sum, err
	}
	f, err := os.Open(name)
	if err != nil {
		return sum, err
	}
	defer f.Close()
	h := sha256.New()
	_, err = io.Copy(h, f)
	h.Sum(sum[:0])
	return sum, err
})

// errNames tells that a file has a name that JSON, in which runs are kept, has no word for.
var errNames = errors.New("a file name is not UTF-8")

// questionID identifies what is asked, with the names and sizes of the files.
func questionID(self [sha256.Size]byte, req request) (cache.ActionID, error) {
	type file struct {
		Name, Module           string
		Size                   int64
		Target, Named, Overlay bool
	}
	c := req.Config
	q := struct {
		Self           [sha256.Size]byte
		Select, Ignore []config.Selector
		Confidence     report.Confidence
		Python         string
		Table          *directives.Table
		Wanted         [5]bool
		All            bool // no targets
		MaxSize        int64
		Files          []file
	}{
		self, c.Select, c.Ignore, c.Confidence, fmt.Sprint(c.PythonVersion.Version), c.Table(),
		[...]bool{req.Maps, req.NoFindings, req.NoPatches, req.NoWitness, req.Replay}, req.Targets == nil, req.Program.MaxSize, nil,
	}
	for i := range req.Program.Files {
		f := &req.Program.Files[i]
		_, overlay := req.Overlay[f.Name]
		q.Files = append(q.Files, file{f.Name, f.Module, req.sizeOf(f), req.Targets[f.Name], req.Program.Named[f.Name], overlay})
	}
	for _, f := range q.Files {
		if !utf8.ValidString(f.Name) {
			return cache.ActionID{}, errNames
		}
	}
	h := sha256.New()
	err := json.NewEncoder(h).Encode(q)
	var id cache.ActionID
	h.Sum(id[:0])
	return id, err
}

// digests are those of the files of a program, by number. They are safe for concurrent
// use with different files.
type digests struct {
	sums  [][sha256.Size]byte
	known []bool
}

func newDigests(p *source.Program) *digests {
	return &digests{make([][sha256.Size]byte, len(p.Files)), make([]bool, len(p.Files))}
}

func (d *digests) note(i int, src []byte) { d.sums[i], d.known[i] = sha256.Sum256(src), true }

// all returns the digest of all, and whether each file has one.
func (d *digests) all() ([sha256.Size]byte, bool) {
	h := sha256.New()
	for i := range d.sums {
		h.Write(d.sums[i][:])
	}
	var sum [sha256.Size]byte
	h.Sum(sum[:0])
	return sum, !slices.Contains(d.known, false)
}

// digestsNow reads all files of a request as they are now, and calls use with those that
// are wanted, one at a time.
func digestsNow(ctx context.Context, req request, wanted map[string]bool, use func(name string, src []byte)) (sum [sha256.Size]byte, ok bool) {
	p := *req.Program
	p.Overlay = req.Overlay
	d := newDigests(&p)
	all := make([]int, len(p.Files))
	for i := range all {
		all[i] = i
	}
	var mu sync.Mutex
	p.ReadAll(ctx, all, req.workers(), func(i int, src []byte) {
		d.note(i, src)
		if wanted[p.Files[i].Name] {
			mu.Lock()
			defer mu.Unlock()
			use(p.Files[i].Name, src)
		}
	})
	return d.all()
}

// A keptRun is a run as it is kept, with what the JSON format leaves out.
type keptRun struct {
	Run      *report.Run
	Findings []keptFinding // of the findings of Run
	Maps     []report.KeyGroup
	Read     int64
	Cut      []string
	Sources  []string // names of the files
	// Decoded is the content of those of them that are something else on disk: in
	// another encoding than UTF-8.
	Decoded map[string][]byte
}

type keptFinding struct {
	Reproducer, PatchedReproducer string
	Edits                         [][]report.Edit // of the patches
}

// keep writes an entry: the digest of all files, and the run behind it. It returns an
// error if it cannot, and none if there is nothing that may be kept.
func keep(ctx context.Context, req request, before *digests, run *report.Run) error {
	was, known := before.all()
	wanted, decoded := map[string]bool{}, map[string][]byte{}
	for name := range run.Sources {
		wanted[name] = true
	}
	now, ok := digestsNow(ctx, req, wanted, func(name string, src []byte) {
		if text := run.Sources[name]; !bytes.Equal(src, text) {
			decoded[name] = text
		}
	})
	if !known || !ok || now != was {
		return nil
	}
	id, err := idOf(req)
	if err != nil {
		return err
	}
	store, err := makeStore(req.CacheDir)
	if err != nil {
		return err
	}
	k := keptRun{Run: run, Decoded: decoded, Maps: run.Maps, Read: run.Stats.Read, Cut: run.Stats.Cut, Sources: slices.Sorted(maps.Keys(run.Sources))}
	for i := range run.Findings {
		f := &run.Findings[i]
		kf := keptFinding{Reproducer: f.Reproducer, PatchedReproducer: f.PatchedReproducer}
		for _, p := range f.Patches {
			kf.Edits = append(kf.Edits, p.Edits)
		}
		k.Findings = append(k.Findings, kf)
	}
	var b bytes.Buffer
	b.Write(was[:])
	zip := gzip.NewWriter(&b)
	if err := errors.Join(json.NewEncoder(zip).Encode(k), zip.Close()); err != nil {
		return err
	}
	if err := store.PutBytes(id, b.Bytes()); err != nil {
		return err
	}
	_ = store.Trim() // what is not removed now will be another time
	return nil
}

// recall returns the run that was kept for a question, or nil if there is none for the
// files as they are.
func recall(ctx context.Context, req request) *report.Run {
	store, err := openStore(req.CacheDir)
	if err != nil {
		return nil // nothing was kept so far, or keep will tell
	}
	id, err := idOf(req)
	if err != nil {
		return nil
	}
	data, _, err := store.GetBytes(id)
	if err != nil || len(data) < sha256.Size {
		return nil
	}
	k, err := unpack(data[sha256.Size:])
	if err != nil {
		return nil
	}
	wanted := map[string]bool{}
	for _, name := range k.Sources {
		wanted[name] = true
	}
	run := k.Run
	run.Sources = make(map[string][]byte, len(wanted))
	now, ok := digestsNow(ctx, req, wanted, func(name string, src []byte) { run.Sources[name] = src })
	if !ok || !bytes.Equal(now[:], data[:sha256.Size]) {
		return nil
	}
	maps.Copy(run.Sources, k.Decoded)
	return run
}

// unpack reads what keep has written.
func unpack(zipped []byte) (*keptRun, error) {
	zip, err := gzip.NewReader(bytes.NewReader(zipped))
	if err != nil {
		return nil, err
	}
	var k keptRun
	if err := json.NewDecoder(zip).Decode(&k); err != nil {
		return nil, err
	}
	if k.Run == nil || len(k.Findings) != len(k.Run.Findings) {
		return nil, errors.New("not a run")
	}
	run := k.Run
	run.Maps, run.Stats.Read, run.Stats.Cut = k.Maps, k.Read, k.Cut
	for i, kf := range k.Findings {
		f := &run.Findings[i]
		f.Reproducer, f.PatchedReproducer = kf.Reproducer, kf.PatchedReproducer
		if len(kf.Edits) != len(f.Patches) {
			return nil, errors.New("not a run")
		}
		for n := range f.Patches {
			f.Patches[n].Edits = kf.Edits[n]
		}
	}
	return &k, nil
}
