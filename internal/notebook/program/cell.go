package program

import (
	"errors"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"strconv"
	"strings"

	"gosphere/kernel/nbformat"
	"gosphere/runtime/cell"
	"gosphere/runtime/check"
	"gosphere/runtime/goembed"
)

// tagRaises marks cells that may fail.
const tagRaises = "raises-exception"

// cell writes the cell with a number in the notebook, from 1.
func (w *writer) cell(number int, from *nbformat.Cell) error {
	source, requires, err := withoutMagics(from.Source)
	if err != nil {
		return err
	}
	if len(requires) > 0 {
		w.comment("%require " + strings.Join(requires, " "))
	}
	parsed, err := cell.Parse(number, source)
	if err == nil {
		err = w.load(requires, parsed)
	}
	var checked *check.Checked
	if err == nil {
		checked, err = w.checker.Check(parsed)
	}
	if err != nil {
		if from.HasTag(tagRaises) {
			w.comment(fmt.Sprintf("Cell %d is left out: it does not compile.\n%v", number, err))
			return nil
		}
		return err
	}
	w.sources[cell.FileName(number)] = source
	for _, spec := range parsed.Declarations.Imports {
		if path, err := strconv.Unquote(spec.Path.Value); err == nil && spec.Name != nil && spec.Name.Name == "_" {
			w.names.importForEffects(path)
		}
	}
	defer w.checker.Commit(checked)
	if err := refuseExits(checked); err != nil {
		return err
	}
	c := &cellWriter{writer: w, checked: checked, text: newText(source, checked.Fset), function: w.names.own(fmt.Sprintf("cell%d", number))}
	c.nameDeclarations()
	if err := c.findEmbeds(); err != nil {
		return err
	}
	var body strings.Builder
	if err := c.variables(&body); err != nil {
		return err
	}
	if err := c.declarations(&body); err != nil {
		return err
	}
	statements, err := c.statements()
	if err != nil {
		return err
	}
	w.body.WriteString(body.String())
	fmt.Fprintf(&w.body, "%s// %s is cell %d of the notebook (id %s).\nfunc %s() {\n%s}\n\n", w.comments, c.function, number, from.ID, c.function, statements)
	w.comments = ""
	if from.HasTag(tagRaises) {
		w.attempts = true
		w.calls = append(w.calls, w.names.attempt()+"("+c.function+")")
	} else {
		w.calls = append(w.calls, c.function+"()")
	}
	return nil
}

// refuseExits returns an error for calls that end a program but, in a notebook, only a cell.
func refuseExits(checked *check.Checked) error {
	for _, object := range checked.Info.Uses {
		f, ok := object.(*types.Func)
		if !ok || f.Pkg() == nil {
			continue
		}
		if name := f.Pkg().Path() + "." + f.Name(); name == "os.Exit" || strings.HasPrefix(name, "log.Fatal") {
			return fmt.Errorf("%s ends a cell in a notebook and the whole program elsewhere; leave it out", name)
		}
	}
	return nil
}

// A cellWriter writes one cell.
type cellWriter struct {
	*writer
	checked  *check.Checked
	text     *text
	function string   // name of the function with the statements
	before   []string // functions that run before the statements
	after    []string // functions that run after the statements
	embeds   map[types.Object]goembed.Variable
}

// nameDeclarations chooses names for all declarations of the cell before any of them is written,
// because they may refer to each other.
func (c *cellWriter) nameDeclarations() {
	for _, d := range c.checked.Declarations {
		switch {
		case d.Symbol.Kind == check.Method:
		case d.Symbol.Kind == check.Type && c.names.symbols[d.Symbol] != "": // keeps its earlier name
		default:
			name := c.names.declare(d.Symbol)
			switch {
			case d.Symbol.Name == "init" && d.Symbol.Kind == check.Function:
				c.before = append(c.before, name)
			case d.Symbol.Name == "main" && d.Symbol.Kind == check.Function && !d.Again:
				c.after = append(c.after, name)
			}
		}
	}
	for _, constant := range c.constants() {
		for _, spec := range constant.Specs {
			for _, name := range spec.(*ast.ValueSpec).Names {
				if symbol := c.checked.SymbolOf(c.checked.Info.Defs[name]); symbol != nil && c.names.symbols[symbol] == "" {
					c.names.declare(symbol)
				}
			}
		}
	}
	for _, v := range c.checked.Variables {
		if c.names.symbols[v.Symbol] == "" {
			c.names.declare(v.Symbol)
		}
	}
}

// constants returns the constant declarations of the cell.
func (c *cellWriter) constants() (list []*ast.GenDecl) {
	for _, declaration := range c.checked.Cell.Declarations.Decls {
		if group, ok := declaration.(*ast.GenDecl); ok && group.Tok == token.CONST {
			list = append(list, group)
		}
	}
	return list
}

// variables declares the package variables that this cell introduces.
func (c *cellWriter) variables(body *strings.Builder) error {
	objects := map[*check.Symbol]types.Object{} // symbols get their objects when the cell is committed
	for _, object := range c.checked.Info.Defs {
		if variable, ok := object.(*types.Var); ok {
			objects[c.checked.SymbolOf(variable)] = variable
		}
	}
	for _, v := range c.checked.Variables {
		object := objects[v.Symbol]
		embed, embedded := c.embeds[object]
		if embedded && !v.New {
			return fmt.Errorf("variable %s: an earlier cell declares it, and a program embeds files once; give it another name", v.Symbol.Name)
		}
		if delete(objects, v.Symbol); !v.New || object == nil || v.Symbol.Name == "_" {
			continue
		}
		written, err := c.typeText(c.checked, object.Type())
		if err != nil {
			return fmt.Errorf("variable %s: %w", v.Symbol.Name, err)
		}
		if embedded {
			body.WriteString("\n")
		}
		for _, directive := range embed.Directives {
			body.WriteString(directive.Text + "\n")
		}
		fmt.Fprintf(body, "var %s %s\n", c.names.symbols[v.Symbol], written)
	}
	body.WriteString("\n")
	return nil
}

// declarations writes types, functions, methods and constants.
func (c *cellWriter) declarations(body *strings.Builder) error {
	for _, constant := range c.constants() {
		c.rename(c.text, c.checked, constant)
		fmt.Fprintf(body, "%s\n\n", withDoc(c.text, constant, constant.Doc))
	}
	for _, d := range c.checked.Declarations {
		t := c.text
		if file := c.checked.Fset.Position(d.Syntax.Pos()).Filename; file != cell.FileName(c.checked.Cell.Number) {
			t = newText(c.sources[file], c.checked.Fset)
		}
		c.rename(t, c.checked, d.Syntax)
		switch syntax := d.Syntax.(type) {
		case *ast.TypeSpec:
			if key := "type " + c.names.symbols[d.Symbol]; c.emitted[key] == "" {
				c.emitted[key] = "type " + t.of(syntax)
				fmt.Fprintf(body, "%s%s\n\n", doc(syntax.Doc), c.emitted[key])
			}
		case *ast.FuncDecl:
			written := withDoc(t, syntax, syntax.Doc)
			if d.Symbol.Kind == check.Method {
				key := "method " + c.names.symbols[d.Symbol.Receiver] + "." + d.Symbol.Name
				before := c.emitted[key]
				if before == written {
					continue
				}
				if before != "" {
					return fmt.Errorf("method %s of %s changes here, and a Go program has one; give the type or the method another name", d.Symbol.Name, d.Symbol.Receiver.Name)
				}
				c.emitted[key] = written
			}
			fmt.Fprintf(body, "%s\n\n", written)
		}
	}
	return nil
}

// withDoc returns the text of a declaration with its comment.
func withDoc(t *text, node ast.Node, comment *ast.CommentGroup) string {
	return doc(comment) + t.between(t.offset(node.Pos()), t.offset(node.End()))
}

// doc returns a comment on its own lines. A comment at the beginning of a cell is in the same group
// as the comment that names the cell's file.
func doc(comment *ast.CommentGroup) string {
	written := ""
	if comment != nil {
		for _, line := range comment.List {
			if !strings.HasPrefix(line.Text, "//line ") {
				written += line.Text + "\n"
			}
		}
	}
	return written
}

// statements writes the body of the cell's function.
func (c *cellWriter) statements() (string, error) {
	body := c.checked.Body.Body
	c.rename(c.text, c.checked, body)
	var written strings.Builder
	for _, name := range c.before {
		written.WriteString(name + "()\n")
	}
	for _, s := range body.List {
		if err := c.assign(s); err != nil {
			return "", err
		}
	}
	if by := c.shownBy(); by != "" && len(body.List) > 0 {
		last := body.List[len(body.List)-1]
		c.text.replace(last.Pos(), last.End(), by+"("+c.text.of(last)+")")
	}
	if c.checked.Cell.Program {
		for _, s := range body.List {
			written.WriteString(c.text.of(s) + "\n")
		}
	} else {
		for _, piece := range cell.Pieces(c.text.source) {
			if piece.Kind != cell.Statement && piece.Kind != cell.VariableDeclaration {
				continue
			}
			text := strings.TrimSpace(c.text.between(piece.Start, piece.End))
			if text == "" { // a declaration that embeds a file
				continue
			}
			if beginsParagraph(c.text.source, piece) && written.Len() > 0 {
				written.WriteString("\n")
			}
			written.WriteString(text + "\n")
		}
	}
	for _, name := range c.after {
		written.WriteString(name + "()\n")
	}
	return written.String(), nil
}

// beginsParagraph reports whether an empty line precedes a piece.
func beginsParagraph(source string, piece cell.Piece) bool {
	text := source[piece.Start:piece.End]
	before := source[:piece.Start+len(text)-len(strings.TrimLeft(text, " \t\r\n"))]
	return strings.Count(before[len(strings.TrimRight(before, " \t\r\n")):], "\n") > 1
}

// assign converts a statement that declares package variables to assignments.
func (c *cellWriter) assign(s ast.Stmt) error {
	for {
		labeled, ok := s.(*ast.LabeledStmt)
		if !ok {
			break
		}
		s = labeled.Stmt
	}
	switch s := s.(type) {
	case *ast.AssignStmt:
		if s.Tok == token.DEFINE {
			c.text.replace(s.TokPos, s.TokPos+2, "=")
		}
	case *ast.DeclStmt:
		group := s.Decl.(*ast.GenDecl)
		if group.Tok != token.VAR {
			return errors.New("it declares types or constants among its statements")
		}
		var lines []string
		for _, spec := range group.Specs {
			lines = append(lines, c.assignSpec(spec.(*ast.ValueSpec)))
		}
		c.text.replace(group.Pos(), group.End(), strings.Join(lines, "\n"))
	}
	return nil
}

// assignSpec returns the assignments of one line of a variable declaration.
func (c *cellWriter) assignSpec(spec *ast.ValueSpec) string {
	var left, right []string
	blank := true
	for _, name := range spec.Names {
		left = append(left, c.text.of(name))
		blank = blank && name.Name == "_"
	}
	for _, value := range spec.Values {
		right = append(right, c.text.of(value))
	}
	kind := ""
	if spec.Type != nil {
		kind = c.text.of(spec.Type)
	}
	switch {
	case blank: // it only checks its type
		return strings.TrimSuffix("var "+strings.Join(left, ", ")+" "+kind+" = "+strings.Join(right, ", "), " = ")
	case len(right) > 0:
		return strings.Join(left, ", ") + " = " + strings.Join(right, ", ")
	}
	if _, embedded := c.embeds[c.checked.Info.Defs[spec.Names[0]]]; embedded {
		return "" // the program begins with the value
	}
	for range left {
		right = append(right, zero(c.checked.Info.TypeOf(spec.Type), kind))
	}
	return strings.Join(left, ", ") + " = " + strings.Join(right, ", ")
}

// zero returns the zero value of a type to which the program gives a name.
func zero(t types.Type, name string) string {
	switch t := t.Underlying().(type) {
	case *types.Basic:
		switch info := t.Info(); {
		case info&types.IsBoolean != 0:
			return "false"
		case info&types.IsString != 0:
			return `""`
		case info&types.IsNumeric != 0:
			return "0"
		}
		return "nil" // for an unsafe.Pointer
	case *types.Struct, *types.Array:
		if !strings.HasPrefix(name, "(") {
			return name + "{}"
		}
		return "*new(" + name + ")"
	}
	return "nil"
}
