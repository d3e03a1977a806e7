package source

import (
	"os"
	"path"
	"path/filepath"
)

const initFile = "__init__.py"

// projectMarkers are the entries that make a folder the root of a project.
var projectMarkers = [...]string{"pyproject.toml", "kvrace.toml", "setup.cfg", "setup.py", ".git"}

// A project is the folder whose files form one program.
type project struct {
	dir  string
	deep bool // whether the folders below dir belong to it
}

// findProject returns the project of the files in dir: the nearest folder
// upward that has a marker. Without one it is the folder that holds the
// outermost package around dir, or dir itself, whose subfolders are part of
// it only if walkable is set, so that naming one file in a folder of downloads
// does not load all of them. The home folder and the root of the file system
// are never projects.
func findProject(dir string, walkable bool) project {
	home, err := os.UserHomeDir()
	if err != nil {
		home = ""
	}
	home = filepath.ToSlash(home)
	for d := dir; d != home && parent(d) != d; d = parent(d) {
		for _, marker := range projectMarkers {
			if exists(path.Join(d, marker)) {
				return project{d, true}
			}
		}
	}
	top := dir
	for d := dir; parent(d) != d; d = parent(d) {
		if !exists(path.Join(d, initFile)) {
			break
		}
		top = parent(d)
	}
	if top != dir && parent(top) != top {
		// The package counts, not everything beside it.
		return project{dir: packageBelow(top, dir), deep: true}
	}
	return project{dir, walkable}
}

// packageBelow returns the folder directly under top on the way to dir.
func packageBelow(top, dir string) string {
	for parent(dir) != top {
		dir = parent(dir)
	}
	return dir
}

// FindProject returns the folder of the project that the given path, a file
// or a folder, belongs to, absolute and with slashes.
func FindProject(p string) (string, error) {
	abs, err := filepath.Abs(p)
	if err != nil {
		return "", err
	}
	abs = filepath.ToSlash(abs)
	if info, err := os.Stat(abs); err != nil || !info.IsDir() {
		abs = parent(abs)
	}
	return findProject(abs, true).dir, nil
}

func exists(p string) bool {
	_, err := os.Lstat(p)
	return err == nil
}
