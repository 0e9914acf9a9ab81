package cell

import (
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/scanner"
	"go/token"
	"slices"
	"strconv"
	"strings"
)

// files holds the positions of all cells. Syntax of different cells can therefore be checked
// together, and a position identifies its cell. The set has its own lock. It grows with the cells;
// Forget keeps it small.
var files = token.NewFileSet()

// The text that precedes and follows the cell's own text in each file. The line comment makes
// positions relative to the cell. It is on a separate line, because otherwise a comment at the
// beginning of the cell would belong to the line before rather than to the declaration that
// follows.
const (
	declarationsHead = "package main\n//line %s:1:1\n"
	statementsHead   = "package main\nfunc " + BodyName + "() {\n//line %s:1:1\n"
	statementsTail   = "\n}"
)

// Parse parses the text of a cell. The error is of type Errors.
func Parse(number int, source string) (*Cell, error) {
	return parse(files, number, source, false)
}

// ParseProgram is like Parse for text that is read as a whole program. Its variables are package
// variables, which may use declarations that follow. The checker tries it for a cell whose
// variables use later ones, see check.Session.Check.
func ParseProgram(number int, source string) (*Cell, error) {
	return parse(files, number, source, true)
}

// Forget removes the positions of a cell that is no longer needed. Syntax of the cell has no
// positions afterward, so nothing may refer to it. A cell with an error has already been forgotten
// by Parse.
func (c *Cell) Forget() {
	for _, file := range []*ast.File{c.Declarations, c.Statements} {
		if f := c.Fset.File(file.FileStart); f != nil {
			c.Fset.RemoveFile(f)
		}
	}
}

// Positions returns the entries of a cell in the file set, which ForgetAll removes.
func (c *Cell) Positions() []*token.File {
	return []*token.File{c.Fset.File(c.Declarations.FileStart), c.Fset.File(c.Statements.FileStart)}
}

// ForgetAll is like Cell.Forget for the positions of several cells, which need not exist any more.
func ForgetAll(positions []*token.File) {
	for _, f := range positions {
		if f != nil {
			files.RemoveFile(f)
		}
	}
}

// The file set is a parameter because IsComplete, which is called for every line that is typed,
// uses one of its own.
//
// The text of the cell is scanned before the parser runs, since the parser needs two files. Errors
// of both files are reported together. For instance, the cell
//
//	x := 1
//	func f() {}
//	f()
//
// becomes two files, in which a dot here marks a line of spaces:
//
//	package main
//	//line Cell [3]:1:1
//	.
//	func f() {}
//	.
//
//	package main
//	func cell__body() {
//	//line Cell [3]:1:1
//	x := 1
//	.
//	f()
//	}
func parse(fset *token.FileSet, number int, source string, program bool) (*Cell, error) {
	c := &Cell{Number: number, Source: source, Fset: fset, Program: program}
	pieces := Pieces(source)
	if err := refuse(c, pieces); err != nil {
		return nil, err
	}
	for _, p := range pieces {
		c.Program = c.Program || p.Kind == PackageClause
	}
	// From here on offsets in source, clean, declarations and statements are the same.
	clean, directives := withoutLineDirectives(source)
	c.Directives = directives
	declarations, statements := blank(clean), blank(clean)
	for _, p := range pieces {
		switch {
		case p.Kind == PackageClause:
		case c.declares(p.Kind):
			copy(declarations[p.Start:p.End], clean[p.Start:p.End])
		default:
			copy(statements[p.Start:p.End], clean[p.Start:p.End])
		}
	}
	// A text without pieces has only comments, which the statements keep.
	if len(pieces) == 0 {
		copy(statements, clean)
	}
	listed := separateList(statements, pieces)
	var list Errors
	c.Declarations = c.parseFile(&list, fmt.Sprintf(declarationsHead, FileName(number))+string(declarations))
	c.Statements = c.parseFile(&list, fmt.Sprintf(statementsHead, FileName(number))+string(statements)+statementsTail)
	if len(list) > 0 {
		c.Forget()
		return nil, advise(firstOfEachLine(list.Sort()), source)
	}
	c.Body = c.Statements.Decls[0].(*ast.FuncDecl)
	if listed > 0 {
		joinList(c.Body.Body, listed)
		c.List = true
	}
	if err := c.examine(pieces); err != nil {
		c.Forget()
		return nil, err
	}
	return c, nil
}

// declares reports whether pieces of a kind belong in the file of declarations. Variables of an
// ordinary cell are statements, because their initializers run in the order of the cell; in a
// program they are declarations, which go/types orders.
func (c *Cell) declares(kind Kind) bool {
	switch kind {
	case Import, TypeDeclaration, ConstantDeclaration, FunctionDeclaration:
		return true
	case VariableDeclaration:
		return c.Program
	}
	return false
}

// parseFile parses one of the two files and adds its errors to the list. All errors are collected,
// and firstOfEachLine omits those that follow from another on the same line. The parser returns a
// file even if there are errors.
func (c *Cell) parseFile(list *Errors, text string) *ast.File {
	file, err := parser.ParseFile(c.Fset, "", text, parser.ParseComments|parser.SkipObjectResolution|parser.AllErrors)
	var found scanner.ErrorList
	errors.As(err, &found)
	for i, e := range found {
		// The scanner names the character that the parser calls ILLEGAL.
		if strings.Contains(e.Msg, "found 'ILLEGAL'") && (i > 0 && found[i-1].Pos == e.Pos || i+1 < len(found) && found[i+1].Pos == e.Pos) {
			continue
		}
		// A cell may contain imports anywhere.
		if e.Msg == "imports must appear before other declarations" {
			continue
		}
		// These two words occur in the messages about a missing token.
		if c.isBehind(e.Pos) && (strings.Contains(e.Msg, "found ") || strings.Contains(e.Msg, "newline")) {
			e.Msg = unexpectedEnd(c.Source)
		}
		*list = append(*list, c.ErrorAt(e.Pos, e.Msg))
	}
	return file
}

// isBehind reports whether a position is after the text of the cell, in the text that Parse adds.
// An error there means that the cell ends too early, for instance within a block. The parser's
// message would name the brace that Parse has added.
func (c *Cell) isBehind(position token.Position) bool {
	last := strings.Count(c.Source, "\n") + 1
	length := len(c.Source) - strings.LastIndex(c.Source, "\n") - 1
	return position.Line > last || position.Line == last && position.Column > length
}

// unexpectedEnd returns the message for a cell that ends too early, with the missing bracket. For
// instance "expecting )". Brackets that do not match are skipped: the parser has reported them.
func unexpectedEnd(source string) string {
	closing := map[token.Token]token.Token{token.LPAREN: token.RPAREN, token.LBRACK: token.RBRACK, token.LBRACE: token.RBRACE}
	var open []token.Token
	for _, l := range scan(source) {
		if right, ok := closing[l.token]; ok {
			open = append(open, right)
		} else if len(open) > 0 && l.token == open[len(open)-1] {
			open = open[:len(open)-1]
		}
	}
	if len(open) == 0 {
		return "unexpected end of the cell"
	}
	return fmt.Sprintf("unexpected end of the cell, expecting %s", open[len(open)-1])
}

// firstOfEachLine keeps only the first error on each line. The list is sorted.
func firstOfEachLine(list Errors) Errors {
	kept := list[:0]
	for _, e := range list {
		if len(kept) == 0 || kept[len(kept)-1].Line != e.Line {
			kept = append(kept, e)
		}
	}
	return kept
}

// blank returns text with every byte except line ends replaced by a space. Line ends stay, so lines
// do. Each byte becomes a space, so columns in bytes stay as well.
func blank(text string) []byte {
	b := []byte(text)
	for i := range b {
		if b[i] != '\n' {
			b[i] = ' '
		}
	}
	return b
}

// withoutLineDirectives blanks comments that would change positions, and returns those that the
// cell has in the usual form. They would make errors and breakpoints point to lines that the cell
// does not have. The search for "line " avoids scanning the usual cell once more.
func withoutLineDirectives(source string) (clean string, list []LineDirective) {
	if !strings.Contains(source, "line ") {
		return source, nil
	}
	b := []byte(source)
	for _, l := range scan(source) {
		if l.token != token.COMMENT || !strings.HasPrefix(l.literal, "//line ") && !strings.HasPrefix(l.literal, "/*line ") {
			continue
		}
		if text, ok := strings.CutPrefix(l.literal, "//line "); ok && (l.start == 0 || source[l.start-1] == '\n') {
			if file, line, ok := filePosition(strings.TrimRight(text, "\r")); ok {
				list = append(list, LineDirective{strings.Count(source[:l.start], "\n") + 1, file, line})
			}
		}
		copy(b[l.start:], blank(source[l.start:l.end]))
	}
	return string(b), list
}

// filePosition splits a text of the form file:line or file:line:column. The file name may contain
// colons, as in c:/dir/name.go:7.
func filePosition(text string) (file string, line int, ok bool) {
	number := func() (n int, ok bool) {
		i := strings.LastIndexByte(text, ':')
		n, err := strconv.Atoi(text[i+1:])
		if i < 0 || err != nil || n <= 0 {
			return 0, false
		}
		text = text[:i]
		return n, true
	}
	line, ok = number()
	// The first number was the column if there is another one.
	if n, more := number(); more {
		line = n
	}
	return text, line, ok
}

// examine sets the fields of the Cell that depend on its syntax, and refuses functions without a
// body. A function without a body is implemented in assembly in ordinary Go.
func (c *Cell) examine(pieces []Piece) error {
	var list Errors
	for _, declaration := range c.Declarations.Decls {
		function, ok := declaration.(*ast.FuncDecl)
		if !ok {
			continue
		}
		if function.Body == nil {
			list = append(list, c.ErrorAt(c.Fset.Position(function.Name.Pos()),
				fmt.Sprintf("cells cannot declare functions without a body: func %s", function.Name.Name)))
		}
		if function.Recv == nil && function.Name.Name == "main" {
			c.HasMain = true
		}
	}
	if len(list) > 0 {
		return advise(list, c.Source)
	}
	// If declarations follow the last statement, no value is shown.
	if n := len(pieces); n > 0 && pieces[n-1].Kind == Statement {
		c.Value = lastExpression(c.Body.Body.List)
	}
	return nil
}

// lastExpression returns the last statement if it is an expression, or nil. An empty statement is
// an extra semicolon.
func lastExpression(list []ast.Stmt) *ast.ExprStmt {
	for i := len(list) - 1; i >= 0; i-- {
		switch s := list[i].(type) {
		case *ast.EmptyStmt:
		case *ast.ExprStmt:
			return s
		default:
			return nil
		}
	}
	return nil
}

// clauseOfMain reports whether a package clause is that of package main.
func clauseOfMain(text string) bool {
	var words []string
	for _, l := range scan(text) {
		if l.token != token.COMMENT && l.literal != "\n" {
			words = append(words, l.literal)
		}
	}
	return slices.Equal(words, []string{"package", "main"})
}

// isC reports whether a token is the import path of cgo.
func isC(l lexeme) bool { return l.token == token.STRING && (l.literal == `"C"` || l.literal == "`C`") }

// refuse returns errors for constructs that cells cannot use. It works on tokens, before there is
// syntax: these constructs are parsed without an error, or, in the case of a closing bracket too
// many, would end the function around the statements. Parsing stops being useful there, so no
// further errors are reported.
func refuse(c *Cell, pieces []Piece) error {
	var list Errors
	report := func(offset int, message string) {
		before := c.Source[:offset]
		line := strings.Count(before, "\n") + 1
		list = append(list, errorAt(c.Number, c.Source, line, offset-strings.LastIndex(before, "\n"), message))
	}
	depth := 0
	for _, l := range scan(c.Source) {
		switch {
		case l.token == token.COMMENT && strings.HasPrefix(l.literal, "//go:linkname"):
			report(l.start, "cells cannot use //go:linkname")
		case l.token == token.LPAREN || l.token == token.LBRACK || l.token == token.LBRACE:
			depth++
		case l.token == token.RPAREN || l.token == token.RBRACK || l.token == token.RBRACE:
			if depth--; depth < 0 {
				report(l.start, fmt.Sprintf("unexpected %s", l.token))
				return list
			}
		}
	}
	for _, p := range pieces {
		text := c.Source[p.Code:p.CodeEnd]
		switch {
		case p.Kind == PackageClause && !clauseOfMain(text):
			report(p.Code, "cells belong to package main; leave out the clause "+text)
		case p.Kind == Import && slices.ContainsFunc(scan(text), isC):
			report(p.Code, "cells cannot use cgo (import \"C\")")
		}
	}
	if len(list) > 0 {
		return list
	}
	return nil
}
