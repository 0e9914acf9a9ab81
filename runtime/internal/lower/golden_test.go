package lower

import (
	"bytes"
	"flag"
	"go/ast"
	"go/constant"
	"go/types"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"gosphere/internal/testing/irtest"
	"gosphere/runtime/internal/ir"
)

var update = flag.Bool("update", false, "write the texts of the programs in testdata/*.golden anew")

// A form is a section of a golden file: a line "== name", a source, a line "--" and the text of the
// program. A name that ends in "marks" requests marks, one that ends in "show" a shown value, and
// one that ends in "inlined" the pass that marks calls for inlining.
type form struct{ name, source, text string }

func readForms(t *testing.T, path string) (forms []form) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, section := range strings.Split("\n"+string(data), "\n== ")[1:] {
		name, rest, _ := strings.Cut(section, "\n")
		source, text, found := strings.Cut(rest+"\n", "\n--\n")
		if !found {
			t.Fatalf("%s: the form %q has no line --", path, name)
		}
		forms = append(forms, form{name, source, strings.TrimRight(text, "\n")})
	}
	return forms
}

// program builds the program of a form.
func (f form) program(t *testing.T) *ir.Program {
	t.Helper()
	p, err := tryBuildWith(f.source, func(b *Builder, body *ast.FuncDecl) {
		b.Marks = strings.HasSuffix(f.name, " marks")
		if s, ok := lastStatement(body).(*ast.ExprStmt); ok && strings.HasSuffix(f.name, " show") {
			b.Value, b.Show = s.X, func(x ir.Expr) ir.Stmt { return ir.CallHook(nil, x) }
		}
	})
	if err != nil {
		t.Fatalf("%s: %v", f.name, err)
	}
	if strings.HasSuffix(f.name, " inlined") {
		ir.Inline(p, func(*ir.FuncRef) *ir.Func { return nil })
	}
	return p
}

func lastStatement(f *ast.FuncDecl) ast.Stmt {
	if f == nil || len(f.Body.List) == 0 {
		return nil
	}
	return f.Body.List[len(f.Body.List)-1]
}

func goldenFiles(t *testing.T) []string {
	t.Helper()
	paths, err := filepath.Glob("testdata/*.golden")
	if err != nil || len(paths) == 0 {
		t.Fatal("testdata has no golden files", err)
	}
	return paths
}

// TestFormsAreBuiltAsBefore compares the text of each program with the one in its file.
func TestFormsAreBuiltAsBefore(t *testing.T) {
	for _, path := range goldenFiles(t) {
		var out bytes.Buffer
		for _, f := range readForms(t, path) {
			got := strings.TrimSuffix(f.program(t).String(), "\n")
			if got != f.text && !*update {
				t.Errorf("%s: %s\n%s\nis built as\n%s\nwant\n%s", path, f.name, f.source, got, f.text)
			}
			if out.Len() > 0 {
				out.WriteByte('\n')
			}
			out.WriteString("== " + f.name + "\n" + f.source + "\n--\n" + got + "\n")
		}
		if *update {
			if err := os.WriteFile(path, out.Bytes(), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
}

func TestFormsKeepTheRules(t *testing.T) {
	for _, path := range goldenFiles(t) {
		for _, f := range readForms(t, path) {
			if err := ir.Verify(f.program(t), nil); err != nil {
				t.Errorf("%s: %s: %v", path, f.name, err)
			}
		}
	}
}

func TestFormsHaveEveryNode(t *testing.T) {
	found := map[string]bool{}
	for _, path := range goldenFiles(t) {
		for _, f := range readForms(t, path) {
			seen := map[any]bool{}
			collectNodes(reflect.ValueOf(f.program(t)), found, seen)
		}
	}
	for _, name := range irtest.Nodes(t, "../ir") {
		if !found[name] {
			t.Errorf("no form has a %s", name)
		}
	}
}

// collectNodes records the names of the node types reachable from a value.
func collectNodes(v reflect.Value, found map[string]bool, seen map[any]bool) {
	switch v.Kind() {
	case reflect.Interface:
		collectNodes(v.Elem(), found, seen)
	case reflect.Slice:
		for i := range v.Len() {
			collectNodes(v.Index(i), found, seen)
		}
	case reflect.Pointer:
		if v.IsNil() || v.Type().Elem().PkgPath() != reflect.TypeFor[ir.Program]().PkgPath() || seen[v.Interface()] {
			return
		}
		seen[v.Interface()] = true
		found[v.Type().Elem().Name()] = true
		collectNodes(v.Elem(), found, seen)
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				collectNodes(v.Field(i), found, seen)
			}
		}
	}
}

func TestLinesOfTheSourceAreShown(t *testing.T) {
	got := build(t, "\nfunc f(\n\tn int,\n) int {\n\n\treturn n\n}").String()
	want := "   2  func main.f(n int) ($1 int)\n   6  \treturn n\n"
	if got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}

func TestFaultsNameTheirLine(t *testing.T) {
	p := build(t, "\nfunc f(n int) int {\n\tn++\n\treturn n\n}")
	p.Funcs[0].Body.List[1].(*ir.Return).Values = nil
	p.Funcs[0].Body.List[0].(*ir.AssignOp).X = &ir.Const{Typed: ir.Typed{T: types.Typ[types.String], P: p.Funcs[0].Body.List[0].Pos()}, Value: constant.MakeString("")}
	want := "main.f, line 3: an operand: string where int is required"
	if err := ir.Verify(p, nil); err == nil || err.Error() != want {
		t.Errorf("got the error %v, want %s", err, want)
	}
}
