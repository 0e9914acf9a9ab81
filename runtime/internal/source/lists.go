package source

import (
	"fmt"
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"math"
	"path"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// A List is a package-level variable that is initialized with a long list of literals, as in
//
//	var widths = [...]uint16{0x0000, 0x0003, 97: 0x0010, …}
//
// Tables of Unicode, of locales and of compressed data are such lists, of up to some 100,000
// elements. Checking each element as an expression and compiling it to a store takes most of the
// time to start the modules that contain them. A list is therefore evaluated here and taken out of
// the file before the file is checked. The checker sees a variable with the type of the list and
// without a value.
//
// Only lists whose elements are literals that the type can represent are taken out. The checker
// sees all others, and reports what is wrong with them.
type List struct {
	Var *types.Var

	name  *ast.Ident
	value reflect.Value // a slice of the elements
}

// Store stores the list in its variable, which is an array or a slice. A program may change the
// elements, so each call makes new ones.
func (l *List) Store(variable reflect.Value) {
	if variable.Kind() == reflect.Slice {
		variable.Set(reflect.MakeSlice(variable.Type(), l.value.Len(), l.value.Len()))
	}
	if l.value.Len() == 0 {
		return
	}
	// The elements have the same layout, but structs have other field names.
	reflect.Copy(reflect.SliceAt(l.value.Type().Elem(), variable.Index(0).Addr().UnsafePointer(), l.value.Len()), l.value)
}

// leastElements is the number of elements from which a list is taken out of its file. Tests change
// it.
var leastElements = 32

const (
	mostLength  = 1 << 24 // bounds the indices in a list that is taken
	mostElement = 1 << 10 // bounds the size of an element, in bytes
)

// elementTypes are the predeclared types of the elements of lists.
var elementTypes = map[string]reflect.Type{
	"bool": reflect.TypeFor[bool](), "string": reflect.TypeFor[string](),
	"int": reflect.TypeFor[int](), "int8": reflect.TypeFor[int8](), "int16": reflect.TypeFor[int16](), "int32": reflect.TypeFor[int32](),
	"int64": reflect.TypeFor[int64](), "rune": reflect.TypeFor[rune](),
	"uint": reflect.TypeFor[uint](), "uint8": reflect.TypeFor[uint8](), "uint16": reflect.TypeFor[uint16](), "uint32": reflect.TypeFor[uint32](),
	"uint64": reflect.TypeFor[uint64](), "byte": reflect.TypeFor[byte](), "uintptr": reflect.TypeFor[uintptr](),
	"float32": reflect.TypeFor[float32](), "float64": reflect.TypeFor[float64](),
}

// takeLists takes the lists of literals out of files that have been parsed.
func takeLists(files []*ast.File) (lists []*List) {
	declared, ok := declaredNames(files)
	if !ok {
		return nil
	}
	for _, f := range files {
		for _, d := range f.Decls {
			group, ok := d.(*ast.GenDecl)
			if !ok || group.Tok != token.VAR {
				continue
			}
			for _, s := range group.Specs {
				spec := s.(*ast.ValueSpec)
				if list := listOf(spec, declared); list != nil {
					lists = append(lists, list)
					continue
				}
				for _, value := range spec.Values {
					lists = append(lists, takeInner(f, value, declared)...)
				}
			}
		}
	}
	return lists
}

// takeInner takes lists out of the elements of a composite literal that initializes a variable.
// Each becomes a variable of its own, with a name that no program can write. It must not be in a
// function literal, which may run several times.
func takeInner(f *ast.File, value ast.Expr, declared names) (lists []*List) {
	taken := func(e ast.Expr) ast.Expr {
		name := &ast.Ident{NamePos: e.Pos(), Name: fmt.Sprint(innerPrefix, e.Pos())}
		spec := &ast.ValueSpec{Names: []*ast.Ident{name}, Values: []ast.Expr{e}}
		list := listOf(spec, declared)
		if list == nil {
			return e
		}
		lists = append(lists, list)
		f.Decls = append(f.Decls, &ast.GenDecl{TokPos: e.Pos(), Tok: token.VAR, Specs: []ast.Spec{spec}})
		return &ast.Ident{NamePos: e.Pos(), Name: name.Name}
	}
	ast.Inspect(value, func(n ast.Node) bool {
		literal, ok := n.(*ast.CompositeLit)
		if !ok {
			return !is[*ast.FuncLit](n)
		}
		for i, e := range literal.Elts {
			if pair, ok := e.(*ast.KeyValueExpr); ok {
				pair.Value = taken(pair.Value)
			} else {
				literal.Elts[i] = taken(e)
			}
		}
		return true
	})
	return lists
}

// innerPrefix begins the names of the variables of takeInner.
const innerPrefix = "list·"

// dropInner removes the declarations of takeInner from a file that has been checked.
func dropInner(f *ast.File) {
	f.Decls = slices.DeleteFunc(f.Decls, func(d ast.Decl) bool {
		group, ok := d.(*ast.GenDecl)
		return ok && group.Tok == token.VAR && len(group.Specs) == 1 && strings.HasPrefix(group.Specs[0].(*ast.ValueSpec).Names[0].Name, innerPrefix)
	})
}

// is reports whether a node has the type T.
func is[T ast.Node](n ast.Node) bool {
	_, ok := n.(T)
	return ok
}

// names holds the names that the files of a package declare for the whole package or import, with
// the declarations of types.
type names map[string]*ast.TypeSpec

// declaredNames returns the names of a package. ok is false if an import may declare further ones.
func declaredNames(files []*ast.File) (declared names, ok bool) {
	declared = names{}
	for _, f := range files {
		for _, d := range f.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				if d.Recv == nil {
					declared[d.Name.Name] = nil
				}
			case *ast.GenDecl:
				for _, s := range d.Specs {
					if !declared.add(s) {
						return nil, false
					}
				}
			}
		}
	}
	return declared, true
}

// add adds the names of a declaration. It returns false for an import that may declare others.
func (n names) add(spec ast.Spec) bool {
	switch s := spec.(type) {
	case *ast.ImportSpec:
		if s.Name != nil {
			n[s.Name.Name] = nil
			return s.Name.Name != "."
		}
		if imported, err := strconv.Unquote(s.Path.Value); err == nil {
			n[path.Base(imported)] = nil
		}
	case *ast.TypeSpec:
		n[s.Name.Name] = s
	case *ast.ValueSpec:
		for _, name := range s.Names {
			n[name.Name] = nil
		}
	}
	return true
}

// typeOf returns a type with the memory layout of the type of an element, or nil for types whose
// elements are not literals. The fields of structs have other names, because package reflect can
// set only exported ones. depth bounds declarations that refer to themselves.
func (n names) typeOf(e ast.Expr, depth int) reflect.Type {
	if depth > 8 {
		return nil
	}
	switch e := e.(type) {
	case *ast.Ident:
		spec, declared := n[e.Name]
		if !declared && !n.shadowsBool() {
			return elementTypes[e.Name]
		}
		if spec != nil && spec.TypeParams == nil {
			return n.typeOf(spec.Type, depth+1)
		}
	case *ast.StructType:
		var fields []reflect.StructField
		for _, f := range e.Fields.List {
			t := n.typeOf(f.Type, depth+1)
			if t == nil || f.Names == nil {
				return nil
			}
			for _, name := range f.Names {
				// The name of the field is kept in the tag.
				fields = append(fields, reflect.StructField{Name: "F" + strconv.Itoa(len(fields)), Type: t, Tag: reflect.StructTag(name.Name)})
			}
		}
		return reflect.StructOf(fields)
	case *ast.ArrayType:
		length, ok := indexOf(e.Len)
		if t := n.typeOf(e.Elt, depth+1); ok && t != nil && length <= mostElement && length*int(t.Size()) <= mostElement {
			return reflect.ArrayOf(length, t)
		}
	}
	return nil
}

// shadowsBool reports whether the constants true and false may be others.
func (n names) shadowsBool() bool {
	_, yes := n["true"]
	_, no := n["false"]
	return yes || no
}

// listOf takes the list out of the declaration of a variable. It returns nil, and leaves the
// declaration as it is, if the value is no such list.
func listOf(spec *ast.ValueSpec, declared names) *List {
	if len(spec.Names) != 1 || len(spec.Values) != 1 || spec.Type != nil || spec.Names[0].Name == "_" {
		return nil
	}
	literal, ok := spec.Values[0].(*ast.CompositeLit)
	if !ok || len(literal.Elts) < leastElements {
		return nil
	}
	array, ok := literal.Type.(*ast.ArrayType)
	if !ok {
		return nil
	}
	element := declared.typeOf(array.Elt, 0)
	if element == nil || element.Size() == 0 || element.Size() > mostElement {
		return nil
	}
	length, ok := lengthOf(literal.Elts)
	if !ok {
		return nil
	}
	typ := &ast.ArrayType{Lbrack: array.Lbrack, Len: array.Len, Elt: array.Elt}
	switch written := array.Len.(type) {
	case nil:
	case *ast.Ellipsis:
		typ.Len = &ast.BasicLit{ValuePos: written.Pos(), Kind: token.INT, Value: strconv.Itoa(length)}
	default:
		n, ok := indexOf(written)
		if !ok || n < length {
			return nil
		}
		length = n
	}
	if length > 4*len(literal.Elts)+1024 {
		return nil // mostly zeros, which a slice of all elements would have to hold
	}
	value, ok := evaluate(element, length, literal.Elts)
	if !ok {
		return nil
	}
	spec.Type, spec.Values = typ, nil
	return &List{name: spec.Names[0], value: value}
}

// lengthOf returns the length of the shortest array that has all elements. ok is false if an index
// is not a literal, is repeated or is too large.
func lengthOf(elements []ast.Expr) (length int, ok bool) {
	var taken map[int]bool // nil until there is an index
	at := 0
	for i, e := range elements {
		if pair, keyed := e.(*ast.KeyValueExpr); keyed {
			index, ok := indexOf(pair.Key)
			if !ok {
				return 0, false
			}
			if at = index; taken == nil {
				taken = map[int]bool{}
				for before := range i {
					taken[before] = true
				}
			}
		}
		if taken != nil {
			if taken[at] {
				return 0, false
			}
			taken[at] = true
		}
		at++
		length = max(length, at)
	}
	return length, true
}

// indexOf returns the value of a literal that is an index or a length.
func indexOf(e ast.Expr) (n int, ok bool) {
	literal, ok := e.(*ast.BasicLit)
	if !ok || literal.Kind != token.INT {
		return 0, false
	}
	v, err := strconv.ParseInt(literal.Value, 0, 64)
	return int(v), err == nil && v <= mostLength
}

// evaluate returns a slice of the elements. ok is false if one of them is not a literal that the
// type can represent.
func evaluate(element reflect.Type, length int, elements []ast.Expr) (list reflect.Value, ok bool) {
	list = reflect.MakeSlice(reflect.SliceOf(element), length, length)
	at := 0
	for _, e := range elements {
		if pair, keyed := e.(*ast.KeyValueExpr); keyed {
			at, _ = indexOf(pair.Key)
			e = pair.Value
		}
		if !setLiteral(list.Index(at), e) {
			return reflect.Value{}, false
		}
		at++
	}
	return list, true
}

// setLiteral stores the value of a literal, perhaps with a minus sign or composed of others. It
// returns false if e is no literal or its value is not in the type.
func setLiteral(to reflect.Value, e ast.Expr) bool {
	if composite, ok := e.(*ast.CompositeLit); ok {
		// The type of an element may be left out. A type that is there may be another one.
		return composite.Type == nil && setComposite(to, composite.Elts)
	}
	if name, ok := e.(*ast.Ident); ok && to.Kind() == reflect.Bool && (name.Name == "true" || name.Name == "false") {
		to.SetBool(name.Name == "true")
		return true
	}
	negative := false
	if minus, ok := e.(*ast.UnaryExpr); ok && minus.Op == token.SUB {
		e, negative = minus.X, true
	}
	literal, ok := e.(*ast.BasicLit)
	if !ok || literal.Kind == token.IMAG {
		return false
	}
	switch {
	case to.Kind() == reflect.String:
		text, err := strconv.Unquote(literal.Value)
		to.SetString(text)
		return err == nil && literal.Kind == token.STRING && !negative
	case literal.Kind == token.STRING:
		return false
	case to.CanUint() && literal.Kind == token.INT && !negative:
		v, err := strconv.ParseUint(literal.Value, 0, 64)
		to.SetUint(v)
		return err == nil && !to.OverflowUint(v)
	}
	return setConstant(to, constant.MakeFromLiteral(literal.Value, literal.Kind, 0), negative)
}

// setComposite stores the elements of a literal in an array or a struct.
func setComposite(to reflect.Value, elements []ast.Expr) bool {
	if to.Kind() == reflect.Array {
		length, ok := lengthOf(elements)
		if !ok || length > to.Len() {
			return false
		}
		list, ok := evaluate(to.Type().Elem(), length, elements)
		if ok {
			reflect.Copy(to, list)
		}
		return ok
	}
	if to.Kind() != reflect.Struct {
		return false
	}
	set, pairs := map[int]bool{}, 0
	for i, e := range elements {
		if pair, keyed := e.(*ast.KeyValueExpr); keyed {
			name, ok := pair.Key.(*ast.Ident)
			if !ok {
				return false
			}
			if i, e = fieldOf(to.Type(), name.Name), pair.Value; i < 0 {
				return false
			}
			pairs++
		} else if len(elements) != to.NumField() {
			return false
		}
		if set[i] || !setLiteral(to.Field(i), e) {
			return false
		}
		set[i] = true
	}
	return pairs == 0 || pairs == len(elements)
}

// fieldOf returns the index of a field, or -1.
func fieldOf(t reflect.Type, name string) int {
	for i := range t.NumField() {
		if string(t.Field(i).Tag) == name && name != "_" {
			return i
		}
	}
	return -1
}

// setConstant is setLiteral for the constants that are not the common kind.
func setConstant(to reflect.Value, c constant.Value, negative bool) bool {
	if negative {
		c = constant.UnaryOp(token.SUB, c, 0)
	}
	switch {
	case to.CanInt():
		v, exact := constant.Int64Val(constant.ToInt(c))
		if !exact || to.OverflowInt(v) {
			return false
		}
		to.SetInt(v)
	case to.CanUint():
		v, exact := constant.Uint64Val(constant.ToInt(c))
		if !exact || to.OverflowUint(v) {
			return false
		}
		to.SetUint(v)
	case to.Kind() == reflect.Float32:
		v, _ := constant.Float32Val(constant.ToFloat(c))
		to.SetFloat(float64(v))
		return !math.IsInf(float64(v), 0)
	case to.Kind() == reflect.Float64:
		v, _ := constant.Float64Val(constant.ToFloat(c))
		to.SetFloat(v)
		return !math.IsInf(v, 0)
	default:
		return false
	}
	return true
}
