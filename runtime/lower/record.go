package lower

import (
	"fmt"
	"go/token"
	"go/types"
	"strings"

	"gosphere/runtime/realtype"
)

// A record is what the session knows of one named type that it lowers, of one instance
// of a generic type, or of one unnamed interface type with methods.
type record struct {
	id      string // unique engine name
	display string // name of the real type: P, Pair[string,int]
	path    string // package path of the real type
	origin  *record
	generic *types.Named // the instance; nil for others

	typ types.Type // as last checked: *types.Named or *types.Interface

	declared  bool           // the engine has, or gets with this unit, the declaration
	forged    *realtype.Type // layout type made by realtype for recursive types
	recursion int            // whether the type reaches itself
	real      *realtype.Type
	complete  bool
	methods   string // engine names of the functions behind the method table
}

func (r *record) layoutName() string { return "T" + localMark + r.id }

func (r *record) underlying() types.Type { return r.typ.Underlying() }

// record finds or makes the record of a named type that is lowered.
func (s *Session) record(u *unit, t *types.Named) *record {
	if t.TypeArgs().Len() > 0 {
		return s.instanceRecord(u, t)
	}
	o := t.Obj()
	var key any = o
	if symbol := s.symbol(o, u.checked); symbol != nil {
		key = symbol
	}
	if r := s.records[key]; r != nil {
		return r
	}
	return s.addRecord(key, &record{display: o.Name(), path: o.Pkg().Path(), typ: t})
}

func (s *Session) addRecord(key any, r *record) *record {
	base, _, _ := strings.Cut(r.display, "[")
	r.id = s.global(base)
	set(s, s.records, key, r)
	return r
}

// instanceRecord is the record of an instance of a generic type. Instances of the
// standard library's generic types use the library's own sources.
func (s *Session) instanceRecord(u *unit, t *types.Named) *record {
	if path := t.Obj().Pkg().Path(); path != "main" && s.libraryPackage(path) == nil {
		panic(refuse(token.NoPos, "%s is an instance of a generic type of compiled code, which cells have no name for; use its methods and fields where it stands, or wrap it in a package without type parameters (ADDING-PACKAGES.md)", s.displayed(t)))
	}
	t = s.libraryType(t)
	var arguments []types.Type
	for i := 0; i < t.TypeArgs().Len(); i++ {
		arguments = append(arguments, t.TypeArgs().At(i))
	}
	o := t.Obj()
	var origin any = t.Origin().Obj()
	if symbol := s.symbol(t.Origin().Obj(), u.checked); symbol != nil {
		origin = symbol
	}
	parent := s.records[origin]
	if parent == nil {
		parent = s.addRecord(origin, &record{display: o.Name(), path: o.Pkg().Path(), typ: t.Origin()})
	}
	key := parent.id + "[" + s.keys(u, arguments) + "]"
	if r := s.records[key]; r != nil {
		return r
	}
	return s.addRecord(key, &record{
		display: o.Name() + "[" + s.argumentTexts(arguments) + "]", path: o.Pkg().Path(),
		typ: t, origin: parent, generic: t,
	})
}

// unnamedInterface is the record of an unnamed interface type with methods; identical
// types share one.
func (s *Session) unnamedInterface(u *unit, t *types.Interface) *record {
	key := s.key(u, t)
	if r := s.records[key]; r != nil {
		return r
	}
	return s.addRecord(key, &record{display: "interface", path: "main", typ: t})
}

// keys joins the keys of several types.
func (s *Session) keys(u *unit, list []types.Type) string {
	var b strings.Builder
	for i, t := range list {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(s.key(u, t))
	}
	return b.String()
}

// key is a spelling that is equal for identical types and different for others. It names
// cell types by their records, because a name can be declared again.
func (s *Session) key(u *unit, t types.Type) string {
	var b strings.Builder
	(&keyWriter{s, u, &b}).write(t)
	return b.String()
}

type keyWriter struct {
	s *Session
	u *unit
	b *strings.Builder
}

func (k *keyWriter) write(t types.Type) {
	b := k.b
	switch t := types.Unalias(t).(type) {
	case *types.Named:
		switch o := t.Obj(); {
		case k.s.ours(t):
			b.WriteString(k.s.record(k.u, t).id)
		case o.Pkg() == nil:
			b.WriteString(o.Name())
		default:
			b.WriteString(o.Pkg().Path() + "." + o.Name())
		}
	case *types.Basic:
		b.WriteString(k.u.spellBasic(t))
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
			fmt.Fprintf(b, "%s %t ", f.Name(), f.Embedded())
			k.write(f.Type())
			fmt.Fprintf(b, " %q;", t.Tag(i))
		}
		b.WriteByte('}')
	case *types.Interface:
		b.WriteString("interface{")
		for i := 0; i < t.NumMethods(); i++ {
			b.WriteString(t.Method(i).Name())
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

func (k *keyWriter) signature(t *types.Signature) {
	k.b.WriteByte('(')
	k.write(t.Params())
	fmt.Fprintf(k.b, "%t)(", t.Variadic())
	k.write(t.Results())
	k.b.WriteByte(')')
}

// recursive tells whether a type reaches itself.
func (s *Session) recursive(r *record) bool {
	named, ok := r.typ.(*types.Named)
	if !ok || isInterface(named) {
		return false
	}
	if r.recursion == unknownRecursion {
		r.recursion = noRecursion
		if s.reaches(named.Underlying(), named, map[types.Type]bool{}) {
			r.recursion = isRecursive
		}
	}
	return r.recursion == isRecursive
}

// Answers that a record remembers.
const (
	unknownRecursion = iota
	noRecursion
	isRecursive
)

// reaches tells whether a type mentions the goal, by way of other types of cells too.
func (s *Session) reaches(t types.Type, goal *types.Named, seen map[types.Type]bool) bool {
	t = types.Unalias(t)
	if seen[t] {
		return false
	}
	seen[t] = true
	in := func(t types.Type) bool { return s.reaches(t, goal, seen) }
	switch t := t.(type) {
	case *types.Named:
		if types.Identical(t, goal) {
			return true
		}
		return s.ours(t) && !isInterface(t) && in(t.Underlying())
	case *types.Pointer:
		return in(t.Elem())
	case *types.Slice:
		return in(t.Elem())
	case *types.Array:
		return in(t.Elem())
	case *types.Chan:
		return in(t.Elem())
	case *types.Map:
		return in(t.Key()) || in(t.Elem())
	case *types.Signature:
		return in(t.Params()) || in(t.Results())
	case *types.Tuple:
		for i := 0; i < t.Len(); i++ {
			if in(t.At(i).Type()) {
				return true
			}
		}
	case *types.Struct:
		for i := 0; i < t.NumFields(); i++ {
			if in(t.Field(i).Type()) {
				return true
			}
		}
	}
	return false
}
