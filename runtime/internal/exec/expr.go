package exec

import (
	"go/token"
	"unsafe"

	"gosphere/runtime/internal/ir"
	"gosphere/runtime/internal/machine"
	"gosphere/runtime/internal/machine/operation"
)

// expr compiles an expression with one value.
//
// The cases are divided among two functions only because of their number. Each expression is
// compiled exactly once, apart from bodies that are inlined: compiling has effects on the layout of
// the frame.
func (c *compiler) expr(e ir.Expr) operation.Value {
	switch e := e.(type) {
	case *ir.Const:
		t := c.typeOf(e.Type())
		return operation.ConstantOf(t, operation.ConstantValue(e.Value, t.Class))
	case *ir.Zero:
		t := c.typeOf(e.Type())
		// A zero value may be larger than memory, for instance that of [1 << 40]int. The program must be
		// refused, since the allocation would end the process.
		c.reserve(e.Pos(), t.Size)
		return operation.Zero(t)
	case *ir.LocalExpr:
		return c.readLocal(e.Local, c.typeOf(e.Type()))
	case *ir.GlobalExpr, *ir.Deref:
		return c.read(c.place(e))
	case *ir.Field:
		return c.field(e)
	case *ir.Elem:
		return c.element(e)
	case *ir.MapElem:
		return c.mapElem(e)
	case *ir.AddrOf:
		return c.addrOf(e)
	case *ir.SliceExpr:
		return c.sliceExpr(e)
	case *ir.Composite:
		return c.composite(e)
	case *ir.FuncExpr, *ir.ExternExpr, *ir.FuncLit, *ir.Bind:
		return c.function(e)
	case *ir.Call:
		return c.call(e)
	case *ir.Builtin:
		return c.builtin(e)
	}
	return c.operation(e)
}

// operation compiles an expression that is neither a place, a leaf, a literal nor a call.
func (c *compiler) operation(e ir.Expr) operation.Value {
	switch e := e.(type) {
	case *ir.Unary:
		return c.unary(e)
	case *ir.Binary:
		return c.binary(e)
	case *ir.Compare:
		return c.compare(e)
	case *ir.Logic:
		return c.logic(e)
	case *ir.Convert:
		return c.conversion(c.expr(e.X), c.typeOf(e.Type()), c.site(e.Pos()))
	case *ir.MakeInterface:
		return c.makeInterface(c.expr(e.X), c.typeOf(e.Type()))
	case *ir.ChangeInterface:
		return c.changeInterface(e)
	case *ir.Assert:
		return c.assert(e)
	case *ir.IsType:
		return c.isType(e)
	case *ir.Recv:
		return c.receive(e)
	case *ir.Seq:
		return c.seq(e)
	}
	unsupported(e.Pos(), "an expression of the form %T is not supported", e)
	return operation.Value{}
}

// read returns the value of a variable.
func (c *compiler) read(a operation.Access) operation.Value { return a.Read() }

// field compiles the reading of a field of a variable or of another value.
func (c *compiler) field(e *ir.Field) operation.Value {
	return c.read(c.place(e))
}

// element compiles the reading of an element of an array, a slice or a string.
//
// The forms of LoadElem check the bounds in the closure that reads the element. An array, and an
// element that is itself a struct or an array, is reached by its address, whose closure has the
// check.
func (c *compiler) element(e *ir.Elem) operation.Value {
	x := c.typeOf(e.X.Type())
	t := c.typeOf(e.Type())
	if x.Class == machine.ClassString || x.Class == machine.ClassSlice && t.Class != machine.ClassMemory {
		v := operation.Classes[t.Class].LoadElem(c.expr(e.X), c.index(e.I), c.site(e.Pos()))
		v.Type = t
		return v
	}
	return c.read(c.place(e))
}

// addrOf compiles a pointer to a variable, or to a new variable that a composite literal
// initializes.
func (c *compiler) addrOf(e *ir.AddrOf) operation.Value {
	t := c.typeOf(e.Type())
	if x, ok := e.X.(*ir.Composite); ok {
		return c.newComposite(x, t)
	}
	a := c.place(e.X)
	if a.Mode == operation.ModeFrame {
		unsupported(e.Pos(), "internal: the address of a variable without a heap cell")
	}
	return operation.Value{Type: t, F: a.Address()}
}

// unary compiles -x, +x, ^x and !x.
func (c *compiler) unary(e *ir.Unary) operation.Value {
	x := c.expr(e.X)
	out := operation.Value{Type: c.typeOf(e.Type())}
	switch e.Op {
	case token.SUB:
		out.F = operation.NumberOps(x.Type.Class).Negate(x)
	case token.XOR:
		out.F = operation.NumberOps(x.Type.Class).Complement(x)
	case token.NOT:
		return operation.Not(out.Type, x)
	default: // +x
		return x
	}
	return out
}

// binary compiles a binary operation.
//
// The descriptions Sum, Product and Near let an enclosing operation evaluate this one itself, which
// saves the call of its closure. For instance sum += x[i]*y[i] becomes one closure.
func (c *compiler) binary(e *ir.Binary) operation.Value {
	out := operation.Value{Type: c.typeOf(e.Type())}
	if out.Type.Class == machine.ClassString {
		return c.concat(e, out.Type)
	}
	x, y, s := c.expr(e.X), c.expr(e.Y), c.site(e.Pos())
	if e.Op == token.SHL || e.Op == token.SHR {
		out.F = operation.NumberOps(x.Type.Class).Shift(e.Op, x, y, s)
		return out
	}
	numbers := operation.NumberOps(x.Type.Class)
	out.F = numbers.Arithmetic(e.Op, x, y, s)
	out.To = func(to operation.Destination) func(machine.Frame) { return numbers.Into(e.Op, x, y, to) }
	out.Sum, out.Product, out.Near = operation.SumOf(e.Op, x, y), operation.ProductOf(e.Op, x, y), operation.NearOf(e.Op, x, y)
	return out
}

// concat compiles a chain x + y + ... of strings as one operation, which allocates only the final
// result. Parentheses in the chain do not matter, because they change neither the result nor the
// order of evaluation.
//
// Pairwise concatenation would allocate and copy each intermediate string. gc does the same with up
// to five operands in a call, and more in a slice (runtime.concatstrings).
func (c *compiler) concat(e *ir.Binary, t *machine.Type) operation.Value {
	parts := c.texts(chain(e))
	switch len(parts) {
	case 2:
		x, y := parts[0], parts[1]
		// Go's own concatenation returns an operand unchanged if the other one is empty.
		return operation.Value{Type: t, F: func(f machine.Frame) string { a := x(f); return a + y(f) }}
	case 3:
		x, y, z := parts[0], parts[1], parts[2]
		return operation.Value{Type: t, F: func(f machine.Frame) string { a := x(f); b := y(f); return a + b + z(f) }}
	}
	return operation.Value{Type: t, F: func(f machine.Frame) string {
		// The list of up to eight parts is on the stack.
		var room [8]string
		list := room[:0]
		n := 0
		for _, part := range parts {
			text := part(f)
			n += len(text)
			list = append(list, text)
		}
		// The bytes become a string without a copy. Nothing else refers to them.
		joined := make([]byte, 0, n)
		for _, text := range list {
			joined = append(joined, text...)
		}
		return unsafe.String(unsafe.SliceData(joined), len(joined))
	}}
}

// chain returns the operands of a chain x + y + ... of strings. Any other expression is a chain of
// one operand.
func chain(e ir.Expr) []ir.Expr {
	if b, ok := e.(*ir.Binary); ok && b.Op == token.ADD {
		return append(chain(b.X), chain(b.Y)...)
	}
	return []ir.Expr{e}
}

// texts compiles strings.
func (c *compiler) texts(list []ir.Expr) []func(machine.Frame) string {
	parts := make([]func(machine.Frame) string, len(list))
	for i, e := range list {
		parts[i] = c.expr(e).F.(func(machine.Frame) string)
	}
	return parts
}

// appendText compiles dst = s + x + ... and, if s is nil, dst += x + ...: in the first form, the
// string is read before the operands are evaluated.
func (c *compiler) appendText(a operation.Access, s ir.Expr, x []ir.Expr, pos token.Pos) func(machine.Frame) {
	parts, address, at := c.texts(x), a.Address(), c.site(pos)
	var first func(machine.Frame) string
	if s != nil {
		first = c.texts([]ir.Expr{s})[0]
	}
	if len(parts) == 1 {
		get := parts[0]
		if first != nil {
			return func(f machine.Frame) {
				text := first(f)
				more := get(f)
				*(*string)(address(f)) = machine.Append(f, at, text, more)
			}
		}
		return func(f machine.Frame) {
			text := get(f)
			p := (*string)(address(f))
			*p = machine.Append(f, at, *p, text)
		}
	}
	return func(f machine.Frame) {
		text := ""
		if first != nil {
			text = first(f)
		}
		var room [8]string
		list := room[:0]
		for _, part := range parts {
			list = append(list, part(f))
		}
		p := (*string)(address(f))
		if first == nil {
			text = *p
		}
		*p = machine.AppendAll(f, at, text, list)
	}
}

// logic compiles && and ||.
func (c *compiler) logic(e *ir.Logic) operation.Value {
	x, y, t := c.expr(e.X), c.expr(e.Y), c.typeOf(e.Type())
	if e.Op == token.LAND {
		return operation.Value{Type: t, F: operation.And(x, y)}
	}
	return operation.Value{Type: t, F: operation.Or(x, y)}
}

// condition compiles a boolean expression.
func (c *compiler) condition(e ir.Expr) func(machine.Frame) bool {
	return c.expr(e).F.(func(machine.Frame) bool)
}

// seq compiles statements that are followed by an expression.
//
// The statements run as steps. They contain no jumps: the builder makes them for the operands of
// one expression.
func (c *compiler) seq(e *ir.Seq) operation.Value {
	steps := make([]func(machine.Frame), len(e.Stmts))
	for i, s := range e.Stmts {
		steps[i] = c.stmt(s).AsStep()
	}
	run := operation.Sequence(steps)
	x := c.expr(e.X)
	if run == nil {
		return x
	}
	// The result is never FormLocal: its user would read the variable without running the
	// statements.
	out := operation.Value{Type: x.Type}
	if x.Type.Class == machine.ClassMemory {
		addr := x.Addr
		out.Addr = func(f machine.Frame) unsafe.Pointer {
			run(f)
			return addr(f)
		}
		return out
	}
	out.F = operation.Classes[x.Type.Class].Seq(run, x)
	return out
}
