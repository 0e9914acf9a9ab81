package lower

import (
	"fmt"
	"go/types"
	"strings"
)

// displayed spells a type as the compiler does in the name of an instance, which %T shows:
// main.G[interface {}].
func displayed(t types.Type) string {
	switch t := types.Unalias(t).(type) {
	case *types.Named:
		return displayedName(t)
	case *types.Basic:
		return displayedBasic(t)
	case *types.Pointer:
		return "*" + displayed(t.Elem())
	case *types.Slice:
		return "[]" + displayed(t.Elem())
	case *types.Array:
		return fmt.Sprintf("[%d]%s", t.Len(), displayed(t.Elem()))
	case *types.Map:
		return "map[" + displayed(t.Key()) + "]" + displayed(t.Elem())
	case *types.Chan:
		switch t.Dir() {
		case types.SendOnly:
			return "chan<- " + displayed(t.Elem())
		case types.RecvOnly:
			return "<-chan " + displayed(t.Elem())
		}
		return "chan " + parenthesised(displayed(t.Elem()))
	case *types.Signature:
		return "func" + displayedSignature(t)
	case *types.Struct:
		return displayedStruct(t)
	case *types.Interface:
		var methods []string
		for i := range t.NumMethods() {
			m := t.Method(i)
			methods = append(methods, memberName(m)+displayedSignature(m.Signature()))
		}
		return "interface " + braces(methods)
	}
	return types.TypeString(t, func(p *types.Package) string { return p.Path() })
}

func displayedName(t *types.Named) string {
	text := t.Obj().Name()
	if p := t.Obj().Pkg(); p != nil {
		text = p.Path() + "." + text
	}
	var arguments []string
	for i := range t.TypeArgs().Len() {
		arguments = append(arguments, displayed(t.TypeArgs().At(i)))
	}
	if len(arguments) > 0 {
		text += "[" + strings.Join(arguments, ",") + "]"
	}
	return text
}

// displayedBasic resolves byte and rune, which are types of their own to the checker.
func displayedBasic(t *types.Basic) string {
	if t.Kind() == types.UnsafePointer {
		return "unsafe.Pointer"
	}
	return types.Typ[t.Kind()].Name()
}

func displayedSignature(t *types.Signature) string {
	var parameters, results []string
	for i := range t.Params().Len() {
		p := t.Params().At(i).Type()
		if t.Variadic() && i == t.Params().Len()-1 {
			parameters = append(parameters, "..."+displayed(variadicElement(p)))
			continue
		}
		parameters = append(parameters, displayed(p))
	}
	for i := range t.Results().Len() {
		results = append(results, displayed(t.Results().At(i).Type()))
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

func displayedStruct(t *types.Struct) string {
	var fields []string
	for i := range t.NumFields() {
		f := t.Field(i)
		text := displayed(f.Type())
		switch {
		case !f.Embedded():
			text = memberName(f) + " " + text
		case f.Name() != symbolName(f.Type()):
			text = memberName(f) + " = " + text
		}
		if tag := t.Tag(i); tag != "" {
			text += fmt.Sprintf(" %q", tag)
		}
		fields = append(fields, text)
	}
	return "struct " + braces(fields)
}

// symbolName is what the compiler calls an embedded type: instances have their arguments in
// it, and aliases the name of what they stand for.
func symbolName(t types.Type) string {
	if p, ok := types.Unalias(t).(*types.Pointer); ok {
		t = p.Elem()
	}
	switch t := types.Unalias(t).(type) {
	case *types.Named:
		if t.TypeArgs().Len() > 0 {
			return displayedName(t)
		}
		return t.Obj().Name()
	case *types.Basic:
		return displayedBasic(t)
	}
	return ""
}

// memberName is the name of a field or method, with its package if it is not exported.
func memberName(o types.Object) string {
	if o.Exported() || o.Pkg() == nil {
		return o.Name()
	}
	return o.Pkg().Path() + "." + o.Name()
}

func braces(members []string) string {
	if len(members) == 0 {
		return "{}"
	}
	return "{ " + strings.Join(members, "; ") + " }"
}
