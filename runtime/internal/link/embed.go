package link

import (
	"go/types"
	"reflect"
	"slices"

	"gosphere/runtime/check"
	"gosphere/runtime/goembed"
	"gosphere/runtime/internal/ir"
	"gosphere/runtime/internal/realtype"
)

// storeContents gives a variable of a package its memory, with its contents, if these are known
// before the package is initialized: embedded files and lists of literals. A linker writes them
// into the program. Variables that no code uses get no memory.
func (s *Session) storeContents(p *libraryPackage, v *types.Var, g *ir.Global) {
	list := p.source.List(v)
	i := slices.IndexFunc(p.source.Embeds, func(e goembed.Variable) bool { return e.Var == v })
	if list == nil && i < 0 {
		return
	}
	memory := reflect.New(s.typeOf(v.Type()))
	if list != nil {
		list.Store(memory.Elem())
	} else {
		fill(memory.Elem(), p.source.Embeds[i])
	}
	g.Address = memory.UnsafePointer()
}

// fill stores embedded files in a variable. The contents are copied, because a program may change a
// slice of bytes.
func fill(v reflect.Value, e goembed.Variable) {
	// A variable that is not an embed.FS has exactly one file.
	data := ""
	if names := e.Names(); len(names) == 1 {
		data = e.Files[names[0]]
	}
	switch v.Kind() {
	case reflect.String:
		v.SetString(data)
	case reflect.Slice:
		v.SetBytes([]byte(data))
	default:
		v.Set(reflect.ValueOf(realtype.EmbeddedFiles(e.Files)))
	}
}

// embeds returns the functions that initialize the variables of a cell with go:embed directives.
// They receive a pointer to the variable. The files are read when the cell is compiled.
//
// The variable is set where its declaration stands among the statements, so that it gets the file
// again when the cell runs again. In a program all declarations without a value come first, so the
// initializers of other variables find the file there.
func (s *Session) embeds(c *check.Checked) (map[*types.Var]func([]reflect.Value), error) {
	if s.options.Files == nil || c.Cell == nil { // c is a function value and no cell
		return nil, nil
	}
	list, err := goembed.OfCell(c.Cell, c.Info, s.options.Files())
	functions := map[*types.Var]func([]reflect.Value){}
	for _, e := range list {
		functions[e.Var] = func(values []reflect.Value) { fill(values[0].Elem(), e) }
	}
	return functions, err
}
