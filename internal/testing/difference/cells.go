package difference

import (
	"context"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"hash/fnv"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"gosphere/kernel/protocol"
	"gosphere/runtime/session"
)

// ways is the number of ways in which programs are split into cells.
const ways = 11

var wayLine = regexp.MustCompile(`(?m)^// cells: (\d+)`)

// wayOf returns the way of a program: the one in its first line, or else one derived from the text.
func wayOf(source string) int {
	if m := wayLine.FindStringSubmatch(source); m != nil {
		way, _ := strconv.Atoi(m[1])
		return way
	}
	h := fnv.New32()
	h.Write([]byte(source))
	return int(h.Sum32() % ways)
}

// A cutter holds the parts of a program.
type cutter struct {
	source string
	fset   *token.FileSet
	file   *ast.File
	run    *ast.FuncDecl
}

// text returns the text between two positions.
func (c *cutter) text(from, to token.Pos) string {
	return c.source[c.fset.Position(from).Offset:c.fset.Position(to).Offset]
}

// where returns the declarations that satisfy a condition, except the function run.
func (c *cutter) where(chosen func(ast.Decl) bool) string {
	var b strings.Builder
	for _, d := range c.file.Decls {
		if d != ast.Decl(c.run) && chosen(d) {
			b.WriteString(c.text(d.Pos(), d.End()) + "\n")
		}
	}
	return b.String()
}

func (c *cutter) statements() string { return c.text(c.run.Body.Lbrace+1, c.run.Body.Rbrace) }

// Cells splits a program into cells: its imports and declarations, and the statements of the
// function run.
func Cells(source string) ([]string, error) {
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "program.go", source, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	c := &cutter{source: source, fset: fset, file: file}
	for _, d := range file.Decls {
		if f, ok := d.(*ast.FuncDecl); ok && f.Recv == nil && strings.HasPrefix(f.Name.Name, "run_") {
			c.run = f
		}
	}
	if c.run == nil {
		return nil, fmt.Errorf("difference: no function run in\n%s", source)
	}
	all := c.where(func(ast.Decl) bool { return true })
	switch wayOf(source) {
	case 0: // each function in its own cell
		cells := []string{c.where(func(d ast.Decl) bool { return !isFunction(d) })}
		for _, d := range file.Decls {
			if isFunction(d) && d != ast.Decl(c.run) {
				cells = append(cells, c.text(d.Pos(), d.End()))
			}
		}
		return append(cells, c.statements()), nil
	case 2:
		return []string{all + c.statements()}, nil
	case 3:
		return []string{all + c.text(c.run.Pos(), c.run.End()), c.run.Name.Name + "()"}, nil
	case 4: // everything is declared twice
		return []string{all, all, c.statements()}, nil
	case 5: // types are declared before their methods; interface values created meanwhile would lack the methods
		types := isOf(token.IMPORT, token.TYPE)
		return []string{c.where(types), c.where(func(d ast.Decl) bool { return !types(d) }), c.statements()}, nil
	case 6:
		return append([]string{all}, c.pieces()...), nil
	case 7: // functions first have another body
		return []string{c.others(), c.where(isReplaced), c.statements()}, nil
	case 8: // types first have another definition
		return []string{c.otherTypes(), all, c.statements()}, nil
	case 9: // constants are declared alone, before their types have methods
		return []string{c.where(isOf(token.IMPORT, token.TYPE)), c.where(isOf(token.CONST)),
			c.where(func(d ast.Decl) bool { return !isOf(token.IMPORT, token.TYPE, token.CONST)(d) }), c.statements()}, nil
	case 10: // each constant is declared alone
		return c.alone(), nil
	}
	return []string{all, c.statements()}, nil
}

// isOf returns the condition that a declaration is one of some kinds other than functions.
func isOf(kinds ...token.Token) func(ast.Decl) bool {
	return func(d ast.Decl) bool {
		g, ok := d.(*ast.GenDecl)
		return ok && slices.Contains(kinds, g.Tok)
	}
}

// alone splits a program so that each constant has its own cell, after the types and before all
// methods.
func (c *cutter) alone() []string {
	cells := []string{c.where(isOf(token.IMPORT, token.TYPE))}
	for _, d := range c.file.Decls {
		if isOf(token.CONST)(d) {
			cells = append(cells, c.text(d.Pos(), d.End()))
		}
	}
	rest := c.where(func(d ast.Decl) bool { return !isOf(token.IMPORT, token.TYPE, token.CONST)(d) })
	return append(cells, rest, c.statements())
}

// isFunction reports whether a declaration is a function without type parameters.
func isFunction(d ast.Decl) bool {
	f, ok := d.(*ast.FuncDecl)
	return ok && f.Recv == nil && f.Type.TypeParams == nil
}

// pieces splits the statements into a few cells.
func (c *cutter) pieces() []string {
	var cells []string
	from := c.run.Body.Lbrace + 1
	list := c.run.Body.List
	size := max(len(list)/4, 1)
	for i := size; i < len(list); i += size {
		to := list[i].Pos()
		cells = append(cells, c.text(from, to))
		from = to
	}
	return append(cells, c.text(from, c.run.Body.Rbrace))
}

// isReplaced reports whether a declaration occurs twice, the second time as in the program. This
// holds for methods and short functions, and for variables, whose values may be computed by
// methods.
func isReplaced(d ast.Decl) bool {
	switch d := d.(type) {
	case *ast.GenDecl:
		return d.Tok == token.VAR
	case *ast.FuncDecl:
		return d.Recv != nil || d.Name.Name == "init" || d.Type.TypeParams == nil && strings.ContainsAny(d.Name.Name[:1], "do")
	}
	return false
}

// others returns the declarations that are replaced later, with other bodies.
func (c *cutter) others() string {
	var b strings.Builder
	for _, d := range c.file.Decls {
		f, ok := d.(*ast.FuncDecl)
		switch {
		case d == ast.Decl(c.run):
		case !ok || !isReplaced(d):
			b.WriteString(c.text(d.Pos(), d.End()) + "\n")
		default:
			b.WriteString(c.text(f.Pos(), f.Body.Pos()) + "{ " + c.otherBody(f) + " }\n")
		}
	}
	return b.String()
}

// otherBody returns an earlier body for a function.
func (c *cutter) otherBody(f *ast.FuncDecl) string {
	results := f.Type.Results
	switch {
	case results.NumFields() == 0:
		return ""
	case results.NumFields() > 1 || len(results.List[0].Names) > 0:
		return `panic("old")`
	}
	result := c.text(results.List[0].Pos(), results.List[0].End())
	if params := f.Type.Params.List; len(params) > 0 && len(params[0].Names) > 0 && c.text(params[0].Type.Pos(), params[0].Type.End()) == result {
		return "return " + params[0].Names[0].Name
	}
	return "return *new(" + result + ")"
}

// otherTypes declares the types of a program with other definitions, with values. They have no
// methods, because methods of a type remain when it is redeclared.
func (c *cutter) otherTypes() string {
	var b strings.Builder
	for _, d := range c.file.Decls {
		g, ok := d.(*ast.GenDecl)
		if !ok || g.Tok != token.TYPE {
			continue
		}
		for _, s := range g.Specs {
			if s := s.(*ast.TypeSpec); s.TypeParams == nil && !s.Assign.IsValid() {
				fmt.Fprintf(&b, "type %[1]s struct { old int; Sub []%[1]s }\nvar was%[1]s any = %[1]s{old: 1}\n", s.Name.Name)
			}
		}
	}
	return b.String()
}

// An Outcome is the result of one run of a program.
type Outcome struct {
	Output string
	// Failure is the error of a cell, "" for none.
	Failure string
	// Parts has the output of each cell, after PlayEach.
	Parts []string
	// Ended is false if the program was still running at the time limit.
	Ended bool
}

// patience is the time limit of a program. Generated programs take some milliseconds.
const patience = 2 * time.Minute

// Play runs cells in a fresh session, up to the first that fails.
func Play(options session.Options, cells []string) (Outcome, error) {
	outcome, _, err := play(options, cells, false)
	return outcome, err
}

// PlayEach runs cells in a fresh session and returns what each prints, with its error. Further
// cells run after one that fails.
func PlayEach(options session.Options, cells []string) (Outcome, error) {
	outcome, parts, err := play(options, cells, true)
	outcome.Parts = parts
	return outcome, err
}

func play(options session.Options, cells []string, goOn bool) (outcome Outcome, parts []string, err error) {
	s, err := session.New(options)
	if err != nil {
		return Outcome{}, nil, err
	}
	defer s.Close()
	s.KeepBytes()
	var mu sync.Mutex
	var text strings.Builder
	publish := func(content protocol.Content) {
		mu.Lock()
		defer mu.Unlock()
		if stream, ok := content.(protocol.Stream); ok && stream.Name == "stdout" {
			text.WriteString(stream.Text)
		}
	}
	printed := func() string {
		mu.Lock()
		defer mu.Unlock()
		return text.String()
	}
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	outcome = Outcome{Ended: true}
	for _, code := range cells {
		before := len(printed())
		replies := make(chan protocol.ExecuteReply, 1)
		go func() { replies <- s.Execute(ctx, protocol.ExecuteRequest{Code: code, StoreHistory: true}, publish) }()
		var reply protocol.ExecuteReply
		select {
		case reply = <-replies:
		case <-time.After(patience + 5*time.Second): // an interrupt had no effect either
			outcome.Ended = false
		}
		if !outcome.Ended || ctx.Err() != nil {
			outcome.Ended = false
			break
		}
		part := printed()[before:]
		if reply.Status != "ok" {
			failure := fmt.Sprintf("%s: %s", reply.Ename, reply.Evalue)
			part += failure
			if !goOn {
				outcome.Failure = failure
				break
			}
		}
		parts = append(parts, part)
	}
	outcome.Output = printed()
	return outcome, parts, nil
}
