package source

import (
	"fmt"
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"runtime"
)

// Limits of the compiler on platforms with 64-bit words.
const (
	widest        = 1 << 50       // bytes of a value
	widestElement = 1 << 16       // bytes of an element of a channel
	widestEntry   = 1 << 31       // bytes of a key or an element of a map
	widestSymbol  = 2_000_000_000 // bytes of a package variable
	widestFrame   = 1 << 30       // bytes of parameters and results
)

// unknownWidth stands for types that contain type parameters, and for types that are too large.
const unknownWidth = -1

// A sizer finds types that are too large. It looks at the types of all declarations and
// expressions, except in generic functions and types: the compiler compiles only their instances.
type sizer struct {
	p      *Package
	sizes  types.Sizes
	widths map[types.Type]int64
	seen   map[types.Type]bool
	said   map[string]bool // texts, each of which is reported once
	list   []error
	within token.Pos // of the name of the function, or of the declared name
	at     token.Pos // of the statement, or of the declared name
}

// sizeErrors returns an error for each type, variable and function that is too large.
func (p *Package) sizeErrors() []error {
	s := &sizer{p: p, sizes: types.SizesFor("gc", runtime.GOARCH), widths: map[types.Type]int64{}, seen: map[types.Type]bool{}, said: map[string]bool{}}
	for _, f := range p.Files {
		for _, d := range f.Decls {
			s.declaration(d)
		}
	}
	return s.list
}

// report adds an error.
func (s *sizer) report(pos token.Pos, format string, arguments ...any) {
	text := fmt.Sprintf(format, arguments...)
	if !s.said[text] {
		s.said[text] = true
		s.list = append(s.list, s.p.errorAt(pos, text))
	}
}

// declaration checks a declaration outside of functions.
func (s *sizer) declaration(d ast.Decl) {
	if group, ok := d.(*ast.GenDecl); ok {
		for _, spec := range group.Specs {
			s.spec(spec, true)
		}
		return
	}
	function := d.(*ast.FuncDecl)
	object, _ := s.p.Info.Defs[function.Name].(*types.Func)
	if object == nil || object.Signature().TypeParams().Len() > 0 || object.Signature().RecvTypeParams().Len() > 0 {
		return
	}
	s.within, s.at = namePos(function), namePos(function)
	s.check(object.Signature())
	s.frame(object.Signature())
	if function.Body != nil {
		s.walk(function.Body)
	}
}

// spec checks the specification of variables, constants or a type. A type of a function that is not
// used is not compiled.
func (s *sizer) spec(spec ast.Spec, global bool) {
	within := s.within
	defer func() { s.within = within }()
	switch spec := spec.(type) {
	case *ast.TypeSpec:
		object := s.p.Info.Defs[spec.Name]
		if object == nil || spec.TypeParams != nil || !global && !s.used(object) {
			return
		}
		s.at = spec.Name.Pos()
		if global {
			s.within = s.at
		}
		s.check(object.Type())
	case *ast.ValueSpec:
		s.at = spec.Names[0].Pos()
		if global {
			s.within = s.at
		}
		for _, name := range spec.Names {
			v, ok := s.p.Info.Defs[name].(*types.Var)
			if !ok {
				continue
			}
			s.check(v.Type())
			if size := s.width(v.Type()); global && name.Name != "_" && size > widestSymbol {
				s.report(name.Pos(), "%s.%s: symbol too large (%d bytes > %d bytes)", v.Pkg().Name(), name.Name, size, widestSymbol)
			}
		}
		for _, value := range spec.Values {
			s.walk(value)
		}
	}
}

// used reports whether anything refers to an object.
func (s *sizer) used(object types.Object) bool {
	for _, o := range s.p.Info.Uses {
		if o == object {
			return true
		}
	}
	return false
}

// walk checks the types of all expressions in a node.
func (s *sizer) walk(node ast.Node) {
	ast.Inspect(node, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.BlockStmt, nil:
			return true
		case *ast.DeclStmt:
			for _, spec := range n.Decl.(*ast.GenDecl).Specs {
				s.spec(spec, false)
			}
			return false
		case ast.Stmt:
			s.at = n.Pos()
		case *ast.FuncLit:
			if signature, ok := s.p.Info.TypeOf(n).(*types.Signature); ok {
				s.frame(signature)
			}
		case *ast.CompositeLit:
			s.literal(n)
		}
		if e, ok := n.(ast.Expr); ok {
			if t := s.p.Info.TypeOf(e); t != nil {
				s.check(t)
			}
		}
		return true
	})
}

// literal checks the array that a literal of a slice fills.
func (s *sizer) literal(n *ast.CompositeLit) {
	t := s.p.Info.TypeOf(n)
	if t == nil {
		return
	}
	slice, ok := t.Underlying().(*types.Slice)
	if !ok {
		return
	}
	length, index := int64(0), int64(0)
	for _, element := range n.Elts {
		if pair, ok := element.(*ast.KeyValueExpr); ok {
			if value := s.p.Info.Types[pair.Key].Value; value != nil {
				index, _ = constant.Int64Val(constant.ToInt(value))
			}
		}
		index++
		length = max(length, index)
	}
	s.check(types.NewArray(slice.Elem(), length))
}

// frame checks the parameters and results of a function that is declared.
func (s *sizer) frame(signature *types.Signature) {
	total := int64(0)
	add := func(v *types.Var) {
		if w := s.width(v.Type()); w > 0 {
			total += w
		}
	}
	if signature.Recv() != nil {
		add(signature.Recv())
	}
	for v := range signature.Params().Variables() {
		add(v)
	}
	for v := range signature.Results().Variables() {
		add(v)
	}
	if total > widestFrame {
		s.report(s.within, "stack frame too large (>1GB): 0 MB locals + %d MB args", total>>20)
	}
}

// check reports types that are too large among a type and those that it contains or refers to.
func (s *sizer) check(t types.Type) {
	if s.seen[t] {
		return
	}
	s.seen[t] = true
	switch t := t.(type) {
	case *types.Alias:
		s.check(types.Unalias(t))
	case *types.Named:
		if t.TypeParams().Len() == t.TypeArgs().Len() { // not a generic type itself
			s.check(t.Underlying())
		}
	case *types.Array:
		s.check(t.Elem())
		s.width(t)
	case *types.Struct:
		for f := range t.Fields() {
			s.check(f.Type())
		}
		s.width(t)
	case *types.Slice:
		s.check(t.Elem())
	case *types.Pointer:
		s.check(t.Elem())
	case *types.Chan:
		s.check(t.Elem())
		if s.width(t.Elem()) >= widestElement {
			s.report(s.within, "channel element type too large (>64kB)")
		}
	case *types.Map:
		s.check(t.Key())
		s.check(t.Elem())
		if s.width(t.Elem()) >= widestEntry {
			s.report(s.within, "map element type too large")
		}
		if s.width(t.Key()) >= widestEntry {
			s.report(s.within, "map key type too large")
		}
	case *types.Signature:
		if t.TypeParams().Len() == 0 {
			s.tuple(t.Params())
			s.tuple(t.Results())
		}
	case *types.Tuple:
		s.tuple(t)
	case *types.Interface:
		for m := range t.Methods() {
			s.check(m.Type())
		}
	}
}

// tuple checks the types of variables.
func (s *sizer) tuple(t *types.Tuple) {
	for v := range t.Variables() {
		s.check(v.Type())
	}
}

// width returns the size of a type, or unknownWidth. It reports arrays and structs that are too
// large.
func (s *sizer) width(t types.Type) int64 {
	if w, ok := s.widths[t]; ok {
		return w
	}
	w := s.computed(t)
	s.widths[t] = w
	return w
}

// computed implements width. The sizes of go/types overflow for types that are too large, so arrays
// and structs are computed here.
func (s *sizer) computed(t types.Type) int64 {
	switch u := t.Underlying().(type) {
	case *types.Array:
		elem := s.width(u.Elem())
		switch {
		case elem == unknownWidth || u.Len() < 0:
			return unknownWidth
		case elem > 0 && u.Len() > (widest-1)/elem:
			s.report(s.at, "type %s larger than address space", types.TypeString(u, types.RelativeTo(s.p.Types)))
			return unknownWidth
		}
		return elem * u.Len()
	case *types.Struct:
		offset, largest := int64(0), int64(1)
		for f := range u.Fields() {
			w := s.width(f.Type())
			if w == unknownWidth {
				return unknownWidth
			}
			align := s.sizes.Alignof(f.Type())
			offset = (offset+align-1)/align*align + w
			largest = max(largest, align)
			if offset >= widest {
				s.report(s.at, "type %s too large", types.TypeString(t, types.RelativeTo(s.p.Types)))
				return unknownWidth
			}
		}
		return (offset + largest - 1) / largest * largest
	case *types.TypeParam:
		return unknownWidth
	}
	if _, ok := types.Unalias(t).(*types.TypeParam); ok {
		return unknownWidth
	}
	return s.sizes.Sizeof(t)
}
