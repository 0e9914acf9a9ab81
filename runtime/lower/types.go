package lower

import (
	"fmt"
	"go/token"
	"go/types"
	"strings"
)

// spell writes a type as the interpreter sees it: layout types, without the names of
// cell types unless they are structs, which can be recursive.
func (u *unit) spell(t types.Type) string {
	switch t := types.Unalias(t).(type) {
	case *types.Named:
		return u.spellNamed(t)
	case *types.Basic:
		return u.spellBasic(t)
	case *types.Pointer:
		return "*" + u.spell(t.Elem())
	case *types.Slice:
		return "[]" + u.spell(t.Elem())
	case *types.Array:
		return fmt.Sprintf("[%d]%s", t.Len(), u.spell(t.Elem()))
	case *types.Map:
		return "map[" + u.spell(t.Key()) + "]" + u.spell(t.Elem())
	case *types.Chan:
		switch t.Dir() {
		case types.SendOnly:
			return "chan<- " + u.spell(t.Elem())
		case types.RecvOnly:
			return "<-chan " + u.spell(t.Elem())
		}
		return "chan " + parenthesised(u.spell(t.Elem()))
	case *types.Signature:
		return "func" + u.spellSignature(t)
	case *types.Interface:
		if t.Empty() {
			return "interface{}"
		}
		return u.interfaceName(u.s.unnamedInterface(u, t))
	case *types.Struct:
		return u.spellStruct(t)
	case *types.TypeParam:
		panic(fmt.Sprintf("type parameter %s has no argument here", t))
	}
	panic(fmt.Sprintf("no spelling for a %T", t))
}

// A channel of receive-only channels reads as a send-only channel without parentheses.
func parenthesised(element string) string {
	if strings.HasPrefix(element, "<-") {
		return "(" + element + ")"
	}
	return element
}

func (u *unit) spellBasic(t *types.Basic) string {
	if t.Info()&types.IsUntyped != 0 {
		d := types.Default(t)
		if d == types.Type(t) { // nil
			return "interface{}"
		}
		return u.spell(d)
	}
	if t.Kind() == types.UnsafePointer {
		return u.packageName("unsafe") + ".Pointer"
	}
	switch t.Name() { // aliases print as the user wrote them
	case "byte":
		return "uint8"
	case "rune":
		return "int32"
	}
	return t.Name()
}

func (u *unit) spellNamed(t *types.Named) string {
	if !u.s.ours(t) {
		o := t.Obj()
		if o.Pkg() == nil {
			return o.Name() // error
		}
		name := u.s.compiledName(t)
		if _, found := u.s.options.Compiled(o.Pkg().Path(), name); found {
			return u.packageName(o.Pkg().Path()) + "." + name
		}
		if n := u.s.unnamedType(t); n != nil {
			return n.spelled(u.s)
		}
		panic(missing(token.NoPos, o))
	}
	r := u.s.record(u, t)
	if u.s.recursive(r) {
		u.s.forge(u, r)
		return cells + "." + r.layoutName()
	}
	switch underlying := r.underlying().(type) {
	case *types.Interface:
		return u.interfaceName(r)
	case *types.Struct:
		u.declareStruct(r, underlying)
		return r.id
	default:
		return u.spell(underlying)
	}
}

func missing(pos token.Pos, o types.Object) *Refusal {
	return refuse(pos, "%s.%s is not in this kernel's symbol tables", o.Pkg().Path(), o.Name())
}

// interfaceName is the name of a compiled interface type made for cells.
func (u *unit) interfaceName(r *record) string {
	r.declareInterface(u)
	return cells + "." + r.layoutName()
}

// declareStruct adds the declaration of a struct type to the unit once.
func (u *unit) declareStruct(r *record, t *types.Struct) {
	if r.declared {
		return
	}
	r.declared = true
	u.s.undo = append(u.s.undo, func() { r.declared = false })
	text := u.spellStruct(t)
	if t.NumFields() == 0 {
		// The interpreter looks at the first field of any struct that an assertion
		// returns, so none may be empty. The size stays zero.
		text = "struct { pad [0]int }"
	}
	u.types = append(u.types, "type "+r.id+" "+text)
}

func (u *unit) spellStruct(t *types.Struct) string {
	var b strings.Builder
	b.WriteString("struct {")
	for i := 0; i < t.NumFields(); i++ {
		if i > 0 {
			b.WriteString(";")
		}
		fmt.Fprintf(&b, " %s %s", fieldName(t.Field(i).Name(), i), u.spell(t.Field(i).Type()))
	}
	b.WriteString(" }")
	return b.String()
}

func (u *unit) spellSignature(t *types.Signature) string {
	var parameters, results []string
	for i := 0; i < t.Params().Len(); i++ {
		parameters = append(parameters, u.spellParameter(t, i))
	}
	for i := 0; i < t.Results().Len(); i++ {
		results = append(results, u.spell(t.Results().At(i).Type()))
	}
	text := "(" + strings.Join(parameters, ", ") + ")"
	if len(results) > 0 {
		text += " (" + strings.Join(results, ", ") + ")"
	}
	return text
}

// spellParameter spells the type of parameter i, with the dots of the last one of a
// variadic signature.
func (u *unit) spellParameter(t *types.Signature, i int) string {
	if p := t.Params().At(i).Type(); t.Variadic() && i == t.Params().Len()-1 {
		return "..." + u.spell(variadicElement(p))
	}
	return u.spell(t.Params().At(i).Type())
}

// variadicElement is the element type of a variadic parameter; append takes a string there.
func variadicElement(t types.Type) types.Type {
	if s, ok := t.Underlying().(*types.Slice); ok {
		return s.Elem()
	}
	return types.Typ[types.Byte]
}

// packageName imports a compiled package into the engine under a name of its own, so that
// it does not matter how cells call it.
func (u *unit) packageName(path string) string {
	if name, ok := u.s.packages[path]; ok {
		return name
	}
	u.shares(path)
	name := u.s.global("p")
	found := u.s.engine.Import(path)
	if _, err := u.s.engine.Eval(fmt.Sprintf("import %s %q", name, path)); err != nil || !found {
		panic(refuse(token.NoPos, "package %s is not in this kernel's symbol tables", path))
	}
	u.s.packages[path] = name // stays when the cell fails: the import is done
	return name
}

// isInterface tells whether values of t are interface values.
func isInterface(t types.Type) bool {
	if t == nil {
		return false
	}
	if _, parameter := types.Unalias(t).(*types.TypeParam); parameter {
		return false
	}
	_, ok := t.Underlying().(*types.Interface)
	return ok
}

func isEmptyInterface(t types.Type) bool {
	i, ok := t.Underlying().(*types.Interface)
	return ok && i.Empty()
}

func isUntypedNil(t types.Type) bool {
	b, ok := t.(*types.Basic)
	return ok && b.Kind() == types.UntypedNil
}

// ours tells whether a type is lowered from source: declared in a cell or in the
// library's generic sources.
func (s *Session) ours(t *types.Named) bool {
	o := t.Obj()
	if o.Pkg() == nil {
		return false
	}
	if o.Pkg().Path() == "main" {
		return true
	}
	if t.TypeArgs().Len() > 0 {
		return s.compiledName(t) == "" && (s.libraryPackage(o.Pkg().Path()) != nil || s.unnamedType(t) == nil)
	}
	return s.library[o.Pkg().Path()] != nil && s.library[o.Pkg().Path()].types == o.Pkg()
}

// compiledName returns the name that a type has in its compiled package. An instance of a generic type has one only where
// the package names it by an alias, as device.Device; "" for others.
func (s *Session) compiledName(t *types.Named) string {
	o := t.Obj()
	if t.TypeArgs().Len() == 0 {
		return o.Name()
	}
	path := o.Pkg().Path()
	if path == "main" || s.libraryPackage(path) != nil {
		return ""
	}
	scope := o.Pkg().Scope()
	for _, name := range scope.Names() {
		alias, ok := scope.Lookup(name).(*types.TypeName)
		if !ok || !alias.IsAlias() || !types.Identical(alias.Type(), t) {
			continue
		}
		if _, found := s.options.Compiled(path, name); found {
			return name
		}
	}
	return ""
}

// boxed tells whether a value of t changes its type when it becomes an interface value:
// its real type differs from the layout type.
func (s *Session) boxed(t types.Type) bool { return s.mentions(t, map[types.Type]bool{}) }

func (s *Session) mentions(t types.Type, seen map[types.Type]bool) bool {
	t = types.Unalias(t)
	if seen[t] {
		return false
	}
	seen[t] = true
	switch t := t.(type) {
	case *types.Named:
		return s.ours(t) && !isInterface(t)
	case *types.Pointer:
		return s.mentions(t.Elem(), seen)
	case *types.Slice:
		return s.mentions(t.Elem(), seen)
	case *types.Array:
		return s.mentions(t.Elem(), seen)
	case *types.Chan:
		return s.mentions(t.Elem(), seen)
	case *types.Map:
		return s.mentions(t.Key(), seen) || s.mentions(t.Elem(), seen)
	case *types.Tuple:
		for i := 0; i < t.Len(); i++ {
			if s.mentions(t.At(i).Type(), seen) {
				return true
			}
		}
	case *types.Signature:
		return s.mentions(t.Params(), seen) || s.mentions(t.Results(), seen)
	case *types.Struct:
		for i := 0; i < t.NumFields(); i++ {
			f := t.Field(i)
			if !f.Exported() || f.Embedded() || t.Tag(i) != "" || s.mentions(f.Type(), seen) {
				return true
			}
		}
	}
	return false
}
