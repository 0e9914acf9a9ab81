package exec

import (
	"go/token"
	"unsafe"

	"gosphere/runtime/ir"
)

// expr compiles an expression with one value.
func (c *compiler) expr(e ir.Expr) value {
	switch e := e.(type) {
	case *ir.Const:
		t := c.typeOf(e.Type())
		return constantOf(t, constantValue(e.Value, t.class))
	case *ir.Zero:
		return zero(c.typeOf(e.Type()))
	case *ir.LocalExpr:
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

// operation compiles the expressions that compute.
func (c *compiler) operation(e ir.Expr) value {
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
	return value{}
}

// read makes a value of a variable.
func (c *compiler) read(a access) value {
	if a.typ.class == classMemory {
		return value{typ: a.typ, addr: a.address()}
	}
	v := value{typ: a.typ, f: classes[a.typ.class].load(a)}
	if a.mode == modeFrame {
		v.form, v.slot = formLocal, a.offset
	}
	return v
}

// field reads a field of a variable or of another value.
func (c *compiler) field(e *ir.Field) value {
	return c.read(c.place(e))
}

// element reads an element of an array, a slice or a string.
func (c *compiler) element(e *ir.Elem) value {
	x := c.typeOf(e.X.Type())
	t := c.typeOf(e.Type())
	switch {
	case x.class == classString:
		return c.stringElem(e, t)
	case x.class == classSlice && t.class != classMemory:
		return value{typ: t, f: classes[t.class].loadElem(c.expr(e.X), c.index(e.I), c.site(e.Pos()))}
	}
	return c.read(c.place(e))
}

func (c *compiler) stringElem(e *ir.Elem, t *typ) value {
	x, index, s := c.expr(e.X), c.index(e.I), c.site(e.Pos())
	from, get := x.f.(func(frame) string), index.f.(func(frame) int)
	if x.form == formLocal {
		slot := x.slot
		return value{typ: t, f: func(f frame) uint8 {
			i := get(f)
			v := *at[string](f, slot)
			if uint(i) >= uint(len(v)) {
				panicIndex(f, s, i, len(v))
			}
			return v[i]
		}}
	}
	return value{typ: t, f: func(f frame) uint8 {
		v := from(f)
		i := get(f)
		if uint(i) >= uint(len(v)) {
			panicIndex(f, s, i, len(v))
		}
		return v[i]
	}}
}

// addrOf compiles a pointer to a variable, or to a new one.
func (c *compiler) addrOf(e *ir.AddrOf) value {
	t := c.typeOf(e.Type())
	if x, ok := e.X.(*ir.Composite); ok {
		return c.newComposite(x, t)
	}
	a := c.place(e.X)
	if a.mode == modeFrame {
		unsupported(e.Pos(), "internal: the address of a variable without a heap cell")
	}
	return value{typ: t, f: a.address()}
}

func (c *compiler) unary(e *ir.Unary) value {
	x := c.expr(e.X)
	out := value{typ: c.typeOf(e.Type())}
	switch e.Op {
	case token.SUB:
		out.f = numberOps(x.typ.class).negate(x)
	case token.XOR:
		out.f = complementOf(x)
	case token.NOT:
		get := x.f.(func(frame) bool)
		out.f = func(f frame) bool { return !get(f) }
	default:
		return x
	}
	return out
}

func complementOf(x value) any {
	switch x.typ.class {
	case classInt:
		return complement[int](x)
	case classInt8:
		return complement[int8](x)
	case classInt16:
		return complement[int16](x)
	case classInt32:
		return complement[int32](x)
	case classInt64:
		return complement[int64](x)
	case classUint:
		return complement[uint](x)
	case classUint8:
		return complement[uint8](x)
	case classUint16:
		return complement[uint16](x)
	case classUint32:
		return complement[uint32](x)
	case classUint64:
		return complement[uint64](x)
	}
	return complement[uintptr](x)
}

func (c *compiler) binary(e *ir.Binary) value {
	out := value{typ: c.typeOf(e.Type())}
	if out.typ.class == classString {
		return c.concat(e, out.typ)
	}
	x, y, s := c.expr(e.X), c.expr(e.Y), c.site(e.Pos())
	if e.Op == token.SHL || e.Op == token.SHR {
		out.f = numberOps(x.typ.class).shift(e.Op, x, y, s)
		return out
	}
	out.f = numberOps(x.typ.class).arithmetic(e.Op, x, y, s)
	return out
}

// concat compiles x + y + ... of strings as one operation.
func (c *compiler) concat(e *ir.Binary, t *typ) value {
	var parts []func(frame) string
	var collect func(e ir.Expr)
	collect = func(e ir.Expr) {
		if b, ok := e.(*ir.Binary); ok && b.Op == token.ADD {
			collect(b.X)
			collect(b.Y)
			return
		}
		parts = append(parts, c.expr(e).f.(func(frame) string))
	}
	collect(e)
	switch len(parts) {
	case 2:
		x, y := parts[0], parts[1]
		return value{typ: t, f: func(f frame) string { a := x(f); return a + y(f) }}
	case 3:
		x, y, z := parts[0], parts[1], parts[2]
		return value{typ: t, f: func(f frame) string { a := x(f); b := y(f); return a + b + z(f) }}
	}
	return value{typ: t, f: func(f frame) string {
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

// logic compiles && and ||.
func (c *compiler) logic(e *ir.Logic) value {
	x, y := c.expr(e.X).f.(func(frame) bool), c.expr(e.Y).f.(func(frame) bool)
	out := value{typ: c.typeOf(e.Type())}
	if e.Op == token.LAND {
		out.f = func(f frame) bool { return x(f) && y(f) }
	} else {
		out.f = func(f frame) bool { return x(f) || y(f) }
	}
	return out
}

// condition compiles a boolean expression.
func (c *compiler) condition(e ir.Expr) func(frame) bool { return c.expr(e).f.(func(frame) bool) }

func (c *compiler) seq(e *ir.Seq) value {
	steps := make([]func(frame), len(e.Stmts))
	for i, s := range e.Stmts {
		steps[i] = c.stmt(s).asStep()
	}
	run := sequence(steps)
	x := c.expr(e.X)
	if run == nil {
		return x
	}
	out := value{typ: x.typ}
	if x.typ.class == classMemory {
		addr := x.addr
		out.addr = func(f frame) unsafe.Pointer {
			run(f)
			return addr(f)
		}
		return out
	}
	out.f = classes[x.typ.class].seq(run, x)
	return out
}
