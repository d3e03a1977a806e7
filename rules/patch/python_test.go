package patch_test

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"reflect"
	"strings"
	"testing"

	"github.com/kvrace/kvrace/parser/ast"
)

// python asks testdata/tree.py, whose first comment describes requests and
// answers.
func python(t *testing.T, request, answer any) {
	t.Helper()
	requireTool(t, "python3")
	in, err := json.Marshal(request)
	if err != nil {
		t.Fatal(err)
	}
	var stderr strings.Builder
	cmd := exec.Command("python3", "testdata/tree.py")
	cmd.Stdin = bytes.NewReader(in)
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("python3: %v\n%s", err, stderr.String())
	}
	if err := json.Unmarshal(out, answer); err != nil {
		t.Fatal(err)
	}
}

// parsePython returns the modules of sources, as CPython sees them: the tests
// of edits rest on positions that do not come from our own parser. A source
// that this version of Python cannot parse has no module, which fails the test
// when KVRACE_TOOLS=required.
func parsePython(t *testing.T, name string, sources ...[]byte) []*ast.Module {
	t.Helper()
	var trees []map[string]any
	python(t, map[string]any{"op": "trees", "sources": sources}, &trees)
	modules := make([]*ast.Module, len(trees))
	for i, tree := range trees {
		if tree == nil {
			if os.Getenv("KVRACE_TOOLS") == "required" {
				t.Errorf("python3 cannot parse\n%s", sources[i])
			}
			continue
		}
		m := decodeNode(tree).(*ast.Module)
		m.Name, m.Source = name, sources[i]
		for _, c := range tree["comments"].([]any) {
			c := c.([]any)
			m.Comments = append(m.Comments, ast.Comment{Range: ast.Range{Start: pos(c[0]), Stop: pos(c[1])}})
		}
		m.Lines = ast.NewLines(m.Source, int(pos(tree["lines"].([]any)[0])))
		modules[i] = m
	}
	return modules
}

func pos(v any) ast.Pos { return ast.Pos(v.(float64)) }

// nodeTypes are the types of nodes by their names in CPython.
var nodeTypes = func() map[string]reflect.Type {
	types := make(map[string]reflect.Type)
	for _, n := range []ast.Node{
		&ast.Module{}, &ast.FunctionDef{}, &ast.ClassDef{}, &ast.Return{}, &ast.Delete{}, &ast.Assign{}, &ast.TypeAlias{},
		&ast.AugAssign{}, &ast.AnnAssign{}, &ast.For{}, &ast.While{}, &ast.If{}, &ast.With{}, &ast.Match{}, &ast.Raise{},
		&ast.Try{}, &ast.Assert{}, &ast.Import{}, &ast.ImportFrom{}, &ast.Global{}, &ast.Nonlocal{}, &ast.Pass{},
		&ast.Break{}, &ast.Continue{}, &ast.BoolOp{}, &ast.NamedExpr{}, &ast.BinOp{}, &ast.UnaryOp{}, &ast.Lambda{},
		&ast.IfExp{}, &ast.Dict{}, &ast.Set{}, &ast.ListComp{}, &ast.SetComp{}, &ast.DictComp{}, &ast.GeneratorExp{},
		&ast.Await{}, &ast.Yield{}, &ast.YieldFrom{}, &ast.Compare{}, &ast.Call{}, &ast.FormattedValue{}, &ast.JoinedStr{},
		&ast.Constant{}, &ast.Attribute{}, &ast.Subscript{}, &ast.Starred{}, &ast.Name{}, &ast.List{}, &ast.Tuple{},
		&ast.Slice{}, &ast.Arguments{}, &ast.Arg{}, &ast.Keyword{}, &ast.Alias{}, &ast.WithItem{}, &ast.ExceptHandler{},
		&ast.MatchCase{}, &ast.Comprehension{}, &ast.MatchValue{}, &ast.MatchSingleton{}, &ast.MatchSequence{},
		&ast.MatchMapping{}, &ast.MatchClass{}, &ast.MatchStar{}, &ast.MatchAs{}, &ast.MatchOr{}, &ast.TypeVar{},
		&ast.ParamSpec{}, &ast.TypeVarTuple{},
	} {
		typ := reflect.TypeOf(n).Elem()
		types[strings.ToLower(typ.Name())] = typ
	}
	for name, n := range map[string]ast.Node{
		"asyncfunctiondef": &ast.FunctionDef{}, "asyncfor": &ast.For{}, "asyncwith": &ast.With{},
		"trystar": &ast.Try{}, "expr": &ast.ExprStmt{}, "extslice": &ast.Tuple{},
	} {
		types[name] = reflect.TypeOf(n).Elem()
	}
	return types
}()

// decodeNode makes a node of its JSON form. It fills in ranges and child
// nodes, which is what edits need.
func decodeNode(tree map[string]any) ast.Node {
	typ, ok := nodeTypes[strings.ReplaceAll(strings.ToLower(tree["_"].(string)), "_", "")]
	if !ok {
		return nil // an operator or a context
	}
	n := reflect.New(typ)
	place(n, ast.Range{Start: pos(tree["s"]), Stop: pos(tree["e"])})
	for name, value := range tree {
		field := n.Elem().FieldByNameFunc(func(s string) bool {
			return strings.EqualFold(s, strings.ReplaceAll(name, "_", ""))
		})
		if !field.IsValid() {
			continue
		}
		switch value := value.(type) {
		case map[string]any:
			setNode(field, value)
		case []any:
			if field.Kind() != reflect.Slice || field.Type().Elem().Kind() == reflect.String {
				continue
			}
			list := reflect.MakeSlice(field.Type(), len(value), len(value))
			for i, v := range value {
				if v, ok := v.(map[string]any); ok {
					setNode(list.Index(i), v)
				}
			}
			if name != "comments" && name != "lines" {
				field.Set(list)
			}
		}
	}
	if call, ok := n.Interface().(*ast.Call); ok {
		call.SetArgs(decodeList[ast.Expr](tree["args"]), decodeList[*ast.Keyword](tree["keywords"]))
	}
	return n.Interface().(ast.Node)
}

// decodeList makes nodes of the JSON form of a list.
func decodeList[N ast.Node](list any) []N {
	values, _ := list.([]any)
	nodes := make([]N, len(values))
	for i, v := range values {
		nodes[i] = decodeNode(v.(map[string]any)).(N)
	}
	return nodes
}

// place sets the range of the node that n points to.
func place(n reflect.Value, r ast.Range) {
	switch n := n.Interface().(type) {
	case interface {
		Set(string, ast.Range, string)
	}:
		n.Set("", r, "")
	case *ast.Constant:
		n.Set("", r, ast.None, "")
	default:
		reflect.ValueOf(n).Elem().FieldByName("Range").Set(reflect.ValueOf(r))
	}
}

func setNode(to reflect.Value, tree map[string]any) {
	if n := decodeNode(tree); n != nil && reflect.TypeOf(n).AssignableTo(to.Type()) {
		to.Set(reflect.ValueOf(n))
	}
}
