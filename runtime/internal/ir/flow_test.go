package ir

import (
	"go/token"
	"go/types"
	"testing"
)

var channelsType, rawsType = types.NewSlice(channelType), types.NewSlice(rawType)

const laterIsMissing = "later is used before it has a value"

// setLater is a statement that assigns to the local later, and useLater one that needs its value.
func (e *ruleEnv) setLater() Stmt { return set(e.later, number(1)) }

func (e *ruleEnv) useLater() Stmt { return discard(Use(e.later)) }

// laterIs returns an expression that assigns to the local and then has the value of x.
func (e *ruleEnv) laterIs(x Expr) Expr { return &Seq{Typed{T: x.Type()}, list(e.setLater()), x} }

// setIf is a block that assigns to later if ok holds, followed by other statements.
func (e *ruleEnv) setIf(ok bool, after ...Stmt) *Block {
	return &Block{List: append(pick(ok, list(e.setLater()), nil), after...)}
}

func when(s ...Stmt) Stmt { return &If{Cond: boolean(), Then: blockOf(s...)} }

// TestUsesFollowDefinitionsInTheOrderOfEvaluation has expressions that set a variable in one
// operand and use it in another one. This is legal if the first operand is evaluated first.
func TestUsesFollowDefinitionsInTheOrderOfEvaluation(t *testing.T) {
	// ordered is a rule about an expression with two operands of type int.
	ordered := func(name string, x func(e *ruleEnv, first, second Expr) Stmt) rule {
		return rule{name, func(e *ruleEnv, ok bool) []Stmt {
			first, second := e.laterIs(number(2)), Expr(Use(e.later))
			if !ok {
				first, second = second, first
			}
			return list(x(e, first, second))
		}, laterIsMissing}
	}
	pointAt := func(x, y Expr) Expr {
		return &Composite{of(pointType), []Element{{1, nil, nil, x}, {0, nil, nil, y}}, 0}
	}
	checkRules(t, []rule{
		ordered("binary", func(_ *ruleEnv, x, y Expr) Stmt { return discard(sum(x, y)) }),
		ordered("compare", func(_ *ruleEnv, x, y Expr) Stmt { return discard(equal(x, y)) }),
		ordered("bounds", func(e *ruleEnv, x, y Expr) Stmt {
			return discard(&SliceExpr{of(sliceType), Use(e.slice), x, y, nil})
		}),
		ordered("end and capacity", func(e *ruleEnv, x, y Expr) Stmt {
			return discard(&SliceExpr{of(sliceType), Use(e.slice), nil, x, y})
		}),
		ordered("index of an index", func(e *ruleEnv, x, y Expr) Stmt {
			return discard(elemOf(&SliceExpr{of(sliceType), Use(e.slice), x, nil, nil}, y))
		}),
		ordered("composite", func(_ *ruleEnv, x, y Expr) Stmt { return discard(pointAt(x, y)) }),
		ordered("arguments", func(_ *ruleEnv, x, y Expr) Stmt {
			return &Eval{X: &Call{Typed: of(nothing), Ref: refOf(intType, intType), Args: []Expr{x, y}}}
		}),
		ordered("predeclared function", func(_ *ruleEnv, x, y Expr) Stmt { return discard(predeclared(intType, "min", x, y)) }),
		ordered("value and place of an assignment", func(e *ruleEnv, x, y Expr) Stmt {
			return &Assign{Dst: elemOf(Use(e.slice), y), X: x}
		}),
		ordered("value and place of an operation", func(e *ruleEnv, x, y Expr) Stmt {
			return &AssignOp{Op: token.ADD, Dst: elemOf(Use(e.slice), y), X: x}
		}),
		ordered("send", func(e *ruleEnv, x, y Expr) Stmt {
			return &Send{Ch: elemOf(ZeroOf(channelsType, 0), x), X: y}
		}),
		ordered("clauses of a select", func(e *ruleEnv, x, y Expr) Stmt {
			return &Select{Label: label(), Cases: []*Comm{{Ch: Use(e.both), Value: x, Body: blockOf()}, {Ch: elemOf(ZeroOf(channelsType, 0), y), Body: blockOf()}}}
		}),
		ordered("operand and body of a loop", func(_ *ruleEnv, x, y Expr) Stmt {
			return &RangeInt{Label: label(), N: x, Body: blockOf(discard(y))}
		}),
		ordered("body and post of a loop", func(_ *ruleEnv, x, y Expr) Stmt {
			return &For{Label: label(), Cond: boolean(), Body: blockOf(discard(x)), Post: list(discard(y))}
		}),
		ordered("deferred call and list", func(_ *ruleEnv, x, y Expr) Stmt {
			return &Defer{Call: predeclared(nothing, "print", x), List: elemOf(ZeroOf(rawsType, 0), y)}
		}),
	})
}

func TestValuesOfVariablesThatAreInUse(t *testing.T) {
	checkRules(t, []rule{
		{"declared with itself", func(e *ruleEnv, ok bool) []Stmt {
			return list(&Declare{Local: e.later, X: sum(pick(ok, Use(e.n), Use(e.later)), number(1))})
		}, laterIsMissing},
		{"assigned to itself", func(e *ruleEnv, ok bool) []Stmt {
			return list(set(e.later, Use(pick(ok, e.n, e.later))))
		}, laterIsMissing},
		{"part of a variable", func(e *ruleEnv, ok bool) []Stmt {
			e.later.Type = pointType
			part := &Assign{Dst: fieldOf(Use(e.later), 0), X: number(1)}
			return pick(ok, list(set(e.later, Use(e.point)), part), list(part, set(e.later, Use(e.point))))
		}, laterIsMissing},
		{"operation", func(e *ruleEnv, ok bool) []Stmt {
			return append(pick(ok, list(e.setLater()), nil), &AssignOp{Op: token.ADD, Dst: Use(e.later), X: number(1)})
		}, laterIsMissing},
		{"capture of a literal in a literal", func(e *ruleEnv, ok bool) []Stmt {
			outer := sketch{e.fn}.nested("func1")
			inner := outer.nested("1")
			inner.capture(outer.capture(e.later))
			inner.does()
			outer.does(discard(literal(inner.Func)))
			declare := &Declare{Local: e.later}
			return pick(ok, list(declare, discard(literal(outer.Func))), list(discard(literal(outer.Func)), declare))
		}, laterIsMissing},
		{"fresh variable", func(e *ruleEnv, ok bool) []Stmt {
			e.later.Boxed = true
			l := label()
			declare := &Declare{Local: e.later}
			loop := &For{Label: l, Cond: boolean(), Body: blockOf(when(&Continue{Label: l}), declare), Fresh: []*Local{e.later}}
			if ok {
				loop.Body.List = nil
				return list(declare, loop)
			}
			return list(loop)
		}, laterIsMissing},
		{"temporary", func(e *ruleEnv, ok bool) []Stmt {
			e.later.Name = ""
			return append(pick(ok, list(e.setLater()), nil), e.useLater())
		}, "$6 is used before it has a value"},
		{"heap cell", func(e *ruleEnv, ok bool) []Stmt {
			e.later.Boxed = true
			declare := &Declare{Local: e.later}
			return pick(ok, list(declare, e.setLater(), e.useLater()), list(e.setLater(), declare))
		}, laterIsMissing},
		{"second operand of ||", func(e *ruleEnv, ok bool) []Stmt {
			set := e.laterIs(boolean())
			body := pick(ok, nil, list(e.useLater()))
			return list(&If{Cond: &Logic{of(boolType), token.LOR, boolean(), set}, Then: &Block{List: body}})
		}, laterIsMissing},
		{"condition in the second operand of &&", func(e *ruleEnv, ok bool) []Stmt {
			x, y := e.laterIs(boolean()), Expr(&Compare{of(boolType), token.EQL, Use(e.later), number(1)})
			both := &Logic{of(boolType), token.LAND, x, y}
			if !ok {
				both.X, both.Y = both.Y, both.X
			}
			return list(discard(both))
		}, laterIsMissing},
	})
}

func TestPathsThroughSwitches(t *testing.T) {
	yes := func() []Expr { return []Expr{boolean()} }
	checkRules(t, []rule{
		{"cases that return", func(e *ruleEnv, ok bool) []Stmt {
			cases := []*Case{{Conds: yes(), Body: blockOf(&Return{})}, {Default: true, Body: &Block{List: pick(ok, list(&Return{}), nil)}}}
			return list(&Switch{Label: label(), Cases: cases}, e.useLater())
		}, laterIsMissing},
		{"no cases", func(e *ruleEnv, ok bool) []Stmt {
			return append(pick(ok, list(e.setLater()), nil), &Switch{Label: label()}, e.useLater())
		}, laterIsMissing},
		{"first condition of a case", func(e *ruleEnv, ok bool) []Stmt {
			conds := []Expr{e.laterIs(boolean()), boolean()}
			if !ok { // the body can be entered after the first condition alone
				conds[0], conds[1] = conds[1], conds[0]
			}
			return list(&Switch{Label: label(), Cases: []*Case{{Conds: conds, Body: blockOf(e.useLater())}}})
		}, laterIsMissing},
		{"conditions of earlier cases", func(e *ruleEnv, ok bool) []Stmt {
			cases := []*Case{{Conds: []Expr{e.laterIs(boolean())}, Body: blockOf()}, {Conds: yes(), Body: blockOf(e.useLater())}}
			if !ok {
				cases[0], cases[1] = cases[1], cases[0]
			}
			return list(&Switch{Label: label(), Cases: cases})
		}, laterIsMissing},
		{"body of an earlier case", func(e *ruleEnv, ok bool) []Stmt {
			first := &Case{Conds: yes(), Body: blockOf(e.setLater()), Fallthrough: ok}
			return list(&Switch{Label: label(), Cases: []*Case{first, {Conds: pick(ok, []Expr{e.laterIs(boolean())}, yes()), Body: blockOf(e.useLater())}}})
		}, laterIsMissing},
		{"default ahead of the conditions", func(e *ruleEnv, ok bool) []Stmt {
			last := pick(ok, e.laterIs(boolean()), boolean())
			return list(&Switch{Label: label(), Cases: []*Case{{Default: true, Body: blockOf(e.useLater())}, {Conds: []Expr{last}, Body: blockOf()}}})
		}, laterIsMissing},
		{"last conditions without a default", func(e *ruleEnv, ok bool) []Stmt {
			last := []Expr{pick(ok, e.laterIs(boolean()), boolean())}
			return list(&Switch{Label: label(), Cases: []*Case{{Conds: yes(), Body: blockOf(e.setLater())}, {Conds: last, Body: blockOf(e.setLater())}}}, e.useLater())
		}, laterIsMissing},
		{"default that falls through", func(e *ruleEnv, ok bool) []Stmt {
			cases := []*Case{{Default: true, Body: e.setIf(ok), Fallthrough: true}, {Conds: []Expr{e.laterIs(boolean())}, Body: blockOf(e.useLater())}, {Conds: yes(), Body: blockOf(e.useLater())}}
			// All conditions have been evaluated before the default, unless none sets the variable.
			if !ok {
				cases[1].Conds = yes()
			}
			return list(&Switch{Label: label(), Cases: cases})
		}, laterIsMissing},
		{"fallthrough after a jump", func(e *ruleEnv, ok bool) []Stmt {
			l := label()
			leave := pick[Stmt](ok, &Break{Label: l}, blockOf())
			return list(&Switch{Label: l, Cases: []*Case{{Conds: yes(), Body: blockOf(leave), Fallthrough: true}, {Conds: []Expr{e.laterIs(boolean())}, Body: blockOf(e.useLater())}}})
		}, laterIsMissing},
		{"break out of a switch in a switch", func(e *ruleEnv, ok bool) []Stmt {
			outer, inner := label(), &Label{ID: 2}
			leave := &Switch{Label: inner, Cases: []*Case{{Default: true, Body: blockOf(when(&Break{Label: pick(ok, inner, outer)}))}}}
			return list(&Switch{Label: outer, Cases: []*Case{{Default: true, Body: blockOf(leave, e.setLater())}}}, e.useLater())
		}, laterIsMissing},
	})
}

func TestPathsThroughSelectsAndLoops(t *testing.T) {
	checkRules(t, []rule{
		{"no clauses", func(e *ruleEnv, ok bool) []Stmt {
			clauses := []*Comm{{Body: blockOf()}}
			return list(&Select{Label: label(), Cases: pick(ok, nil, clauses)}, e.useLater())
		}, laterIsMissing},
		{"clause of another variable", func(e *ruleEnv, ok bool) []Stmt {
			first := &Comm{Ch: Use(e.in), Elem: e.later, Body: blockOf()}
			second := &Comm{Ch: Use(e.both), Elem: pick(ok, e.later, e.n), Body: blockOf(e.useLater())}
			return list(&Select{Label: label(), Cases: []*Comm{first, second}})
		}, laterIsMissing},
		{"operand of a later clause", func(e *ruleEnv, ok bool) []Stmt {
			value := pick(ok, e.laterIs(number(1)), number(1))
			return list(&Select{Label: label(), Cases: []*Comm{{Body: blockOf(e.useLater())}, {Ch: Use(e.out), Value: value, Body: blockOf()}}})
		}, laterIsMissing},
		{"break of a select", func(e *ruleEnv, ok bool) []Stmt {
			l := label()
			return list(&Select{Label: l, Cases: []*Comm{{Ch: Use(e.in), Body: blockOf(when(e.setIf(ok, &Break{Label: l})), e.setLater())}}}, e.useLater())
		}, laterIsMissing},
		{"clause that returns", func(e *ruleEnv, ok bool) []Stmt {
			return list(&Select{Label: label(), Cases: []*Comm{{Ch: Use(e.in), Elem: e.later, Body: blockOf()}, {Body: &Block{List: pick(ok, list(&Return{}), nil)}}}}, e.useLater())
		}, laterIsMissing},
		{"endless loop", func(e *ruleEnv, ok bool) []Stmt {
			l := label()
			return list(&For{Label: l, Body: blockOf(when(pick[Stmt](ok, &Continue{Label: l}, &Break{Label: l})))}, e.useLater())
		}, laterIsMissing},
		{"body of a loop with a condition", func(e *ruleEnv, ok bool) []Stmt {
			return append(pick(ok, list(e.setLater()), nil), &For{Label: label(), Cond: boolean(), Body: blockOf(e.setLater())}, e.useLater())
		}, laterIsMissing},
		{"continue of an outer loop", func(e *ruleEnv, ok bool) []Stmt {
			outer, inner := label(), &Label{ID: 2}
			next := when(&Continue{Label: pick(ok, inner, outer)})
			loop := &For{Label: inner, Cond: boolean(), Body: blockOf(next)}
			return list(&For{Label: outer, Cond: boolean(), Body: blockOf(loop, e.setLater()), Post: list(e.useLater())})
		}, laterIsMissing},
		{"value of the previous iteration", func(e *ruleEnv, ok bool) []Stmt {
			return append(pick(ok, list(e.setLater()), nil), &RangeInt{Label: label(), N: number(2), Body: blockOf(e.useLater(), e.setLater())})
		}, laterIsMissing},
		{"jump out of a loop over values", func(e *ruleEnv, ok bool) []Stmt {
			l := &Label{ID: 2, Jumped: true}
			loop := &RangeSlice{Label: label(), X: Use(e.slice), Body: blockOf(e.setIf(ok, &Goto{Label: l}))}
			return list(loop, &Return{}, &Labeled{Label: l, Body: e.useLater()})
		}, laterIsMissing},
	})
}

func TestPathsThroughJumps(t *testing.T) {
	at := func(l *Label, s ...Stmt) Stmt { return &Labeled{Label: l, Body: blockOf(s...)} }
	jumped := func(id int) *Label { return &Label{ID: id, Jumped: true} }
	checkRules(t, []rule{
		{"code after a jump", func(e *ruleEnv, ok bool) []Stmt {
			l := jumped(1)
			leave := pick[Stmt](ok, &Goto{Label: l}, when(&Goto{Label: l}))
			return list(leave, e.useLater(), at(l))
		}, laterIsMissing},
		{"target that only a jump reaches", func(e *ruleEnv, ok bool) []Stmt {
			l := jumped(1)
			return list(when(e.setIf(ok, &Goto{Label: l})), &Return{}, at(l, e.useLater()))
		}, laterIsMissing},
		{"target that is not reached", func(e *ruleEnv, ok bool) []Stmt {
			return append(list(pick[Stmt](ok, &Return{}, blockOf())), at(label(), e.useLater()))
		}, laterIsMissing},
		{"jumps from two places", func(e *ruleEnv, ok bool) []Stmt {
			l := jumped(1)
			return list(when(e.setLater(), &Goto{Label: l}), when(e.setIf(ok, &Goto{Label: l})), e.setLater(), at(l, e.useLater()))
		}, laterIsMissing},
		{"jumps back that meet in a chain", func(e *ruleEnv, ok bool) []Stmt {
			a, b, c := jumped(1), jumped(2), jumped(3)
			// The path to the use is the jump to c, back to b and back to a.
			return list(when(e.setIf(ok, &Goto{Label: c})), e.setLater(), at(a, e.useLater()), &Return{}, at(b, &Goto{Label: a}), at(c, &Goto{Label: b}))
		}, laterIsMissing},
		{"jumps back from one to the next", func(e *ruleEnv, ok bool) []Stmt {
			first, second, third, last := jumped(1), jumped(2), jumped(3), jumped(4)
			// The state at each target changes only after that at the one below it.
			return list(when(e.setIf(ok, &Goto{Label: last})), e.setLater(), at(first, e.useLater()), at(second), when(&Goto{Label: first}), at(third), when(&Goto{Label: second}), &Return{}, at(last, &Goto{Label: third}))
		}, laterIsMissing},
		{"labeled statement", func(e *ruleEnv, ok bool) []Stmt {
			return list(&Labeled{Label: label(), Body: pick(ok, e.setLater(), when(e.setLater()))}, e.useLater())
		}, laterIsMissing},
		{"branches that both jump", func(e *ruleEnv, ok bool) []Stmt {
			l := jumped(1)
			other := pick[Stmt](ok, &Return{}, blockOf())
			return list(&If{Cond: boolean(), Then: blockOf(&Goto{Label: l}), Else: blockOf(other)}, e.useLater(), at(l))
		}, laterIsMissing},
		{"nested branches", func(e *ruleEnv, ok bool) []Stmt {
			inner := &If{Cond: boolean(), Then: blockOf(e.setLater()), Else: e.setIf(ok)}
			return list(&If{Cond: boolean(), Then: blockOf(inner), Else: &If{Cond: boolean(), Then: blockOf(e.setLater()), Else: blockOf(&Return{})}}, e.useLater())
		}, laterIsMissing},
	})
}
