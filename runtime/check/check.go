// Package check type-checks a cell against everything declared in earlier cells.
//
// It uses go/types with the type information of compiled packages. Each cell is
// checked as a package of its own whose scope already holds the objects of the
// session, so the cost does not grow with the session's length. Declarations of
// earlier cells that depend on something the cell declares again are checked again
// with it. Nothing changes in the session until Commit.
package check

import (
	"go/ast"
	"go/token"
	"go/types"

	"gosphere/runtime/cell"
)

// A Kind says what a Symbol stands for.
type Kind int

// The kinds of symbols.
const (
	Variable Kind = iota
	Constant
	Function
	Method
	Type
)

// A Symbol is the identity of one thing declared at the top level of a cell. It stays
// the same when its declaration has to be checked again because something that it
// uses was redefined; then only Object changes.
type Symbol struct {
	Kind     Kind
	Name     string
	Receiver *Symbol // of a Method: the type
	Cell     int     // number of the cell that declared it
	// Version counts the declarations of Name in the session, from 1. A variable
	// declared again with an identical type keeps its symbol and version, and so does
	// a type that gains or changes methods.
	Version int
	Object  types.Object // *types.Var, *types.Const, *types.Func or *types.TypeName, as last checked
	Syntax  ast.Node     // *ast.FuncDecl, *ast.TypeSpec or *ast.ValueSpec; nil for variables of statements
	// Broken is set when a redefinition left a function that no longer compiles;
	// using it is an error that quotes this one.
	Broken error
}

// An Import is one package that the cell's code names.
type Import struct {
	Name string // local name, "." for a dot import
	Path string
	// Added tells that the cell did not import it: the name was resolved by itself.
	Added bool
}

// A Declaration is one declaration that has to be evaluated: of the cell itself, or
// of an earlier cell (Again) because something it uses has changed.
type Declaration struct {
	Symbol *Symbol
	Syntax ast.Node // *ast.FuncDecl, *ast.TypeSpec; constants need no evaluation and are not listed
	Again  bool
}

// A Checked is a cell that has passed the type checker.
type Checked struct {
	Cell    *cell.Cell
	Fset    *token.FileSet
	Package *types.Package
	Info    *types.Info // of the cell's files and of everything that was checked again

	Imports      []Import // every import in force for this cell
	Declarations []Declaration
	// Body holds the statements. Variables that it declares at its top level are
	// session variables: SymbolOf knows their objects.
	Body *ast.FuncDecl
	// Variables are the session variables that this cell declares. New tells whether
	// the symbol was made by this cell (its Version is fresh) or kept.
	Variables []NewVariable
	// Value is the expression whose value is shown, nil if there is none; it is the
	// operand of the last statement of Body.
	Value ast.Expr
	// Dropped lists earlier functions that no longer compile after this cell.
	Dropped []*Symbol

	symbols map[types.Object]*Symbol
}

// A NewVariable is a session variable declared by a cell.
type NewVariable struct {
	Symbol *Symbol
	New    bool
}

// SymbolOf returns the symbol of a session-level object that the checked code
// mentions, or nil for local objects, fields, and objects of imported packages.
// Methods of cell types have symbols too. For instances of generic types and
// functions ask for the origin's object.
func (c *Checked) SymbolOf(object types.Object) *Symbol { return c.symbols[object] }
