package exec

import (
	"reflect"
	"strconv"
	"unsafe"

	"gosphere/runtime/internal/ir"
	"gosphere/runtime/internal/machine"
	"gosphere/runtime/internal/machine/operation"
)

// An environment is the layout of the captured variables of a function literal.
type environment struct {
	slots []machine.Slot
	size  uintptr
	rtype machine.RType
}

// environment returns the layout for the captures of a function literal: a pointer for each
// variable with a heap cell, and copies of the others. A struct type gives the collector the
// pointer map.
func (m *Machine) environment(fn *ir.Func) *environment {
	e := &environment{}
	if len(fn.Captures) == 0 {
		return e
	}
	var fields []reflect.StructField
	for i, l := range fn.Captures {
		t := m.typeOf(l.Type).Type
		if l.Boxed {
			t = reflect.TypeFor[unsafe.Pointer]()
		}
		fields = append(fields, reflect.StructField{Name: "F" + strconv.Itoa(i), Type: t})
	}
	t := reflect.StructOf(fields)
	e.size, e.rtype = t.Size(), machine.RTypeOf(t)
	for i := range fields {
		e.slots = append(e.slots, machine.Slot{Offset: t.Field(i).Offset, Type: m.Describe(fields[i].Type)})
	}
	return e
}

// function compiles expressions whose values are functions.
func (c *compiler) function(e ir.Expr) operation.Value {
	t := c.typeOf(e.Type())
	switch e := e.(type) {
	case *ir.FuncExpr:
		return operation.Value{Type: t, F: c.declared(e.Ref, t)}
	case *ir.ExternExpr:
		v := c.extern(e)
		p := v.UnsafePointer()
		if v.Kind() == reflect.Func {
			p = *(*unsafe.Pointer)(reflect.NewAt(v.Type(), machine.NewFuncCell(v)).UnsafePointer())
		}
		return operation.ConstantOf(t, p)
	case *ir.FuncLit:
		return operation.Value{Type: t, F: c.literal(e, t, c.plain)}
	}
	return c.bind(e.(*ir.Bind), t)
}

// declared compiles a declared function as a value. Like a call, the value follows the reference:
// it runs the latest body of a method, and of a function that is compiled again because something
// that it uses has changed. A function whose name a cell declares anew has another reference, so
// older values keep it.
//
// All expressions that name a function share the func value, as in compiled Go: functions are
// comparable only with nil, but reflection shows whether two values are the same. The cache is
// atomic, since several goroutines may evaluate expressions.
func (c *compiler) declared(ref *ir.FuncRef, t *machine.Type) func(machine.Frame) unsafe.Pointer {
	fn, m, sig, ft := machine.FuncOf(ref), c.m, c.m.signatureOf(ref.Sig), t.Type
	return func(machine.Frame) unsafe.Pointer {
		last := fn.Value.Load()
		if last != nil && last.Type == ft {
			return last.Func
		}
		made := &machine.DeclaredValue{Type: ft, Func: (&machine.Closure{M: &m.Machine, Fn: fn, Sig: sig}).GoFunc(ft)}
		if !fn.Value.CompareAndSwap(last, made) {
			if now := fn.Value.Load(); now.Type == ft {
				return now.Func
			}
		}
		return made.Func
	}
}

// literal compiles a function literal.
//
// The body is compiled once, with the enclosing function; only the environment differs from one
// evaluation to the next. The Closure has no Fn, because a literal cannot be redeclared: a function
// value of an earlier cell keeps its body.
//
// plain is that of [Machine.compilePlain].
func (c *compiler) literal(e *ir.FuncLit, t *machine.Type, plain bool) func(machine.Frame) unsafe.Pointer {
	sig, m := c.m.signatureOf(e.Func.Sig), c.m
	code, fill := c.literalCode(e, plain)
	// The shape is looked up once, not for each evaluation.
	shape := machine.ShapeOf(t.Type)
	return func(f machine.Frame) unsafe.Pointer {
		cl := &machine.Closure{M: &m.Machine, Code: code, Sig: sig}
		if fill != nil {
			cl.Env = fill(f)
		}
		return shape.GoFunc(cl)
	}
}

// literalCode compiles the body of a function literal, and a function that makes the block of its
// captured variables. The function is nil if there are none.
func (c *compiler) literalCode(e *ir.FuncLit, plain bool) (*machine.Code, func(machine.Frame) unsafe.Pointer) {
	env := c.m.environment(e.Func)
	code := c.literals[e.Func]
	if code == nil {
		code = c.m.compilePlain(e.Func, plain)
		if c.literals == nil {
			c.literals = map[*ir.Func]*machine.Code{}
		}
		c.literals[e.Func] = code
	}
	var fills []func(f machine.Frame, to unsafe.Pointer)
	// A captured variable without a heap cell is not assigned to after its declaration, so a copy
	// serves as well.
	for i, l := range e.Func.Captures {
		offset := env.slots[i].Offset
		if l.Boxed {
			a := c.local(l.Outer, c.typeOf(l.Type))
			// A pointer into the frame would be dangling after the call.
			if a.Mode == operation.ModeFrame {
				unsupported(e.Pos(), "internal: a captured variable without a heap cell")
			}
			cell := a.Address()
			fills = append(fills, func(f machine.Frame, to unsafe.Pointer) {
				*machine.At[unsafe.Pointer](to, offset) = cell(f)
			})
			continue
		}
		put := operation.Put(c.readLocal(l.Outer, c.typeOf(l.Type)))
		fills = append(fills, func(f machine.Frame, to unsafe.Pointer) { put(f, unsafe.Add(to, offset)) })
	}
	if len(fills) == 0 {
		return code, nil
	}
	return code, func(f machine.Frame) unsafe.Pointer {
		p := machine.Malloc(env.size, env.rtype, true)
		for _, fill := range fills {
			fill(f, p)
		}
		return p
	}
}
