// Package check type-checks a cell against the declarations of earlier cells.
//
// It uses go/types with the type information of compiled packages. Each cell is checked as the
// package main, whose scope is enclosed by a scope with the objects of the session. The cost
// therefore does not grow with the length of the session. Declarations of earlier cells are checked
// again if they depend on something that the cell redeclares. The session does not change until
// Commit.
//
//	s := check.NewSession(packages)
//	c, err := cell.Parse(1, "x := 3")     // cell.Errors
//	checked, err := s.Check(c)            // cell.Errors
//	s.Commit(checked)
//
// # Invariants
//
// A name has one meaning in a session: that of its latest declaration. A Symbol identifies a
// declaration, while its Object changes whenever the declaration is checked again. Syntax positions
// of all cells are in one file set, so they order declarations. Errors in the declarations of
// earlier cells never fail a cell; these declarations are dropped and marked as broken.
//
// Names that begin with "cell" and contain two underscores, such as cell__body and cell__show, are
// reserved for this package.
//
// # Reading order
//
// session.go (the order of the steps), survey.go (the names that a cell declares and mentions),
// pass.go (one run of go/types), closure.go (which declarations are checked again), kept.go
// (unchanged declarations), result.go and uses.go (symbols), commit.go, probe.go (cells that are
// being written), errors.go and the files hint*.go (messages).
//
// # Example
//
//	import "math/rand/v2"
//	func roll() int { return rand.IntN(n) }
//	n := 6
//	roll()
//
// The survey finds the declared name roll, the variable n and the import. The first pass checks the
// file of declarations, with roll reduced to its signature because it mentions a variable of the
// cell, and the file of statements, whose function has the variable n. Its result is that n is an
// int. The second pass declares n in the scope around the package and checks both files again, now
// with the body of roll. The result has the symbols roll and n, and records that roll uses n.
//
// A later cell n := 2.5 changes the type of n. Its closure contains roll, which uses n and no
// longer compiles: roll is dropped and marked as broken, and the cell succeeds. A further cell that
// calls roll fails with the reason. After n := 8, which declares a name that roll mentions, roll is
// in the closure again and compiles.
package check

import (
	"go/ast"
	"go/token"
	"go/types"
	"reflect"
	"slices"

	"gosphere/runtime/cell"
)

// A Kind is the kind of a Symbol.
type Kind int

// The kinds of symbols.
const (
	Variable Kind = iota
	Constant
	Function
	Method
	Type
)

// A Symbol identifies an entity declared at the top level of a cell. If the declaration is checked
// again because something that it uses was redefined, the symbol stays the same and only Object
// changes. There are two exceptions. A type whose layout may have changed, because a type or
// constant that it uses has, is a different type and gets a new symbol. A type or constant that a
// cell declares with exactly the same text, as when the cell is run again, keeps its symbol, and
// its declaration is marked Again.
//
// For instance, x := 1 declares version 1 of x, x := "a" in a later cell version 2, and x := "b" in
// a further cell keeps the symbol of version 2.
type Symbol struct {
	Kind     Kind
	Name     string
	Receiver *Symbol // the type, if the symbol is a Method
	Cell     int     // number of the declaring cell
	// Version counts the declarations of Name in the session, from 1. A variable redeclared with an
	// identical type keeps its symbol and version. So does a type that gains or changes methods, or
	// is redeclared unchanged.
	Version int
	// Object is a *types.Var, *types.Const, *types.Func or *types.TypeName, from the most recent
	// check. It is nil if the name has been redeclared with another meaning.
	Object types.Object
	Syntax ast.Node // *ast.FuncDecl, *ast.TypeSpec or *ast.ValueSpec; nil for variables of statements
	// Broken is the error if a redefinition has left a function that no longer compiles. Using the
	// function is an error that quotes this one.
	Broken error

	// Linked is for package link: what it has made of a function. It has the life of the symbol.
	Linked any

	methods map[string]*Symbol // of a type, by name; guarded by the lock of the table of objects
}

// An Import is a package that the code of a cell refers to. For instance fmt.Println in a cell
// without imports adds {"fmt", "fmt", true}.
type Import struct {
	Name string // local name, "." for a dot import
	Path string
	// Added reports whether the import was added automatically.
	Added bool
}

// A Declaration is a declaration that must be evaluated. It belongs to the cell or, if Again is
// set, to an earlier cell whose declarations are affected by a change.
type Declaration struct {
	Symbol *Symbol
	Syntax ast.Node // *ast.FuncDecl or *ast.TypeSpec; constants need no evaluation and are not listed
	Again  bool
}

// A Checked is a cell that has passed the type checker.
type Checked struct {
	Cell    *cell.Cell
	Fset    *token.FileSet
	Package *types.Package
	Info    *types.Info // of the cell's files and of all declarations that were checked again

	Imports []Import // all imports that the cell states or the checked code uses
	// Declarations are sorted by position, hence also by cell. They include functions named init,
	// each with its own symbol, which run at Initialized.
	Declarations []Declaration
	// Body holds the statements. The variables that it declares at its top level are session
	// variables, whose objects SymbolOf accepts. In a Program the body begins with the variable
	// declarations, one for each initialization, in the order that Go prescribes.
	Body *ast.FuncDecl
	// Initialized is the statement of Body at which functions named init run, or nil if the cell
	// has none. It is added after the declarations at the start of the body, and after the
	// definitions of all variables of the cell that these functions use.
	Initialized *ast.EmptyStmt
	// Variables are the session variables that this cell declares.
	Variables []NewVariable
	// Value is the expression whose value is shown, or nil. It is the operand of the last statement
	// of Body. Its type is not untyped, except for nil. For instance the last line "x + 1" is the
	// value, "x = 1" is not.
	Value ast.Expr
	// Results is set instead of Value if the last statement is a call with several results. For
	// instance os.ReadFile("x") has the results []byte and error.
	Results ast.Expr
	// After has, by statements of Body, variables whose values the session wants to see when the
	// statement has run. It is set after the check and may be nil.
	After map[ast.Stmt][]Look
	// Dropped lists earlier functions that no longer compile after this cell.
	Dropped []*Symbol

	symbols map[types.Object]*Symbol
	// methods has the symbols of redeclared methods, to which the objects of earlier checks lead.
	methods map[methodKey]*Symbol
	session *Session
	pending *pending
}

// A Look is a session variable that is looked at while a cell runs.
type Look struct {
	Variable *types.Var
	// See is called with the variable's value, of its dynamic type if it is an interface value. The
	// reflect.Value is the zero Value if that is nil.
	See func(reflect.Value)
}

// A methodKey identifies the declarations of a method.
type methodKey struct {
	receiver *Symbol
	name     string
}

// A NewVariable is a session variable that a cell declares. New reports whether the symbol is new;
// otherwise the variable existed with an identical type.
type NewVariable struct {
	Symbol *Symbol
	New    bool
}

// SymbolOf returns the symbol of a session-level object that the checked code refers to, including
// methods of cell types. A method or function of an instance has the symbol of its origin. SymbolOf
// returns nil for local objects, fields, and objects of imported packages. The maps do not contain
// objects of instances, such as the methods of List[int], which go/types makes on demand; their
// origins are in the maps.
func (c *Checked) SymbolOf(object types.Object) *Symbol {
	if function, ok := object.(*types.Func); ok {
		object = function.Origin()
	}
	if symbol := c.symbols[object]; symbol != nil {
		return symbol
	}
	if len(c.methods) > 0 {
		if receiver, method := receiverOf(object); method && receiver != nil {
			if symbol := c.methods[methodKey{c.SymbolOf(receiver), object.Name()}]; symbol != nil {
				return symbol
			}
		}
	}
	return c.session.objects.symbolOf(object)
}

// Before returns a check of a cell without declarations. Its SymbolOf returns the symbols that the
// session had before c, until c is committed. The linker uses it when it takes back the
// declarations of c.
func (c *Checked) Before() *Checked { return &Checked{session: c.session, Imports: c.Imports} }

// Declares reports whether later cells can refer to declarations of this cell. The positions of
// such a cell must be kept, because its declarations may be checked again. This includes constants,
// although they need no evaluation. A cell without declarations, such as one that only prints, can
// be forgotten, so the file set does not grow with the number of cells that are run.
func (c *Checked) Declares() bool {
	return len(c.Declarations) > 0 || len(c.Variables) > 0 ||
		slices.ContainsFunc(c.pending.records, func(r *record) bool { return r.cell == c.Cell })
}

// Main returns the package of all cells. Types that are made outside the checker need it, because
// unexported fields and methods of cells belong to it.
func (s *Session) Main() *types.Package { return s.main }

// Packages provides the type information of compiled packages. Import must return the same package
// for the same path every time: go/types compares types of packages by identity. Both methods may
// be called concurrently.
type Packages interface {
	// Import returns the package with an import path.
	Import(path string) (*types.Package, error)
	// PathsNamed returns the import paths of the packages with a name, the most likely one first.
	PathsNamed(name string) []string
}
