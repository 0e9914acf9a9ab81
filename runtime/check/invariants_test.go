package check_test

import (
	"fmt"
	"go/ast"
	"go/types"
	"math/rand"
	"strings"
	"testing"

	"gosphere/runtime/check"
)

// verify checks the invariants of a checked cell after its Commit. Each use of a session-level
// object has a symbol. Each declaration has been typed. Every type that the code mentions is the
// current one of its symbol, or one that has been redeclared.
func verify(t *testing.T, s *check.Session, c *check.Checked) {
	t.Helper()
	for ident, object := range c.Info.Uses {
		if isTopLevel(object) && c.SymbolOf(object) == nil {
			t.Errorf("%s at %v has no symbol", ident.Name, c.Fset.Position(ident.Pos()))
		}
	}
	for _, d := range c.Declarations {
		if d.Symbol.Object == nil || d.Symbol.Syntax != d.Syntax {
			t.Errorf("the symbol of %s is incomplete", d.Symbol.Name)
			continue
		}
		if c.SymbolOf(d.Symbol.Object) != d.Symbol {
			t.Errorf("%s is not the symbol of its object", d.Symbol.Name)
		}
		if f, ok := d.Syntax.(*ast.FuncDecl); ok {
			verifyTyped(t, c, f.Body)
		}
	}
	verifyTyped(t, c, c.Body)
	for expr, found := range c.Info.Types {
		verifyType(t, s, c, expr, found.Type, map[types.Type]bool{})
	}
}

// isTopLevel reports whether an object is declared at the top level of a cell, or is a method of
// such a type.
func isTopLevel(object types.Object) bool {
	if object.Pkg() == nil || object.Pkg().Path() != "main" {
		return false
	}
	if _, ok := object.(*types.PkgName); ok {
		return false
	}
	if f, ok := object.(*types.Func); ok && f.Signature().Recv() != nil {
		return !types.IsInterface(f.Signature().Recv().Type())
	}
	return object.Parent() == object.Pkg().Scope()
}

// verifyTyped checks that the expressions in a syntax tree have types.
func verifyTyped(t *testing.T, c *check.Checked, root ast.Node) {
	t.Helper()
	ast.Inspect(root, func(n ast.Node) bool {
		if call, ok := n.(*ast.CallExpr); ok {
			if _, ok := c.Info.Types[call]; !ok {
				t.Errorf("the call at %v has no type", c.Fset.Position(call.Pos()))
			}
		}
		return true
	})
}

// verifyType checks that a type mentions no outdated object of a symbol.
func verifyType(t *testing.T, s *check.Session, c *check.Checked, at ast.Expr, typ types.Type, seen map[types.Type]bool) {
	t.Helper()
	if typ == nil || seen[typ] {
		return
	}
	seen[typ] = true
	next := func(types ...types.Type) {
		for _, inner := range types {
			verifyType(t, s, c, at, inner, seen)
		}
	}
	switch typ := typ.(type) {
	case *types.Named:
		object := typ.Origin().Obj()
		if symbol := c.SymbolOf(object); symbol != nil && symbol.Object != nil && symbol.Object != object {
			t.Errorf("%s at %v is not the present type of its symbol", types.ExprString(at), c.Fset.Position(at.Pos()))
		}
		for argument := range typ.TypeArgs().Types() {
			next(argument)
		}
		// An old type may mention an earlier version of a type that has gained methods, because no
		// name denotes the old type any longer.
		if symbol := c.SymbolOf(object); symbol == nil || s.Lookup(symbol.Name) == symbol {
			next(typ.Underlying())
		}
	case *types.Pointer:
		next(typ.Elem())
	case *types.Slice:
		next(typ.Elem())
	case *types.Map:
		next(typ.Key(), typ.Elem())
	case *types.Signature:
		for v := range typ.Params().Variables() {
			next(v.Type())
		}
		for v := range typ.Results().Variables() {
			next(v.Type())
		}
	case *types.Struct:
		for f := range typ.Fields() {
			next(f.Type())
		}
	}
}

// The names that random sessions declare repeatedly.
var templates = []string{
	"type %[1]s struct{ n int }",
	"type %[1]s struct{ n int; next *%[2]s }",
	"type %[1]s []%[2]s",
	"type %[1]s interface{ Get() int }",
	"type %[1]s[P any] struct{ v P }",
	"func (x %[1]s) Get() int { return 1 }",
	"func (x %[1]s) Get() int { return 2 }",
	"func (x *%[1]s) Set(v int) {}",
	"func (x %[1]s) Self() %[1]s { return x }",
	"func (x %[1]s) Other(o *%[2]s) *%[2]s { return o }",
	"func %[3]s() int { return 1 }",
	"func %[3]s() int { return %[4]s() }",
	"func %[3]s() %[1]s { var x %[1]s; return x }",
	"func %[3]s(x %[1]s) *%[2]s { return nil }",
	"%[5]s := 1",
	"%[5]s := \"s\"",
	"var %[5]s %[1]s",
	"%[5]s := map[string][]*%[1]s{}",
	"%[5]s := func(x %[1]s, more ...%[2]s) (a *%[1]s) { return nil }",
	"%[5]s := struct{ a %[1]s; b chan %[2]s }{}",
	"%[5]s := %[6]s",
	"%[5]s := 2\nfunc %[3]s() int { return %[5]s }",
	"%[5]s := %[3]s()\nfunc %[4]s() int { _ = %[5]s; return 1 }",
	"var %[5]s %[1]s\nfunc (x *%[1]s) Use() { *x = %[5]s }",
	"const %[6]s = 3",
	"const %[6]s = iota + 4",
	"type %[1]s [%[6]s]%[2]s",
	"%[5]s.Get()",
	"%[5]s\n",
	"%[3]s()",
	"var %[5]s interface{ Get() int } = %[6]s",
	"var %[5]s %[1]s[%[2]s]",
	"func (x *%[1]s[Q]) Put(v Q) { x.v = v }",
	"func (x %[1]s[Q]) Get() Q { return x.v }",
	"func %[3]s[Q any](x %[1]s[Q]) []Q { return []Q{x.v} }",
	"type %[1]s = %[2]s",
	"type %[1]s struct{ %[2]s }",
	"type %[1]s struct{ v %[2]s[int] }",
	"import %[5]s \"strings\"\n_ = %[5]s.ToUpper(\"\")",
}

// seeds is the number of random sessions. A run with 20000 has found no error.
const seeds = int64(300)

// TestRandomSessionsStayConsistent plays cells that declare the same few names in all ways. Many do
// not compile and must leave no trace. The others must leave the types of the session consistent.
func TestRandomSessionsStayConsistent(t *testing.T) {
	passed := 0
	for seed := range seeds {
		random := rand.New(rand.NewSource(seed))
		pick := func(names string) string {
			list := strings.Fields(names)
			return list[random.Intn(len(list))]
		}
		s := check.NewSession(store(t))
		var played []string
		for number := 1; number <= 25; number++ {
			source := fmt.Sprintf(templates[random.Intn(len(templates))]+"%[7]s",
				pick("A B C"), pick("A B C"), pick("f g h"), pick("f g h"), pick("u v w A f"), pick("u v K"), "")
			played = append(played, source)
			checked, err := checkCell(s, number, source)
			if err != nil {
				if strings.Contains(err.Error(), "type checker failed") {
					t.Errorf("%v", err)
				}
			} else {
				passed++
				verify(t, s, checked)
			}
			if t.Failed() {
				t.Fatalf("seed %d, cells\n%s", seed, strings.Join(played, "\n--\n"))
			}
		}
	}
	if passed < 1000 {
		t.Errorf("%d cells pass, which tests little", passed)
	}
}
