package ir

import (
	"fmt"
	"go/constant"
	"go/types"
	"strings"
	"testing"
)

// faulty returns a program with the faults in a set. The messages about them are in faultMessages,
// in the order in which they are found.
func faulty(faults int) *Program {
	// value returns an int, or a string if the program has a fault.
	value := func(fault int) Expr {
		if faults&(1<<fault) != 0 {
			return typed(StringType, constant.MakeString("wrong"))
		}
		return number(1)
	}
	a, b, cell := declared("main.a"), declared("main.b"), statements()
	n, late, l := a.param("n", intType), a.local("late", intType), a.nested("func1")
	used := Use(n)
	if faults&(1<<5) != 0 {
		used = Use(late)
	}
	m, k := b.local("m", intType), cell.local("k", intType)
	inner, deep := l.local("inner", intType), l.nested("1")
	x := deep.local("x", intType)
	deep.does(set(x, value(2)))
	l.does(set(inner, value(1)), discard(literal(deep.Func)), set(inner, value(3)))
	a.does(discard(used), set(n, value(0)), discard(literal(l.Func)), set(n, value(4)), set(late, number(1)))
	b.does(set(m, value(6)), set(m, value(7)))
	return numbered(&Program{Funcs: []*Func{a.Func, b.Func}, Body: cell.does(blockOf(set(k, value(8))))})
}

var faultMessages = []string{
	"main.a, line 3: the value assigned: string where int is required",
	"main.a.func1, line 6: the value assigned: string where int is required",
	"main.a.func1.1, line 9: the value assigned: string where int is required",
	"main.a.func1, line 10: the value assigned: string where int is required",
	"main.a, line 11: the value assigned: string where int is required",
	"main.a, line 2: late is used before it has a value",
	"main.b, line 14: the value assigned: string where int is required",
	"main.b, line 15: the value assigned: string where int is required",
	"cell, line 18: the value assigned: string where int is required",
}

// TestFirstFaultIsReported verifies programs with all sets of faults. The uses of variables in a
// function are examined last.
func TestFirstFaultIsReported(t *testing.T) {
	for faults := range 1 << len(faultMessages) {
		want := ""
		for i, message := range faultMessages {
			if faults&(1<<i) != 0 {
				want = message
				break
			}
		}
		got := ""
		if err := Verify(faulty(faults), nil); err != nil {
			got = err.Error()
		}
		if got != want {
			t.Fatalf("the faults %b: got the error %q, want %q", faults, got, want)
		}
	}
}

func TestVerifyingChangesNothing(t *testing.T) {
	for _, faults := range []int{0, 1 << 5, 1 << 8} {
		p := faulty(faults)
		text := p.String()
		first, second := fmt.Sprint(Verify(p, nil)), fmt.Sprint(Verify(p, nil))
		if first != second || p.String() != text {
			t.Errorf("the faults %b: got the errors %s and %s, and the text\n%swant\n%s", faults, first, second, p, text)
		}
	}
}

func TestFaultsWithoutAPositionHaveNoLine(t *testing.T) {
	for _, change := range []func(p *Program){
		func(p *Program) { p.Funcs[0].Fset = nil },
		func(p *Program) {
			p.Funcs[0].Pos, p.Funcs[0].Body.List[1].(*Assign).P = 0, 0
			clearPosition(p.Funcs[0].Body.List[1])
		},
	} {
		p := faulty(1)
		change(p)
		want := "main.a: the value assigned: string where int is required"
		if err := Verify(p, nil); err == nil || err.Error() != want {
			t.Errorf("got the error %v, want %s", err, want)
		}
	}
}

func clearPosition(s Stmt) { s.(*Assign).X.(*Const).P = 0 }

// sameNames are relations in which types with one name are identical, and a type implements each
// interface with its name and an I.
type sameNames struct{}

func (sameNames) Identical(a, b types.Type) bool { return TypeText(a) == TypeText(b) }

func (sameNames) Implements(t, iface types.Type) bool { return TypeText(iface) == TypeText(t)+"I" }

// TestRelationsOfTheSessionDecide has statements that the relations of go/types do not allow.
func TestRelationsOfTheSessionDecide(t *testing.T) {
	again := declaredType("main", "Point", structOf())
	pointI := declaredType("main", "PointI", types.NewInterfaceType([]*types.Func{types.NewFunc(0, nil, "M", signature(nil))}, nil).Complete())
	pointII := declaredType("main", "PointII", types.NewInterfaceType([]*types.Func{types.NewFunc(0, nil, "N", signature(nil))}, nil).Complete())
	for _, c := range []struct {
		name string
		of   func(f sketch) Stmt
		want string // the error under the relations of go/types
	}{
		{"assignment", func(f sketch) Stmt { return set(f.local("p", pointType), ZeroOf(again, 0)) }, "the value assigned: Point where Point is required"},
		{"argument", func(sketch) Stmt {
			return &Eval{X: &Call{Typed: of(nothing), Ref: refOf(pointType), Args: []Expr{ZeroOf(again, 0)}}}
		}, "an argument: Point where Point is required"},
		{"conversion", func(sketch) Stmt { return discard(&Convert{of(pointType), ZeroOf(again, 0)}) }, "a Point cannot become a Point"},
		{"conversion of one underlying type", func(sketch) Stmt {
			return discard(&Convert{of(types.NewSlice(pointType)), ZeroOf(declaredType("main", "Points", types.NewSlice(again)), 0)})
		}, "a Points cannot become a []Point"},
		{"predeclared function", func(sketch) Stmt {
			return discard(predeclared(types.NewSlice(pointType), "append", ZeroOf(types.NewSlice(again), 0), ZeroOf(pointType, 0)))
		}, "append of ([]Point, Point) gives no []Point"},
		{"key", func(sketch) Stmt {
			return &Eval{X: predeclared(nothing, "delete", ZeroOf(types.NewMap(pointType, intType), 0), ZeroOf(again, 0))}
		}, "delete of (map[Point]int, Point) gives no ()"},
		{"value of an interface", func(sketch) Stmt { return discard(&MakeInterface{of(pointI), ZeroOf(pointType, 0)}) }, "a Point does not implement PointI"},
		{"interface to interface", func(sketch) Stmt { return discard(&ChangeInterface{of(pointII), ZeroOf(pointI, 0)}) }, "a PointI does not implement PointII"},
		{"iteration value", func(f sketch) Stmt {
			return &RangeSlice{Label: label(), X: ZeroOf(types.NewSlice(again), 0), Elem: f.local("p", pointType), Body: blockOf()}
		}, "an iteration value: Point where Point is required"},
	} {
		for _, relations := range []Relations{nil, sameNames{}} {
			f := declared("main.f")
			err := Verify(programOf(f.does(c.of(f))), relations)
			if relations != nil && err != nil || relations == nil && (err == nil || err.Error() != "main.f: "+c.want) {
				t.Errorf("%s: got the error %v with the relations %v", c.name, err, relations)
			}
		}
	}
}

// TestRelationsAreAskedOnlyIfTypesDiffer counts the questions about identical types.
func TestRelationsAreAskedOnlyIfTypesDiffer(t *testing.T) {
	r := &countingRelations{}
	if err := Verify(faulty(0), r); err != nil || r.asked != 0 {
		t.Errorf("got the error %v and %d questions about equal types", err, r.asked)
	}
	if err := Verify(faulty(1), r); err == nil || r.asked != 1 {
		t.Errorf("got the error %v and %d questions about one pair of types", err, r.asked)
	}
}

type countingRelations struct{ asked int }

func (r *countingRelations) Identical(a, b types.Type) bool {
	r.asked++
	return false
}

func (r *countingRelations) Implements(t, iface types.Type) bool { return false }

// labels returns statements of each kind that has a label, whose blocks consist of a statement.
func labels(l *Label, inside ...Stmt) map[string]Stmt {
	body := func() *Block { return blockOf(inside...) }
	return map[string]Stmt{
		"labeled": &Labeled{Label: l, Body: body()}, "for": &For{Label: l, Cond: boolean(), Body: body()}, "range int": &RangeInt{Label: l, N: number(1), Body: body()},
		"range slice": &RangeSlice{Label: l, X: ZeroOf(sliceType, 0), Body: body()}, "range string": &RangeString{Label: l, X: ZeroOf(StringType, 0), Body: body()},
		"range map": &RangeMap{Label: l, X: ZeroOf(mapType, 0), Body: body()}, "range chan": &RangeChan{Label: l, X: ZeroOf(channelType, 0), Body: body()},
		"switch": &Switch{Label: l, Cases: []*Case{{Default: true, Body: body()}}}, "select": &Select{Label: l, Cases: []*Comm{{Body: body()}}},
	}
}

func verifyStatements(list ...Stmt) string {
	if err := Verify(programOf(declared("main.f").does(list...)), nil); err != nil {
		return strings.TrimPrefix(err.Error(), "main.f: ")
	}
	return ""
}

func TestJumpsHaveTargetsThatEncloseThem(t *testing.T) {
	for name := range labels(label()) {
		breaks, continues := name != "labeled", strings.HasPrefix(name, "range") || name == "for"
		l := &Label{ID: 3, Name: "l"}
		for _, c := range []struct {
			jump  Stmt
			legal bool
			want  string
		}{{&Break{Label: l}, breaks, "break has no target L3(l)"}, {&Continue{Label: l}, continues, "continue has no loop L3(l)"}, {&Goto{Label: l}, false, "goto has no target L3(l)"}} {
			if _, jumps := c.jump.(*Goto); jumps && name == "labeled" {
				continue // TestTargetsOfGotoAreInListsAround
			}
			inside := verifyStatements(labels(l, c.jump)[name])
			if c.legal && inside != "" || !c.legal && inside != c.want {
				t.Errorf("%T in a %s: got the error %q, legal: %t", c.jump, name, inside, c.legal)
			}
			if after := verifyStatements(labels(l)[name], c.jump); after != c.want && name != "labeled" {
				t.Errorf("%T after a %s: got the error %q, want %q", c.jump, name, after, c.want)
			}
			// A literal is a function of its own.
			f := declared("main.f")
			inner := f.nested("func1")
			inner.does(c.jump)
			err := Verify(programOf(f.does(labels(l, discard(literal(inner.Func)))[name])), nil)
			if want := "main.f.func1: " + c.want; err == nil || err.Error() != want {
				t.Errorf("%T in a literal in a %s: got the error %v, want %s", c.jump, name, err, want)
			}
		}
	}
}

func TestTargetsOfGotoAreInListsAround(t *testing.T) {
	l := &Label{ID: 1, Name: "l", Jumped: true}
	const want = "goto has no target L1(l)"
	jump, target := &Goto{Label: l}, &Labeled{Label: l, Body: blockOf()}
	for _, c := range []struct {
		name string
		list []Stmt
		want string
	}{
		{"forward", list(jump, target), ""}, {"back", list(target, jump), ""}, {"out of blocks", list(blockOf(blockOf(jump)), target), ""}, {"to the statement around", list(&Labeled{Label: l, Body: blockOf(jump)}), ""},
		{"out of a loop", list(&RangeInt{Label: &Label{ID: 2}, N: number(2), Body: blockOf(jump)}, target), ""}, {"into a block", list(jump, blockOf(target)), want}, {"into a block before", list(blockOf(target), jump), want},
		{"into another branch", list(&If{Cond: boolean(), Then: blockOf(target), Else: blockOf(jump)}), want}, {"into another case", list(&Switch{Label: &Label{ID: 2}, Cases: []*Case{{Conds: []Expr{boolean()}, Body: blockOf(target)}, {Default: true, Body: blockOf(jump)}}}), want},
		{"into a labeled statement", list(&Labeled{Label: &Label{ID: 2}, Body: target}, jump), want}, {"into a sequence", list(discard(&Seq{of(intType), list(target), number(1)}), jump), want},
		{"out of a sequence", list(discard(&Seq{of(intType), list(jump), number(1)}), target), ""}, {"nowhere", list(jump), want}, {"without a label", list(&Goto{}, target), "goto has no target L?"},
	} {
		if got := verifyStatements(c.list...); got != c.want {
			t.Errorf("a goto %s: got the error %q, want %q", c.name, got, c.want)
		}
	}
	l.Jumped = false
	if got, want := verifyStatements(jump, target), "the target L1(l) does not know that a goto statement names it"; got != want {
		t.Errorf("got the error %q, want %q", got, want)
	}
}

func TestLabelsAreUniqueInAFunction(t *testing.T) {
	for name := range labels(label()) {
		first, same, other := &Label{ID: 1}, &Label{ID: 1, Name: "again"}, &Label{ID: 2}
		if got := verifyStatements(labels(nil)[name]); got != "a label is missing" {
			t.Errorf("%s without a label: got the error %q", name, got)
		}
		for second := range labels(label()) {
			const want = "two statements have the label L1(again)"
			if got := verifyStatements(labels(first)[name], labels(same)[second]); got != want {
				t.Errorf("%s and %s with one label: got the error %q", name, second, got)
			}
			if got := verifyStatements(labels(first, labels(same)[second])[name]); got != want {
				t.Errorf("%s in %s with one label: got the error %q", second, name, got)
			}
			if got := verifyStatements(labels(first)[name], labels(other)[second]); got != "" {
				t.Errorf("%s and %s with two labels: got the error %q", name, second, got)
			}
		}
		// The labels of a literal are those of another function.
		f := declared("main.f")
		inner := f.nested("func1")
		inner.does(labels(same)[name])
		if err := Verify(programOf(f.does(labels(first)[name], discard(literal(inner.Func)))), nil); err != nil {
			t.Errorf("%s in a literal: %v", name, err)
		}
	}
}

// TestBlocksAreRequired removes each block of a statement.
func TestBlocksAreRequired(t *testing.T) {
	l := label()
	for _, s := range []Stmt{
		&If{Cond: boolean()}, &For{Label: l}, &RangeInt{Label: l, N: number(1)}, &RangeSlice{Label: l, X: ZeroOf(sliceType, 0)}, &RangeString{Label: l, X: ZeroOf(StringType, 0)},
		&RangeMap{Label: l, X: ZeroOf(mapType, 0)}, &RangeChan{Label: l, X: ZeroOf(channelType, 0)}, &Switch{Label: l, Cases: []*Case{{Default: true}}}, &Select{Label: l, Cases: []*Comm{{}}},
		&Select{Label: l, Cases: []*Comm{{Ch: ZeroOf(channelType, 0)}}},
	} {
		if got := verifyStatements(s); got != "a block is missing" {
			t.Errorf("%T without a block: got the error %q", s, got)
		}
	}
	for _, s := range []Stmt{&Labeled{Label: l}, blockOf(nil), &For{Label: l, Body: blockOf(), Post: list(nil)}, discard(&Seq{of(intType), list(nil), number(1)})} {
		if got := verifyStatements(s); got != "a statement is missing" {
			t.Errorf("%T without a statement: got the error %q", s, got)
		}
	}
}
