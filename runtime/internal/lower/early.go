package lower

import (
	"go/ast"
	"go/types"

	"gosphere/runtime/internal/ir"
)

// This file has the operands that are no calls, but that gc computes together with the calls of a
// statement, in the order of the text: bounds of slice expressions, entries of map literals, and
// values whose address gc passes to the runtime.

// hoistBound hoists the calls in a bound of a slice expression, and then the bound itself. gc
// computes each bound in order with the calls, unless it is a variable, a constant, or the length
// or capacity of a variable. For instance, in s[i-1:i:f()] the lower bound is computed before the
// call of f, and the variable i is read after it.
func hoistBound(b *builder, e ast.Expr) {
	if e == nil {
		return
	}
	b.hoist(e)
	if e = ast.Unparen(e); b.info.Types[e].Value != nil || b.hoisted[e] != nil {
		return
	}
	operand := e
	if call, ok := e.(*ast.CallExpr); ok {
		if name := b.builtinName(call.Fun); name == "len" || name == "cap" {
			operand = ast.Unparen(call.Args[0])
		}
	}
	if _, variable := operand.(*ast.Ident); !variable {
		b.early(e)
	}
}

// fieldName returns the key of an element of a composite literal if it is an identifier, as field
// names are. It returns nil for other keys.
func fieldName(key ast.Expr) *ast.Ident {
	id, _ := key.(*ast.Ident)
	return id
}

// elementType returns the type of the element at an index of a composite literal. For a literal of
// type t without field names or keys, that is the type of field i of a struct, or of the elements
// of an array or slice.
func elementType(t types.Type, i int) types.Type {
	switch t := ir.Under(t).(type) {
	case *types.Struct:
		if i < t.NumFields() {
			return t.Field(i).Type()
		}
	case *types.Array:
		return t.Elem()
	case *types.Slice:
		return t.Elem()
	}
	return nil
}

// hoistEntries hoists the calls, keys and values of a map literal. gc inserts the entries one after
// another ahead of the statement, so it reads the key and the value of an entry before it makes the
// calls in the next one.
func hoistEntries(b *builder, e *ast.CompositeLit, m *types.Map) {
	for _, element := range e.Elts {
		kv := element.(*ast.KeyValueExpr)
		hoistTo(b, kv.Key, m.Key())
		hoistTo(b, kv.Value, m.Elem())
		for _, x := range []ast.Expr{kv.Key, kv.Value} {
			if _, literal := ast.Unparen(x).(*ast.CompositeLit); !literal && b.hoisted[x] == nil && b.scan(x).pending {
				b.early(x)
			}
		}
	}
}

// hoistTo hoists the calls in an expression that is converted to type t. For a conversion to an
// interface, gc passes the address of the value to the runtime unless it is a number of two, four
// or eight bytes, a string or a slice. A value that is no variable has no address, so gc first
// copies it to memory, ahead of the calls that follow.
//
// For instance, print(x == y, f()) with a parameter of type ...any compares before it calls f, and
// print(x + y, f()) with integers adds afterward.
func hoistTo(b *builder, e ast.Expr, t types.Type) {
	b.hoist(e)
	if t == nil || !ir.IsInterface(t) {
		return
	}
	if from := b.info.TypeOf(e); from != nil && isBoxedInMemory(b.substitute(from)) {
		copyEarly(b, e)
	}
}

// copyEarly evaluates an operand ahead of the statement, unless it is a constant or a variable.
func copyEarly(b *builder, e ast.Expr) {
	e = ast.Unparen(e)
	if tv := b.info.Types[e]; tv.Value != nil || tv.IsNil() || tv.Addressable() || b.hoisted[e] != nil {
		return
	}
	if lit, ok := e.(*ast.CompositeLit); ok && lit.Type == nil {
		return // a part of another literal
	}
	b.early(e)
}

// isBoxedInMemory reports whether gc passes the address of a t to the function of the runtime that
// makes an interface value of it, or looks the value up in a table, as it does for single bytes.
//
// The runtime's convT16, convT32, convT64, convTstring and convTslice take the value itself, so gc
// computes an operand of these kinds where the call is made, after the calls that follow. Values of
// two, four and eight bytes are such operands if they are aligned like an integer of this size and,
// of four and eight bytes, have no pointers.
func isBoxedInMemory(t types.Type) bool {
	switch u := ir.Under(t).(type) {
	case *types.Interface, *types.Tuple:
		return false
	case *types.Pointer, *types.Map, *types.Chan, *types.Signature:
		return true
	case *types.Basic:
		if u.Info()&types.IsUntyped != 0 {
			return u.Kind() == types.UntypedBool
		}
	}
	if isTextOrSlice(t) {
		return false
	}
	size, align := ir.Sizes.Sizeof(t), ir.Sizes.Alignof(t)
	return size != align || size != 2 && (size != 4 && size != 8 || hasPointers(t))
}

// isTextOrSlice reports whether a type is a string or a slice, or a struct or array of one.
func isTextOrSlice(t types.Type) bool {
	switch u := ir.Under(t).(type) {
	case *types.Slice:
		return true
	case *types.Basic:
		return u.Info()&types.IsString != 0
	case *types.Struct:
		return u.NumFields() == 1 && isTextOrSlice(u.Field(0).Type())
	case *types.Array:
		return u.Len() == 1 && isTextOrSlice(u.Elem())
	}
	return false
}

// hasPointers reports whether values of a type contain pointers.
func hasPointers(t types.Type) bool {
	switch u := ir.Under(t).(type) {
	case *types.Basic:
		return u.Kind() == types.UnsafePointer || u.Info()&types.IsString != 0
	case *types.Struct:
		for i := range u.NumFields() {
			if hasPointers(u.Field(i).Type()) {
				return true
			}
		}
		return false
	case *types.Array:
		return u.Len() > 0 && hasPointers(u.Elem())
	}
	return true
}

// isCopied reports whether values of a type are compared in memory.
func isCopied(t types.Type) bool {
	switch ir.Under(t).(type) {
	case *types.Struct, *types.Array:
		return true
	}
	return false
}

// argumentTypes returns the types that the arguments of a call are converted to. There are none for
// predeclared functions other than append, whose arguments keep their types.
func argumentTypes(b *builder, e *ast.CallExpr) (list []types.Type) {
	switch b.builtinName(e.Fun) {
	case "":
	case "append":
		if s, ok := ir.Under(b.typeOf(e)).(*types.Slice); ok && !e.Ellipsis.IsValid() {
			for range e.Args {
				list = append(list, s.Elem())
			}
		}
		return list
	default:
		return nil
	}
	sig, ok := ir.Under(b.typeOf(e.Fun)).(*types.Signature)
	if !ok {
		return nil
	}
	for i := range e.Args {
		switch n := sig.Params().Len(); {
		case sig.Variadic() && i >= n-1 && !e.Ellipsis.IsValid():
			list = append(list, variadicElem(sig))
		case i < n:
			list = append(list, sig.Params().At(i).Type())
		}
	}
	return list
}
