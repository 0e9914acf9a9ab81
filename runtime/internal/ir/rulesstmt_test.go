package ir

import (
	"go/token"
	"go/types"
	"testing"
)

func TestRulesOfCalls(t *testing.T) {
	callee := func(ref *FuncRef) *Func { return &Func{Name: "inlined", Ref: ref, Cost: 1} }
	checkRules(t, []rule{
		{"two functions", func(e *ruleEnv, ok bool) []Stmt {
			return eval(&Call{Typed: of(nothing), Ref: refOf(), Value: pick(ok, nil, Expr(Use(e.function)))})
		}, "a call of 2 functions"},
		{"function value", func(e *ruleEnv, ok bool) []Stmt {
			return eval(&Call{Typed: of(nothing), Value: Use(pick(ok, e.function, e.n))})
		}, "a call of what is not a function"},
		{"compiled function", func(e *ruleEnv, ok bool) []Stmt {
			x := &ExternExpr{of(pick[types.Type](ok, emptySig, refOf(intType).Sig)), stringMethod, nil}
			return eval(&Call{Typed: of(nothing), Extern: x})
		}, "0 arguments of a function with 1 parameters"},
		{"value of a call", func(e *ruleEnv, ok bool) []Stmt {
			c := e.call(number(1))
			c.T = pick[types.Type](ok, nothing, intType)
			return eval(c)
		}, "the value of a call: int where () is required"},
		{"inlined version", func(e *ruleEnv, ok bool) []Stmt {
			c := e.call(number(1))
			c.Inline = callee(pick(ok, c.Ref, refOf(intType)))
			return eval(c)
		}, "g is inlined as inlined"},
		{"inlined version with defers", func(e *ruleEnv, ok bool) []Stmt {
			c := e.call(number(1))
			c.Inline = callee(c.Ref)
			c.Inline.Defers = !ok
			return eval(c)
		}, "g is inlined as inlined"},
		{"inlined version that recovers", func(e *ruleEnv, ok bool) []Stmt {
			c := e.call(number(1))
			c.Inline = callee(c.Ref)
			c.Inline.Recovers = !ok
			return eval(c)
		}, "g is inlined as inlined"},
		{"inlined version without cost", func(e *ruleEnv, ok bool) []Stmt {
			c := e.call(number(1))
			c.Inline = callee(c.Ref)
			c.Inline.Cost = pick(ok, 1, -1)
			return eval(c)
		}, "g is inlined as inlined"},
		{"deferred", func(e *ruleEnv, ok bool) []Stmt {
			return list(&Defer{Call: pick[Expr](ok, predeclared(nothing, "close", Use(e.both)), &Recv{of(intType), Use(e.both), false})})
		}, "a go or defer statement has a *ir.Recv"},
		{"list of deferred calls", func(e *ruleEnv, ok bool) []Stmt {
			return list(&Defer{Call: e.call(number(1)), List: Use(pick(ok, e.raw, e.n))})
		}, "the list of deferred calls: int where unsafe.Pointer is required"},
	})
}

func TestRulesOfStatements(t *testing.T) {
	checkRules(t, []rule{
		{"destination", func(e *ruleEnv, ok bool) []Stmt {
			return list(&Assign{Dst: pick[Expr](ok, &Elem{of(intType), Use(e.array), number(1)}, &Elem{of(uint8Type), Use(e.text), number(1)}), X: pick[Expr](ok, number(1), ZeroOf(uint8Type, 0))})
		}, "an assignment to what is not a variable: *ir.Elem"},
		{"field of an entry", func(e *ruleEnv, ok bool) []Stmt {
			m := ZeroOf(types.NewMap(intType, pointType), 0)
			entry := &MapElem{of(pointType), m, number(1), false}
			return list(&Assign{Dst: &Field{of(intType), pick[Expr](ok, Use(e.point), entry), 0}, X: number(1)})
		}, "an assignment to what is not a variable: *ir.Field"},
		{"operation", func(e *ruleEnv, ok bool) []Stmt {
			return list(&AssignOp{Op: pick(ok, token.ADD, token.QUO), Dst: Use(e.text), X: Use(e.text)})
		}, "/ of a string"},
		{"operand of an operation", func(e *ruleEnv, ok bool) []Stmt {
			return list(&AssignOp{Op: token.ADD, Dst: Use(e.text), X: Use(pick(ok, e.text, e.n))})
		}, "an operand: int where string is required"},
		{"declared value", func(e *ruleEnv, ok bool) []Stmt {
			return list(&Declare{Local: e.later, X: Use(pick(ok, e.n, e.text))})
		}, "the value of a declared variable: string where int is required"},
		{"local", func(e *ruleEnv, ok bool) []Stmt { return list(&Declare{Local: pick(ok, e.later, nil)}) }, "a local is missing"},
		{"discarded value", func(e *ruleEnv, ok bool) []Stmt { return list(&Assign{X: pick[Expr](ok, Use(e.n), pairCall())}) }, "one value is required and the operand has (int, string)"},
		{"several destinations", func(e *ruleEnv, ok bool) []Stmt {
			return list(&AssignAll{Dst: []*Local{e.n, e.text}, X: pick[Expr](ok, pairCall(), Use(e.n))})
		}, "several destinations of one value"},
		{"types of several destinations", func(e *ruleEnv, ok bool) []Stmt {
			return list(&AssignAll{Dst: []*Local{e.n, pick(ok, e.text, e.later)}, X: pairCall()})
		}, "one of several values: string where int is required"},
		{"heap cell of a destination", func(e *ruleEnv, ok bool) []Stmt {
			return list(&AssignAll{Dst: []*Local{pick(ok, e.n, e.boxed), nil}, X: pairCall()})
		}, "the destination boxed of one of several values has a heap cell"},
		{"send", func(e *ruleEnv, ok bool) []Stmt { return list(&Send{Ch: Use(pick(ok, e.out, e.in)), X: number(1)}) }, "a send needs a channel that can be sent to"},
		{"value sent", func(e *ruleEnv, ok bool) []Stmt { return list(&Send{Ch: Use(e.both), X: Use(pick(ok, e.n, e.text))}) }, "the value sent: string where int is required"},
		{"number of results", func(e *ruleEnv, ok bool) []Stmt {
			return list(&Return{Values: []Expr{pick[Expr](ok, e.one(), pairCall())}})
		}, "a function with 1 results returns 2"},
		{"else", func(e *ruleEnv, ok bool) []Stmt {
			return list(&If{Cond: boolean(), Then: &Block{}, Else: pick[Stmt](ok, &If{Cond: boolean(), Then: &Block{}}, &Return{})})
		}, "else is a *ir.Return"},
		{"block", func(e *ruleEnv, ok bool) []Stmt { return list(&If{Cond: boolean(), Then: pick(ok, &Block{}, nil)}) }, "a block is missing"},
		{"statement", func(e *ruleEnv, ok bool) []Stmt { return list(pick[Stmt](ok, &Block{}, &struct{ At }{})) }, "a statement *struct { ir.At } is unknown"},
		{"label", func(e *ruleEnv, ok bool) []Stmt { return list(&For{Label: pick(ok, label(), nil), Body: &Block{}}) }, "a label is missing"},
		{"condition of a loop", func(e *ruleEnv, ok bool) []Stmt {
			return list(&For{Label: label(), Cond: Use(pick(ok, e.flag, e.n)), Body: &Block{}})
		}, "a condition of type int"},
		{"break", func(e *ruleEnv, ok bool) []Stmt {
			l := label()
			return list(&Select{Label: l, Cases: []*Comm{{Body: &Block{List: list(&Break{Label: pick(ok, l, nil)})}}}})
		}, "break has no target L?"},
		{"continue", func(e *ruleEnv, ok bool) []Stmt {
			outer, inner := label(), &Label{ID: 2, Name: "inner"}
			body := &Block{List: list(&Switch{Label: inner, Cases: []*Case{{Default: true, Body: &Block{List: list(&Continue{Label: pick(ok, outer, inner)})}}}})}
			return list(&For{Label: outer, Body: body})
		}, "continue has no loop L2(inner)"},
		{"break after the loop", func(e *ruleEnv, ok bool) []Stmt {
			l := label()
			loop, leave := &For{Label: l, Cond: boolean(), Body: &Block{}}, &Break{Label: l}
			if ok {
				loop.Body.List = list(leave)
				return list(loop)
			}
			return list(loop, leave)
		}, "break has no target L1"},
		{"goto", func(e *ruleEnv, ok bool) []Stmt {
			l := &Label{ID: 1, Name: "end", Jumped: true}
			return list(&Goto{Label: pick(ok, l, &Label{ID: 2, Name: "other", Jumped: true})}, &Labeled{Label: l, Body: &Block{}})
		}, "goto has no target L2(other)"},
		{"default and conditions", func(e *ruleEnv, ok bool) []Stmt {
			return list(&Switch{Label: label(), Cases: []*Case{{Conds: pick(ok, []Expr{boolean()}, nil), Body: &Block{}}}})
		}, "a case is the default exactly if it has no conditions"},
		{"condition of a case", func(e *ruleEnv, ok bool) []Stmt {
			return list(&Switch{Label: label(), Cases: []*Case{{Conds: []Expr{Use(pick(ok, e.flag, e.text))}, Body: &Block{}}}})
		}, "a condition of type string"},
		{"record of a call", func(e *ruleEnv, ok bool) []Stmt {
			return list(&Mark{Vars: []*Local{e.boxed}, Call: e.any, Around: pick(ok, e.any, e.n)})
		}, "the record of the call around: int where any is required"},
		{"copies of iterations", func(e *ruleEnv, ok bool) []Stmt {
			return list(&For{Label: label(), Cond: boolean(), Body: &Block{}, Fresh: []*Local{pick(ok, e.boxed, local("z", intType))}})
		}, `the local "z" is of another function`},
	})
}

// one returns a call with one result.
func (e *ruleEnv) one() Expr {
	results := types.NewTuple(types.NewParam(0, nil, "", intType))
	return &Call{Typed: of(intType), Ref: &FuncRef{Name: "one", Sig: types.NewSignatureType(nil, nil, nil, nil, results, false)}}
}

func TestRulesOfLoops(t *testing.T) {
	body := func() *Block { return &Block{} }
	checkRules(t, []rule{
		{"integer", func(e *ruleEnv, ok bool) []Stmt {
			return list(&RangeInt{Label: label(), N: Use(pick(ok, e.n, e.float)), Body: body()})
		}, "a loop over a float64 counts"},
		{"variable of an integer", func(e *ruleEnv, ok bool) []Stmt {
			return list(&RangeInt{Label: label(), N: pick[Expr](ok, number(3), ZeroOf(uint8Type, 0)), Key: e.later, Body: body()})
		}, "an iteration value: uint8 where int is required"},
		{"slice", func(e *ruleEnv, ok bool) []Stmt {
			return list(&RangeSlice{Label: label(), X: Use(pick(ok, e.arrayPointer, e.array)), Elem: e.later, Body: body()})
		}, "a loop over a slice has a [3]int"},
		{"pointer", func(e *ruleEnv, ok bool) []Stmt {
			return list(&RangeSlice{Label: label(), X: Use(pick(ok, e.arrayPointer, e.pointer)), Body: body()})
		}, "a loop over a pointer to a Point"},
		{"index", func(e *ruleEnv, ok bool) []Stmt {
			return list(&RangeSlice{Label: label(), X: Use(e.slice), Key: pick(ok, e.later, e.text), Body: body()})
		}, "an iteration value: int where string is required"},
		{"string", func(e *ruleEnv, ok bool) []Stmt {
			return list(&RangeString{Label: label(), X: Use(pick(ok, e.text, e.slice)), Key: e.later, Body: body()})
		}, "a loop over a string has a []int"},
		{"rune", func(e *ruleEnv, ok bool) []Stmt {
			return list(&RangeString{Label: label(), X: Use(e.text), Elem: pick(ok, nil, e.later), Body: body()})
		}, "an iteration value: int32 where int is required"},
		{"key", func(e *ruleEnv, ok bool) []Stmt {
			return list(&RangeMap{Label: label(), X: Use(e.table), Key: pick(ok, e.text, e.later), Elem: e.n, Body: body()})
		}, "an iteration value: string where int is required"},
		{"channel", func(e *ruleEnv, ok bool) []Stmt {
			return list(&RangeChan{Label: label(), X: Use(pick(ok, e.in, e.out)), Elem: e.later, Body: body()})
		}, "a loop over a channel has another operand"},
		{"element of a channel", func(e *ruleEnv, ok bool) []Stmt {
			return list(&RangeChan{Label: label(), X: Use(e.in), Elem: pick(ok, e.later, e.text), Body: body()})
		}, "an iteration value: int where string is required"},
	})
}

func TestRulesOfSelect(t *testing.T) {
	clause := func(c *Comm) []Stmt {
		c.Body = &Block{}
		return list(&Select{Label: label(), Cases: []*Comm{c}})
	}
	checkRules(t, []rule{
		{"default", func(e *ruleEnv, ok bool) []Stmt { return clause(&Comm{Ok: pick(ok, nil, e.flag)}) }, "the default of a select has operands"},
		{"channel", func(e *ruleEnv, ok bool) []Stmt { return clause(&Comm{Ch: Use(pick(ok, e.both, e.n))}) }, "a case of a select has no channel"},
		{"send", func(e *ruleEnv, ok bool) []Stmt {
			return clause(&Comm{Ch: Use(pick(ok, e.out, e.in)), Value: number(1)})
		}, "a send needs a channel that can be sent to"},
		{"value sent", func(e *ruleEnv, ok bool) []Stmt {
			return clause(&Comm{Ch: Use(e.out), Value: Use(pick(ok, e.n, e.text))})
		}, "the value sent: string where int is required"},
		{"receive", func(e *ruleEnv, ok bool) []Stmt { return clause(&Comm{Ch: Use(pick(ok, e.in, e.out))}) }, "a receive needs a channel that can be received from"},
		{"received value", func(e *ruleEnv, ok bool) []Stmt { return clause(&Comm{Ch: Use(e.in), Elem: pick(ok, e.later, e.text)}) }, "a received value: string where int is required"},
		{"received ok", func(e *ruleEnv, ok bool) []Stmt { return clause(&Comm{Ch: Use(e.in), Ok: pick(ok, e.flag, e.later)}) }, "a received value: int where bool is required"},
		{"heap cell", func(e *ruleEnv, ok bool) []Stmt {
			return clause(&Comm{Ch: Use(e.in), Elem: pick(ok, e.later, e.boxed)})
		}, "boxed cannot be set by a case"},
		{"variable of a send", func(e *ruleEnv, ok bool) []Stmt {
			return clause(&Comm{Ch: Use(e.both), Value: pick(ok, nil, number(1)), Elem: e.later})
		}, "later cannot be set by a case"},
	})
}

// TestRulesOfValues checks on which paths a local needs a value: the broken statements leave it
// without one on a single path.
func TestRulesOfValues(t *testing.T) {
	const want = "later is used before it has a value"
	set := func(e *ruleEnv) Stmt { return &Assign{Dst: Use(e.later), X: number(1)} }
	use := func(e *ruleEnv) Stmt { return &Eval{X: Use(e.later)} }
	block := func(s ...Stmt) *Block { return &Block{List: s} }
	setIf := func(e *ruleEnv, ok bool) *Block { return &Block{List: pick(ok, list(set(e)), nil)} }
	checkRules(t, []rule{
		{"else", func(e *ruleEnv, ok bool) []Stmt {
			return list(&If{Cond: boolean(), Then: block(set(e)), Else: setIf(e, ok)}, use(e))
		}, want},
		{"branch that returns", func(e *ruleEnv, ok bool) []Stmt {
			return list(&If{Cond: boolean(), Then: block(set(e)), Else: &Block{List: pick(ok, list(&Return{}), nil)}}, use(e))
		}, want},
		{"case", func(e *ruleEnv, ok bool) []Stmt {
			return list(&Switch{Label: label(), Cases: []*Case{{Conds: []Expr{boolean()}, Body: setIf(e, ok)}, {Default: true, Body: block(set(e))}}}, use(e))
		}, want},
		{"default", func(e *ruleEnv, ok bool) []Stmt {
			cases := []*Case{{Conds: []Expr{boolean()}, Body: block(set(e))}, {Default: true, Body: block(set(e))}}
			return list(&Switch{Label: label(), Cases: pick(ok, cases, cases[:1])}, use(e))
		}, want},
		{"fallthrough", func(e *ruleEnv, ok bool) []Stmt {
			first := &Case{Conds: []Expr{boolean()}, Body: setIf(e, ok), Fallthrough: true}
			second := &Case{Conds: []Expr{&Compare{of(boolType), token.EQL, &Seq{of(intType), list(set(e)), Use(e.later)}, number(1)}}, Body: block(use(e))}
			return list(&Switch{Label: label(), Cases: []*Case{first, second}})
		}, want},
		{"break of a switch", func(e *ruleEnv, ok bool) []Stmt {
			l := label()
			leave := &If{Cond: boolean(), Then: &Block{List: append(pick(ok, list(set(e)), nil), &Break{Label: l})}}
			return list(&Switch{Label: l, Cases: []*Case{{Default: true, Body: block(leave, set(e))}}}, use(e))
		}, want},
		{"clause", func(e *ruleEnv, ok bool) []Stmt {
			return list(&Select{Label: label(), Cases: []*Comm{{Ch: Use(e.in), Elem: pick(ok, e.later, nil), Body: block()}, {Body: block(set(e))}}}, use(e))
		}, want},
		{"break of a loop", func(e *ruleEnv, ok bool) []Stmt {
			l := label()
			first := &If{Cond: boolean(), Then: &Block{List: append(pick(ok, list(set(e)), nil), &Break{Label: l})}}
			return list(&For{Label: l, Body: block(first, set(e))}, use(e))
		}, want},
		{"continue", func(e *ruleEnv, ok bool) []Stmt {
			l := label()
			next := &If{Cond: boolean(), Then: &Block{List: append(pick(ok, list(set(e)), nil), &Continue{Label: l})}}
			return list(&For{Label: l, Body: block(next, set(e)), Post: list(use(e))})
		}, want},
		{"condition of a loop", func(e *ruleEnv, ok bool) []Stmt {
			cond := &Seq{of(boolType), pick(ok, list(set(e)), nil), boolean()}
			return list(&For{Label: label(), Cond: cond, Body: block(set(e))}, use(e))
		}, want},
		{"right side of &&", func(e *ruleEnv, ok bool) []Stmt {
			x, y := Expr(&Seq{of(boolType), list(set(e)), boolean()}), boolean()
			if !ok {
				x, y = y, x
			}
			return list(&Eval{X: &Logic{of(boolType), token.LAND, x, y}}, use(e))
		}, want},
		{"range", func(e *ruleEnv, ok bool) []Stmt {
			loop := &RangeSlice{Label: label(), X: Use(e.slice), Key: e.later, Body: block(use(e))}
			return pick(ok, list(loop), list(loop, use(e)))
		}, want},
		{"goto back", func(e *ruleEnv, ok bool) []Stmt {
			l := &Label{ID: 1, Jumped: true}
			skip := &Label{ID: 2, Jumped: true}
			// The second label is reached before later is set, unless that happens first.
			return append(pick(ok, list(set(e)), nil), &Goto{Label: skip}, &Labeled{Label: l, Body: block(set(e))}, &Labeled{Label: skip, Body: block(use(e))},
				&If{Cond: boolean(), Then: block(&Goto{Label: l})})
		}, want},
		{"mark", func(e *ruleEnv, ok bool) []Stmt {
			e.later.Boxed = true
			mark := &Mark{Vars: []*Local{e.later}, Call: e.any}
			declare := &Declare{Local: e.later}
			return pick(ok, list(declare, mark), list(mark, declare))
		}, want},
	})
}
