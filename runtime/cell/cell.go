// Package cell parses the text of a notebook cell to syntax trees, and preserves positions.
//
// A cell contains imports, declarations and statements in any order. Parse divides it into pieces
// and builds two ordinary Go files from them. One contains the declarations, and the other a single
// function with the statements. Every node has the line and column that it has in the cell. The
// package does not use type information.
//
// # Reading order
//
// pieces.go (where to divide a cell), parse.go, list.go (a list of expressions as the last
// statement), complete.go (whether a cell is ready to run), errors.go and hint.go (messages).
//
//	c, err := cell.Parse(3, "x := 1\nfunc f() int { return x }\nf()")
//	// c.Statements holds "x := 1" and "f()", c.Declarations holds f
//
// Two files are needed because Go allows statements in functions only, and most declarations of a
// cell must be visible outside the function. Instead of moving text, Parse writes each file in the
// layout of the cell and replaces what belongs to the other file by spaces. Lines and columns are
// then right without a table, and a line comment accounts for the text that precedes.
package cell

import (
	"go/ast"
	"go/token"
)

// A Cell is the parsed text of one notebook cell. It does not change after Parse, except that
// package check renames identifiers during a check.
type Cell struct {
	Number int    // execution count; positions are reported as "Cell [Number]"
	Source string // the text as written by the user

	Fset *token.FileSet
	// Both files may be empty but are never nil. Positions are in Fset, which all cells share.
	Declarations *ast.File // package main with the cell's imports, types, constants, functions and methods
	Statements   *ast.File // package main with one function, Body, which contains the statements
	Body         *ast.FuncDecl

	// Value is the last statement if it is an expression. The expression may turn out to have no
	// value.
	Value *ast.ExprStmt
	// List reports whether the last statement is a list of expressions, such as a, b. Value is then
	// a slice of their values.
	List bool
	// Directives are the //line directives, in order. They do not affect the positions of the syntax.
	Directives []LineDirective
	// HasMain reports whether the cell declares func main, which is called after the statements.
	HasMain bool
	// Program reports whether the cell has a package clause or was parsed by ParseProgram. Its
	// variables are then in Declarations, and Body contains only statements.
	Program bool
	// Stopped reports whether the user has interrupted the cell, so that checking and compiling it
	// need not be completed. It may be nil, and is set after Parse.
	Stopped func() bool
}

// A LineDirective is a comment of the form //line file:line at the beginning of a line.
type LineDirective struct {
	At   int // line of the comment
	File string
	Line int // of the next line, according to the comment
}

// BodyName is the name of the function that contains the statements of a cell.
const BodyName = "cell__body"
