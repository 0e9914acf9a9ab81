// Package cell turns the text of a notebook cell into syntax trees, keeping positions.
//
// A cell mixes imports, declarations and statements in any order. Parse cuts it into
// pieces and builds two ordinary Go files from them, one with the declarations and one
// whose only function holds the statements, so that every node keeps the line and
// column it has in the cell. Nothing here knows types.
//
// Read pieces.go first, which finds the cuts, then parse.go, then complete.go, which
// answers whether a cell is ready to run.
//
//	c, err := cell.Parse(3, "x := 1\nfunc f() int { return x }\nf()")
//	// c.Statements holds "x := 1" and "f()", c.Declarations holds f
package cell

import (
	"go/ast"
	"go/token"
)

// A Cell is the parsed text of one notebook cell.
type Cell struct {
	Number int    // execution count; positions are reported as "Cell [Number]"
	Source string // the text as the user wrote it

	Fset         *token.FileSet
	Declarations *ast.File // package main with the cell's imports, types, constants, functions and methods
	Statements   *ast.File // package main with one function, Body, around the statements
	Body         *ast.FuncDecl

	// Value is the last statement if it is an expression; it may still turn out to have no value.
	Value *ast.ExprStmt
	// List reports whether the last statement is a list of expressions, such as a, b. Value is then a slice of their values.
	List bool
	// HasMain tells that the cell declares func main, which runs once after the statements.
	HasMain bool
	// Program tells that the cell has a package clause or was parsed by ParseProgram. Its
	// variables are then among the Declarations and Body holds the statements only.
	Program bool
}

// BodyName is the name of the function that Parse wraps around the statements of a cell.
const BodyName = "cell__body"
