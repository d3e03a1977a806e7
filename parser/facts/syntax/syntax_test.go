package syntax

import (
	"errors"
	"go/token"
	"slices"
	"testing"
)

// A panic over one file, a file that cannot be read, and one with an error cost
// nothing of the others.
func TestParse(t *testing.T) {
	gone := errors.New("gone")
	read := func(name string) ([]byte, error) {
		switch name {
		case "broken.py":
			return []byte("def f(:\nx = 1\n"), nil
		case "gone.py":
			return nil, gone
		case "panic.py":
			panic("boom")
		}
		return []byte("x = 1\n"), nil
	}
	names := []string{"z.py", "panic.py", "gone.py", "broken.py", "a.py"}
	res := Parse(names, read, token.NewFileSet(), 0)
	var parsed []string
	for _, m := range res.Modules {
		parsed = append(parsed, m.Name)
	}
	if want := []string{"a.py", "broken.py", "z.py"}; !slices.Equal(parsed, want) {
		t.Errorf("parsed %q, want %q", parsed, want)
	}
	if len(res.Errors) != 1 || res.Errors[0].Name != "broken.py" {
		t.Errorf("errors %v", res.Errors)
	}
	if len(res.Unread) != 2 || res.Unread[0].Name != "gone.py" || !errors.Is(res.Unread[0].Err, gone) || res.Unread[1].Name != "panic.py" {
		t.Fatalf("unread %v", res.Unread)
	}
	if got, want := res.Unread[1].Err.Error(), "internal error while parsing: boom; please report it"; got != want {
		t.Errorf("error %q, want %q", got, want)
	}
}
