package machine

import "unsafe"

// Pair compiles a call whose results are an int and an interface value, as those of Write are, for
// the parameter lists that such functions have. It returns nil for other parameters.
//
// Two results are returned in registers, which the general form of a call would write to memory.
func (c *Caller) Pair(operands []any) func(Frame) (int, Iface) {
	switch len(operands) {
	case 1:
		switch get := operands[0].(type) {
		case func(Frame) string:
			return pair1(c, get)
		case func(Frame) Slice:
			return pair1(c, get)
		}
	case 2:
		switch get := operands[0].(type) {
		case func(Frame) unsafe.Pointer:
			return pairOf2(c, get, operands[1])
		case func(Frame) Iface:
			return pairOf2(c, get, operands[1])
		case func(Frame) string:
			return pairOf2(c, get, operands[1])
		}
	}
	return nil
}

// pairOf2 selects the instance of pair2 for the class of the second parameter, as for fmt.Fprintln,
// fmt.Printf and methods such as (*strings.Builder).WriteString.
func pairOf2[A any](c *Caller, x func(Frame) A, y any) func(Frame) (int, Iface) {
	switch get := y.(type) {
	case func(Frame) string:
		return pair2(c, x, get)
	case func(Frame) Slice:
		return pair2(c, x, get)
	case func(Frame) int32:
		return pair2(c, x, get)
	}
	return nil
}

// enterCells returns a frame for a call of a function of cells, the function's code and the index
// of the first parameter. It returns a nil frame if the func value, or the method of the interface
// value, is compiled.
func (c *Caller) enterCells(f Frame, fn, receiver unsafe.Pointer) (n Frame, code *Code, first int) {
	if c.HasReceiver {
		if t := c.Method(fn); t != nil {
			n, code = c.EnterMethod(f, t, receiver)
			return n, code, 1
		}
	} else if cl := c.cells(fn); cl != nil {
		n, code = cl.Enter(f, c.Site)
		return n, code, cl.ArgumentsAt()
	}
	return nil, nil, 0
}

// finishPair runs a function whose frame holds the arguments, and releases the frame.
func finishPair(n Frame, code *Code) (int, Iface) {
	code.Run(n)
	i, v := *At[int](n, code.Results[0].Offset), *At[Iface](n, code.Results[1].Offset)
	code.Leave(n)
	return i, v
}

// pair1 compiles a call with one parameter whose results are an int and an interface value.
//
//go:noinline
func pair1[A any](c *Caller, x func(Frame) A) func(Frame) (int, Iface) {
	return func(f Frame) (int, Iface) {
		fn, receiver := c.Callee(f)
		a := x(f)
		c.check(f, fn)
		if n, code, first := c.enterCells(f, fn, receiver); n != nil {
			*At[A](n, code.Params[first].Offset) = a
			return finishPair(n, code)
		}
		var i int
		var v Iface
		c.Out(f)
		if c.HasReceiver {
			i, v = as[func(unsafe.Pointer, A) (int, Iface)](&fn)(receiver, a)
		} else {
			i, v = as[func(A) (int, Iface)](&fn)(a)
		}
		c.In(f)
		return i, v
	}
}

// pair2 compiles a call with two parameters whose results are an int and an interface value.
//
//go:noinline
func pair2[A, B any](c *Caller, x func(Frame) A, y func(Frame) B) func(Frame) (int, Iface) {
	return func(f Frame) (int, Iface) {
		fn, receiver := c.Callee(f)
		a := x(f)
		b := y(f)
		c.check(f, fn)
		if n, code, first := c.enterCells(f, fn, receiver); n != nil {
			*At[A](n, code.Params[first].Offset), *At[B](n, code.Params[first+1].Offset) = a, b
			return finishPair(n, code)
		}
		var i int
		var v Iface
		c.Out(f)
		if c.HasReceiver {
			i, v = as[func(unsafe.Pointer, A, B) (int, Iface)](&fn)(receiver, a, b)
		} else {
			i, v = as[func(A, B) (int, Iface)](&fn)(a, b)
		}
		c.In(f)
		return i, v
	}
}
