package cell

import (
	"errors"
	"go/parser"
	"go/scanner"
	"go/token"
	"strings"
)

// A Kind is the kind of a Piece. It is determined by the first tokens, without parsing.
type Kind int

// The kinds of pieces.
const (
	PackageClause Kind = iota
	Import
	TypeDeclaration
	ConstantDeclaration
	FunctionDeclaration // functions and methods
	VariableDeclaration
	Statement
)

// A Piece is one declaration or statement at the top level of a cell. It includes the white space
// and comments that precede it, and the semicolon and comments that follow on the same line. The
// concatenation of all pieces is the cell. For instance, in "x := 1 // one\n\n// f doubles\nfunc
// f() {}" the first piece ends after the comment on its line, and the second begins with the empty
// line.
type Piece struct {
	Kind       Kind
	Start, End int // offsets in bytes
	Code       int // offset of the first token
	CodeEnd    int // offset after the last token, without the semicolon
}

// A lexeme is one token with its position. Offsets are in bytes. The literal is that of go/scanner,
// "\n" for an inserted semicolon.
type lexeme struct {
	token      token.Token
	literal    string
	start, end int
}

// scan returns the tokens of source, including inserted semicolons and comments. It ignores errors,
// which the parser finds again. Semicolons that the scanner inserts have the literal "\n" and no
// length.
func scan(source string) []lexeme {
	fset := token.NewFileSet()
	file := fset.AddFile("", -1, len(source))
	var s scanner.Scanner
	s.Init(file, []byte(source), func(token.Position, string) {}, scanner.ScanComments)
	var list []lexeme
	for {
		pos, tok, literal := s.Scan()
		if tok == token.EOF {
			return list
		}
		start := file.Offset(pos)
		length := len(literal)
		switch {
		case tok == token.SEMICOLON && literal == "\n":
			length = 0
		case tok.IsOperator():
			length = len(tok.String())
		}
		if tok == token.STRING && source[start] == '`' {
			// The scanner removes carriage returns from the literal.
			if closing := strings.IndexByte(source[start+1:], '`'); closing >= 0 {
				length = closing + 2
			}
		}
		if n := len(list); n > 0 {
			// The literal of an illegal byte is longer than the byte.
			list[n-1].end = min(list[n-1].end, start)
		}
		list = append(list, lexeme{tok, literal, start, min(start+length, len(source))})
	}
}

// Pieces divides source at the semicolons of its top level, written or inserted. It never fails:
// text with errors is divided as well as possible, for completion and for messages. Text without a
// token has no pieces.
func Pieces(source string) []Piece {
	c := cutter{source: source, first: -1}
	for _, l := range scan(source) {
		c.take(l)
	}
	c.finish()
	return c.pieces
}

// A cutter collects the tokens of one piece at a time. Its methods run in the order of the tokens.
// Only semicolons at depth 0 end a piece.
type cutter struct {
	source string
	pieces []Piece

	start  int      // offset of the piece
	first  int      // offset of its first token; -1 if there is none yet
	last   int      // offset after its last token
	tokens []lexeme // of the piece, without comments
	depth  int      // nesting depth of brackets
	header bool     // inside a for, if, switch or select, whose header may contain semicolons
}

// A comment on the line where a piece ends belongs to that piece, any other to the one that
// follows, like a doc comment.
func (c *cutter) take(l lexeme) {
	if l.token == token.COMMENT {
		if c.first < 0 && len(c.pieces) > 0 && !strings.Contains(c.source[c.start:l.start], "\n") {
			c.start = l.end
			c.pieces[len(c.pieces)-1].End = l.end
		}
		return
	}
	if l.token == token.SEMICOLON && c.depth <= 0 {
		if c.header && !c.headerEnds() {
			return
		}
		c.close(l.end)
		return
	}
	if c.first < 0 {
		c.first = l.start
	}
	c.last = l.end
	c.tokens = append(c.tokens, l)
	switch l.token {
	case token.FOR, token.IF, token.SWITCH, token.SELECT:
		c.header = c.header || c.depth == 0
	case token.LPAREN, token.LBRACK, token.LBRACE:
		c.depth++
	case token.RPAREN, token.RBRACK, token.RBRACE:
		c.depth = max(c.depth-1, 0)
	}
}

// headerEnds reports whether the semicolon after the current tokens ends the statement. In a
// header, a closing brace may belong to a literal, so headerEnds asks the parser: the statement is
// complete unless the first error is after its end. For instance in "for i := 0; i < n; i++ {" the
// semicolons are in the header. In "if x := (T{}); x.ok {" the token before the semicolon is no
// brace. In "for x := range T{ };" the parser decides whether the brace ends a literal or the body.
func (c *cutter) headerEnds() bool {
	if len(c.tokens) == 0 || c.tokens[len(c.tokens)-1].token != token.RBRACE {
		return false
	}
	text := c.source[c.first:c.last]
	at := firstErrorOffset("package p;func _() {", text, "\n}")
	return at < 0 || at < len(text)
}

// firstErrorOffset parses text between prefix and suffix. It returns the offset in text of the
// first syntax error, or -1 if there is none. The prefix is one line, and only the offset is used.
func firstErrorOffset(prefix, text, suffix string) int {
	_, err := parser.ParseFile(token.NewFileSet(), "", prefix+text+suffix, parser.SkipObjectResolution)
	var list scanner.ErrorList
	if !errors.As(err, &list) || len(list) == 0 {
		return -1
	}
	return max(list[0].Pos.Offset-len(prefix), 0)
}

// close ends the piece at offset end. If there are no tokens, there is no piece: a stray semicolon
// becomes part of the next one. The next piece begins at the same offset, so no byte is lost.
func (c *cutter) close(end int) {
	if c.first < 0 {
		return
	}
	c.pieces = append(c.pieces, Piece{Kind: kindOf(c.tokens), Start: c.start, End: end, Code: c.first, CodeEnd: c.last})
	c.start, c.first, c.tokens, c.header = end, -1, nil, false
}

// finish closes the last piece, which includes the white space and comments that follow.
func (c *cutter) finish() {
	c.close(len(c.source))
	if n := len(c.pieces); n > 0 {
		c.pieces[n-1].End = len(c.source)
	}
}

// kindOf determines the kind of a piece from its tokens. For instance "func" begins a declaration
// or, as in "func() { ... }()", a statement.
func kindOf(tokens []lexeme) Kind {
	switch tokens[0].token {
	case token.PACKAGE:
		return PackageClause
	case token.IMPORT:
		return Import
	case token.TYPE:
		return TypeDeclaration
	case token.CONST:
		return ConstantDeclaration
	case token.VAR:
		return VariableDeclaration
	case token.FUNC:
		if declaresFunction(tokens) {
			return FunctionDeclaration
		}
	}
	return Statement
}

// declaresFunction distinguishes a function or method from a function literal. After the first
// parentheses, a method has its name, type parameters if it has any, and a parenthesis, while a
// literal has its results or body. For instance "func (t T) Name() {" and
// "func (t T) Name[U any]() {" are methods, "func(t T) int {", "func(t T) List[int] {" and
// "func() (int, error) {" are literals. A method must have a name, so an identifier that a
// parenthesis follows decides.
func declaresFunction(tokens []lexeme) bool {
	at := func(i int) token.Token {
		if i < len(tokens) {
			return tokens[i].token
		}
		return token.EOF
	}
	if at(1) != token.LPAREN {
		return true
	}
	name := closing(tokens, 1) + 1
	if at(name) != token.IDENT {
		return false
	}
	if at(name+1) == token.LBRACK {
		return at(closing(tokens, name+1)+1) == token.LPAREN
	}
	return at(name+1) == token.LPAREN
}

// closing returns the index of the bracket that closes the one at an index, or that of the last
// token if none does.
func closing(tokens []lexeme, open int) int {
	depth := 0
	for i := open; i < len(tokens); i++ {
		switch tokens[i].token {
		case token.LPAREN, token.LBRACK, token.LBRACE:
			depth++
		case token.RPAREN, token.RBRACK, token.RBRACE:
			depth--
		}
		if depth == 0 {
			return i
		}
	}
	return len(tokens) - 1
}
