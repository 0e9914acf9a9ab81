package ir

// operands returns the operands that an expression evaluates before its own operation, in order. It
// does not include the expressions in the statements of a [Seq] or the captures of a [FuncLit]. A
// nil operand, such as an omitted bound, is not in the list. The verifier uses it where the kind of
// expression does not matter.
//
// It is the only place that knows the order of the fields, so a pass that needs the order cannot
// disagree with another one. The executor is not such a pass: it has a closure for each kind of
// expression.
func operands(x Expr) []Expr {
	switch x := x.(type) {
	case *Deref:
		return present(x.X)
	case *Field:
		return present(x.X)
	case *Elem:
		return present(x.X, x.I)
	case *MapElem:
		return present(x.X, x.Key)
	case *AddrOf:
		return present(x.X)
	case *SliceExpr:
		return present(x.X, x.Lo, x.Hi, x.Max)
	case *Unary:
		return present(x.X)
	case *Binary:
		return present(x.X, x.Y)
	case *Compare:
		return present(x.X, x.Y)
	case *Logic:
		return present(x.X, x.Y)
	case *Convert:
		return present(x.X)
	case *MakeInterface:
		return present(x.X)
	case *ChangeInterface:
		return present(x.X)
	case *Assert:
		return present(x.X)
	case *IsType:
		return present(x.X)
	case *Recv:
		return present(x.X)
	case *Seq:
		return present(x.X) // callers visit the statements
	}
	return operandsOfCall(x)
}

// operandsOfCall returns the operands of composite literals and calls.
func operandsOfCall(x Expr) (list []Expr) {
	switch x := x.(type) {
	case *Composite:
		for _, e := range x.Elems {
			list = append(list, present(e.Key, e.Value)...)
		}
	case *Call:
		if x.Method != nil {
			list = append(list, x.Method.Recv)
		}
		list = append(list, present(x.Value)...)
		list = append(list, x.Args...)
	case *Bind:
		if x.Method != nil {
			return present(x.Method.Recv)
		}
		return present(x.Recv)
	case *Builtin:
		return x.Args
	}
	return list
}

// present returns the elements of list that are not nil. It reuses the array of list. Callers pass
// fresh lists, so that no other slice changes.
//
// An interface that holds a nil pointer would pass the test. Nodes therefore must not store typed
// nil pointers in fields of type Expr.
func present(list ...Expr) []Expr {
	out := list[:0]
	for _, x := range list {
		if x != nil {
			out = append(out, x)
		}
	}
	return out
}
