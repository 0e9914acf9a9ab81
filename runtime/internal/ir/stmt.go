package ir

import (
	"go/token"
	"go/types"
	"reflect"
	"strings"
)

// A Stmt is a statement.
type Stmt interface {
	// Pos returns the position of the statement in the source, for lines and breakpoints.
	Pos() token.Pos
}

// At holds the position of a statement.
type At struct{ P token.Pos }

// Pos returns the position of the statement.
func (s *At) Pos() token.Pos { return s.P }

// A Label is the target of jumps. Every loop, switch and select has one for break and continue
// statements, and every labeled statement has one for goto statements. IDs are unique within a
// function. Break and continue always name their target here, even where the source has no label,
// so that no later pass must know which statement is innermost.
type Label struct {
	ID   int
	Name string // "" for unlabeled statements
	// Jumped reports whether a goto statement has this target.
	Jumped bool
}

// Simple statements.
type (
	// Declare begins the lifetime of a variable with the value of X, or with the zero value if X is
	// nil. A Boxed variable gets a new heap cell. It is printed as declare x = 1.
	Declare struct {
		At
		Local *Local
		X     Expr // of the type of Local
	}
	// Assign stores a value in a place. X is evaluated first and the operands of the place second.
	// Then the place is checked (nil pointer, index, nil map) and written: in a[i] = f(), an
	// invalid index panics after f has been called, as in gc's code. Where an operand of the place
	// has to be computed before X, the builder has assigned it to a temporary. A nil Dst discards
	// the value. It is printed as x = y.
	Assign struct {
		At
		Dst, X Expr // of one type
	}
	// AssignOp is dst op= x. X is evaluated first, and then the operands of dst, once. It is printed
	// as x += y.
	AssignOp struct {
		At
		Op     token.Token // ADD for +=, and so on
		Dst, X Expr        // X has the type of Dst, except as the count of a shift
	}
	// AssignAll stores the values of a tuple, which is the value of a Call with several results or
	// of a CommaOk expression. A nil destination discards its value. The destinations are
	// temporaries or local variables that are not Boxed. The builder assigns from such temporaries
	// to the places of the source, which may need conversions and checks. It is printed as $1, $2 =
	// call main.f().
	AssignAll struct {
		At
		Dst []*Local // one for each value
		X   Expr     // of tuple type
	}
	// Eval evaluates an expression for its effects. It is printed as eval call main.f().
	Eval struct {
		At
		X Expr
	}
	// Send sends X to the channel Ch. It is printed as c <- x.
	Send struct {
		At
		Ch, X Expr // X has the element type of the channel
	}
	// Go starts a goroutine. The operands of the call are evaluated in the current goroutine first.
	// It is printed as go call main.f().
	Go struct {
		At
		Call Expr // *Call or *Builtin
	}
	// Defer defers a call until the function returns. The operands of the call are evaluated first.
	// If List is not nil, it is the list of deferred calls of an enclosing function, obtained from
	// the Builtin "defers" of that function; the body of a range-over-func loop defers its calls
	// there.
	//
	// A function value that is nil panics when the deferred call is made, not here. It is printed
	// as defer call main.f(), or defer to $1 call main.f() with List.
	Defer struct {
		At
		Call Expr // *Call or *Builtin
		List Expr // of type unsafe.Pointer, or nil for the list of this function
	}
	// Return stores the values in the result locals and leaves the function. Values is empty if
	// there are no results, or if the results are already stored. A single Call with several
	// results may provide all of them. It is printed as return x, y.
	Return struct {
		At
		Values []Expr // of the types of the results
	}
	// Break leaves the loop, switch or select with the label. It is printed as break L1.
	Break struct {
		At
		Label *Label
	}
	// Continue begins the next iteration of a loop. It is printed as continue L1.
	Continue struct {
		At
		Label *Label
	}
	// Goto continues at the Labeled statement with its label, which is in this or an enclosing
	// block. It is printed as goto L1(again), where again is the name in the source.
	Goto struct {
		At
		Label *Label
	}
)

// Structured statements.
type (
	// Block is a list of statements. It is printed as block.
	Block struct {
		At
		List []Stmt
	}
	// Labeled marks the target of goto statements. Break and continue statements that use the label
	// in the source refer to the Label of the loop, switch or select in Body. It is printed as
	// labeled L1(again) jumped.
	Labeled struct {
		At
		Label *Label
		Body  Stmt
	}
	// If runs one of two statements; Else may be nil. It is printed as if (x < y).
	If struct {
		At
		Cond Expr // boolean
		Then *Block
		Else Stmt // *Block or *If
	}
	// For runs Body and then Post while Cond is true; a nil Cond is true. The init statement of the
	// source precedes the For. Fresh lists the Boxed variables of the init statement: each
	// iteration has its own copy, made after Body and before Post. It is printed as for L1 (i < n)
	// fresh i.
	For struct {
		At
		Label *Label
		Cond  Expr   // boolean; nil for a loop that only a jump ends
		Post  []Stmt // where continue statements lead
		Body  *Block
		Fresh []*Local
	}
	// RangeInt runs Body for Key = 0 to N-1, in the type of Key. Key may be nil. It is declared
	// anew in each iteration, and a hidden variable holds the count, so that assignments to Key do
	// not affect the loop. It is printed as range L1 i of int n.
	RangeInt struct {
		At
		Label *Label
		N     Expr   // of an integer type
		Key   *Local // of the type of N
		Body  *Block
	}
	// RangeSlice runs Body for every element of a slice, or of an array that a pointer refers to. X
	// is evaluated once and fixes the length. Key and Elem may be nil. Elem is read in each
	// iteration. With a nil pointer only the length may be used. The specification evaluates X
	// before the loop; a range over an array value therefore ranges over a copy, which the builder
	// makes where the difference can be seen. It is printed as range L1 i, x of slice s.
	RangeSlice struct {
		At
		Label     *Label
		X         Expr
		Key, Elem *Local
		Body      *Block
	}
	// RangeString runs Body for every code point of a string. It is printed as range L1 i, r of
	// string s.
	RangeString struct {
		At
		Label     *Label
		X         Expr
		Key, Elem *Local // the index of the first byte, an int, and the rune
		Body      *Block
	}
	// RangeMap runs Body for every entry of a map. The order is unspecified, and entries that are
	// removed before they are reached do not appear. It is printed as range L1 k, v of map m.
	RangeMap struct {
		At
		Label     *Label
		X         Expr
		Key, Elem *Local // either may be nil
		Body      *Block
	}
	// RangeChan runs Body for every value received until the channel is closed. It is printed as
	// range L1 x of chan c.
	RangeChan struct {
		At
		Label *Label
		X     Expr
		Elem  *Local
		Body  *Block
	}
	// Switch runs the body of the first case that has a true condition. Conditions are evaluated in
	// order. Tags have been expanded to comparisons, and type switches to IsType tests. The case
	// without conditions is the default; it is chosen last, regardless of its position. It is
	// printed as switch L1.
	Switch struct {
		At
		Label *Label
		Cases []*Case
	}
	// Select waits until one of its cases can proceed. If several cases can proceed, one is chosen
	// at random, and the received value is stored after that. It is printed as select L1.
	Select struct {
		At
		Label *Label
		Cases []*Comm
	}
)

// A Case is a clause of a Switch.
type Case struct {
	At
	Conds       []Expr // boolean
	Default     bool   // set exactly if there are no conditions
	Body        *Block
	Fallthrough bool // continues with the body of the next case
}

// A Comm is a clause of a Select: a send if Value is set, a receive if only Ch is set, and the
// default if neither is set. The channels and values of all clauses are evaluated first, in order.
type Comm struct {
	At
	Ch, Value Expr
	// Elem and Ok are temporaries for the received value and for whether the channel delivered it.
	// They are nil if unused.
	Elem, Ok *Local
	Body     *Block
}

// A Hook is a statement that passes values to a function of the session. The session uses it to
// display the value of a cell.
type Hook struct {
	At
	// X is the value, or a Call whose results are the values.
	X Expr
	// Run is called with the values in their static types. A value of an interface type is passed
	// as its dynamic value.
	Run func(values []reflect.Value)
}

// CallHook returns a statement that calls run with the value of x.
func CallHook(run func(values []reflect.Value), x Expr) Stmt {
	return &Hook{At{x.Pos()}, x, run}
}

// A Mark is a position at which a debugger can stop: before a statement, or in a loop body without
// statements. A function has marks only if the builder is asked for them. All of its variables are
// then Boxed, so that the debugger can read and change them.
type Mark struct {
	At
	// Function is the name of the function as users know it, or "" for the statements of a cell.
	Function string
	// Vars are the variables in scope at the statement, outer ones first.
	Vars []*Local
	// Names are the constants and types that the function has declared so far.
	Names []types.Object
	// Call holds the debugger's record of the call. Around holds the record of the enclosing call
	// if the function is the body of a range-over-func loop; it is nil for other functions.
	Call, Around *Local
}

// AnyType is the type any.
var AnyType = types.Universe.Lookup("any").Type()

// Title returns the name of a function as users know it, or "" for the statements of a cell. A
// function literal has the title of its enclosing function. For instance the titles of
// "main.(*T).m" and "main.F[...]" are "T.m" and "F".
func (f *Func) Title() string {
	for f.Parent != nil {
		f = f.Parent
	}
	name := strings.TrimPrefix(f.Name, "main.")
	if name == CellName {
		return ""
	}
	return strings.NewReplacer("(*", "", ")", "", "[...]", "").Replace(name)
}

// CellName is the name of the function that holds the statements of a cell.
const CellName = "cell"
