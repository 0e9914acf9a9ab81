package link

import (
	"fmt"
	"go/types"
	"slices"
	"strings"
)

// A typeText formats types in the form of gc. The functions cover the differences between the names
// of instances and the texts that reflection shows.
type typeText struct {
	name   func(*types.Named) string
	method func(*types.Func) string
	field  func(*types.Var) string // text that precedes the type of a field
}

// typeNames formats types as gc does in the names of instances.
type typeNames struct {
	numbers map[*types.TypeName]int // of types that functions declare
}

// displayed formats a type as gc does in the name of an instance, which %T shows, such as
// main.G[interface {}].
//
// For instance, the texts of Pair[[]T, map[string]Box[int]], Box[any] and Box[interface{ M(T) }],
// with all types declared in cells, are
//
//	main.Pair[[]main.T,map[string]main.Box[int]]
//	main.Box[interface {}]
//	main.Box[interface { M(main.T) }]
func (n *typeNames) displayed(t types.Type) string {
	method := func(f *types.Func) string { return memberName(f) }
	return typeText{n.displayedName, method, n.displayedField}.spell(t)
}

// spell returns the text of a type.
func (w typeText) spell(t types.Type) string {
	switch t := types.Unalias(t).(type) {
	case *types.Named:
		return w.name(t)
	case *types.Basic:
		return displayedBasic(t)
	case *types.Pointer:
		return "*" + w.spell(t.Elem())
	case *types.Slice:
		return "[]" + w.spell(t.Elem())
	case *types.Array:
		return fmt.Sprintf("[%d]%s", t.Len(), w.spell(t.Elem()))
	case *types.Map:
		return "map[" + w.spell(t.Key()) + "]" + w.spell(t.Elem())
	case *types.Chan:
		switch t.Dir() {
		case types.SendOnly:
			return "chan<- " + w.spell(t.Elem())
		case types.RecvOnly:
			return "<-chan " + w.spell(t.Elem())
		}
		return "chan " + parenthesised(w.spell(t.Elem()))
	case *types.Signature:
		return "func" + w.signature(t)
	case *types.Struct:
		return w.structure(t)
	case *types.Interface:
		var methods []string
		for i := range t.NumMethods() {
			m := t.Method(i)
			methods = append(methods, w.method(m)+w.signature(m.Signature()))
		}
		return "interface " + braces(methods)
	}
	return types.TypeString(t, symbolPath)
}

// symbolPath returns the path of a package in names of gc. A program has the path main there,
// whatever its import path is.
func symbolPath(p *types.Package) string {
	if p.Name() == "main" {
		return "main"
	}
	return p.Path()
}

// displayedName returns the text of a named type, with its type arguments.
func (n *typeNames) displayedName(t *types.Named) string {
	text := t.Obj().Name()
	if p := t.Obj().Pkg(); p != nil {
		text = symbolPath(p) + "." + text
	}
	var arguments []string
	for i := range t.TypeArgs().Len() {
		arguments = append(arguments, n.displayed(t.TypeArgs().At(i)))
	}
	if len(arguments) > 0 {
		text += "[" + strings.Join(arguments, ",") + "]"
	}
	if number := n.numbers[t.Obj()]; number > 0 {
		text += fmt.Sprintf("·%d", number) // distinguishes types of one name in several functions
	}
	return text
}

// number numbers the types that functions of a cell or package declare, in the order of the text.
// Types of one name in different functions have the same text otherwise; gc numbers them as well.
func (n *typeNames) number(info *types.Info) {
	var names []*types.TypeName
	for _, o := range info.Defs {
		t, ok := o.(*types.TypeName)
		if !ok || t.IsAlias() || t.Pkg() == nil || t.Parent() == nil || t.Parent() == t.Pkg().Scope() || n.numbers[t] > 0 {
			continue
		}
		if _, parameter := t.Type().(*types.TypeParam); !parameter {
			names = append(names, t)
		}
	}
	slices.SortFunc(names, func(a, b *types.TypeName) int { return int(a.Pos()) - int(b.Pos()) })
	for i, t := range names {
		n.numbers[t] = i + 1
	}
}

// displayedBasic formats a basic type. byte and rune have the names of the types that they alias.
func displayedBasic(t *types.Basic) string {
	if t.Kind() == types.UnsafePointer {
		return "unsafe.Pointer"
	}
	return types.Typ[t.Kind()].Name()
}

// signature returns the text of the parameters and results of a function type. Names of parameters
// are omitted, as in these texts of function types with two, one and no results:
//
//	(string, ...int) (bool, error)
//	(string) error
//	(string)
//
// The text is compared with names that gc has written into symbol tables, so spaces and parentheses
// have to be exactly those of gc.
func (w typeText) signature(t *types.Signature) string {
	var parameters, results []string
	for i := range t.Params().Len() {
		p := t.Params().At(i).Type()
		if t.Variadic() && i == t.Params().Len()-1 {
			parameters = append(parameters, "..."+w.spell(variadicElement(p)))
			continue
		}
		parameters = append(parameters, w.spell(p))
	}
	for i := range t.Results().Len() {
		results = append(results, w.spell(t.Results().At(i).Type()))
	}
	text := "(" + strings.Join(parameters, ", ") + ")"
	switch len(results) {
	case 0:
	case 1:
		text += " " + results[0]
	default:
		text += " (" + strings.Join(results, ", ") + ")"
	}
	return text
}

// structure returns the text of a struct type, with tags as gc quotes them.
//
// A tag belongs to the identity of a struct type, and thus to its text.
func (w typeText) structure(t *types.Struct) string {
	var fields []string
	for i := range t.NumFields() {
		text := w.field(t.Field(i)) + w.spell(t.Field(i).Type())
		if tag := t.Tag(i); tag != "" {
			text += fmt.Sprintf(" %q", tag)
		}
		fields = append(fields, text)
	}
	return "struct " + braces(fields)
}

// displayedField returns what precedes the type of a field in the name of an instance: nothing for
// an embedded field, whose name follows from its type. For instance, with type A = int and an
// embedded type T, a struct has the text
//
//	struct { X int; main.T; A = int }
func (n *typeNames) displayedField(f *types.Var) string {
	switch {
	case !f.Embedded():
		return memberName(f) + " "
	// An embedded alias has the name of the alias, which differs from the name of the type.
	case f.Name() != n.symbolName(f.Type()):
		return memberName(f) + " = "
	}
	return ""
}

// symbolName returns the name that gc gives to an embedded field of the type. Instances include
// their arguments, and an alias has the name of its type.
func (n *typeNames) symbolName(t types.Type) string {
	if p, ok := types.Unalias(t).(*types.Pointer); ok {
		t = p.Elem()
	}
	switch t := types.Unalias(t).(type) {
	case *types.Named:
		if t.TypeArgs().Len() > 0 {
			return n.displayedName(t)
		}
		return t.Obj().Name()
	case *types.Basic:
		return displayedBasic(t)
	}
	return ""
}

// memberName returns the name of a field or method, qualified by its package if it is not exported.
//
// Two packages may have unexported members of one name, which are different members.
func memberName(o types.Object) string {
	if o.Exported() || o.Pkg() == nil {
		return o.Name()
	}
	return symbolPath(o.Pkg()) + "." + o.Name()
}

// braces returns the members of a struct or interface as gc formats them.
func braces(members []string) string {
	if len(members) == 0 {
		return "{}"
	}
	return "{ " + strings.Join(members, "; ") + " }"
}

// parenthesised adds parentheses to a receive-only channel type. Without them, a channel of such
// channels would read as a send-only channel.
func parenthesised(element string) string {
	if strings.HasPrefix(element, "<-") {
		return "(" + element + ")"
	}
	return element
}

// variadicElement returns the element type of a variadic parameter.
func variadicElement(t types.Type) types.Type {
	if s, ok := t.Underlying().(*types.Slice); ok {
		return s.Elem()
	}
	return types.Typ[types.Byte]
}
