package rules_test

import (
	"cmp"
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/kvrace/kvrace/report"
)

// A spot is a range of lines of one tree at one revision.
type spot struct {
	file     string
	from, to int
	why      string   // what the code is right by, or wrong by
	rules    []string // those that it is about; all of them by default
}

// placesTree is the checkout to which the spots belong, and placesFolder the folder of
// it that the names are relative to. The lines are those of commit 9ca1b25f7.
const (
	placesTree   = "sglang-das"
	placesFolder = "python/sglang/srt/disaggregation"
)

// placesSums are the SHA-256 sums of the files, whose lines the places name, at
// commit 9ca1b25f7 of the tree.
var placesSums = map[string]string{
	"common/conn.py":   "ad9ff74e1b2568cdbafc320671147ddb543ff5fabd2cf4d039304b63b53dafaf",
	"decode.py":        "991d1910cc670ad0a53074ac2664d1bceb02af43c299b4c8511704b4787fc7dd",
	"mooncake/conn.py": "5bfac4cc28ee29368d4f73e317be2c2bcf637738f28f03aa5ee81017bb9d45db",
	"mori/conn.py":     "8f540fb0a31fa521764cc63da0e794a6707fa77684703ae2ea029ebdd2b4a385",
	"nixl/conn.py":     "b682bc4f567d08734ea1c97de69c2356fa3045c84365503d8c138c0f7c7660d9",
	"prefill.py":       "353f4186474e989bdc6a5c5334b79340164f6158c89dc04cff59e882d841d43a",
}

// rightPlaces look wrong and are right: no rule may speak there.
var rightPlaces = []spot{
	{file: "nixl/conn.py", from: 2635, to: 2643, why: "nothing is removed beside the guard"},
	{file: "nixl/conn.py", from: 1126, to: 1126, why: "the try around each item concludes it"},
	{file: "mori/conn.py", from: 585, to: 633, why: "each iteration has its own try", rules: []string{"KV205"}},
	{file: "nixl/conn.py", from: 3055, to: 3063, why: "both callers clear afterwards"},
	{file: "mori/conn.py", from: 1803, to: 1807, why: "the flag is set first, and polled first"},
	{file: "nixl/conn.py", from: 1130, to: 1130, why: "a request is always sharded to one worker"},
	{file: "nixl/conn.py", from: 1346, to: 1346, why: "a request is always sharded to one worker"},
	{file: "nixl/conn.py", from: 1371, to: 1373, why: "the loop walks over a snapshot"},
	{file: "common/conn.py", from: 1679, to: 1696, why: "each socket comes with its lock"},
	{file: "nixl/conn.py", from: 2955, to: 2955, why: "all accesses are on the scheduler thread"},
	{file: "decode.py", from: 801, to: 820, why: "the same call removes the request in its abort scan"},
	{file: "common/conn.py", from: 1494, to: 1495, why: "every backend overrides it"},
	{file: "prefill.py", from: 102, to: 116, why: "the index is reset at its release"},
}

// suspects look wrong and are: one of the rules has to speak there.
var suspects = []spot{
	{file: "mooncake/conn.py", from: 1934, to: 1938, rules: []string{"KV201", "KV205"}, why: "the status is read strictly after a test, and clear may come in between"},
	{file: "nixl/conn.py", from: 2705, to: 2725, rules: []string{"KV106"}, why: "late metadata creates the entry of a request that is gone"},
}

// TestPlaces checks what is said about places of a real tree that have been looked
// at closely.
func TestPlaces(t *testing.T) {
	root := ""
	for _, pair := range filepath.SplitList(os.Getenv(treesVar)) {
		if name, path, ok := strings.Cut(pair, "="); ok && name == placesTree {
			root = path
		}
	}
	if root == "" {
		t.Skipf("%s does not name %s", treesVar, placesTree)
	}
	for _, s := range slices.Concat(rightPlaces, suspects) {
		src, err := os.ReadFile(filepath.Join(root, placesFolder, s.file))
		if err != nil {
			t.Fatal(err)
		}
		if sum := fmt.Sprintf("%x", sha256.Sum256(src)); sum != placesSums[s.file] {
			t.Fatalf("%s is not that of commit 9ca1b25f7: its lines are others", s.file)
		}
	}
	findings := check(t, root, placesFolder)
	for _, s := range rightPlaces {
		for _, f := range findings {
			if s.holds(f.File, f.Line) && (len(s.rules) == 0 || slices.Contains(s.rules, f.Rule)) {
				t.Errorf("%s:%d: %s speaks, although %s: %s", f.File, f.Line, f.Rule, s.why, f.Message)
			}
		}
	}
	for _, s := range suspects {
		if !slices.ContainsFunc(findings, func(f report.Finding) bool { return slices.Contains(s.rules, f.Rule) && s.touched(f) }) {
			t.Errorf("%s:%d: none of %s speaks, although %s", s.file, s.from, strings.Join(s.rules, ", "), s.why)
		}
	}
}

func (s spot) holds(file string, line int) bool {
	return file == placesFolder+"/"+s.file && s.from <= line && line <= cmp.Or(s.to, s.from)
}

// touched reports whether a finding stands in a spot, or names it as another place
// with the same fault.
func (s spot) touched(f report.Finding) bool {
	if s.holds(f.File, f.Line) {
		return true
	}
	return slices.ContainsFunc(f.Related, func(r report.Related) bool {
		return r.Role == report.RoleOther && s.holds(r.File, r.Line)
	})
}
