package ir

import (
	"go/types"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// visited returns the nodes that a walk over statements visits, in order. A local is shown by its
// name, and other nodes by their types.
func visited(list ...Stmt) string {
	var names []string
	kind := func(node any) string { return reflect.TypeOf(node).Elem().Name() }
	w := walk{stmt: func(s Stmt) { names = append(names, kind(s)) }, expr: func(x Expr) {
		if l, ok := x.(*LocalExpr); ok {
			names = append(names, l.Local.Name)
			return
		}
		names = append(names, kind(x))
	}}
	w.stmts(list)
	return strings.Join(names, " ")
}

func TestNodesAreVisitedBeforeTheirParts(t *testing.T) {
	a, b, c := func() Expr { return use("a", intType) }, func() Expr { return use("b", intType) }, func() Expr { return use("c", intType) }
	body := func() *Block { return blockOf(&Eval{X: b()}) }
	l := label()
	for _, test := range []struct {
		s    Stmt
		want string
	}{
		{&Declare{Local: local("x", intType)}, "Declare"}, {&Declare{Local: local("x", intType), X: a()}, "Declare a"}, {&Assign{X: a()}, "Assign a"}, {&Assign{Dst: a(), X: b()}, "Assign a b"},
		{discard(sum(sum(a(), b()), c())), "Assign Binary Binary a b c"}, {discard(sum(a(), sum(b(), c()))), "Assign Binary a Binary b c"}, {&Return{}, "Return"}, {returns(a(), sum(b(), c())), "Return a Binary b c"},
		{&Break{Label: l}, "Break"}, {&Continue{Label: l}, "Continue"}, {&Goto{Label: l}, "Goto"}, {&Mark{Vars: []*Local{local("x", intType)}, Call: local("y", AnyType)}, "Mark"},
		{&AssignAll{Dst: []*Local{local("x", intType), nil}, X: a()}, "AssignAll a"}, {blockOf(), "Block"}, {blockOf(blockOf(), body()), "Block Block Block Eval b"},
		{&If{Cond: a(), Then: body(), Else: body()}, "If a Block Eval b Block Eval b"}, {&If{Cond: a(), Then: body(), Else: &If{Cond: c(), Then: blockOf()}}, "If a Block Eval b If c Block"},
		{&For{Label: l, Body: body()}, "For Block Eval b"}, {&For{Label: l, Cond: a(), Post: list(&Eval{X: c()}, &Break{}), Body: body()}, "For a Eval c Break Block Eval b"},
		{&Labeled{Label: l, Body: &Labeled{Label: l, Body: body()}}, "Labeled Labeled Block Eval b"}, {&Switch{Label: l}, "Switch"}, {&Select{Label: l}, "Select"},
		{&Switch{Label: l, Cases: []*Case{{Conds: []Expr{a(), c()}, Body: body()}, {Default: true, Body: blockOf()}}}, "Switch a c Block Eval b Block"},
		{&Select{Label: l, Cases: []*Comm{{Ch: a(), Value: c(), Body: body()}, {Ch: c(), Elem: local("x", intType), Body: blockOf()}, {Body: body()}}}, "Select a c Block Eval b c Block Block Eval b"},
		{&Defer{Call: &Call{Value: a(), Args: []Expr{b()}}, List: c()}, "Defer Call a b c"}, {&Go{Call: predeclared(nothing, "print", a())}, "Go Builtin a"},
		{discard(&SliceExpr{of(sliceType), a(), nil, b(), nil}), "Assign SliceExpr a b"}, {discard(&SliceExpr{of(sliceType), a(), b(), nil, c()}), "Assign SliceExpr a b c"},
		{discard(&Composite{of(mapType), []Element{{Key: a(), Value: b()}, {Value: c()}}, 0}), "Assign Composite a b c"}, {discard(&Composite{Typed: of(mapType)}), "Assign Composite"},
		{discard(&Call{Ref: refOf(), Inline: counting(), Args: []Expr{a()}}), "Assign Call a"}, {discard(&Call{Extern: &ExternExpr{Typed: of(emptySig)}, Args: []Expr{a(), b()}}), "Assign Call a b"},
		{discard(&Call{Method: &MethodCall{a(), stringMethod}, Args: []Expr{b()}}), "Assign Call a b"}, {discard(&Bind{Method: &MethodCall{a(), stringMethod}}), "Assign Bind a"}, {discard(&Bind{Ref: refOf(), Recv: b()}), "Assign Bind b"},
		{discard(literal(counting())), "Assign FuncLit"}, {discard(&Seq{of(intType), list(&Eval{X: a()}, &Return{}), sum(b(), c())}), "Assign Seq Binary b c Eval a Return"},
		{discard(&Seq{of(intType), list(discard(&Seq{of(intType), list(&Eval{X: a()}), b()})), c()}), "Assign Seq c Assign Seq b Eval a"},
	} {
		if got := visited(test.s); got != test.want {
			t.Errorf("a walk over %s visits\n%s, want\n%s", (&Func{Name: "f", Body: blockOf(test.s)}).String(), got, test.want)
		}
	}
}

func TestWalksOfNothingVisitNothing(t *testing.T) {
	if got := visited(); got != "" {
		t.Errorf("a walk over no statements visits %s", got)
	}
	walk{expr: func(x Expr) { t.Errorf("a walk over missing expressions visits %v", x) }}.exprs(nil, nil)
}

// TestWalksVisitEveryNodeOnce compares the nodes that a walk over a function visits with those that
// the fields of its nodes refer to.
func TestWalksVisitEveryNodeOnce(t *testing.T) {
	for file, programs := range goldens {
		if file == "missing" {
			continue
		}
		for _, p := range programs {
			program := p.of()
			for _, f := range append(program.Funcs, program.Body) {
				if f == nil {
					continue
				}
				counts := map[any]int{}
				walk{stmt: func(s Stmt) { counts[s]++ }, expr: func(x Expr) { counts[x]++ }}.stmts(f.Body.List)
				extern := map[any]bool{}
				eachNode(reflect.ValueOf(f.Body.List), func(node reflect.Value) {
					switch x := node.Interface().(type) {
					case *Local, *Element, *Case, *Comm, *MethodCall:
						return
					case *Call:
						extern[x.Extern] = true // is no operand
					}
					want := 1
					if extern[node.Interface()] {
						want = 0
					}
					if got := counts[node.Interface()]; got != want {
						t.Errorf("%s.golden: %s: a walk over %s visits a %s %d times, want %d", file, p.name, f.Name, node.Type(), got, want)
					}
					delete(counts, node.Interface())
				})
				for node := range counts {
					t.Errorf("%s.golden: %s: a walk over %s visits a %T that it does not contain", file, p.name, f.Name, node)
				}
			}
		}
	}
}

// TestWalksDoNotEnterLiterals checks that the nodes of nested functions are not visited.
func TestWalksDoNotEnterLiterals(t *testing.T) {
	outer := declared("main.f")
	l := outer.nested("func1")
	inside := l.local("inside", intType)
	l.does(&Declare{Local: inside}, discard(Use(inside)))
	got := visited(discard(&Call{Typed: of(nothing), Value: literal(l.Func)}), &Go{Call: &Call{Value: literal(l.Func)}})
	if want := "Assign Call FuncLit Go Call FuncLit"; got != want {
		t.Errorf("a walk visits %s, want %s", got, want)
	}
}

// TestOperandsAreNewLists changes the operands of an expression, which must not change the
// expression or a later list. The arguments of a predeclared function are its own list.
func TestOperandsAreNewLists(t *testing.T) {
	a, b := use("a", intType), use("b", intType)
	for _, x := range []Expr{
		sum(a, b), &SliceExpr{of(sliceType), a, nil, b, nil}, &Call{Ref: refOf(), Args: []Expr{a, b}}, &Call{Value: a, Args: []Expr{b}}, &Call{Method: &MethodCall{a, stringMethod}, Args: []Expr{b}},
		&Composite{of(mapType), []Element{{Key: a, Value: b}}, 0}, &Elem{of(intType), a, b}, &Logic{of(boolType), 0, a, b},
	} {
		first := operands(x)
		if !slices.Equal(first, []Expr{a, b}) {
			t.Errorf("%T has the operands %v", x, first)
		}
		clear(first)
		if again := operands(x); !slices.Equal(again, []Expr{a, b}) {
			t.Errorf("%T has the operands %v after a change of the first list", x, again)
		}
	}
}

func TestLeavesHaveNoOperands(t *testing.T) {
	for _, x := range []Expr{
		number(1), ZeroOf(intType, 0), use("a", intType), &GlobalExpr{of(intType), &Global{}}, &FuncExpr{of(emptySig), refOf()}, &ExternExpr{Typed: of(emptySig), Targs: []types.Type{intType}},
		literal(counting()), &Composite{Typed: of(pointType)}, predeclared(nothing, "print"), &Call{Ref: refOf()},
	} {
		if list := operands(x); len(list) != 0 {
			t.Errorf("%T has the operands %v", x, list)
		}
	}
}
