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

// At has the position of a node.
type At struct{ P token.Pos }

// Pos returns the position of the statement.
func (s *At) Pos() token.Pos { return s.P }

// A Label is the target of jumps: loops, switches and selects have one each for break and continue
// statements, and labeled statements for goto statements. IDs are unique in a function.
type Label struct {
	ID   int
	Name string // "" for unlabeled statements
	// Jumped reports whether a goto statement has this target.
	Jumped bool
}

// Simple statements.
type (
	// Declare begins the life of a variable: a Boxed one gets a new heap cell. Its value is that of
	// X, or zero for a nil X.
	Declare struct {
		At
		Local *Local
		X     Expr
	}
	// Assign stores a value in a place. The operands of the place are evaluated first, then X, then
	// the place itself is checked (nil pointer, index, nil map) and written. A nil Dst drops
	// the value.
	Assign struct {
		At
		Dst, X Expr
	}
	// AssignOp is dst op= x; the operands of dst are evaluated once.
	AssignOp struct {
		At
		Op     token.Token
		Dst, X Expr
	}
	// AssignAll stores the values of a tuple: of a Call with several results, or of a CommaOk
	// expression. A nil destination drops its value. The destinations are temporaries or local
	// variables that are not Boxed.
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
	// Go starts a goroutine. The operands of the call are evaluated first.
	Go struct {
		At
		Call Expr // *Call or *Builtin
	}
	// Defer defers a call to the end of the function. The operands of the call are evaluated now.
	// List is the list of deferred calls of an enclosing function, from the Builtin "defers" of
	// that function; nil for the function's own.
	Defer struct {
		At
		Call Expr // *Call or *Builtin
		List Expr
	}
	// Return stores the values in the result locals and leaves the function. Values is empty if
	// there are no results, or if the results are already stored. A single Call with several
	// results may stand for all.
	Return struct {
		At
		Values []Expr
	}
	// Break leaves the statement with the label, Continue begins its next iteration, and Goto
	// goes on at the Labeled statement with the label.
	Break struct {
		At
		Label *Label
	}
	// Continue begins the next iteration of a loop.
	Continue struct {
		At
		Label *Label
	}
	// Goto goes on at the Labeled statement with its label, which is in this or an enclosing block.
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
	// Labeled marks the target of goto statements. Break and continue statements with the label of the
	// source name the loop, switch or select in Body.
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
	// For runs Body and then Post while Cond is true; nil Cond means true. Init statements of the
	// source stand before the For. Fresh are the Boxed variables of the init statement: each
	// iteration has its own copy, made after Body and before Post.
	For struct {
		At
		Label *Label
		Cond  Expr
		Post  []Stmt
		Body  *Block
		Fresh []*Local
	}
	// RangeInt runs Body for Key = 0 to N-1, in the type of Key; Key may be nil. It is declared anew
	// in each iteration, and the count goes on in a hidden variable.
	RangeInt struct {
		At
		Label *Label
		N     Expr
		Key   *Local
		Body  *Block
	}
	// RangeSlice runs Body for every element of a slice, or of an array that a pointer points to.
	// X is evaluated once and its length is fixed then. Key and Elem may be nil; Elem is read in
	// each iteration. With a nil pointer only the length may be used.
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
	// Switch runs the body of the first case one of whose conditions is true. Conditions are
	// evaluated in order; tags have become comparisons and type switches tests with IsType. A case
	// without conditions is the default, which is taken last wherever it stands.
	Switch struct {
		At
		Label *Label
		Cases []*Case
	}
	// Select waits until one of its cases can go on.
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
	Fallthrough bool // goes on with the body of the next case
}

// A Comm is a clause of a Select: a send if Value is set, a receive if only Ch is set, the default
// if neither is. Channels and values of all clauses are evaluated in order first.
type Comm struct {
	At
	Ch, Value Expr
	// Elem and Ok are temporaries for the received value and whether there was one; nil if unused.
	Elem, Ok *Local
	Body     *Block
}

// A Hook is a statement that calls a function of the session with values.
type Hook struct {
	At
	// X is the value, or a Call with several results, which are the values.
	X Expr
	// Run gets the values in their static types; one of an interface type as its dynamic value.
	Run func(values []reflect.Value)
}

// CallHook returns the statement that calls run with the value of x.
func CallHook(run func(values []reflect.Value), x Expr) Stmt {
	return &Hook{At{x.Pos()}, x, run}
}

// A Mark is a place at which a debugger can stop: before a statement, or in the body of a loop
// without statements. Functions have marks only where the builder is asked for them. All their
// variables are Boxed then, so that they can be looked at and changed from outside.
type Mark struct {
	At
	// Function is the function as users know it, "" for the statements of a cell.
	Function string
	// Vars are the variables that the statement can name, outer ones first.
	Vars []*Local
	// Names are the constants and types that the function has declared so far.
	Names []types.Object
	// Call is where the debugger keeps what it knows of the call, and Around what it keeps for the
	// call around the body of a loop over a function; nil for other functions.
	Call, Around *Local
}

// AnyType is the type any.
var AnyType = types.Universe.Lookup("any").Type()

// Title is the name of a function as users know it, "" for the statements of a cell. A function
// literal has that of the function around it.
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
