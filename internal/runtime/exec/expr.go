package exec

import (
	"go/token"
	"unsafe"

	"gosphere/internal/runtime/ir"
	"gosphere/internal/runtime/machine"
)

// expr compiles an expression with one value.
func (c *compiler) expr(e ir.Expr) machine.Value {
	switch e := e.(type) {
	case *ir.Const:
		t := c.typeOf(e.Type())
		return machine.ConstantOf(t, machine.ConstantValue(e.Value, t.Class))
	case *ir.Zero:
		t := c.typeOf(e.Type())
		c.reserve(e.Pos(), t.Size)
		return machine.Zero(t)
	case *ir.LocalExpr:
		// A parameter of an inlined call is replaced by its constant argument.
		if k, ok := c.constants[e.Local]; ok {
			return k
		}
		return c.read(c.local(e.Local, c.typeOf(e.Type())))
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
func (c *compiler) operation(e ir.Expr) machine.Value {
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
	return machine.Value{}
}

// read returns the value of a variable. A variable in the frame is marked as such, so that users of
// the value can read it without a call.
func (c *compiler) read(a machine.Access) machine.Value {
	if a.Type.Class == machine.ClassMemory {
		return machine.Value{Type: a.Type, Addr: a.Address()}
	}
	v := machine.Value{Type: a.Type, F: machine.Classes[a.Type.Class].Load(a)}
	if a.Mode == machine.ModeFrame {
		v.Form, v.Slot = machine.FormLocal, a.Offset
	}
	return v
}

// field compiles the reading of a field of a variable or of another value.
func (c *compiler) field(e *ir.Field) machine.Value {
	return c.read(c.place(e))
}

// element compiles the reading of an element of an array, a slice or a string.
func (c *compiler) element(e *ir.Elem) machine.Value {
	x := c.typeOf(e.X.Type())
	t := c.typeOf(e.Type())
	if x.Class == machine.ClassString || x.Class == machine.ClassSlice && t.Class != machine.ClassMemory {
		v := machine.Classes[t.Class].LoadElem(c.expr(e.X), c.index(e.I), c.site(e.Pos()))
		v.Type = t
		return v
	}
	return c.read(c.place(e))
}

// addrOf compiles a pointer to a variable, or to a new variable that a composite literal
// initializes.
func (c *compiler) addrOf(e *ir.AddrOf) machine.Value {
	t := c.typeOf(e.Type())
	if x, ok := e.X.(*ir.Composite); ok {
		return c.newComposite(x, t)
	}
	a := c.place(e.X)
	if a.Mode == machine.ModeFrame {
		unsupported(e.Pos(), "internal: the address of a variable without a heap cell")
	}
	return machine.Value{Type: t, F: a.Address()}
}

// unary compiles -x, +x, ^x and !x.
func (c *compiler) unary(e *ir.Unary) machine.Value {
	x := c.expr(e.X)
	out := machine.Value{Type: c.typeOf(e.Type())}
	switch e.Op {
	case token.SUB:
		out.F = machine.NumberOps(x.Type.Class).Negate(x)
	case token.XOR:
		out.F = complementOf(x)
	case token.NOT:
		get := x.F.(func(machine.Frame) bool)
		out.F = func(f machine.Frame) bool { return !get(f) }
	default: // +x
		return x
	}
	return out
}

// complementOf selects the instance of machine.Complement for the class of the operand.
func complementOf(x machine.Value) any {
	switch x.Type.Class {
	case machine.ClassInt:
		return machine.Complement[int](x)
	case machine.ClassInt8:
		return machine.Complement[int8](x)
	case machine.ClassInt16:
		return machine.Complement[int16](x)
	case machine.ClassInt32:
		return machine.Complement[int32](x)
	case machine.ClassInt64:
		return machine.Complement[int64](x)
	case machine.ClassUint:
		return machine.Complement[uint](x)
	case machine.ClassUint8:
		return machine.Complement[uint8](x)
	case machine.ClassUint16:
		return machine.Complement[uint16](x)
	case machine.ClassUint32:
		return machine.Complement[uint32](x)
	case machine.ClassUint64:
		return machine.Complement[uint64](x)
	}
	return machine.Complement[uintptr](x)
}

// binary compiles a binary operation.
func (c *compiler) binary(e *ir.Binary) machine.Value {
	out := machine.Value{Type: c.typeOf(e.Type())}
	if out.Type.Class == machine.ClassString {
		return c.concat(e, out.Type)
	}
	x, y, s := c.expr(e.X), c.expr(e.Y), c.site(e.Pos())
	if e.Op == token.SHL || e.Op == token.SHR {
		out.F = machine.NumberOps(x.Type.Class).Shift(e.Op, x, y, s)
		return out
	}
	out.F = machine.NumberOps(x.Type.Class).Arithmetic(e.Op, x, y, s)
	out.Sum, out.Product, out.Near = machine.SumOf(e.Op, x, y), machine.ProductOf(e.Op, x, y), machine.NearOf(e.Op, x, y)
	return out
}

// concat compiles a chain x + y + ... of strings as one operation, which allocates only the final
// result. Parentheses in the chain do not matter, because they change neither the result nor the
// order of evaluation.
func (c *compiler) concat(e *ir.Binary, t *machine.Type) machine.Value {
	var parts []func(machine.Frame) string
	var collect func(e ir.Expr)
	collect = func(e ir.Expr) {
		if b, ok := e.(*ir.Binary); ok && b.Op == token.ADD {
			collect(b.X)
			collect(b.Y)
			return
		}
		parts = append(parts, c.expr(e).F.(func(machine.Frame) string))
	}
	collect(e)
	switch len(parts) {
	case 2:
		x, y := parts[0], parts[1]
		// Go's own concatenation returns an operand unchanged if the other one is empty.
		return machine.Value{Type: t, F: func(f machine.Frame) string { a := x(f); return a + y(f) }}
	case 3:
		x, y, z := parts[0], parts[1], parts[2]
		return machine.Value{Type: t, F: func(f machine.Frame) string { a := x(f); b := y(f); return a + b + z(f) }}
	}
	return machine.Value{Type: t, F: func(f machine.Frame) string {
		// The list of up to eight parts is on the stack.
		var room [8]string
		list := room[:0]
		n := 0
		for _, part := range parts {
			text := part(f)
			n += len(text)
			list = append(list, text)
		}
		joined := make([]byte, 0, n)
		for _, text := range list {
			joined = append(joined, text...)
		}
		return unsafe.String(unsafe.SliceData(joined), len(joined))
	}}
}

// logic compiles && and ||. Go's own operators evaluate the second operand only if it is needed.
func (c *compiler) logic(e *ir.Logic) machine.Value {
	x, y := c.expr(e.X).F.(func(machine.Frame) bool), c.expr(e.Y).F.(func(machine.Frame) bool)
	out := machine.Value{Type: c.typeOf(e.Type())}
	if e.Op == token.LAND {
		out.F = func(f machine.Frame) bool { return x(f) && y(f) }
	} else {
		out.F = func(f machine.Frame) bool { return x(f) || y(f) }
	}
	return out
}

// condition compiles a boolean expression.
func (c *compiler) condition(e ir.Expr) func(machine.Frame) bool {
	return c.expr(e).F.(func(machine.Frame) bool)
}

// seq compiles statements that are followed by an expression.
func (c *compiler) seq(e *ir.Seq) machine.Value {
	steps := make([]func(machine.Frame), len(e.Stmts))
	for i, s := range e.Stmts {
		steps[i] = c.stmt(s).AsStep()
	}
	run := machine.Sequence(steps)
	x := c.expr(e.X)
	if run == nil {
		return x
	}
	// The result is never FormLocal: its user would read the variable without running the
	// statements.
	out := machine.Value{Type: x.Type}
	if x.Type.Class == machine.ClassMemory {
		addr := x.Addr
		out.Addr = func(f machine.Frame) unsafe.Pointer {
			run(f)
			return addr(f)
		}
		return out
	}
	out.F = machine.Classes[x.Type.Class].Seq(run, x)
	return out
}
