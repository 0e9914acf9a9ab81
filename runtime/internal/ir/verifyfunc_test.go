package ir

import (
	"go/constant"
	"go/token"
	"go/types"
	"testing"
)

// A programRule has a program that keeps a rule of the verifier, and its neighbor that violates it.
// want is the whole message about the latter.
type programRule struct {
	name string
	of   func(ok bool) *Program
	want string
}

func checkPrograms(t *testing.T, rules []programRule) {
	t.Helper()
	for _, r := range rules {
		if err := Verify(r.of(true), nil); err != nil {
			t.Errorf("%s: the legal program is rejected: %v", r.name, err)
		}
		if err := Verify(r.of(false), nil); err == nil || err.Error() != r.want {
			t.Errorf("%s: got the error\n%v, want\n%s", r.name, err, r.want)
		}
	}
}

func TestRulesOfFunctions(t *testing.T) {
	checkPrograms(t, []programRule{
		{"missing function", func(ok bool) *Program { return programOf(pick(ok, declared("main.f").does(), nil)) }, "?: a function is missing"},
		{"function at two places", func(ok bool) *Program {
			f := declared("main.f").does()
			return programOf(f, pick(ok, declared("main.f").does(), f))
		}, "main.f: the function stands at two places"},
		{"function that is the body of the cell", func(ok bool) *Program {
			f := statements().does()
			return &Program{Funcs: pick(ok, nil, []*Func{f}), Body: f}
		}, "cell: the function stands at two places"},
		{"literal of two functions", func(ok bool) *Program {
			f, g := declared("main.f"), declared("main.g")
			l, m := f.nested("func1"), g.nested("func1")
			l.does()
			m.does()
			return programOf(f.does(discard(literal(l.Func))), g.does(discard(literal(pick(ok, m.Func, l.Func)))))
		}, "main.f.func1: the function stands at two places"},
		{"function around a declared function", func(ok bool) *Program {
			f := declared("main.f")
			f.Parent = pick(ok, nil, declared("main.g").Func)
			return programOf(f.does())
		}, "main.f: the function does not know the function around it"},
		{"function around a literal", func(ok bool) *Program {
			f, g := declared("main.f"), declared("main.g")
			l := pick(ok, f, g).nested("func1")
			l.does()
			return programOf(f.does(discard(literal(l.Func))), g.does())
		}, "main.g.func1: the function does not know the function around it"},
		{"function around a literal in a literal", func(ok bool) *Program {
			f := declared("main.f")
			l := f.nested("func1")
			inner := pick(ok, l, f).nested("1")
			inner.does()
			l.does(discard(literal(inner.Func)))
			return programOf(f.does(discard(literal(l.Func))))
		}, "main.f.1: the function does not know the function around it"},
		{"missing local", func(ok bool) *Program {
			f := declared("main.f")
			f.Locals = []*Local{pick(ok, local("l", intType), nil)}
			return programOf(f.does())
		}, "main.f: local 0 has another index or no type"},
		{"local without a type", func(ok bool) *Program {
			f := declared("main.f")
			f.local("a", intType)
			f.local("b", pick[types.Type](ok, intType, nil))
			return programOf(f.does())
		}, "main.f: local 1 has another index or no type"},
		{"body of a cell with parameters", func(ok bool) *Program {
			f := statements()
			if !ok {
				f.param("n", intType)
			}
			return &Program{Body: f.does()}
		}, "cell: the statements of a cell have no parameters and results"},
		{"body of a cell with results", func(ok bool) *Program {
			f := statements()
			if !ok {
				f.result("", intType)
			}
			return &Program{Body: f.does()}
		}, "cell: the statements of a cell have no parameters and results"},
	})
}

func TestRulesOfSignatures(t *testing.T) {
	function := func(change func(f *Func)) *Program {
		f := declared("main.f")
		n := f.param("n", intType)
		f.param("text", StringType)
		f.result("err", errorType)
		p := programOf(f.does(discard(Use(n))))
		if change != nil {
			change(f.Func)
		}
		return p
	}
	rules := []programRule{}
	for _, c := range []struct {
		name   string
		change func(f *Func)
		want   string
	}{
		{"signature", func(f *Func) { f.Sig = nil }, "the function has no signature"},
		{"too many parameters", func(f *Func) { f.Params = append(f.Params, f.Results[0]) }, "the function has 3 parameters, its signature 2"},
		{"too few parameters", func(f *Func) { f.Params = f.Params[:1] }, "the function has 1 parameters, its signature 2"},
		{"too many results", func(f *Func) { f.Results = append(f.Results, f.Params[0]) }, "the function has 2 results, its signature 1"},
		{"order of parameters", func(f *Func) { f.Params[0], f.Params[1] = f.Params[1], f.Params[0] }, "parameters: string where int is required"},
		{"type of a result", func(f *Func) { f.Results[0].Type = AnyType }, "results: any where error is required"},
		{"missing parameter", func(f *Func) { f.Params[1] = nil }, "a local is missing"},
		{"missing result", func(f *Func) { f.Results[0] = nil }, "a local is missing"},
		{"parameter of another function", func(f *Func) { f.Params[1] = local("text", StringType) }, `the local "text" is of another function`},
		{"captured parameter", func(f *Func) { f.Params[1].Outer = local("text", StringType) }, "text is a capture and one of the parameters"},
		{"captured result", func(f *Func) { f.Results[0].Outer = local("err", errorType) }, "err is a capture and one of the results"},
		{"signature of the reference", func(f *Func) { f.Ref.Sig = emptySig }, "the signatures of the function and its reference: func() where func(n int, text string) (err error) is required"},
		{"body", func(f *Func) { f.Body = nil }, "the function has no body"},
	} {
		rules = append(rules, programRule{c.name, func(ok bool) *Program { return function(pick(ok, nil, c.change)) }, "main.f: " + c.want})
	}
	checkPrograms(t, rules)
}

// capturing returns a program of a function f with a literal that captures n. change modifies the
// literal, its capture and n before the statements are added.
func capturing(change func(l sketch, inner, n *Local), body func(l sketch, inner, n *Local) (inside, outside []Stmt)) *Program {
	f := declared("main.f")
	n := f.param("n", intType)
	l := f.nested("func1")
	inner := l.capture(n)
	if change != nil {
		change(l, inner, n)
	}
	inside, outside := body(l, inner, n)
	l.does(inside...)
	return programOf(f.does(append(list(discard(literal(l.Func))), outside...)...))
}

func TestRulesOfCaptures(t *testing.T) {
	reads := func(_ sketch, inner, n *Local) (inside, outside []Stmt) {
		return list(discard(Use(inner))), list(discard(Use(n)))
	}
	rules := []programRule{}
	for _, c := range []struct {
		name   string
		change func(l sketch, inner, n *Local)
		want   string
	}{
		{"missing capture", func(l sketch, _, _ *Local) { l.Captures = append(l.Captures, nil) }, "a local is missing"},
		{"capture of another function", func(l sketch, _, n *Local) { l.Captures = append(l.Captures, n) }, `the local "n" is of another function`},
		{"capture without a variable", func(l sketch, _, _ *Local) { l.Captures = append(l.Captures, l.local("x", intType)) }, "the capture x has no variable"},
		{"variable of another function", func(l sketch, inner, _ *Local) { inner.Outer = local("n", intType) }, "the capture n has a variable that is not of main.f"},
		{"heap cell of the capture", func(_ sketch, inner, _ *Local) { inner.Boxed = true }, "the capture n and its variable disagree about the heap cell"},
		{"heap cell of the variable", func(_ sketch, _, n *Local) { n.Boxed = true }, "the capture n and its variable disagree about the heap cell"},
		{"type of the capture", func(_ sketch, inner, _ *Local) { inner.Type = types.Typ[types.Int64] }, "a capture and its variable: int64 where int is required"},
		{"capture that is not listed", func(l sketch, _, _ *Local) { l.Captures = nil }, "n is a variable of another function and is not among the captures"},
	} {
		rules = append(rules, programRule{c.name, func(ok bool) *Program {
			return capturing(pick(ok, nil, c.change), reads)
		}, "main.f.func1: " + c.want})
	}
	checkPrograms(t, append(rules,
		programRule{"capture of a declared function", func(ok bool) *Program {
			f := declared("main.f")
			if !ok {
				f.capture(local("n", intType))
			}
			return programOf(f.does())
		}, "main.f: the capture n has no variable"},
		programRule{"variable of the function around the one around", func(ok bool) *Program {
			return capturing(nil, func(l sketch, inner, n *Local) (inside, outside []Stmt) {
				deep := l.nested("1")
				deep.capture(pick(ok, inner, n))
				deep.does()
				return list(discard(literal(deep.Func))), nil
			})
		}, "main.f.func1.1: the capture n has a variable that is not of main.f.func1"},
	))
}

// TestRulesOfCopies checks which assignments are allowed to a variable that a literal has a copy
// of, and to the copy.
func TestRulesOfCopies(t *testing.T) {
	point := func(_ sketch, inner, n *Local) { inner.Type, n.Type = pointType, pointType }
	array := func(_ sketch, inner, n *Local) { inner.Type, n.Type = arrayType, arrayType }
	slice := func(_ sketch, inner, n *Local) { inner.Type, n.Type = sliceType, sliceType }
	shared := func(_ sketch, inner, n *Local) { inner.Boxed, n.Boxed = true, true }
	increment := func(l *Local) Stmt { return &AssignOp{Op: token.ADD, Dst: Use(l), X: number(1)} }
	first := func(l *Local) Stmt { return &Assign{Dst: fieldOf(Use(l), 0), X: number(1)} }
	element := func(l *Local) Stmt { return &Assign{Dst: elemOf(Use(l), number(0)), X: number(1)} }
	all := func(l *Local) Stmt { return &AssignAll{Dst: []*Local{l, nil}, X: pairCall()} }
	type change = func(l sketch, inner, n *Local)
	rules := []programRule{}
	for _, c := range []struct {
		name          string
		legal, broken change // modify the variable
		assign        func(l *Local) Stmt
	}{
		{"variable", shared, nil, func(l *Local) Stmt { return set(l, number(1)) }}, {"operation", shared, nil, increment}, {"element", slice, array, element},
		{"field", func(l sketch, inner, n *Local) { point(l, inner, n); shared(l, inner, n) }, point, first},
	} {
		rules = append(rules,
			programRule{c.name + " of the copy", func(ok bool) *Program {
				return capturing(pick(ok, c.legal, c.broken), func(_ sketch, inner, _ *Local) (inside, outside []Stmt) { return list(c.assign(inner)), nil })
			}, "main.f.func1: an assignment to the copy n of a captured variable"},
			programRule{c.name + " of the variable", func(ok bool) *Program {
				return capturing(pick(ok, c.legal, c.broken), func(_ sketch, _, n *Local) (inside, outside []Stmt) { return nil, list(c.assign(n)) })
			}, "main.f: an assignment to n, which a function literal has a copy of"},
		)
	}
	checkPrograms(t, append(rules, programRule{"one of several values", func(ok bool) *Program {
		return capturing(nil, func(l sketch, inner, _ *Local) (inside, outside []Stmt) {
			return list(all(pick(ok, l.local("own", intType), inner))), nil
		})
	}, "main.f.func1: an assignment to the copy n of a captured variable"}))
}

func TestRulesOfPositions(t *testing.T) {
	// function returns a program of a function that adds 1 to n in a literal. change modifies it.
	function := func(change func(f, l *Func, s *AssignOp)) *Program {
		p := capturing(func(_ sketch, inner, n *Local) { inner.Boxed, n.Boxed = true, true }, func(_ sketch, inner, _ *Local) (inside, outside []Stmt) {
			return list(&AssignOp{Op: token.ADD, Dst: Use(inner), X: typed(intType, constant.MakeInt64(1))}), nil
		})
		f := numbered(p).Funcs[0]
		l := f.Body.List[0].(*Assign).X.(*FuncLit).Func
		change(f, l, l.Body.List[0].(*AssignOp))
		return p
	}
	nothing := func(_, _ *Func, _ *AssignOp) {}
	rules := []programRule{}
	for _, c := range []struct {
		name          string
		legal, broken func(f, l *Func, s *AssignOp)
		want          string
	}{
		{"statement", nothing, func(_, _ *Func, s *AssignOp) { s.P = 0 }, "main.f.func1, line 3: a *ir.AssignOp has no position"},
		{"expression", nothing, func(_, _ *Func, s *AssignOp) { s.X.(*Const).P = 0 }, "main.f.func1, line 3: a *ir.Const has no position"},
		{"variable", func(_, _ *Func, s *AssignOp) { s.Dst.(*LocalExpr).P = 0 }, func(_, _ *Func, s *AssignOp) { s.P, s.Dst.(*LocalExpr).P = 0, 0 }, "main.f.func1, line 3: a *ir.AssignOp has no position"},
		{"start", func(f, _ *Func, s *AssignOp) { s.P = f.Pos }, func(f, _ *Func, s *AssignOp) { s.P = f.Pos - 1 }, "main.f.func1, line 3: a *ir.AssignOp has a position outside main.f"},
		{"end", func(f, _ *Func, s *AssignOp) { s.P = f.End }, func(f, _ *Func, s *AssignOp) { s.P = f.End + 1 }, "main.f.func1, line 3: a *ir.AssignOp has a position outside main.f"},
		{"end of an expression", func(f, _ *Func, s *AssignOp) { s.X.(*Const).P = f.End }, func(f, _ *Func, s *AssignOp) { s.X.(*Const).P = f.End + 1 }, "main.f.func1, line 3: a *ir.Const has a position outside main.f"},
		{"statements of a cell", func(f, _ *Func, s *AssignOp) { f.Ref, s.P = nil, f.End+1 }, func(f, _ *Func, s *AssignOp) { s.P = f.End + 1 }, "main.f.func1, line 3: a *ir.AssignOp has a position outside main.f"},
		{"function without a position", func(f, _ *Func, s *AssignOp) { f.Pos, s.P, s.X.(*Const).P = 0, 0, 0 }, func(_, l *Func, s *AssignOp) { l.Pos, s.P = 0, 0 }, "main.f.func1: a *ir.AssignOp has no position"},
	} {
		rules = append(rules, programRule{c.name, func(ok bool) *Program { return function(pick(ok, c.legal, c.broken)) }, c.want})
	}
	checkPrograms(t, rules)
}
