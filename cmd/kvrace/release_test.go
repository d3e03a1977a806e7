package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

// TestRelease holds the configuration of releases, which only CI checks, to what is
// promised: six targets, builds that anybody can repeat, checksums and SBOMs. Scripts
// and workflows are about the same targets and tools.
func TestRelease(t *testing.T) {
	var config struct {
		Builds []struct {
			Env, Flags, Ldflags, Goos, Goarch []string
			ModTimestamp                      string `yaml:"mod_timestamp"`
		}
		Checksum map[string]string
		Sboms    []map[string]string
	}
	text := readFile(t, "../../.goreleaser.yaml")
	if err := yaml.Unmarshal([]byte(text), &config); err != nil {
		t.Fatal(err)
	}
	if len(config.Builds) != 1 {
		t.Fatalf("%d builds, want 1", len(config.Builds))
	}
	b := config.Builds[0]
	var targets []string
	for _, system := range b.Goos {
		for _, arch := range b.Goarch {
			targets = append(targets, system+"/"+arch)
		}
	}
	if want := []string{"linux/amd64", "linux/arm64", "darwin/amd64", "darwin/arm64", "windows/amd64", "windows/arm64"}; !slices.Equal(targets, want) {
		t.Errorf("targets %q, want %q", targets, want)
	}
	if !slices.Contains(b.Flags, "-trimpath") || !slices.Contains(b.Env, "CGO_ENABLED=0") || !strings.Contains(strings.Join(b.Ldflags, " "), "-buildid=") || b.ModTimestamp == "" {
		t.Errorf("builds cannot be repeated: %+v", b)
	}
	if config.Checksum["name_template"] == "" || len(config.Sboms) == 0 || config.Sboms[0]["artifacts"] == "" {
		t.Errorf("checksum %q, sboms %q", config.Checksum, config.Sboms)
	}
	list := strings.Join(targets, " ")
	const goreleaser = "go run github.com/goreleaser/goreleaser/v2@v2.15.1 "
	for _, tt := range []struct{ file, want string }{
		{".ci/run", fmt.Sprintf("targets=%q\n", list)},
		{".ci/run", "wc -c kvrace-*"}, // the sizes
		{".ci/run", "\n.ci/licenses\n"},
		{".github/workflows/ci.yml", ".ci/reproducible " + list + "\n"},
		{".github/workflows/ci.yml", goreleaser + "check\n"},
		{".github/workflows/ci.yml", "go run golang.org/x/vuln/cmd/govulncheck@"},
		{".github/workflows/release.yml", goreleaser + "release "},
		{".github/workflows/release.yml", "/download-syft@"}, // writes the SBOMs
	} {
		if !strings.Contains(readFile(t, "../../"+tt.file), tt.want) {
			t.Errorf("%s lacks %q", tt.file, tt.want)
		}
	}
}

func readFile(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return strings.ReplaceAll(string(text), "\r\n", "\n")
}

// TestVersionNamesCommit builds the program from the repository as releases do.
func TestVersionNamesCommit(t *testing.T) {
	if testing.Short() {
		t.Skip("links the program")
	}
	if info, err := os.Stat("../../.git"); err != nil || !info.IsDir() {
		t.Skip("the Go command records no commit here: not a repository, or a second work tree of one")
	}
	head, err := exec.Command("git", "rev-parse", "HEAD").Output()
	if err != nil {
		t.Fatal(err)
	}
	exe := filepath.Join(t.TempDir(), "kvrace.exe")
	build := exec.Command("go", "build", "-trimpath", "-buildvcs=true", "-ldflags", "-X main.version=1.2.3", "-o", exe, ".")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	out, err := exec.Command(exe, "version").Output()
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"kvrace 1.2.3 ", "commit " + strings.TrimSpace(string(head)), runtime.Version()} {
		if !strings.Contains(string(out), want) {
			t.Errorf("version prints %q, which lacks %q", out, want)
		}
	}
}
