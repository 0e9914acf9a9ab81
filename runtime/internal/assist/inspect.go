package assist

import (
	"fmt"
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"strings"

	"gosphere/kernel/protocol"
	"gosphere/runtime/cell"
	"gosphere/runtime/check"
)

// An Inspection is the result of Inspect. Both texts begin with the declaration as Go code.
type Inspection struct {
	Found    bool
	Plain    string // text/plain
	Markdown string // text/markdown
}

// Reply returns the inspection as a reply of the protocol.
func (i Inspection) Reply() protocol.InspectReply {
	reply := protocol.InspectReply{Status: "ok", Found: i.Found, Data: protocol.MimeBundle{}, Metadata: map[string]any{}}
	if i.Found {
		reply.Data["text/plain"], reply.Data["text/markdown"] = i.Plain, i.Markdown
	}
	return reply
}

// Inspect describes the identifier at the cursor or, if there is none, the function in whose call
// the cursor is. With a detail of at least 1 it includes the source of names declared in cells. For
// instance within the parentheses of a call, where a client shows the signature while arguments are
// typed.
func (a *Assistant) Inspect(code string, cursor, detail int) Inspection {
	offset := byteOffset(code, cursor)
	if where, _ := surroundingOf(code, offset); where == inComment || where == inString {
		return Inspection{}
	}
	start, end := wordAround(code, offset)
	// Everything up to the end of the word must be kept, or the word itself could be cut off.
	draft := parseDraft(code, end)
	if draft == nil {
		return Inspection{}
	}
	defer draft.Forget()
	var found *subject
	a.session.Probe(draft, func(p *check.Probe) {
		if ident := identAt(draft, code, start, end); ident != nil {
			found = a.subject(p, ident)
		}
		if found == nil {
			if ident := calledAt(p, draft, code, offset); ident != nil {
				found = a.subject(p, ident)
			}
		}
	})
	// In other code the name of a package that is not imported means something else, or nothing.
	if found == nil && strings.TrimSpace(code) == code[start:end] { // the cell consists of this word
		found = a.packageNamed(code[start:end])
	}
	if found == nil {
		return Inspection{}
	}
	return a.render(found, detail)
}

// identAt returns the identifier at the given offsets of the code. It searches by position, because
// the name may occur several times.
func identAt(c *cell.Cell, code string, start, end int) *ast.Ident {
	if start == end {
		return nil
	}
	var found *ast.Ident
	each(c, func(n ast.Node) {
		if ident, ok := n.(*ast.Ident); ok && ident.Name == code[start:end] && offsetOf(c, code, ident.Pos()) == start {
			found = ident
		}
	})
	return found
}

// calledAt returns the name of the innermost function call whose arguments contain an offset, or
// of the function whose type arguments contain it or end there. Outer calls are visited first, so
// the last one found is the innermost.
func calledAt(p *check.Probe, c *cell.Cell, code string, offset int) *ast.Ident {
	var found *ast.Ident
	within := func(left, right token.Pos) bool {
		return offsetOf(c, code, left) < offset && offset <= offsetOf(c, code, right)
	}
	each(c, func(n ast.Node) {
		var called ast.Expr
		switch n := n.(type) {
		case *ast.CallExpr:
			if within(n.Lparen, n.Rparen) {
				called = n.Fun
			}
		case *ast.IndexExpr:
			if within(n.Lbrack, n.Rbrack+1) && isFunction(p, n.X) {
				called = n.X
			}
		case *ast.IndexListExpr:
			if within(n.Lbrack, n.Rbrack+1) && isFunction(p, n.X) {
				called = n.X
			}
		}
		if ident := nameOf(called); ident != nil {
			found = ident
		}
	})
	return found
}

// isFunction reports whether an expression denotes a declared function or method, as opposed to a
// variable with elements.
func isFunction(p *check.Probe, x ast.Expr) bool {
	ident := nameOf(x)
	if ident == nil {
		return false
	}
	_, ok := p.Info.ObjectOf(ident).(*types.Func)
	return ok
}

// nameOf returns the name of a function in an expression without its type arguments, or nil.
func nameOf(f ast.Expr) *ast.Ident {
	switch f := ast.Unparen(f).(type) {
	case *ast.Ident:
		return f
	case *ast.SelectorExpr:
		return f.Sel
	case *ast.IndexExpr:
		return nameOf(f.X)
	case *ast.IndexListExpr:
		return nameOf(f.X)
	}
	return nil
}

// each calls f for the nodes of a cell, outer ones first.
func each(c *cell.Cell, f func(ast.Node)) {
	for _, file := range []*ast.File{c.Declarations, c.Statements} {
		ast.Inspect(file, func(n ast.Node) bool {
			if n != nil {
				f(n)
			}
			return true
		})
	}
}

// offsetOf returns the offset in the code of a position in the draft made from it. The draft has
// the lines and columns of the code up to the cursor, see parseDraft.
func offsetOf(c *cell.Cell, code string, pos token.Pos) int {
	position := c.Fset.Position(pos)
	offset := 0
	for line := 1; line < position.Line; line++ {
		next := strings.IndexByte(code[offset:], '\n')
		if next < 0 {
			return len(code)
		}
		offset += next + 1
	}
	return offset + position.Column - 1
}

// A subject is the object of an inspection. Fields that do not apply are empty.
type subject struct {
	heading string // declaration, as Go code
	doc     string
	methods string        // methods of a compiled type, as Go code
	text    string        // source, for names declared in cells
	place   string        // position of the declaration in a cell
	symbol  *check.Symbol // session variable whose value is shown
}

// subject describes the object of an identifier. It returns nil if there is none. It is called
// within a probe. The value of a variable is read later, in render, when the session's lock has
// been released: its String method may run code of a cell.
func (a *Assistant) subject(p *check.Probe, ident *ast.Ident) *subject {
	object := p.Info.ObjectOf(ident)
	if object == nil {
		return a.implicit(p, ident)
	}
	s := &subject{heading: headingOf(object)}
	if function, ok := object.(*types.Func); ok {
		object = function.Origin()
	}
	switch o := object.(type) {
	case *types.PkgName:
		return a.packageSubject(o.Imported().Name(), o.Imported().Path())
	case *types.Builtin, *types.Nil:
		s.doc = predeclared[object.Name()]
		return s
	}
	if object.Pkg() == nil {
		s.doc = predeclared[object.Name()]
		return s
	}
	if check.IsMust(object) {
		return &subject{heading: check.MustHeading, doc: check.MustDoc}
	}
	if object.Pkg().Path() != "main" {
		// Methods of cell types are not listed: they may be declared in several cells.
		if o, ok := object.(*types.TypeName); ok {
			s.methods = strings.Join(methodLines(o), "\n")
		}
		s.doc = a.packages.Doc(object.Pkg().Path(), a.docName(object))
		return s
	}
	s.doc, s.text = p.Describe(object)
	s.place = p.Place(object)
	if _, ok := object.(*types.TypeName); ok && s.text != "" {
		// The author's own text has comments and the layout of the fields.
		s.heading = s.text
	}
	if symbol := p.SymbolOf(object); symbol != nil && symbol.Kind == check.Variable {
		s.symbol = symbol
	}
	return s
}

// implicit describes an identifier that defines no object itself, such as the v of a type switch.
// go/types records an object for each clause of the switch instead of one for the v, so the first
// clause after it is taken.
func (a *Assistant) implicit(p *check.Probe, ident *ast.Ident) *subject {
	for node, object := range p.Info.Implicits {
		if clause, ok := node.(*ast.CaseClause); ok && object.Name() == ident.Name && clause.Pos() > ident.Pos() {
			return &subject{heading: headingOf(object)}
		}
	}
	return nil
}

// typeName returns the name of a type, or of the type that it points to.
func typeName(t types.Type) string {
	if pointer, ok := t.(*types.Pointer); ok {
		t = pointer.Elem()
	}
	if named, ok := types.Unalias(t).(*types.Named); ok {
		return named.Obj().Name()
	}
	return ""
}

// headingOf returns the declaration of an object as Go code. Types of cells have no qualifier, as
// the author writes them. For instance "const Pi = 3.14159 // untyped float", "var x int", "field X
// int" and "func (b *Buffer) Len() int".
func headingOf(object types.Object) string {
	switch o := object.(type) {
	case *types.Func:
		return functionHeading(o)
	case *types.Const:
		t := types.TypeString(o.Type(), qualifier)
		if basic, ok := o.Type().(*types.Basic); ok && basic.Info()&types.IsUntyped != 0 {
			return fmt.Sprintf("const %s = %s // %s", o.Name(), constantText(o.Val()), t)
		}
		return fmt.Sprintf("const %s %s = %s", o.Name(), t, constantText(o.Val()))
	case *types.Var:
		word := "var"
		if o.IsField() {
			word = "field"
		}
		return fmt.Sprintf("%s %s %s", word, o.Name(), types.TypeString(o.Type(), qualifier))
	case *types.TypeName:
		return typeHeading(o)
	case *types.Builtin:
		return "func " + o.Name() // predeclared
	case *types.Nil:
		return "nil"
	}
	return types.ObjectString(object, qualifier)
}

// functionHeading returns the first line of a function's declaration, with the receiver of a
// method.
func functionHeading(f *types.Func) string {
	signature := f.Signature()
	var b strings.Builder
	b.WriteString("func ")
	if receiver := signature.Recv(); receiver != nil {
		name := receiver.Name()
		if name != "" && name != "_" {
			name += " "
		}
		fmt.Fprintf(&b, "(%s%s) ", name, types.TypeString(receiver.Type(), qualifier))
	}
	b.WriteString(f.Name())
	b.WriteString(strings.TrimPrefix(types.TypeString(signature, qualifier), "func"))
	return b.String()
}

// Floats are rounded for display: ExactString would write math.Pi as a fraction of large integers.
func constantText(v constant.Value) string {
	if v.Kind() == constant.Float || v.Kind() == constant.Complex {
		return v.String()
	}
	return v.ExactString()
}

// render returns an inspection in its two forms. Clients prefer Markdown where they can display it,
// and consoles show the plain text.
//
// For instance the plain text for a variable of a cell is
//
//	var total int = 15
//
//	declared in Cell [2], line 1
func (a *Assistant) render(s *subject, detail int) Inspection {
	code := s.heading
	if s.symbol != nil && a.Value != nil {
		if value, ok := a.Value(s.symbol); ok {
			code += " = " + shorten(fmt.Sprintf("%+v", value))
		}
	}
	if detail > 0 && s.text != "" && s.text != code {
		code += "\n\n" + s.text
	}
	doc := strings.TrimSpace(s.doc)
	plain, markdown := code, "```go\n"+code+"\n```"
	if doc != "" {
		plain += "\n\n" + doc
		markdown += "\n\n" + doc
	}
	if s.methods != "" {
		plain += "\n\n" + s.methods
		markdown += "\n\n```go\n" + s.methods + "\n```"
	}
	if s.place != "" {
		plain += "\n\ndeclared in " + s.place
		markdown += "\n\n*declared in " + s.place + "*"
	}
	return Inspection{Found: true, Plain: plain, Markdown: markdown}
}

// longest is the maximum number of characters of a value in an inspection.
const longest = 400

// shorten cuts a text after the maximum number of characters.
func shorten(text string) string {
	if runes := []rune(text); len(runes) > longest {
		return string(runes[:longest]) + "…"
	}
	return text
}
