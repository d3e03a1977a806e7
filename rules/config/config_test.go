package config

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kvrace/kvrace/report"
)

const full = `select = ["KV1", "KV201"]
ignore = ["KV110"]
exclude = ["gen/**"]
confidence = "possible"
fail-on = "warning"
python-version = "3.10"
free-threaded = true
terminal-values = ["DONE"]
locks = ["gate"]

[severity]
KV101 = "note"

[per-file-ignores]
"tests/**" = ["ALL"]

[hooks]
poll = ["is_done"]

[[resources]]
acquire = "alloc"
release = "free"

[[resources]]
acquire = "pin"
release = "unpin"

[threads]
"Manager.loop" = "worker"
`

func TestParse(t *testing.T) {
	want := &Config{
		Select: []Selector{"KV1", "KV201"}, Ignore: []Selector{"KV110"}, Exclude: []string{"gen/**"},
		Confidence: report.Possible, FailOn: report.SeverityWarning,
		PythonVersion: Version{10}, FreeThreaded: true,
		Severity:       map[string]report.Severity{"KV101": report.SeverityNote},
		PerFileIgnores: map[string][]Selector{"tests/**": {"ALL"}},
		Hooks:          Hooks{Poll: []string{"is_done"}}, TerminalValues: []string{"DONE"},
		Resources: []Resource{{"alloc", "free"}, {"pin", "unpin"}}, Locks: []string{"gate"},
		Threads: map[string]string{"Manager.loop": "worker"},
	}
	own, err := Parse([]byte(full), "kvrace.toml")
	if err != nil {
		t.Fatal(err)
	}
	inProject := "[project]\nname = 'x'\n[tool.other]\nselect = 1\n[tool.kvrace]\n" +
		strings.NewReplacer("[[", "[[tool.kvrace.", "\n[", "\n[tool.kvrace.").Replace(strings.ReplaceAll(full, "[[", "@@"))
	inProject = strings.ReplaceAll(inProject, "@@", "[[tool.kvrace.")
	project, err := Parse([]byte(inProject), "a/pyproject.toml")
	if err != nil {
		t.Fatalf("%v in\n%s", err, inProject)
	}
	for _, c := range []*Config{own, project} {
		got := *c
		got.Origins, got.File = nil, ""
		if diff := cmp.Diff(want, &got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.File, diff)
		}
	}
	if got := own.Origins["resources.1.release"]; got.Line != 26 {
		t.Errorf("origin of the second release = %v", got)
	}
	if got := project.Origins["select.1"].String(); got != "a/pyproject.toml:6" {
		t.Errorf("origin of the second selector = %v", got)
	}
}

func TestParseErrors(t *testing.T) {
	tests := []struct{ name, src, want string }{
		{"kvrace.toml", "selekt = []", `kvrace.toml:1:1: unknown key "selekt"`},
		{"kvrace.toml", "[hooks]\npol = []\nx = 1", "kvrace.toml:2:1: unknown key \"hooks.pol\"\nkvrace.toml:3:1: unknown key \"hooks.x\""},
		{"kvrace.toml", "select = 1", "kvrace.toml:1:10: wrong type for select"},
		{"kvrace.toml", "select = 1\nselekt = []\nconfidence = 'high'\n[hooks]\npol = []", "kvrace.toml:1:10: wrong type for select\nkvrace.toml:2:1: unknown key \"selekt\"\nkvrace.toml:3:1: unknown confidence \"high\"\nkvrace.toml:5:1: unknown key \"hooks.pol\""},
		{"pyproject.toml", "[tool.other]\nx = 1\n[tool.kvrace]\nexclude = 'a'\nlocks = 1", "pyproject.toml:4:11: wrong type for exclude\npyproject.toml:5:1: wrong type for locks"},
		{"kvrace.toml", "\nselect = ['KV1', 'XX']", `kvrace.toml:2:18: "XX" is not a rule ID, the start of one, or ALL`},
		{"kvrace.toml", "confidence = 'high'", `kvrace.toml:1:14: unknown confidence "high"`},
		{"kvrace.toml", "python-version = '2.7'", `kvrace.toml:1:18: unknown Python version "2.7", want 3.8 to 3.14`},
		{"kvrace.toml", "exclude = ['a', '[']", `kvrace.toml:1:17: "[" is not a pattern`},
		{"kvrace.toml", "[[resources]]\nacquire = 'x'", "kvrace.toml:1:3: a resource needs acquire and release"},
		{"kvrace.toml", "a = = 1", "kvrace.toml:1:5: unexpected character"},
		{"pyproject.toml", "[tool.other]\nx = 1\n[tool.kvrace]\ny = 1", `pyproject.toml:4:1: unknown key "y"`},
		{"pyproject.toml", "[project\n", "pyproject.toml:1:9: "},
	}
	for _, tt := range tests {
		_, err := Parse([]byte(tt.src), tt.name)
		if err == nil || !strings.HasPrefix(err.Error(), tt.want) {
			t.Errorf("%q: error %v, want %s", tt.src, err, tt.want)
		}
	}
}

func TestCheck(t *testing.T) {
	c, err := Parse([]byte("select = ['KV1', 'KV9']\nignore = ['KV102']\n[severity]\nKV103 = 'note'\n[per-file-ignores]\n'a.py' = ['KV101', 'KV777']"), "kvrace.toml")
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, err := range c.Check([]string{"KV101", "KV102"}) {
		got = append(got, err.Error())
	}
	want := []string{
		"kvrace.toml:1:18: no rule is called KV9",
		"kvrace.toml:4:1: no rule is called KV103",
		"kvrace.toml:6:20: no rule is called KV777",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestEnabled(t *testing.T) {
	tests := []struct {
		sel, ign string
		id       string
		want     bool
	}{
		{"ALL", "", "KV101", true},
		{"", "", "KV101", false},
		{"KV1", "", "KV201", false},
		{"ALL", "KV1", "KV101", false},
		{"KV101", "KV1", "KV101", true},
		{"KV1", "KV101", "KV101", false},
		{"KV1", "KV1", "KV101", false},
	}
	for _, tt := range tests {
		sel, err1 := ParseSelectors(tt.sel)
		ign, err2 := ParseSelectors(tt.ign)
		if err1 != nil || err2 != nil {
			t.Fatal(err1, err2)
		}
		c := &Config{Select: sel, Ignore: ign}
		if got := c.Enabled(tt.id); got != tt.want {
			t.Errorf("select %q, ignore %q: %s enabled = %v", tt.sel, tt.ign, tt.id, got)
		}
	}
}

func TestFind(t *testing.T) {
	dir := t.TempDir()
	sub := filepath.Join(dir, "a", "b")
	if err := os.MkdirAll(sub, 0o777); err != nil {
		t.Fatal(err)
	}
	write := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, filepath.FromSlash(name)), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	expect := func(want string) {
		t.Helper()
		got, err := Find(sub)
		if rel, _ := filepath.Rel(dir, got); got != "" {
			got = filepath.ToSlash(rel)
		}
		if err != nil || got != want {
			t.Errorf("found %q, %v, want %q", got, err, want)
		}
	}
	write("a/b/pyproject.toml", "[tool.other]")
	write("pyproject.toml", "[tool.kvrace]")
	expect("pyproject.toml")
	write("a/pyproject.toml", "[broken")
	expect("a/pyproject.toml")
	write("a/kvrace.toml", "")
	expect("a/kvrace.toml")
}

func TestPrint(t *testing.T) {
	c, err := Parse([]byte(full), "kvrace.toml")
	if err != nil {
		t.Fatal(err)
	}
	c.Override("ignore", "--ignore")
	var buf bytes.Buffer
	if err := Print(&buf, c); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"ignore = ['KV110']  # --ignore\n",
		"select = ['KV1', 'KV201']  # kvrace.toml:1\n",
		"include = []  # default\n",
		"KV101 = 'note'  # kvrace.toml:12\n",
		"release = 'unpin'  # kvrace.toml:26\n",
	} {
		if !strings.Contains(buf.String(), want) {
			t.Errorf("no %q in\n%s", want, buf.String())
		}
	}
	if again, err := Parse(buf.Bytes(), "kvrace.toml"); err != nil || !slices.Equal(again.Select, c.Select) {
		t.Errorf("what was printed does not parse: %v", err)
	}
}

// TestSchema compares the keys of the schema with those of the type.
func TestSchema(t *testing.T) {
	type node struct {
		Properties map[string]node
		Items      *node
	}
	var root node
	if err := json.Unmarshal(Schema, &root); err != nil {
		t.Fatal(err)
	}
	var compare func(key string, typ reflect.Type, n node)
	compare = func(key string, typ reflect.Type, n node) {
		if typ.Kind() == reflect.Slice && n.Items != nil {
			typ, n = typ.Elem(), *n.Items
		}
		if typ.Kind() != reflect.Struct || typ == reflect.TypeFor[Version]() {
			return
		}
		seen := 0
		for f := range typ.Fields() {
			name := f.Tag.Get("toml")
			if name == "-" {
				continue
			}
			sub, ok := n.Properties[name]
			if !ok {
				t.Errorf("the schema lacks %s%s", key, name)
			}
			seen++
			compare(key+name+".", f.Type, sub)
		}
		if seen != len(n.Properties) {
			t.Errorf("the schema has keys in %q that the type lacks", key)
		}
	}
	compare("", reflect.TypeFor[Config](), root)
}
