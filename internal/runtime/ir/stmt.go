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
// function.
type Label struct {
	ID   int
	Name string // "" for unlabeled statements
	// Jumped reports whether a goto statement has this target.
	Jumped bool
}

// Simple statements.
type (
	// Declare begins the lifetime of a variable with the value of X, or with the zero value if X is
	// nil. A Boxed variable gets a new heap cell.
	Declare struct {
		At
		Local *Local
		X     Expr
	}
	// Assign stores a value in a place. The operands of the place are evaluated first and X second.
	// Then the place is checked (nil pointer, index, nil map) and written. A nil Dst discards the
	// value.
	Assign struct {
		At
		Dst, X Expr
	}
	// AssignOp is dst op= x. The operands of dst are evaluated once.
	AssignOp struct {
		At
		Op     token.Token
		Dst, X Expr
	}
	// AssignAll stores the values of a tuple, which is the value of a Call with several results or
	// of a CommaOk expression. A nil destination discards its value. The destinations are
	// temporaries or local variables that are not Boxed.
	AssignAll struct {
		At
		Dst []*Local
		X   Expr
	}
	// Eval evaluates an expression for its effects.
	Eval struct {
		At
		X Expr
	}
	// Send is ch <- x.
	Send struct {
		At
		Ch, X Expr
	}
	// Go starts a goroutine. The operands of the call are evaluated in the current goroutine first.
	Go struct {
		At
		Call Expr // *Call or *Builtin
	}
	// Defer defers a call until the function returns. The operands of the call are evaluated now.
	// If List is not nil, it is the list of deferred calls of an enclosing function, obtained from
	// the Builtin "defers" of that function; the body of a range-over-func loop defers its calls
	// there.
	Defer struct {
		At
		Call Expr // *Call or *Builtin
		List Expr
	}
	// Return stores the values in the result locals and leaves the function. Values is empty if
	// there are no results, or if the results are already stored. A single Call with several
	// results may provide all of them.
	Return struct {
		At
		Values []Expr
	}
	// Break leaves the loop, switch or select with the label.
	Break struct {
		At
		Label *Label
	}
	// Continue begins the next iteration of a loop.
	Continue struct {
		At
		Label *Label
	}
	// Goto continues at the Labeled statement with its label, which is in this or an enclosing
	// block.
	Goto struct {
		At
		Label *Label
	}
)

// Structured statements.
type (
	// Block is a list of statements.
	Block struct {
		At
		List []Stmt
	}
	// Labeled marks the target of goto statements. Break and continue statements that use the label
	// in the source refer to the Label of the loop, switch or select in Body.
	Labeled struct {
		At
		Label *Label
		Body  Stmt
	}
	// If runs one of two statements; Else may be nil.
	If struct {
		At
		Cond Expr
		Then *Block
		Else Stmt // *Block or *If
	}
	// For runs Body and then Post while Cond is true; a nil Cond is true. The init statement of the
	// source precedes the For. Fresh lists the Boxed variables of the init statement: each
	// iteration has its own copy, made after Body and before Post.
	For struct {
		At
		Label *Label
		Cond  Expr
		Post  []Stmt
		Body  *Block
		Fresh []*Local
	}
	// RangeInt runs Body for Key = 0 to N-1, in the type of Key. Key may be nil. It is declared
	// anew in each iteration, and a hidden variable holds the count, so that assignments to Key do
	// not affect the loop.
	RangeInt struct {
		At
		Label *Label
		N     Expr
		Key   *Local
		Body  *Block
	}
	// RangeSlice runs Body for every element of a slice, or of an array that a pointer refers to. X
	// is evaluated once and fixes the length. Key and Elem may be nil. Elem is read in each
	// iteration. With a nil pointer only the length may be used.
	RangeSlice struct {
		At
		Label     *Label
		X         Expr
		Key, Elem *Local
		Body      *Block
	}
	// RangeString runs Body for every code point of a string.
	RangeString struct {
		At
		Label     *Label
		X         Expr
		Key, Elem *Local
		Body      *Block
	}
	// RangeMap runs Body for every entry of a map.
	RangeMap struct {
		At
		Label     *Label
		X         Expr
		Key, Elem *Local
		Body      *Block
	}
	// RangeChan runs Body for every value received until the channel is closed.
	RangeChan struct {
		At
		Label *Label
		X     Expr
		Elem  *Local
		Body  *Block
	}
	// Switch runs the body of the first case that has a true condition. Conditions are evaluated in
	// order. Tags have been expanded to comparisons, and type switches to IsType tests. The case
	// without conditions is the default; it is chosen last, regardless of its position.
	Switch struct {
		At
		Label *Label
		Cases []*Case
	}
	// Select waits until one of its cases can proceed.
	Select struct {
		At
		Label *Label
		Cases []*Comm
	}
)

// A Case is a clause of a Switch.
type Case struct {
	At
	Conds       []Expr
	Default     bool
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
// function literal has the title of its enclosing function.
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
