package source

import (
	"context"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/bmatcuk/doublestar/v4"
)

// skippedDirs are folders, beside hidden ones, that hold code of others or
// products of a build. The walk leaves them out unless they are named or
// included.
var skippedDirs = map[string]bool{
	"__pycache__": true, "__pypackages__": true, "node_modules": true,
	"site-packages": true, "dist-packages": true,
	"venv": true, "virtualenv": true,
	"build": true, "_build": true, "buck-out": true, "dist": true,
	"vendor": true, "_vendor": true, "vendored": true, "_vendored": true,
	"third_party": true, "thirdparty": true, "3rdparty": true,
}

// venvMarkers are the entries that make a folder a virtual environment,
// whatever its name.
var venvMarkers = [...]string{"pyvenv.cfg", "conda-meta"}

// A walked file is one that a walk met.
type walked struct {
	path string
	size int64
}

// A dirJob is a folder still to be read.
type dirJob struct {
	path   string
	ignore *ignoreFile // what applies inside, innermost first
	forced bool        // only what Include names is wanted here
	start  bool        // the caller named it, so no rule leaves it out
}

// A walker reads folders with several workers that share one stack. Symbolic
// links are not followed, as in git, so that loops cannot arise and no file
// is met twice.
type walker struct {
	opt  Options
	root string // of names, for Include and Exclude
	deep bool

	mu       sync.Mutex
	wake     sync.Cond
	stack    []dirJob
	busy     int
	files    []walked
	problems []Problem
}

// walk returns the Python files under dir that no rule leaves out, in any
// order.
func (l *loader) walk(ctx context.Context, dir string, deep bool) []walked {
	w := &walker{opt: l.opt, root: l.root, deep: deep}
	w.wake.L = &w.mu
	w.stack = []dirJob{{path: dir, ignore: outerIgnores(dir), start: true}}
	var wg sync.WaitGroup
	for range l.opt.workers() {
		wg.Go(func() { w.work(ctx) })
	}
	wg.Wait()
	l.problems = append(l.problems, w.problems...)
	return w.files
}

// work reads folders until none is left and no other worker can add one.
func (w *walker) work(ctx context.Context) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for {
		for len(w.stack) == 0 && w.busy > 0 {
			w.wake.Wait()
		}
		if len(w.stack) == 0 || ctx.Err() != nil {
			w.wake.Broadcast()
			return
		}
		job := w.stack[len(w.stack)-1]
		w.stack = w.stack[:len(w.stack)-1]
		w.busy++
		w.mu.Unlock()

		files, dirs, problems := w.readDir(job)

		w.mu.Lock()
		w.busy--
		w.files = append(w.files, files...)
		w.stack = append(w.stack, dirs...)
		w.problems = append(w.problems, problems...)
		w.wake.Broadcast()
	}
}

// readDir sorts the entries of one folder into files to take and folders to
// read.
func (w *walker) readDir(job dirJob) (files []walked, dirs []dirJob, problems []Problem) {
	entries, err := os.ReadDir(job.path)
	if err != nil {
		return nil, nil, []Problem{newProblem(relName(w.root, job.path), err)}
	}
	if !job.start && !job.forced && hasAny(entries, venvMarkers[:]) {
		return nil, nil, nil
	}
	ignore, err := job.ignore.inside(job.path, entries)
	if err != nil {
		problems = append(problems, newProblem(relName(w.root, path.Join(job.path, ignoreName)), err))
	}
	for _, e := range entries {
		p := path.Join(job.path, e.Name())
		if e.IsDir() {
			if sub, ok := w.enter(p, e.Name(), ignore, job.forced); ok {
				dirs = append(dirs, sub)
			}
			continue
		}
		if !e.Type().IsRegular() || !w.take(p, e.Name(), ignore, job.forced) {
			continue
		}
		info, err := e.Info()
		if err != nil {
			problems = append(problems, newProblem(relName(w.root, p), err))
			continue
		}
		files = append(files, walked{p, info.Size()})
	}
	return files, dirs, problems
}

// enter decides whether the folder p is read, and how.
func (w *walker) enter(p, name string, ignore *ignoreFile, forced bool) (dirJob, bool) {
	rel := relName(w.root, p)
	switch {
	case !w.deep || matchAny(w.opt.Exclude, rel):
		return dirJob{}, false
	case !forced && name[0] != '.' && !skippedDirs[name] && !ignore.match(p, name, true):
		return dirJob{path: p, ignore: ignore}, true
	case mayInclude(w.opt.Include, rel):
		return dirJob{path: p, ignore: ignore, forced: true}, true
	}
	return dirJob{}, false
}

// hasAny reports whether one of the entries has one of the names.
func hasAny(entries []fs.DirEntry, names []string) bool {
	for _, e := range entries {
		if slices.Contains(names, e.Name()) {
			return true
		}
	}
	return false
}

// take decides whether the regular file p belongs to the program.
func (w *walker) take(p, name string, ignore *ignoreFile, forced bool) bool {
	python := isPython(name)
	if !python && len(w.opt.Include) == 0 {
		return false // the common case, without building a name
	}
	rel := relName(w.root, p)
	if matchAny(w.opt.Exclude, rel) {
		return false
	}
	if matchAny(w.opt.Include, rel) {
		return true
	}
	return python && !forced && !ignore.match(p, name, false)
}

// isPython reports whether a file is Python source by its name, in any case.
// Hidden files are not: editors and archivers leave them behind.
func isPython(name string) bool {
	return len(name) > 3 && name[0] != '.' && strings.EqualFold(name[len(name)-3:], ".py")
}

// matchAny reports whether one of the patterns matches name.
func matchAny(patterns []string, name string) bool {
	return slices.ContainsFunc(patterns, func(p string) bool { return Match(p, name) })
}

// Match reports whether a pattern, as in Options.Exclude, matches a
// File.Name. A malformed pattern matches nothing.
func Match(pattern, name string) bool {
	pattern = strings.TrimSuffix(pattern, "/")
	if !strings.Contains(pattern, "/") {
		name = path.Base(name)
	}
	ok, err := doublestar.Match(strings.TrimPrefix(pattern, "/"), name)
	return ok && err == nil
}

// mayInclude reports whether a pattern can match something in the folder rel.
// A pattern that starts with a wildcard names no folder, so it reaches into
// none that is left out.
func mayInclude(patterns []string, rel string) bool {
	for _, pattern := range patterns {
		base, _ := doublestar.SplitPattern(strings.TrimPrefix(pattern, "/"))
		if base == "." {
			continue
		}
		if within(rel, base) || within(base, rel) {
			return true
		}
	}
	return false
}

// ValidPattern reports whether an Include or Exclude pattern is well formed.
func ValidPattern(pattern string) bool { return doublestar.ValidatePattern(pattern) }
