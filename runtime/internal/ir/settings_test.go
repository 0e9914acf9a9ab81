package ir

import (
	"go/types"
	"testing"
)

// A settingForm is a statement that sets a local, or is about one.
type settingForm struct {
	name string
	typ  types.Type
	// of returns the statement. Its blocks consist of the statements in body.
	of func(f sketch, l *Local, body *Block) Stmt
	// inside reports whether the statement has blocks, in which the local then has a value. after
	// reports whether it has one after the statement.
	inside, after bool
}

var settingForms = []settingForm{
	{"declare", intType, func(_ sketch, l *Local, _ *Block) Stmt { return &Declare{Local: l} }, false, true},
	{"assign", intType, func(_ sketch, l *Local, _ *Block) Stmt { return set(l, number(1)) }, false, true},
	{"first of several values", intType, func(_ sketch, l *Local, _ *Block) Stmt {
		return &AssignAll{Dst: []*Local{l, nil}, X: pairCall()}
	}, false, true},
	{"second of several values", StringType, func(_ sketch, l *Local, _ *Block) Stmt {
		return &AssignAll{Dst: []*Local{nil, l}, X: pairCall()}
	}, false, true},
	{"count", uint8Type, func(_ sketch, l *Local, body *Block) Stmt {
		return &RangeInt{Label: label(), N: ZeroOf(uint8Type, 0), Key: l, Body: body}
	}, true, false},
	{"index", intType, func(_ sketch, l *Local, body *Block) Stmt {
		return &RangeSlice{Label: label(), X: ZeroOf(types.NewSlice(pointType), 0), Key: l, Body: body}
	}, true, false},
	{"element", pointType, func(_ sketch, l *Local, body *Block) Stmt {
		return &RangeSlice{Label: label(), X: ZeroOf(types.NewSlice(pointType), 0), Elem: l, Body: body}
	}, true, false},
	{"element of an array", intType, func(_ sketch, l *Local, body *Block) Stmt {
		return &RangeSlice{Label: label(), X: ZeroOf(types.NewPointer(arrayType), 0), Elem: l, Body: body}
	}, true, false},
	{"index of a byte", intType, func(_ sketch, l *Local, body *Block) Stmt {
		return &RangeString{Label: label(), X: ZeroOf(StringType, 0), Key: l, Body: body}
	}, true, false},
	{"rune", runeType, func(_ sketch, l *Local, body *Block) Stmt {
		return &RangeString{Label: label(), X: ZeroOf(StringType, 0), Elem: l, Body: body}
	}, true, false},
	{"key", StringType, func(_ sketch, l *Local, body *Block) Stmt {
		return &RangeMap{Label: label(), X: ZeroOf(mapType, 0), Key: l, Body: body}
	}, true, false},
	{"value", intType, func(_ sketch, l *Local, body *Block) Stmt {
		return &RangeMap{Label: label(), X: ZeroOf(mapType, 0), Elem: l, Body: body}
	}, true, false},
	{"received value of a loop", intType, func(_ sketch, l *Local, body *Block) Stmt {
		return &RangeChan{Label: label(), X: ZeroOf(channelType, 0), Elem: l, Body: body}
	}, true, false},
	{"received value of the only clause", intType, func(_ sketch, l *Local, body *Block) Stmt {
		return &Select{Label: label(), Cases: []*Comm{{Ch: ZeroOf(channelType, 0), Elem: l, Body: body}}}
	}, true, true},
	{"received value of one of two clauses", intType, func(_ sketch, l *Local, body *Block) Stmt {
		return &Select{Label: label(), Cases: []*Comm{{Ch: ZeroOf(channelType, 0), Elem: l, Body: body}, {Body: blockOf()}}}
	}, true, false},
	{"received ok", boolType, func(_ sketch, l *Local, body *Block) Stmt {
		return &Select{Label: label(), Cases: []*Comm{{Ch: ZeroOf(channelType, 0), Ok: l, Body: body}}}
	}, true, true},
	{"record of a call", AnyType, func(_ sketch, l *Local, _ *Block) Stmt { return &Mark{Call: l} }, false, true},
	{"record of the call around", AnyType, func(f sketch, l *Local, _ *Block) Stmt {
		return &Mark{Call: f.local("record", AnyType), Around: l}
	}, false, false},
}

// verifySetting verifies a function that consists of the statement of a form, with the local l that
// is added or not.
func (form settingForm) verify(prepare func(f sketch, l *Local) (before, inside, after []Stmt)) error {
	f := declared("main.f")
	l := f.local("l", form.typ)
	before, inside, after := prepare(f, l)
	s := form.of(f, l, blockOf(inside...))
	return Verify(programOf(f.does(append(append(before, s), after...)...)), nil)
}

func TestStatementsSetTheirVariables(t *testing.T) {
	const want = "main.f: l is used before it has a value"
	for _, form := range settingForms {
		read := func(l *Local) []Stmt { return list(discard(Use(l))) }
		for _, c := range []struct {
			where string
			legal bool
			of    func(f sketch, l *Local) (before, inside, after []Stmt)
		}{
			{"nowhere", true, func(sketch, *Local) (before, inside, after []Stmt) { return nil, nil, nil }},
			{"before", false, func(_ sketch, l *Local) (before, inside, after []Stmt) { return read(l), nil, nil }},
			{"inside", form.inside, func(_ sketch, l *Local) (before, inside, after []Stmt) { return nil, read(l), nil }},
			{"after", form.after, func(_ sketch, l *Local) (before, inside, after []Stmt) { return nil, nil, read(l) }},
			{"after a value", true, func(_ sketch, l *Local) (before, inside, after []Stmt) {
				return list(set(l, ZeroOf(l.Type, 0))), read(l), read(l)
			}},
		} {
			if c.where == "inside" && !form.inside {
				continue
			}
			err := form.verify(c.of)
			if c.legal && err != nil || !c.legal && (err == nil || err.Error() != want) {
				t.Errorf("%s, a use %s: got the error %v, legal: %t", form.name, c.where, err, c.legal)
			}
		}
	}
}

func TestStatementsSetTheirOwnVariablesAlone(t *testing.T) {
	const want = `main.f: the local "l" is of another function`
	for _, form := range settingForms {
		for _, breaks := range []func(f sketch, l *Local){
			func(f sketch, l *Local) { l.Index = -1 },
			func(f sketch, l *Local) { l.Index = len(f.Locals) },
			func(f sketch, l *Local) { f.Locals[l.Index] = &Local{Name: "l", Type: l.Type, Index: l.Index} },
		} {
			err := form.verify(func(f sketch, l *Local) (before, inside, after []Stmt) {
				breaks(f, l)
				if l.Index != 0 { // the list of locals stays as it should be
					f.Locals = nil
				}
				return nil, nil, nil
			})
			if err == nil || err.Error() != want {
				t.Errorf("%s: got the error %v, want %s", form.name, err, want)
			}
		}
	}
}

// TestHeapCellsAreMadeOnlyByDeclarationsAndLoops checks which statements make the heap cell of a
// boxed local.
func TestHeapCellsAreMadeOnlyByDeclarationsAndLoops(t *testing.T) {
	makes := map[string]string{
		"declare": "", "count": "", "index": "", "element": "", "element of an array": "", "index of a byte": "", "rune": "", "key": "", "value": "", "received value of a loop": "",
		"assign":                               "main.f: l has a heap cell that nothing makes",
		"first of several values":              "main.f: the destination l of one of several values has a heap cell",
		"second of several values":             "main.f: the destination l of one of several values has a heap cell",
		"received value of the only clause":    "main.f: l cannot be set by a case",
		"received value of one of two clauses": "main.f: l cannot be set by a case",
		"received ok":                          "main.f: l cannot be set by a case",
		"record of a call":                     "main.f: l has a heap cell that nothing makes",
		"record of the call around":            "main.f: l has a heap cell that nothing makes",
	}
	for _, form := range settingForms {
		err := form.verify(func(_ sketch, l *Local) (before, inside, after []Stmt) {
			l.Boxed = true
			return nil, nil, nil
		})
		got := ""
		if err != nil {
			got = err.Error()
		}
		if want, known := makes[form.name]; !known || got != want {
			t.Errorf("%s: got the error %q, want %q", form.name, got, want)
		}
	}
}

// TestVariablesOfOtherTypesAreNotSet has statements with a local of a type that no statement sets.
func TestVariablesOfOtherTypesAreNotSet(t *testing.T) {
	other := types.NewArray(boolType, 7)
	for _, form := range settingForms {
		if form.name == "declare" {
			continue // without a value, it declares a local of any type
		}
		err := form.verify(func(_ sketch, l *Local) (before, inside, after []Stmt) {
			l.Type = other
			return nil, nil, nil
		})
		want := map[string]string{
			"assign": "main.f: the value assigned: int where [7]bool is required", "first of several values": "main.f: one of several values: int where [7]bool is required",
			"second of several values":          "main.f: one of several values: string where [7]bool is required",
			"received value of the only clause": "main.f: a received value: [7]bool where int is required", "received value of one of two clauses": "main.f: a received value: [7]bool where int is required",
			"received ok": "main.f: a received value: [7]bool where bool is required", "record of a call": "main.f: the record of a call: [7]bool where any is required",
			"record of the call around": "main.f: the record of the call around: [7]bool where any is required",
		}[form.name]
		if want == "" {
			want = "main.f: an iteration value: " + TypeText(form.typ) + " where [7]bool is required"
		}
		if err == nil || err.Error() != want {
			t.Errorf("%s: got the error %v, want %s", form.name, err, want)
		}
	}
}

// TestRulesOfResults has return statements of functions with two results.
func TestRulesOfResults(t *testing.T) {
	one := func() Expr {
		return &Call{Typed: of(intType), Ref: &FuncRef{Name: "one", Sig: signature(nil, intType)}}
	}
	text := func() Expr { return ZeroOf(StringType, 0) }
	for _, c := range []struct {
		name    string
		results []types.Type
		values  []Expr
		want    string
	}{
		{"nothing", nil, nil, ""}, {"values", []types.Type{intType, StringType}, []Expr{number(1), text()}, ""}, {"stored values", []types.Type{intType, StringType}, nil, ""},
		{"a call", []types.Type{intType, StringType}, []Expr{pairCall()}, ""}, {"a call with one value", []types.Type{intType}, []Expr{one()}, ""}, {"calls", []types.Type{intType, intType}, []Expr{one(), one()}, ""},
		{"a value too many", nil, []Expr{number(1)}, "a function with 0 results returns 1"}, {"a value too few", []types.Type{intType, StringType}, []Expr{number(1)}, "a function with 2 results returns 1"},
		{"a call with a value too many", []types.Type{intType}, []Expr{pairCall()}, "a function with 1 results returns 2"}, {"a call with a value too few", []types.Type{intType, StringType, boolType}, []Expr{pairCall()}, "a function with 3 results returns 2"},
		{"a call without values", []types.Type{intType}, []Expr{callOfNothing()}, "a function with 1 results returns 0"}, {"the first value", []types.Type{StringType, StringType}, []Expr{number(1), text()}, "a result: int where string is required"},
		{"the second value", []types.Type{intType, intType}, []Expr{number(1), text()}, "a result: string where int is required"}, {"the first value of a call", []types.Type{boolType, StringType}, []Expr{pairCall()}, "a result: int where bool is required"},
		{"the second value of a call", []types.Type{intType, boolType}, []Expr{pairCall()}, "a result: string where bool is required"}, {"a call among values", []types.Type{intType, StringType}, []Expr{number(1), pairCall()}, "one value is required and the operand has (int, string)"},
		{"a call ahead of values", []types.Type{intType, StringType}, []Expr{pairCall(), text()}, "a result: (int, string) where int is required"}, {"a missing value", []types.Type{intType}, []Expr{nil}, "an operand is missing"},
	} {
		f := declared("main.f")
		for _, r := range c.results {
			f.result("", r)
		}
		want := c.want
		if want != "" {
			want = "main.f: " + want
		}
		got := ""
		if err := Verify(programOf(f.does(returns(c.values...))), nil); err != nil {
			got = err.Error()
		}
		if got != want {
			t.Errorf("a return of %s: got the error %q, want %q", c.name, got, want)
		}
	}
	// A literal among the results is verified once.
	f := declared("main.f")
	f.result("", emptySig)
	if err := Verify(programOf(f.does(returns(literal(f.nested("func1").does())))), nil); err != nil {
		t.Error(err)
	}
}

func callOfNothing() *Call { return &Call{Typed: of(nothing), Ref: refOf()} }
