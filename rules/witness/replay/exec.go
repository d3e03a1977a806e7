package replay

import (
	"fmt"
	"strings"
	"sync"

	"github.com/go-python/gpython/py"
	_ "github.com/go-python/gpython/stdlib" // the interpreter
)

// An Outcome is what became of the execution of a program.
type Outcome struct {
	// Wrong says how the property is violated; empty when it holds.
	Wrong string `json:"wrong,omitempty"`
	// Err says why there is no answer: the program left the subset of the
	// interpreter, or reached a bound.
	Err string `json:"err,omitempty"`
	// Log is what happened, as the program itself prints it.
	Log []string `json:"log,omitempty"`
	// Skipped are the steps of the schedule that the program did not do, and
	// Done how many it did.
	Skipped []string `json:"skipped,omitempty"`
	Done    int      `json:"done"`
}

// forbidden are the builtin functions that no program needs. Without them, it
// can reach neither files nor processes.
var forbidden = []string{"__import__", "open", "exec", "eval", "compile", "input", "globals", "locals"}

// Execute runs a program in the embedded interpreter. It does not return when
// the program does not end, so it belongs into a process of its own.
//
// Most of the text of a program is the same for all, and compiling it takes longer than
// running it: that part is compiled once. Where something goes wrong, the program as a
// whole tells what.
func Execute(source string) Outcome {
	if own, ok := strings.CutSuffix(source, stage+entry); ok {
		if rest, err := compiledRest(); err == nil {
			if out := execute(own, rest); out.Err == "" {
				return out
			}
		}
	}
	return execute(source, nil)
}

// compiledRest compiles the end of each program.
var compiledRest = sync.OnceValues(func() (*py.Code, error) { return compile(stage + entry) })

func compile(source string) (*py.Code, error) {
	return py.Compile(source, "reproducer.py", py.ExecMode, 0, true)
}

// execute runs a program, and behind it the rest, if there is one.
func execute(source string, rest *py.Code) (out Outcome) {
	defer func() {
		if r := recover(); r != nil {
			out = Outcome{Err: fmt.Sprintf("the interpreter gave up: %v", r)}
		}
	}()
	ctx := py.NewContext(py.ContextOpts{})
	defer ctx.Close()
	builtins := ctx.Store().Builtins
	for _, name := range forbidden {
		delete(builtins.Globals, name)
	}
	code, err := compile(source)
	if err != nil {
		return Outcome{Err: "the program does not compile: " + inOneLine(err)}
	}
	mod, err := py.RunCode(ctx, code, "reproducer.py", "reproducer")
	if err == nil && rest != nil {
		_, err = py.RunCode(ctx, rest, "reproducer.py", mod)
	}
	if err != nil {
		return Outcome{Err: "the program does not load: " + inOneLine(err)}
	}
	wrong, err := py.Call(mod.Globals["replay"], nil, nil)
	if err != nil {
		return Outcome{Err: "the program fails: " + inOneLine(err)}
	}
	stage := mod.Globals["STAGE"]
	out.Log, out.Skipped = stringsOf(stage, "log"), stringsOf(stage, "skipped")
	if n, err := py.GetAttrString(stage, "done"); err == nil {
		if i, ok := n.(py.Int); ok {
			out.Done = int(i)
		}
	}
	text, ok := wrong.(py.String)
	switch {
	case !ok:
		out.Err = "the program gives no answer"
	case text == "bound reached":
		out.Err = "the bound on steps was reached"
	case strings.HasPrefix(string(text), "the slice is not right"):
		out.Err = string(text)
	default:
		out.Wrong = string(text)
	}
	return out
}

// stringsOf returns a list of strings that an object keeps.
func stringsOf(o py.Object, name string) []string {
	v, err := py.GetAttrString(o, name)
	if err != nil {
		return nil
	}
	l, ok := v.(*py.List)
	if !ok {
		return nil
	}
	var out []string
	for _, it := range l.Items {
		if s, ok := it.(py.String); ok {
			out = append(out, string(s))
		}
	}
	return out
}

// inOneLine returns an exception of the interpreter.
func inOneLine(err error) string { return clip(err.Error()) }
