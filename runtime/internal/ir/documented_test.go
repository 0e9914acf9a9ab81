package ir

import (
	"go/ast"
	"go/constant"
	"go/parser"
	"go/token"
	"go/types"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// use returns a variable of a type that is shown by its name.
func use(name string, t types.Type) Expr { return Use(local(name, t)) }

// less is the condition x < y.
func less(x, y string) Expr {
	return &Compare{of(boolType), token.LSS, use(x, intType), use(y, intType)}
}

// documentedExprs are the expressions of the examples in the comments of the node types.
func documentedExprs() map[string]Expr {
	i, n, e := use("i", intType), use("n", intType), use("e", pointType)
	m, c, w, any := use("m", mapType), use("c", types.NewChan(types.SendRecv, intType)), use("w", readerType), use("x", AnyType)
	xy := structOf(field("Name", intType))
	function := func(pkg, name string) *types.Func {
		return types.NewFunc(0, types.NewPackage(pkg, pkg), name, emptySig)
	}
	upper := &ExternExpr{of(emptySig), function("strings", "ToUpper"), nil}
	writer := declaredType("io", "Writer", types.NewInterfaceType(nil, nil).Complete())
	x, y := use("x", intType), use("y", intType)
	captures := []*Local{{Name: "x", Outer: local("x", intType)}}
	return map[string]Expr{
		"3": number(3), "float64(5/2)": typed(float64Type, constant.MakeFloat64(2.5)), "x": x, "$3": &LocalExpr{of(intType), &Local{Index: 3}},
		"global x": &GlobalExpr{of(intType), &Global{Name: "x"}}, "global os.Args": &GlobalExpr{of(intType), &Global{Name: "Args", Path: "os"}},
		"func main.f": &FuncExpr{of(emptySig), &FuncRef{Name: "main.f"}}, "extern strings.ToUpper": upper, "literal main.f.func1{x}": &FuncLit{of(emptySig), &Func{Name: "main.f.func1", Captures: captures}},
		"(*p)": deref(use("p", types.NewPointer(intType))), "x.Name": fieldOf(use("x", xy), 0), "a[i]": elemOf(use("a", sliceType), i), "m[k]": entry(m, use("k", StringType)),
		"(m[k], ok)": &MapElem{of(Pair(intType)), m, use("k", StringType), true}, "&x": address(x), "s[1:n]": &SliceExpr{of(sliceType), use("s", sliceType), number(1), n, nil},
		"-x": &Unary{of(intType), token.SUB, x}, "(x + y)": sum(x, y), "(x < y)": less("x", "y"), "(x && y)": &Logic{of(boolType), token.LAND, x, y}, "convert[float64](x)": &Convert{of(float64Type), x},
		"iface[error](e)": &MakeInterface{of(errorType), e}, "change[io.Writer](f)": &ChangeInterface{of(writer), use("f", AnyType)},
		"x.(int)": &Assert{of(intType), any, intType, false}, "(x.(int), ok)": &Assert{of(Pair(intType)), any, intType, true}, "istype[int](x)": &IsType{of(boolType), any, intType},
		"<-c": &Recv{of(intType), c, false}, "(<-c, ok)": &Recv{of(Pair(intType)), c, true}, "Point{X: 1, Y: 2}": &Composite{of(pointType), []Element{{0, nil, nil, number(1)}, {1, nil, nil, number(2)}}, 0},
		"Named{Point.X: 1}":        &Composite{of(declaredType("main", "Named", structOf(field("Point", pointType)))), []Element{{0, []int{0}, nil, number(1)}}, 0},
		"[]int len 2 {0: 5, 1: 6}": &Composite{of(sliceType), []Element{{0, nil, nil, number(5)}, {1, nil, nil, number(6)}}, 2}, "seq1": &Seq{of(intType), nil, x},
		"call main.f(x)": callOf("main.f", x), "call extern strings.ToUpper(s)": &Call{Extern: upper, Args: []Expr{use("s", StringType)}}, "call method b.String()": &Call{Method: &MethodCall{use("b", pointType), stringMethod}},
		"call dynamic w.Write(p)": &Call{Method: &MethodCall{w, function("io", "Write")}, Args: []Expr{use("p", sliceType)}}, "call f(x)": &Call{Value: use("f", emptySig), Args: []Expr{x}},
		"bind main.(*T).m{p}": &Bind{Ref: &FuncRef{Name: "main.(*T).m"}, Recv: use("p", pointType)}, "bind dynamic w.Write": &Bind{Method: &MethodCall{w, function("io", "Write")}},
		"len(s)": predeclared(intType, "len", use("s", sliceType)), "make[[]int](n)": predeclared(sliceType, "make", n),
	}
}

// documentedStmts are the statements of the examples.
func documentedStmts() map[string]Stmt {
	l, again := label(), &Label{ID: 1, Name: "again", Jumped: true}
	x, y, call, n := use("x", intType), use("y", intType), callOf("main.f"), use("n", intType)
	i, k, v, r := local("i", intType), local("k", StringType), local("v", intType), local("r", runeType)
	c, list := use("c", types.NewChan(types.SendRecv, intType)), use("s", sliceType)
	return map[string]Stmt{
		"declare x = 1": &Declare{Local: local("x", intType), X: number(1)}, "x = y": &Assign{Dst: x, X: y}, "x += y": &AssignOp{Op: token.ADD, Dst: x, X: y},
		"$1, $2 = call main.f()": &AssignAll{Dst: []*Local{{Index: 1}, {Index: 2}}, X: call}, "eval call main.f()": &Eval{X: call}, "c <- x": &Send{Ch: c, X: x}, "go call main.f()": &Go{Call: call},
		"defer call main.f()": &Defer{Call: call}, "defer to $1 call main.f()": &Defer{Call: call, List: &LocalExpr{of(intType), &Local{Index: 1}}}, "return x, y": returns(x, y),
		"break L1": &Break{Label: l}, "continue L1": &Continue{Label: l}, "goto L1(again)": &Goto{Label: again}, "block": blockOf(), "labeled L1(again) jumped": &Labeled{Label: again, Body: blockOf()},
		"if (x < y)": &If{Cond: less("x", "y")}, "for L1 (i < n) fresh i": &For{Label: l, Cond: less("i", "n"), Fresh: []*Local{i}}, "range L1 i of int n": &RangeInt{Label: l, N: n, Key: i},
		"range L1 i, x of slice s": &RangeSlice{Label: l, X: list, Key: i, Elem: local("x", intType)}, "range L1 i, r of string s": &RangeString{Label: l, X: list, Key: i, Elem: r},
		"range L1 k, v of map m": &RangeMap{Label: l, X: use("m", mapType), Key: k, Elem: v}, "range L1 x of chan c": &RangeChan{Label: l, X: c, Elem: local("x", intType)},
		"switch L1": &Switch{Label: l}, "select L1": &Select{Label: l},
	}
}

// documentedTexts returns the part of the comment of each node type that describes its text.
func documentedTexts(t *testing.T) map[string]string {
	t.Helper()
	texts := map[string]string{}
	for _, name := range []string{"expr.go", "stmt.go"} {
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			if spec, ok := n.(*ast.TypeSpec); ok {
				words := strings.Join(strings.Fields(spec.Doc.Text()), " ")
				if _, text, found := strings.Cut(words, "printed as "); found {
					texts[spec.Name.Name] = text
				}
			}
			return true
		})
	}
	return texts
}

// TestDocumentedTextsAreShown checks the examples in the comments of the node types: the text of
// each node is as documented, and every node whose text is documented has an example here.
func TestDocumentedTextsAreShown(t *testing.T) {
	documented, checked := documentedTexts(t), map[string]bool{}
	check := func(want string, node any, s Stmt) {
		name := reflect.TypeOf(node).Elem().Name()
		checked[name] = true
		if !strings.Contains(documented[name], want) {
			t.Errorf("the comment of %s is about the text %q and does not have %q", name, documented[name], want)
		}
		lines := strings.Split((&Func{Name: "f", Body: blockOf(s)}).String(), "\n")
		if got := strings.TrimPrefix(strings.TrimSpace(lines[1]), "_ = "); got != want {
			t.Errorf("a %s is shown as %q, want %q as documented", name, got, want)
		}
	}
	for want, x := range documentedExprs() {
		check(want, x, discard(x))
	}
	for want, s := range documentedStmts() {
		check(want, s, s)
	}
	var names []string
	for name := range documented {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		if !checked[name] {
			t.Errorf("no test shows the example of %s: %s", name, documented[name])
		}
	}
	if len(names) < 50 {
		t.Errorf("only the texts of %v are documented", names)
	}
}
