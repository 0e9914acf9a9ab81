// Package cell turns the text of a notebook cell into syntax trees, keeping positions.
//
// A cell mixes imports, declarations and statements in any order. Parse cuts it into
// pieces and builds two ordinary Go files from them, one with the declarations and one
// whose only function holds the statements, so that every node keeps the line and
// column it has in the cell. Nothing here knows types.
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
	// HasMain tells that the cell declares func main, which runs once after the statements.
	HasMain bool
}

// BodyName is the name of the function that Parse wraps around the statements of a cell.
const BodyName = "cell__body"
