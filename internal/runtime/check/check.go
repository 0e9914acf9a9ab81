// Package check type-checks a cell against everything declared in earlier cells.
//
// It uses go/types with the type information of compiled packages. Each cell is
// checked as the package main whose scope lies inside a scope with the objects of the
// session, so the cost does not grow with the session's length. Declarations of
// earlier cells that depend on something the cell declares again are checked again
// with it. Nothing changes in the session until Commit.
//
//	s := check.NewSession(packages)
//	c, err := cell.Parse(1, "x := 3")     // cell.Errors
//	checked, err := s.Check(c)            // cell.Errors
//	s.Commit(checked)
//
// Read session.go first (the order of things), then survey.go (what a cell declares and
// names), pass.go (one run of go/types), closure.go (what has to be checked again) and
// result.go (symbols).
//
// Names that contain two underscores and begin with "cell" are kept for this package
// (cell__body, cell__show). It gives no other names a meaning.
package check

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"

	"gosphere/internal/runtime/cell"
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
// uses was redefined; then only Object changes. A type whose layout may have changed
// with a type or constant that it uses is another type, and gets a new symbol. A type or
// constant that a cell declares in the very words of before, as when the cell is run
// again, keeps its symbol; its declaration is then one of those made Again.
type Symbol struct {
	Kind     Kind
	Name     string
	Receiver *Symbol // of a Method: the type
	Cell     int     // number of the cell that declared it
	// Version counts the declarations of Name in the session, from 1. A variable
	// declared again with an identical type keeps its symbol and version, and so does
	// a type that gains or changes methods, or is declared again unchanged.
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

	Imports []Import // every import that the cell states, or that the checked code uses
	// Declarations are in the order of cells and places. Functions named init are
	// among them, each with a symbol of its own; they run where Initialized stands.
	Declarations []Declaration
	// Body holds the statements. Variables that it declares at its top level are
	// session variables: SymbolOf knows their objects. In a Program the variable
	// declarations come first, one for each initialization, in the order of Go's rules.
	Body *ast.FuncDecl
	// Initialized is a statement of Body that stands for the calls of the functions named init;
	// nil if the cell has none. It comes behind the declarations that the body begins with, and
	// behind that of any variable of the cell that these functions use.
	Initialized *ast.EmptyStmt
	// Variables are the session variables that this cell declares. New reports whether
	// the symbol was made by this cell (its Version is fresh) or kept.
	Variables []NewVariable
	// Value is the expression whose value is shown, nil if there is none; it is the
	// operand of the last statement of Body. Its type is not an untyped one, except
	// for the plain nil.
	Value ast.Expr
	// Results is the last statement's call instead, if it has several results.
	Results ast.Expr
	// Dropped lists earlier functions that no longer compile after this cell.
	Dropped []*Symbol

	symbols map[types.Object]*Symbol
	session *Session
	pending *pending
}

// A NewVariable is a session variable declared by a cell.
type NewVariable struct {
	Symbol *Symbol
	New    bool
}

// SymbolOf returns the symbol of a session-level object that the checked code
// mentions, or nil for local objects, fields, and objects of imported packages.
// Methods of cell types have symbols too. Methods and functions of instances give the
// symbol of their origin.
func (c *Checked) SymbolOf(object types.Object) *Symbol {
	if function, ok := object.(*types.Func); ok {
		object = function.Origin()
	}
	if symbol := c.symbols[object]; symbol != nil {
		return symbol
	}
	return c.session.symbolOf(object)
}

// Before returns a check of a cell without declarations: its SymbolOf gives the symbols that the
// session knew before c, as long as c is not committed.
func (c *Checked) Before() *Checked { return &Checked{session: c.session, Imports: c.Imports} }

// Declares reports whether later cells can refer to anything of this one. The positions of such
// a cell must be kept, because its declarations may be checked again; those of constants too,
// although constants need no evaluation.
func (c *Checked) Declares() bool {
	return len(c.Declarations) > 0 || len(c.Variables) > 0 ||
		slices.ContainsFunc(c.pending.records, func(r *record) bool { return r.cell == c.Cell })
}

// Main is the package of all cells.
func (s *Session) Main() *types.Package { return s.main }

// Packages gives the type information of compiled packages.
type Packages interface {
	// Import returns the package with this path.
	Import(path string) (*types.Package, error)
	// PathsNamed returns the paths of the packages with this name, the best guess first.
	PathsNamed(name string) []string
}
