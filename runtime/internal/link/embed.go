package link

import (
	"go/types"
	"reflect"

	"gosphere/runtime/check"
	"gosphere/runtime/goembed"
	"gosphere/runtime/internal/realtype"
)

// embed initializes a variable that has a go:embed directive. A linker writes the contents into the
// program; here the variable gets its memory from the machine, if code uses it at all.
func (l *packages) embed(p *libraryPackage, e goembed.Variable) {
	g := p.variables[e.Var]
	if g == nil || g.Address == nil {
		return // the variable is not used
	}
	fill(l.bodies.machine.Variable(g), e)
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
