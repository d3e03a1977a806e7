package report

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

// The tests of action.yml run its steps as a runner would, with a program in
// place of kvrace that tells its arguments.

// An action is what a runner reads of action.yml.
type action struct {
	Inputs map[string]struct{ Default string }
	Runs   struct {
		Using string
		Steps []struct {
			Name, Shell, Run, Uses string
			Env                    map[string]string
		}
	}
}

const top = ".." // the top of the repository

func readAction(t *testing.T) action {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(top, "action.yml"))
	if err != nil {
		t.Fatal(err)
	}
	var a action
	if err := yaml.Unmarshal(text, &a); err != nil {
		t.Fatal(err)
	}
	return a
}

// A runner runs the steps of an action in one working directory.
type runner struct {
	action action
	dir    string
	path   string
	env    map[string]string
}

// newRunner returns a runner with files in place of GitHub's.
func newRunner(t *testing.T) *runner {
	t.Helper()
	needConsumers(t)
	dir := t.TempDir()
	actionPath, err := filepath.Abs(top)
	if err != nil {
		t.Fatal(err)
	}
	r := &runner{action: readAction(t), dir: filepath.Join(dir, "work"), path: os.Getenv("PATH"), env: map[string]string{
		"GITHUB_ACTION_PATH":  actionPath,
		"RUNNER_TEMP":         filepath.Join(dir, "temp"),
		"GITHUB_PATH":         filepath.Join(dir, "path"),
		"GITHUB_OUTPUT":       filepath.Join(dir, "output"),
		"GITHUB_STEP_SUMMARY": filepath.Join(dir, "summary"),
	}}
	for _, d := range []string{r.dir, r.env["RUNNER_TEMP"]} {
		if err := os.Mkdir(d, 0o777); err != nil {
			t.Fatal(err)
		}
	}
	return r
}

var expression = regexp.MustCompile(`\$\{\{ *inputs\.([a-z-]+) *\}\}`)

// step runs one step of the action and returns what it prints and its status.
func (r *runner) step(t *testing.T, name string, inputs map[string]string) (string, int) {
	t.Helper()
	for _, step := range r.action.Runs.Steps {
		if step.Name != name {
			continue
		}
		// As GitHub runs a step with shell: bash.
		cmd := exec.Command("bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step.Run)
		cmd.Dir = r.dir
		cmd.Env = append(os.Environ(), "PATH="+r.path)
		for key, value := range r.env {
			cmd.Env = append(cmd.Env, key+"="+value)
		}
		for key, value := range step.Env {
			value = expression.ReplaceAllStringFunc(value, func(s string) string {
				input := expression.FindStringSubmatch(s)[1]
				declared, ok := r.action.Inputs[input]
				if !ok {
					t.Errorf("step %s: no input is called %s", name, input)
				}
				if given, ok := inputs[input]; ok {
					return given
				}
				return declared.Default
			})
			cmd.Env = append(cmd.Env, key+"="+value)
		}
		out, err := cmd.CombinedOutput()
		if _, ok := err.(*exec.ExitError); err != nil && !ok {
			t.Fatal(err)
		}
		return string(out), cmd.ProcessState.ExitCode()
	}
	t.Fatalf("no step is called %s", name)
	return "", 0
}

// fakeKvrace writes a program that prints its arguments, a line each, writes
// what it is asked to, and ends with the status that KVRACE_STATUS gives.
const fakeKvrace = `#!/usr/bin/env bash
for arg; do
  printf '[%s]\n' "$arg"
  case $arg in github-summary=* | sarif=*) echo "written by ${arg%%=*}" >"${arg#*=}" ;; esac
done
exit "${KVRACE_STATUS:-0}"
`

func TestConsumerActionChecks(t *testing.T) {
	tests := []struct {
		name   string
		inputs map[string]string
		status int
		want   string // arguments after the summary
	}{
		{"defaults", nil, 0, "--format github -- ."},
		{"findings", nil, 1, "--format github -- ."},
		{"errors", nil, 2, "--format github -- ."},
		{"all", map[string]string{"paths": "a b\n\nc;d\n", "since": "origin/main", "fail-on": "error", "sarif-file": "out.sarif", "annotations": "false", "confirm": "true"}, 0,
			"--format text --fail-on error --confidence confirmed --since origin/main --format sarif=out.sarif -- a b c;d"},
		{"never", map[string]string{"fail-on": "never"}, 0, "--format github --exit-zero -- ."},
		{"hostile", map[string]string{"paths": "$(touch pwned)\n-x", "since": "`touch pwned`"}, 0,
			"--format github --since `touch pwned` -- $(touch pwned) -x"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := newRunner(t)
			bin := t.TempDir()
			if err := os.WriteFile(filepath.Join(bin, "kvrace"), []byte(fakeKvrace), 0o777); err != nil {
				t.Fatal(err)
			}
			r.path = bin + string(filepath.ListSeparator) + r.path
			r.env["KVRACE_STATUS"] = fmt.Sprint(tt.status)
			out, status := r.step(t, "Check", tt.inputs)
			if status != tt.status {
				t.Errorf("status %d, want %d", status, tt.status)
			}
			_, args, _ := strings.Cut(out, "kvrace-summary.md]\n")
			args = strings.NewReplacer("]\n[", " ", "[", "", "]\n", "").Replace(args)
			if args != tt.want {
				t.Errorf("arguments %s, want %s", args, tt.want)
			}
			for file, want := range map[string]string{"GITHUB_OUTPUT": fmt.Sprintf("status=%d\n", tt.status), "GITHUB_STEP_SUMMARY": "written by github-summary\n"} {
				if got, _ := os.ReadFile(r.env[file]); string(got) != want {
					t.Errorf("%s holds %q, want %q", file, got, want)
				}
			}
			if _, err := os.Stat(filepath.Join(r.dir, "pwned")); err == nil {
				t.Error("an input was run as a command")
			}
		})
	}
}

// TestConsumerActionInstalls builds kvrace as the action does.
func TestConsumerActionInstalls(t *testing.T) {
	r := newRunner(t)
	if out, status := r.step(t, "Install kvrace", nil); status != 0 {
		t.Fatalf("status %d:\n%s", status, out)
	}
	added, err := os.ReadFile(r.env["GITHUB_PATH"])
	if err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command(filepath.Join(strings.TrimSpace(string(added)), "kvrace"), "version").CombinedOutput()
	if err != nil || !strings.Contains(string(out), "kvrace") {
		t.Errorf("kvrace version: %v\n%s", err, out)
	}
}

// TestActionIsPinned checks that other actions are named by their hash.
func TestActionIsPinned(t *testing.T) {
	pinned := regexp.MustCompile(`^[a-z-]+/[a-z-]+(/[a-z-]+)?@[0-9a-f]{40}$`)
	for _, step := range readAction(t).Runs.Steps {
		if step.Uses != "" && !pinned.MatchString(step.Uses) {
			t.Errorf("%s is not pinned by its hash", step.Uses)
		}
		if strings.Contains(step.Run, "${{") {
			t.Errorf("step %s has an expression in its script", step.Name)
		}
	}
}

func TestConsumerShellcheck(t *testing.T) {
	needConsumers(t)
	for _, step := range readAction(t).Runs.Steps {
		if step.Run != "" {
			cmd := consumer(t, "", "shellcheck", "--shell=bash", "-")
			cmd.Stdin = strings.NewReader(step.Run)
			output(t, cmd)
		}
	}
}

// TestConsumerActionlint checks the documented workflows, with this repository's
// action in place of the published one, so that its inputs are checked too.
func TestConsumerActionlint(t *testing.T) {
	needConsumers(t)
	dir := t.TempDir()
	git(t, dir, "init", "-q")
	text, err := os.ReadFile(filepath.Join(top, "action.yml"))
	if err != nil {
		t.Fatal(err)
	}
	writeFile(t, filepath.Join(dir, "action.yml"), text)
	examples, err := filepath.Glob(filepath.Join(top, ".github", "examples", "*.yml"))
	if err != nil || len(examples) == 0 {
		t.Fatalf("no examples: %v", err)
	}
	for _, example := range examples {
		text, err := os.ReadFile(example)
		if err != nil {
			t.Fatal(err)
		}
		local := regexp.MustCompile(`kvrace/kvrace@\S+`).ReplaceAll(text, []byte("./"))
		writeFile(t, filepath.Join(dir, ".github", "workflows", filepath.Base(example)), local)
	}
	output(t, consumer(t, dir, "actionlint", "-oneline"))
}
