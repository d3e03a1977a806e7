package keymap_test

import (
	"bytes"
	"context"
	"flag"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kvrace/kvrace/report"
	"github.com/kvrace/kvrace/rules/checker"
	"github.com/kvrace/kvrace/rules/keymap"
)

var update = flag.Bool("update", false, "rewrite golden files")

// maps returns the key groups of a file or folder.
func maps(t *testing.T, root string) *report.Run {
	t.Helper()
	var files []checker.File
	err := filepath.WalkDir(root, func(p string, d fs.DirEntry, err error) error {
		if err == nil && strings.HasSuffix(p, ".py") {
			name, err := filepath.Rel(filepath.Dir(root), p)
			if err != nil {
				return err
			}
			files = append(files, checker.File{Name: filepath.ToSlash(name), Path: p})
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	run, err := checker.Run(context.Background(), checker.Options{Files: files, Maps: true})
	if err != nil {
		t.Fatal(err)
	}
	return run
}

func TestGroups(t *testing.T) {
	for name, root := range map[string]string{
		"depot":     filepath.Join("testdata", "depot.py"),
		"silentpin": filepath.Join("..", "..", "testdata", "silentpin"),
	} {
		t.Run(name, func(t *testing.T) {
			var got bytes.Buffer
			if err := report.MapText(&got, maps(t, root), report.TextOptions{}); err != nil {
				t.Fatal(err)
			}
			golden := filepath.Join("testdata", name+".golden")
			if *update {
				if err := os.WriteFile(golden, got.Bytes(), 0o666); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), got.String()); diff != "" {
				t.Errorf("map differs from %s (-want +got):\n%s", golden, diff)
			}
		})
	}
}

func TestLimit(t *testing.T) {
	groups := maps(t, filepath.Join("..", "..", "testdata", "silentpin")).Maps
	for _, g := range keymap.Limit(groups, map[string]bool{"silentpin/prefill.py": true}) {
		if g.Component != "PrefillQueue" {
			t.Errorf("%s is not about prefill.py", g.Component)
		}
	}
}
