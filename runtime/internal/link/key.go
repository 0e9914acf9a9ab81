package link

import (
	"fmt"
	"go/types"
	"strings"
)

// key returns a text that is equal for identical types and different for others. It identifies cell
// types by their records, because names can be redeclared. types.Identical cannot decide about
// types of two checks: a declaration that is checked again has a new object, and still is the same
// type.
//
// For instance, the key of map[string]P for a type P of a cell is "map[string]P#7", where P#7 is
// the id of the record.
func (s *Session) key(t types.Type) string {
	var b strings.Builder
	(&keyWriter{s, &b}).write(t)
	return b.String()
}

// A keyWriter writes the keys of types. The texts are unambiguous: each composite type has its own
// prefix, and lists are delimited.
//
// A key decides identity because each check makes new objects: types.Identical distinguishes two
// named types that come from different checks of one declaration.
type keyWriter struct {
	u *Session
	b *strings.Builder
}

// write appends the key of a type.
func (k *keyWriter) write(t types.Type) {
	b := k.b
	switch t := types.Unalias(t).(type) {
	case *types.Named:
		t = k.u.own(t)
		switch o := t.Obj(); {
		case k.u.ours(t):
			b.WriteString(k.u.record(t).id)
		case o.Pkg() == nil:
			b.WriteString(o.Name())
		default:
			b.WriteString(types.TypeString(t, nil))
		}
	case *types.Basic:
		// byte and uint8 are identical, and have one kind.
		b.WriteString(types.Typ[t.Kind()].Name())
	case *types.Pointer:
		b.WriteByte('*')
		k.write(t.Elem())
	case *types.Slice:
		b.WriteString("[]")
		k.write(t.Elem())
	case *types.Array:
		fmt.Fprintf(b, "[%d]", t.Len())
		k.write(t.Elem())
	case *types.Map:
		b.WriteString("map[")
		k.write(t.Key())
		b.WriteByte(']')
		k.write(t.Elem())
	case *types.Chan:
		// The parentheses separate chan (<-chan T) from chan<- (chan T).
		fmt.Fprintf(b, "chan%d(", t.Dir())
		k.write(t.Elem())
		b.WriteByte(')')
	case *types.Signature:
		b.WriteString("func")
		k.signature(t)
	case *types.Struct:
		b.WriteString("struct{")
		for i := 0; i < t.NumFields(); i++ {
			f := t.Field(i)
			// Id contains the package of an unexported name.
			fmt.Fprintf(b, "%s %t ", f.Id(), f.Embedded())
			k.write(f.Type())
			fmt.Fprintf(b, " %q;", t.Tag(i))
		}
		b.WriteByte('}')
	case *types.Interface:
		// go/types lists the methods sorted, with those of embedded interfaces, so their order in
		// the source does not matter.
		b.WriteString("interface{")
		for i := 0; i < t.NumMethods(); i++ {
			b.WriteString(t.Method(i).Id())
			k.signature(t.Method(i).Type().(*types.Signature))
			b.WriteByte(';')
		}
		b.WriteByte('}')
	case *types.Tuple:
		for i := 0; i < t.Len(); i++ {
			k.write(t.At(i).Type())
			b.WriteByte(',')
		}
	default:
		panic(fmt.Sprintf("no key for a %T", t))
	}
}

// signature appends the key of parameters and results. Names of parameters are not part of a type,
// but being variadic is: func(...int) and func([]int) are different types. For instance, the key of
// func(xs ...int) error is "func([]int,true)(error,)".
func (k *keyWriter) signature(t *types.Signature) {
	k.b.WriteByte('(')
	k.write(t.Params())
	fmt.Fprintf(k.b, "%t)(", t.Variadic())
	k.write(t.Results())
	k.b.WriteByte(')')
}
