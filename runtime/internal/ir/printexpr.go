package ir

import (
	"fmt"
	"go/types"
	"strings"
)

// expr returns the text of an expression, or "nil?" for a nil expression.
//
// Binary operations are always in parentheses: the text has to show the tree and must not depend on
// precedence.
func (p *printer) expr(x Expr) string {
	switch x := x.(type) {
	case nil:
		return "nil?"
	case *Const:
		return constText(x)
	case *Zero:
		return "zero[" + TypeText(x.T) + "]"
	case *LocalExpr:
		return p.local(x.Local)
	case *GlobalExpr:
		return globalText(x.Global)
	case *FuncExpr:
		return "func " + refText(x.Ref)
	case *ExternExpr:
		return "extern " + externText(x)
	case *FuncLit:
		return p.funcLit(x)
	case *Deref:
		return "(*" + p.expr(x.X) + ")"
	case *Field:
		return p.expr(x.X) + "." + fieldName(x)
	case *Elem:
		return p.expr(x.X) + "[" + p.expr(x.I) + "]"
	case *MapElem:
		return commaOk(p.expr(x.X)+"["+p.expr(x.Key)+"]", x.CommaOk)
	case *AddrOf:
		return "&" + p.expr(x.X)
	case *SliceExpr:
		return p.slice(x)
	}
	return p.operation(x)
}

// operation returns the text of an expression that is neither a place nor a leaf.
func (p *printer) operation(x Expr) string {
	switch x := x.(type) {
	case *Unary:
		return x.Op.String() + p.expr(x.X)
	case *Binary:
		return p.infix(x.X, x.Op.String(), x.Y)
	case *Compare:
		return p.infix(x.X, x.Op.String(), x.Y)
	case *Logic:
		return p.infix(x.X, x.Op.String(), x.Y)
	case *Convert:
		return p.converted("convert", x.T, x.X)
	case *MakeInterface:
		return p.converted("iface", x.T, x.X)
	case *ChangeInterface:
		return p.converted("change", x.T, x.X)
	case *Assert:
		return commaOk(p.expr(x.X)+".("+TypeText(x.To)+")", x.CommaOk)
	case *IsType:
		return p.converted("istype", x.To, x.X)
	case *Recv:
		return commaOk("<-"+p.expr(x.X), x.CommaOk)
	case *Composite:
		return p.composite(x)
	case *Seq:
		p.seqs = append(p.seqs, x)
		return fmt.Sprintf("seq%d", len(p.seqs))
	case *Call:
		return p.call(x)
	case *Bind:
		return p.bind(x)
	case *Builtin:
		return p.builtin(x)
	}
	panic(fmt.Sprintf("ir: no text for an expression %T", x))
}

// constText returns the text of a constant. The type is omitted for int, bool and string.
func constText(x *Const) string {
	text := "nil?"
	if x.Value != nil {
		text = x.Value.ExactString()
	}
	switch x.T {
	case types.Typ[types.Int], types.Typ[types.Bool], types.Typ[types.String]:
		return text
	}
	return TypeText(x.T) + "(" + text + ")"
}

// globalText returns the text of a variable. The printer accepts programs that violate the rules of
// the verifier, and marks missing parts with a question mark.
func globalText(g *Global) string {
	switch {
	case g == nil:
		return "global nil?"
	case g.Path != "":
		return "global " + g.Path + "." + g.Name
	}
	return "global " + g.Name
}

func refText(r *FuncRef) string {
	if r == nil {
		return "nil?"
	}
	return r.Name
}

func externText(x *ExternExpr) string {
	text := "nil?"
	if x.Func != nil {
		text = x.Func.FullName()
	}
	if len(x.Targs) > 0 {
		var names []string
		for _, t := range x.Targs {
			names = append(names, TypeText(t))
		}
		text += "[" + strings.Join(names, ", ") + "]"
	}
	return text
}

// funcLit returns the text of a function literal. It also queues the function, which is printed
// after the current one.
func (p *printer) funcLit(x *FuncLit) string {
	if x.Func == nil {
		return "literal nil?"
	}
	p.literals = append(p.literals, x.Func)
	var captured []string
	for _, l := range x.Func.Captures {
		captured = append(captured, p.local(l.Outer))
	}
	return "literal " + x.Func.Name + "{" + strings.Join(captured, ", ") + "}"
}

// fieldName returns the name of a field, or its index if the operand has no such field.
func fieldName(x *Field) string {
	if x.X != nil {
		if s, ok := Under(x.X.Type()).(*types.Struct); ok && x.Index >= 0 && x.Index < s.NumFields() {
			return s.Field(x.Index).Name()
		}
	}
	return fmt.Sprintf("%d?", x.Index)
}

// commaOk returns the text of an expression, marked if its value is a comma-ok tuple.
func commaOk(text string, two bool) string {
	if two {
		return "(" + text + ", ok)"
	}
	return text
}

func (p *printer) slice(x *SliceExpr) string {
	part := func(e Expr) string {
		if e == nil {
			return ""
		}
		return p.expr(e)
	}
	text := p.expr(x.X) + "[" + part(x.Lo) + ":" + part(x.Hi)
	if x.Max != nil {
		text += ":" + part(x.Max)
	}
	return text + "]"
}

func (p *printer) infix(x Expr, op string, y Expr) string {
	return "(" + p.expr(x) + " " + op + " " + p.expr(y) + ")"
}

func (p *printer) converted(how string, t types.Type, x Expr) string {
	return how + "[" + TypeText(t) + "](" + p.expr(x) + ")"
}

func (p *printer) list(list []Expr) string {
	var parts []string
	for _, x := range list {
		parts = append(parts, p.expr(x))
	}
	return strings.Join(parts, ", ")
}

// composite returns the text of a composite literal. A slice shows its length, which may exceed the
// number of elements.
func (p *printer) composite(x *Composite) string {
	s, isStruct := Under(x.T).(*types.Struct)
	var parts []string
	for _, e := range x.Elems {
		key := fmt.Sprint(e.Index)
		switch {
		case e.Key != nil:
			key = p.expr(e.Key)
		case isStruct && e.Index >= 0 && e.Index < int64(s.NumFields()):
			field := s.Field(int(e.Index))
			key = field.Name()
			for _, i := range e.Path {
				field = Under(field.Type()).(*types.Struct).Field(i)
				key += "." + field.Name()
			}
		}
		parts = append(parts, key+": "+p.expr(e.Value))
	}
	text := TypeText(x.T)
	if _, ok := Under(x.T).(*types.Slice); ok {
		text += fmt.Sprintf(" len %d ", x.Len)
	}
	return text + "{" + strings.Join(parts, ", ") + "}"
}

// call returns the text of a call, which begins with the kind of callee; see [Call].
func (p *printer) call(x *Call) string {
	args := p.list(x.Args)
	switch {
	case x.Inline != nil:
		return "inline " + refText(x.Ref) + "(" + args + ")"
	case x.Ref != nil:
		return "call " + refText(x.Ref) + "(" + args + ")"
	case x.Extern != nil:
		return "call extern " + externText(x.Extern) + "(" + args + ")"
	case x.Method != nil:
		return "call " + p.method(x.Method) + "(" + args + ")"
	}
	return "call " + p.expr(x.Value) + "(" + args + ")"
}

// method returns the text of a method of a value. The word "dynamic" marks a method that is
// selected by the dynamic type of an interface value.
func (p *printer) method(m *MethodCall) string {
	if m == nil {
		return "method nil?"
	}
	text, name := "method ", "nil?"
	if m.Recv != nil && IsInterface(m.Recv.Type()) {
		text = "dynamic "
	}
	if m.Func != nil {
		name = m.Func.Name()
	}
	return text + p.expr(m.Recv) + "." + name
}

// bind returns the text of a method value. The receiver of a method in source is in braces, like
// the captures of a function literal.
func (p *printer) bind(x *Bind) string {
	if x.Ref != nil {
		return "bind " + refText(x.Ref) + "{" + p.expr(x.Recv) + "}"
	}
	return "bind " + p.method(x.Method)
}

// builtin returns the text of a use of a predeclared function. make and new show the type, which is
// no operand.
func (p *printer) builtin(x *Builtin) string {
	args := p.list(x.Args)
	if x.Spread {
		args += "..."
	}
	name := x.Name
	switch name {
	case "make", "new":
		name += "[" + TypeText(x.T) + "]"
	}
	return name + "(" + args + ")"
}
