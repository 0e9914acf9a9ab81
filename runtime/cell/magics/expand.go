package magics

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/scanner"
	"go/token"
	"go/types"
	"slices"
	"strconv"
	"strings"

	"gosphere/internal/lazyregexp"
)

// Package is the import path of package magic. Name is its name in the calls that Expand writes;
// cells cannot declare names that begin with it.
const (
	Package = "gosphere/runtime/magic"
	Name    = "cell__magic"
)

// An Expansion is a cell whose magics are replaced by calls. Every line of Go keeps its line
// number.
type Expansion struct {
	Source string
	// Shift contains, by line from 1, the number of columns by which its Go was moved to the right.
	Shift map[int]int
	// Requires are the modules of %require. They are fetched before the cell is checked.
	Requires []Requirement
	// Reloads are the packages of %reload, or an entry without packages for all of them. They are
	// also reloaded before the cell is checked.
	Reloads []Requirement
}

// A Requirement is a %require or %reload line. Lines and columns are from 1.
type Requirement struct {
	Line, Column int
	Modules      []string // PATH or PATH@VERSION; import paths for %reload
}

// A PlaceError describes an invalid magic and its position. Lines and columns are from 1.
type PlaceError struct {
	Line, Column int
	Message      string
}

// Error returns the message.
func (e *PlaceError) Error() string { return e.Message }

// Expand replaces the magics of a cell by calls. It returns a cell without magics unchanged. The
// error is a *PlaceError.
func Expand(source string) (Expansion, error) { return ExpandAmong(source, nil) }

// ExpandAmong is like Expand for a cell that may use variables, whose types the function returns;
// the type of other names is nil. Statements of %%sql name them without a sign.
func ExpandAmong(source string, variable func(name string) types.Type) (Expansion, error) {
	list := lines(source)
	if !slices.ContainsFunc(list, func(l line) bool { return l.magic }) {
		return Expansion{Source: source}, nil
	}
	e := &expander{lines: list, shift: map[int]int{}, variable: variable}
	if err := e.expand(); err != nil {
		return Expansion{}, err
	}
	return Expansion{Source: e.text.String(), Shift: e.shift, Requires: e.requires, Reloads: e.reloads}, nil
}

// IsReset reports whether the cell consists of %reset only. Only the session can implement it, and
// only between cells.
func IsReset(source string) bool {
	name, arguments := Split(strings.TrimSpace(source))
	return name == "%reset" && (arguments == "" || arguments == "-f")
}

// An expander writes the text of a cell with calls in place of its magics.
type expander struct {
	lines    []line
	text     strings.Builder
	shift    map[int]int
	requires []Requirement
	reloads  []Requirement
	imported bool
	variable func(name string) types.Type // see ExpandAmong; may be nil
}

// function writes the name of a function of package magic. It writes the import before the first
// one, because the last expression of the cell must remain the last.
func (e *expander) function(name string) string {
	name = Name + "." + name
	if !e.imported {
		e.imported = true
		name = "import " + Name + " " + strconv.Quote(Package) + "; " + name
	}
	return name
}

func (e *expander) expand() error {
	begun := false // Go code precedes the magic
	for i := 0; i < len(e.lines); i++ {
		l := e.lines[i]
		word := strings.TrimSpace(l.text)
		if !l.magic {
			if clause := strings.Fields(word); len(clause) == 2 && clause[0] == "package" && !l.nested {
				return e.fail(i, "a program with a package clause cannot contain magics: remove the clause or move the magics to another cell")
			}
			begun = begun || word != ""
			e.text.WriteString(l.text)
			continue
		}
		if l.nested {
			return e.fail(i, word[:1]+" begins a magic, which is not allowed inside brackets: in a function call the Go package instead")
		}
		if strings.HasPrefix(word, "%%") {
			if begun {
				return e.fail(i, firstWord(word)+" applies to the whole cell: write it in the first line")
			}
			return e.cell(i, word)
		}
		begun = true
		if err := e.one(i, word); err != nil {
			return err
		}
	}
	return nil
}

func (e *expander) fail(i int, message string) error {
	column := 1 + len(e.lines[i].text) - len(strings.TrimLeft(e.lines[i].text, " \t"))
	return &PlaceError{Line: i + 1, Column: column, Message: message}
}

// cell expands a cell magic.
func (e *expander) cell(i int, word string) error {
	name, arguments := Split(word[2:])
	c, err := find("%%", name)
	if err != nil {
		return e.fail(i, err.Error())
	}
	var body strings.Builder
	for _, l := range e.lines[i+1:] {
		body.WriteString(l.text)
	}
	if c.runs {
		e.text.WriteString(e.function("RunCell") + "(" + strconv.Quote(word) + ", " + strconv.Quote(body.String()) + ")")
		return nil
	}
	if name == "sql" {
		return e.sqlCall(i, arguments, body.String())
	}
	if name == "capture" {
		return e.around(i, body.String(), func() error { return e.captured(i, arguments) })
	}
	if option := timeitOption.FindStringSubmatch(arguments + " _"); option != nil {
		return e.fail(i, firstWord(word)+" takes no options, because it chooses the number of runs: omit "+arguments)
	}
	if arguments != "" && (name != "timeit" || strings.TrimSpace(body.String()) == "") {
		return e.fail(i, firstWord(word)+" times the lines below it: to time one statement write it after %"+name)
	}
	if name == "timeit" {
		if slices.ContainsFunc(lines(body.String()), func(l line) bool { return l.magic }) {
			return e.fail(i, "%%timeit cannot contain other magics, because it runs its lines many times")
		}
		code, line := usedLast(body.String())
		e.shift[i+2+line] = len(code) - body.Len()
		call, setup := e.function("Timeit"), uncommented(arguments)
		begin, end := "", "\n"
		if setup != "" { // it runs once and is not timed, as in IPython
			imported := strings.TrimSuffix(call, Name+".Timeit")
			begin, call, end = imported+"{ "+setup+"; ", strings.TrimPrefix(call, imported), " }\n"
			e.shift[i+1] = len(imported+"{ ") - strings.Index(e.lines[i].text, setup)
		}
		e.text.WriteString(begin + call + "(func() {\n" + code + "\n}, " + strconv.Quote(body.String()) + ")" + end)
		return nil
	}
	return e.around(i, body.String(), func() error {
		e.text.WriteString(e.function("Begin") + "(" + strconv.Quote("%%"+name) + ")\n")
		return nil
	})
}

// around writes the first line of a cell magic and the Go code below it, which may contain other
// magics.
func (e *expander) around(i int, body string, begin func() error) error {
	if err := begin(); err != nil {
		return err
	}
	inner := &expander{lines: lines(body), shift: map[int]int{}, imported: true}
	if err := inner.expand(); err != nil {
		place := err.(*PlaceError)
		place.Line += i + 1
		return place
	}
	for n, by := range inner.shift {
		e.shift[n+i+1] = by
	}
	for _, r := range inner.requires {
		r.Line += i + 1
		e.requires = append(e.requires, r)
	}
	for _, r := range inner.reloads {
		r.Line += i + 1
		e.reloads = append(e.reloads, r)
	}
	e.text.WriteString(inner.text.String())
	return nil
}

// one expands a line magic.
func (e *expander) one(i int, word string) error {
	if word[0] == '!' {
		e.call(i, "Run", word)
		return nil
	}
	name, _ := Split(word[1:])
	c, err := find("%", name)
	if err != nil {
		return e.fail(i, err.Error())
	}
	if name == "require" || name == "reload" {
		return e.require(i, name, word)
	}
	if name == "reset" {
		return e.fail(i, "%reset must be the only line of its cell")
	}
	if c.runs {
		e.call(i, "Run", word)
		return nil
	}
	return e.timed(i, name)
}

// require records a %require or %reload line and replaces it by an empty line.
func (e *expander) require(i int, name, word string) error {
	_, arguments := Split(word[1:])
	r := Requirement{i + 1, 1 + len(e.lines[i].text) - len(strings.TrimLeft(e.lines[i].text, " \t")), strings.Fields(arguments)}
	switch {
	case name == "reload":
		e.reloads = append(e.reloads, r)
	case len(r.Modules) == 0:
		return e.fail(i, "%require needs at least one module, as in %require github.com/google/uuid@v1.6.0")
	default:
		e.requires = append(e.requires, r)
	}
	if strings.HasSuffix(e.lines[i].text, "\n") {
		e.text.WriteString("\n")
	}
	return nil
}

// call writes a call with the line of the magic as its argument.
func (e *expander) call(i int, function, word string) {
	e.text.WriteString(e.function(function) + "(" + strconv.Quote(word) + ")")
	if strings.HasSuffix(e.lines[i].text, "\n") {
		e.text.WriteString("\n")
	}
}

// timing returns the line of a %time or %timeit with blanks in place of the magic.
func timing(text string) (goText string, found bool) {
	word := strings.TrimLeft(text, " \t")
	name := firstWord(word)
	if name != "%time" && name != "%timeit" {
		return "", false
	}
	at := len(text) - len(word)
	return text[:at] + strings.Repeat(" ", len(name)) + text[at+len(name):], true
}

// uncommented returns a line of Go without the comment at its end.
func uncommented(text string) string {
	var s scanner.Scanner
	file := token.NewFileSet().AddFile("", -1, len(text))
	s.Init(file, []byte(text), func(token.Position, string) {}, scanner.ScanComments)
	for {
		switch pos, tok, literal := s.Scan(); {
		case tok == token.EOF:
			return text
		case tok == token.COMMENT && strings.HasPrefix(literal, "//"):
			return strings.TrimSpace(text[:file.Offset(pos)])
		}
	}
}

func firstWord(text string) string {
	name, _ := Split(text)
	return name
}

// timeitOption matches an option of IPython's timeit before a statement.
var timeitOption = lazyregexp.New(`^(-(?:[nrp]\s*\d+|[tcqov]))\s+((?s:.+))$`)

// timed expands %time or %timeit with the statement that follows, which may span several lines.
func (e *expander) timed(i int, name string) error {
	blank, _ := timing(e.lines[i].text)
	rest := blank
	for _, l := range e.lines[i+1:] {
		rest += l.text
	}
	end, last := statementEnd(rest)
	statement := strings.TrimSpace(rest[:end])
	if statement == "" || strings.HasPrefix(statement, "//") {
		return e.fail(i, "%"+name+" needs a statement, as in %"+name+" f(x): for the whole cell write %%"+name)
	}
	if option := timeitOption.FindStringSubmatch(statement); option != nil {
		return e.fail(i, fmt.Sprintf("%%%s takes no options such as %s, because it chooses the number of runs: write %%%s %s", name, option[1], name, option[2]))
	}
	var begin, closing string
	if name == "timeit" {
		begin, closing = e.function("Timeit")+"(func() { "+used(statement), " }, "+strconv.Quote(statement)+")"
	} else if begin = e.function("Begin") + "(" + strconv.Quote("%"+name) + "); "; !last {
		closing = "; " + Name + ".End()"
	}
	// At the end of the cell the session ends the measurement, so that the value is shown.
	at := len(blank) - len(strings.TrimLeft(blank, " \t"))
	e.shift[i+1] = len(begin) - at
	text := begin + rest[at:end] + closing
	e.text.WriteString(text)
	for i < len(e.lines)-1 && len(blank) <= end { // the lines of the statement
		i++
		blank += e.lines[i].text
		e.lines[i].text = ""
	}
	e.text.WriteString(blank[min(end, len(blank)):])
	return nil
}

// used makes an expression without effect a valid statement, because Go allows it only as a value.
func used(statement string) string {
	for _, word := range []string{"len(", "cap(", "append(", "make(", "new(", "min(", "max(", "complex(", "real(", "imag("} {
		if strings.HasPrefix(statement, word) {
			return "_ = "
		}
	}
	if isOperation(statement) {
		return "_ = "
	}
	return ""
}

// usedLast applies used to the last line of a text, if that is a statement. It also returns the
// number of lines above it.
func usedLast(text string) (string, int) {
	start := strings.LastIndexByte(strings.TrimRight(text, " \t\r\n"), '\n') + 1
	above := strings.Count(text[:start], "\n")
	code := text[:start] + used(strings.TrimSpace(text[start:])) + text[start:]
	if _, err := parser.ParseExpr("func() {\n" + code + "\n}"); err != nil {
		return text, above
	}
	return code, above
}

// statementEnd returns the end of the first statement in text and reports whether only comments
// follow it.
func statementEnd(text string) (end int, last bool) {
	var s scanner.Scanner
	file := token.NewFileSet().AddFile("", -1, len(text))
	s.Init(file, []byte(text), func(token.Position, string) {}, scanner.ScanComments)
	depth, found := 0, false
	comment := -1 // offset of the first comment after the last token
	for end = len(text); ; {
		pos, tok, _ := s.Scan()
		at := file.Offset(pos)
		switch tok {
		case token.EOF:
			return min(end, len(text)), true
		case token.COMMENT:
			if comment < 0 {
				comment = at
			}
			continue
		case token.LPAREN, token.LBRACK, token.LBRACE:
			depth++
		case token.RPAREN, token.RBRACK, token.RBRACE:
			depth--
		}
		switch {
		case found && tok != token.SEMICOLON:
			return end, false
		case !found && tok == token.SEMICOLON && depth <= 0:
			end, found = at, true
			if comment >= 0 {
				end = comment
			}
		}
		comment = -1
	}
}

// Blank returns source with its magics replaced by blanks, so that the Go code keeps its positions
// in code points. The text of a cell magic that is not Go is blank too.
func Blank(source string) string {
	list := lines(source)
	if !slices.ContainsFunc(list, func(l line) bool { return l.magic }) {
		return source
	}
	var text strings.Builder
	rest := false // the remaining lines are not Go
	for _, l := range list {
		switch timed, found := timing(l.text); {
		case rest || l.magic && !found:
			name := firstWord(strings.TrimSpace(l.text))
			if setup, ok := strings.CutPrefix(l.text, "%%timeit "); ok && !rest {
				text.WriteString(blanks("%%timeit ") + setup)
				continue
			}
			text.WriteString(blanks(l.text))
			rest = rest || strings.HasPrefix(name, "%%") && !holdsGo(name)
		case l.magic:
			text.WriteString(timed)
		default:
			text.WriteString(l.text)
		}
	}
	return text.String()
}

// holdsGo reports whether the lines below a cell magic are Go.
func holdsGo(name string) bool {
	return name == "%%time" || name == "%%timeit" || name == "%%capture"
}

// blanks replaces every byte except the ends of lines by a blank.
func blanks(text string) string {
	return strings.Map(func(r rune) rune {
		if r == '\n' || r == '\r' {
			return r
		}
		return ' '
	}, text)
}

// isOperation reports whether a statement is an expression other than a call, judging by its text.
func isOperation(statement string) bool {
	expression, err := parser.ParseExpr(statement)
	if err != nil {
		return false
	}
	if receive, ok := expression.(*ast.UnaryExpr); ok && receive.Op == token.ARROW {
		return false
	}
	_, call := expression.(*ast.CallExpr)
	return !call
}

// captured writes the first line of a %%capture cell.
func (e *expander) captured(i int, arguments string) error {
	switch {
	case arguments == "":
		e.text.WriteString(e.function("Capture") + "()\n")
	case token.IsIdentifier(arguments):
		e.text.WriteString(e.declared(arguments, "Capture") + "()\n")
	default:
		return e.fail(i, fmt.Sprintf("%%%%capture NAME: %q is not a valid name", arguments))
	}
	return nil
}

// declared writes the declaration of a variable whose value a function of package magic returns, up
// to the arguments.
func (e *expander) declared(name, function string) string {
	call := e.function(function)
	if at := strings.Index(call, "; "); at >= 0 { // the import precedes the declaration
		return call[:at+2] + name + " := " + call[at+2:]
	}
	return name + " := " + call
}
