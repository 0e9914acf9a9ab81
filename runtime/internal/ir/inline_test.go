package ir

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"gosphere/internal/testing/irtest"
)

func unknown(*FuncRef) *Func { return nil }

// costing returns a function of a cost, which consists of empty blocks.
func costing(name string, cost int) *Func {
	var body []Stmt
	for range cost - 1 {
		body = append(body, blockOf())
	}
	return declared(name).does(body...)
}

// calling returns a function that calls others in this order.
func calling(name string, callees ...*Func) *Func {
	var body []Stmt
	for _, f := range callees {
		body = append(body, &Eval{X: callTo(f)})
	}
	return declared(name).does(body...)
}

// inlinedCalls returns the calls in a function by their callees, each with a mark if it is inlined.
func inlinedCalls(f *Func) string {
	var calls []string
	eachNode(reflect.ValueOf(f.Body), func(node reflect.Value) {
		if x, ok := node.Interface().(*Call); ok && x.Ref != nil {
			name := strings.TrimPrefix(x.Ref.Name, "main.")
			if x.Inline != nil {
				name += "+"
			}
			calls = append(calls, name)
		}
	})
	return strings.Join(calls, " ")
}

func TestCostsCountNodes(t *testing.T) {
	n := func(f sketch) Expr { return Use(f.param("n", intType)) }
	for _, c := range []struct {
		name string
		of   func(f sketch) []Stmt
		want int
	}{
		{"nothing", func(sketch) []Stmt { return nil }, 1}, {"a return", func(sketch) []Stmt { return list(&Return{}) }, 2}, {"a result", func(f sketch) []Stmt { return list(returns(n(f))) }, 3},
		{"operands", func(f sketch) []Stmt { return list(discard(sum(n(f), &Unary{of(intType), 0, number(1)}))) }, 6}, {"a call", func(f sketch) []Stmt { return list(&Eval{X: callOf("main.g", n(f), number(1))}) }, 5},
		{"blocks", func(f sketch) []Stmt { return list(blockOf(blockOf(&Return{}))) }, 4}, {"branches", func(f sketch) []Stmt {
			return list(&If{Cond: boolean(), Then: blockOf(), Else: &If{Cond: boolean(), Then: blockOf(&Return{}), Else: blockOf()}})
		}, 9},
		{"a switch", func(f sketch) []Stmt {
			return list(&Switch{Label: label(), Cases: []*Case{{Conds: []Expr{boolean(), boolean()}, Body: blockOf()}, {Default: true, Body: blockOf(&Return{})}}})
		}, 7},
		{"a sequence", func(f sketch) []Stmt {
			return list(discard(&Seq{of(intType), list(discard(number(1))), number(2)}))
		}, 6},
		{"a declaration without a value", func(f sketch) []Stmt { return list(&Declare{Local: f.local("x", intType)}) }, 2}, {"several values", func(f sketch) []Stmt {
			return list(&AssignAll{Dst: []*Local{f.local("x", intType), nil}, X: pairCall()})
		}, 4},
	} {
		f := declared("main.f")
		f.does(c.of(f)...)
		Inline(programOf(f.Func), unknown)
		if f.Cost != c.want {
			t.Errorf("a function with %s costs %d, want %d", c.name, f.Cost, c.want)
		}
	}
}

func TestCostsIncludeInlinedCalls(t *testing.T) {
	small, middle := costing("main.small", 10), costing("main.middle", 3)
	f, g := calling("main.f", small, middle), calling("main.g", small, small)
	h := calling("main.h", f, g)
	Inline(programOf(h, g, small, f, middle), unknown)
	// A function costs 1, each call 2 nodes and the cost of the callee.
	for _, c := range []struct {
		f     *Func
		cost  int
		calls string
	}{{small, 10, ""}, {middle, 3, ""}, {f, 1 + 2 + 10 + 2 + 3, "small+ middle+"}, {g, 1 + 12 + 12, "small+ small+"}, {h, 1 + 2 + 18 + 2 + 25, "f+ g+"}} {
		if got := inlinedCalls(c.f); c.f.Cost != c.cost || got != c.calls {
			t.Errorf("%s costs %d and has the calls %s, want %d and %s", c.f.Name, c.f.Cost, got, c.cost, c.calls)
		}
	}
}

func TestLargeFunctionsAreNotInlined(t *testing.T) {
	largest, larger := costing("main.largest", mostInlined), costing("main.larger", mostInlined+1)
	inner, more := costing("main.inner", mostInlined-3), costing("main.more", mostInlined-2)
	fits, exceeds := calling("main.fits", inner), calling("main.exceeds", more)
	f := calling("main.f", largest, larger, fits, exceeds)
	Inline(programOf(f, largest, larger, inner, more, fits, exceeds), unknown)
	if got, want := inlinedCalls(f), "largest+ larger fits+ exceeds"; got != want {
		t.Errorf("got the calls %s, want %s", got, want)
	}
	if got, want := []int{largest.Cost, larger.Cost, fits.Cost, exceeds.Cost, f.Cost}, []int{mostInlined, -1, mostInlined, -1, -1}; !slices.Equal(got, want) {
		t.Errorf("got the costs %v, want %v", got, want)
	}
	if got := inlinedCalls(exceeds); got != "more+" {
		t.Errorf("a function that is too large to be inlined has the calls %s", got)
	}
}

// TestGrowthIsLimited has functions with calls that are inlined as long as the nodes of the callees
// do not exceed a limit.
func TestGrowthIsLimited(t *testing.T) {
	large, rest, one, two := costing("main.large", mostInlined), costing("main.rest", mostInlined-1), costing("main.one", 1), costing("main.two", 2)
	n := mostGrowth/mostInlined - 1
	all := slices.Repeat([]*Func{large}, n)
	for _, c := range []struct {
		callees []*Func
		want    string
	}{
		{append(slices.Clone(all), large, large, one), strings.Repeat("large+ ", n+1) + "large one"},
		{append(slices.Clone(all), rest, one, one), strings.Repeat("large+ ", n) + "rest+ one+ one"},
		{append(slices.Clone(all), rest, large, two, one), strings.Repeat("large+ ", n) + "rest+ large two one+"},
	} {
		f := calling("main.f", c.callees...)
		Inline(programOf(f, large, rest, one, two), unknown)
		if got := inlinedCalls(f); got != c.want {
			t.Errorf("got the calls\n%s, want\n%s", got, c.want)
		}
	}
	// The limit holds for each function.
	f, g := calling("main.f", append(slices.Clone(all), large)...), calling("main.g", large)
	Inline(programOf(f, g, large), unknown)
	if got := inlinedCalls(g); got != "large+" {
		t.Errorf("a function after a large one has the calls %s", got)
	}
}

// wholeKinds are the kinds of statements that an inlined function may contain. Statements of all
// other kinds prevent inlining.
var wholeKinds = []string{"Declare", "Assign", "AssignOp", "AssignAll", "Eval", "Send", "Return", "Break", "Continue", "Block", "If", "Switch"}

func TestStatementsThatPreventInlining(t *testing.T) {
	found := map[string]bool{}
	for want, s := range documentedStmts() {
		kind := reflect.TypeOf(s).Elem().Name()
		found[kind] = true
		checkPrevents(t, want, s, !slices.Contains(wholeKinds, kind))
	}
	checkPrevents(t, "hook", CallHook(nil, number(1)), true)
	checkPrevents(t, "mark", &Mark{}, true)
	for _, x := range documentedExprs() {
		found[reflect.TypeOf(x).Elem().Name()] = true
	}
	for _, name := range irtest.Nodes(t, ".") {
		if !found[name] && !slices.Contains([]string{"Case", "Comm", "Hook", "Mark", "Zero"}, name) {
			t.Errorf("no test inlines a function with a %s", name)
		}
	}
}

// checkPrevents inlines functions that have a statement, or contain it in a statement.
func checkPrevents(t *testing.T, name string, s Stmt, prevents bool) {
	t.Helper()
	switch s := s.(type) { // the examples have no bodies
	case *If:
		s.Then = blockOf()
	case *For:
		s.Body = blockOf()
	case *RangeInt:
		s.Body = blockOf()
	case *RangeSlice:
		s.Body = blockOf()
	case *RangeString:
		s.Body = blockOf()
	case *RangeMap:
		s.Body = blockOf()
	case *RangeChan:
		s.Body = blockOf()
	}
	for where, inside := range map[string]Stmt{
		"alone": s, "in a branch": &If{Cond: boolean(), Then: blockOf(), Else: blockOf(s)}, "in a case": &Switch{Cases: []*Case{{Default: true, Body: blockOf(s)}}}, "in a sequence": discard(&Seq{of(intType), list(s), number(1)}),
	} {
		f := declared("main.f").does(&Return{}, inside)
		g := calling("main.g", f)
		Inline(programOf(f, g), unknown)
		if got := inlinedCalls(g) == "f"; got != prevents || (f.Cost == -1) != prevents {
			t.Errorf("%s %s prevents inlining: %t, want %t; the cost is %d", name, where, got, prevents, f.Cost)
		}
	}
}

func TestFunctionsThatAreNotInlined(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(f sketch)
	}{
		{"nothing", func(sketch) {}}, {"deferred calls", func(f sketch) { f.Defers = true }}, {"recover", func(f sketch) { f.Recovers = true }}, {"an adjusted receiver", func(f sketch) { f.Wrapper = true }},
		{"a boxed parameter", func(f sketch) { f.Params[0].Boxed = true }}, {"a boxed result", func(f sketch) { f.Results[0].Boxed = true }}, {"a boxed local", func(f sketch) { f.boxed("x", intType) }},
		{"a literal", func(f sketch) {
			f.Body.List = append(f.Body.List, discard(literal(f.nested("func1").does())))
		}},
		{"a literal in a sequence", func(f sketch) {
			f.Body.List = list(discard(&Seq{of(emptySig), nil, literal(f.nested("func1").does())}))
		}},
	} {
		f := declared("main.f")
		x := f.param("x", intType)
		f.result("", intType)
		f.does(returns(Use(x)))
		c.change(f)
		g := declared("main.g").does(&Eval{X: callTo(f.Func, number(1))})
		Inline(programOf(g, f.Func), unknown)
		want := "f"
		if c.name == "nothing" {
			want = "f+"
		}
		if got := inlinedCalls(g); got != want || (f.Cost > 0) != (want == "f+") {
			t.Errorf("a function with %s is called as %s at the cost %d, want %s", c.name, got, f.Cost, want)
		}
	}
}

func TestCallsOfOtherCalleesAreNotInlined(t *testing.T) {
	f := costing("main.f", 1)
	value := declared("main.value")
	callee := value.param("g", emptySig)
	body := list(&Eval{X: &Call{Typed: of(nothing), Value: Use(callee)}}, &Eval{X: &Call{Typed: of(nothing), Value: &FuncExpr{of(emptySig), f.Ref}}},
		&Eval{X: &Call{Typed: of(nothing), Extern: &ExternExpr{of(emptySig), stringMethod, nil}}}, &Eval{X: &Call{Typed: of(StringType), Method: &MethodCall{ZeroOf(errorType, 0), errorMethod()}}}, discard(&FuncExpr{of(emptySig), f.Ref}))
	value.does(body...)
	Inline(programOf(f, value.Func), func(r *FuncRef) *Func {
		t.Errorf("the current version of %v is asked for", r)
		return f
	})
	eachNode(reflect.ValueOf(value.Body), func(node reflect.Value) {
		if x, ok := node.Interface().(*Call); ok && x.Inline != nil {
			t.Errorf("a call of what is no name is inlined as %s", x.Inline.Name)
		}
	})
}

// TestCallsThatAreMadeLaterAreNotInlined has go and defer statements, whose operands are evaluated
// at once.
func TestCallsThatAreMadeLaterAreNotInlined(t *testing.T) {
	now, later := declared("main.now"), declared("main.later")
	now.result("", intType)
	now.does(returns(number(1)))
	later.param("n", intType)
	later.does()
	call := func() Expr { return callTo(later.Func, callTo(now.Func)) }
	f := declared("main.f")
	f.Defers = true
	inner := f.nested("func1")
	inner.does(&Eval{X: call()})
	f.does(&Go{Call: call()}, &Defer{Call: call()}, &Eval{X: call()}, &Go{Call: predeclared(nothing, "print", callTo(now.Func))}, &Go{Call: &Call{Typed: of(nothing), Value: literal(inner.Func)}})
	Inline(programOf(f.Func, now.Func, later.Func), unknown)
	if got, want := inlinedCalls(f.Func), "later now+ later now+ later+ now+ now+"; got != want {
		t.Errorf("got the calls %s, want %s", got, want)
	}
	if got, want := inlinedCalls(inner.Func), "later+ now+"; got != want {
		t.Errorf("a literal of a go statement has the calls %s, want %s", got, want)
	}
}

func TestCallsInWrappersLiteralsAndCells(t *testing.T) {
	f := costing("main.f", 5)
	wrapper, maker, cell := calling("main.wrapper", f), declared("main.maker"), statements()
	wrapper.Wrapper = true
	outer := maker.nested("func1")
	inner := outer.nested("1")
	inner.does(&Eval{X: callTo(f)})
	outer.does(&Eval{X: callTo(f)}, discard(literal(inner.Func)))
	maker.does(discard(literal(outer.Func)))
	cell.does(&Eval{X: callTo(f)}, CallHook(nil, callTo(f)), &RangeInt{Label: label(), N: number(3), Body: blockOf(&Eval{X: callTo(f)})})
	Inline(&Program{Funcs: []*Func{wrapper, maker.Func, f}, Body: cell.Func}, unknown)
	for _, c := range []struct {
		f     *Func
		calls string
	}{{wrapper, "f+"}, {outer.Func, "f+"}, {inner.Func, "f+"}, {cell.Func, "f+ f+ f+"}} {
		if got := inlinedCalls(c.f); got != c.calls || c.f.Cost != -1 {
			t.Errorf("%s has the calls %s and the cost %d, want %s and -1", c.f.Name, got, c.f.Cost, c.calls)
		}
	}
}

// TestFunctionsOfEarlierProgramsKeepTheirCost declares functions in one program and calls them in
// the next ones.
func TestFunctionsOfEarlierProgramsKeepTheirCost(t *testing.T) {
	small, large, fresh := costing("main.small", 4), costing("main.large", mostInlined+1), costing("main.fresh", 1)
	Inline(programOf(small, large), unknown)
	current := map[*FuncRef]*Func{small.Ref: small, large.Ref: large, fresh.Ref: fresh}
	known := func(r *FuncRef) *Func { return current[r] }
	f := calling("main.f", small, large, fresh, costing("main.forgotten", 1))
	Inline(programOf(f), known)
	if got, want := inlinedCalls(f), "small+ large fresh forgotten"; got != want || f.Cost != 1+4*2+4 || fresh.Cost != 0 {
		t.Errorf("got the calls %s and the cost %d, want %s; a function that was not examined costs %d", got, f.Cost, want, fresh.Cost)
	}
	// A new version of small is called in its program. The marks in earlier programs remain.
	again := costing("main.small", 7)
	again.Ref = small.Ref
	g := calling("main.g", small)
	Inline(programOf(g, again), known)
	version := func(f *Func) *Func { return f.Body.List[0].(*Eval).X.(*Call).Inline }
	if version(f) != small || version(g) != again || g.Cost != 1+2+7 {
		t.Errorf("f calls the version %p and g calls %p at the cost %d, want %p and %p", version(f), version(g), g.Cost, small, again)
	}
	// A known function is not examined again, even if a function in it would be inlined now.
	body := inlinedCalls(f)
	current[f.Ref] = f
	Inline(programOf(calling("main.h", f), fresh), known)
	if got := inlinedCalls(f); got != body {
		t.Errorf("an earlier function has the calls %s after the next program, want %s", got, body)
	}
}

func TestInliningTwiceChangesNothing(t *testing.T) {
	p := together()
	Inline(p, unknown)
	text, costs := p.String(), []int{}
	for _, f := range p.Funcs {
		costs = append(costs, f.Cost)
	}
	Inline(p, unknown)
	for i, f := range p.Funcs {
		if f.Cost != costs[i] {
			t.Errorf("%s costs %d and then %d", f.Name, costs[i], f.Cost)
		}
	}
	if got := p.String(); got != text {
		t.Errorf("the program is\n%sand then\n%s", text, got)
	}
	if plain := together().String(); strings.ReplaceAll(text, "inline ", "call ") != plain {
		t.Errorf("apart from marks, the program is\n%swant\n%s", text, plain)
	}
}

// TestMarksFormNoCycle has functions that call one another in a cycle, in each order.
func TestMarksFormNoCycle(t *testing.T) {
	const n = 4
	for shift := range n {
		var cycle []*Func
		for i := range n {
			cycle = append(cycle, declared(fmt.Sprintf("main.f%d", i)).Func)
		}
		for i, f := range cycle {
			f.Body.List = list(&Eval{X: callTo(cycle[(i+1)%n])})
		}
		Inline(programOf(append(slices.Clone(cycle[shift:]), cycle[:shift]...)...), unknown)
		for i, f := range cycle {
			// The examination begins at the first function, and the last one calls that one.
			want := fmt.Sprintf("f%d+", (i+1)%n)
			if (i+1)%n == shift {
				want = fmt.Sprintf("f%d", shift)
			}
			if got := inlinedCalls(f); got != want {
				t.Errorf("beginning at f%d: f%d has the calls %s, want %s", shift, i, got, want)
			}
		}
	}
}

// TestCyclesThroughLiterals has a function with a literal that calls the function.
func TestCyclesThroughLiterals(t *testing.T) {
	f, g := declared("main.f"), declared("main.g")
	l := f.nested("func1")
	l.does(&Eval{X: callTo(g.Func)})
	f.does(discard(literal(l.Func)))
	g.does(&Eval{X: callTo(f.Func)})
	Inline(programOf(g.Func, f.Func), unknown)
	if got := inlinedCalls(l.Func) + inlinedCalls(g.Func); got != "gf" {
		t.Errorf("got the calls %s, want gf", got)
	}
}

// TestMarksOfRandomProgramsFormNoCycle draws programs in which functions call each other, and
// follows the marks from each function. It also checks that each mark is one of a function that can
// be inlined, and that the verifier accepts it.
func TestMarksOfRandomProgramsFormNoCycle(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	marks := 0
	for range 300 {
		var funcs []*Func
		for i := range 2 + r.IntN(7) {
			funcs = append(funcs, declared(fmt.Sprintf("main.f%d", i)).Func)
		}
		for i, f := range funcs {
			for range r.IntN(4) {
				if j := r.IntN(len(funcs)); j != i {
					f.Body.List = append(f.Body.List, &Eval{X: callTo(funcs[j])}, blockOf())
				}
			}
		}
		p := programOf(funcs...)
		Inline(p, unknown)
		if err := Verify(p, nil); err != nil {
			t.Fatal(err)
		}
		for _, f := range funcs {
			marks += followMarks(t, f, nil)
		}
	}
	if marks < 1000 {
		t.Errorf("the programs have only %d marks", marks)
	}
}

// followMarks returns the number of marks in a function and in the functions that they refer to.
func followMarks(t *testing.T, f *Func, path []*Func) (marks int) {
	t.Helper()
	if slices.Contains(path, f) {
		t.Fatalf("the marks form a cycle through %s", f.Name)
	}
	for _, s := range f.Body.List {
		x, ok := s.(*Eval)
		if !ok || x.X.(*Call).Inline == nil {
			continue
		}
		callee := x.X.(*Call).Inline
		if callee.Cost <= 0 || callee.Cost > mostInlined || callee.Ref != x.X.(*Call).Ref {
			t.Fatalf("%s inlines %s, which costs %d", f.Name, callee.Name, callee.Cost)
		}
		marks += 1 + followMarks(t, callee, append(slices.Clone(path), f))
	}
	return marks
}
