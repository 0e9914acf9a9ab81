package link

import (
	"reflect"

	"gosphere/internal/runtime/realtype"
	"gosphere/internal/runtime/source"
)

// embed initializes a variable that has a go:embed directive, and has the type string, []byte or
// embed.FS. A linker writes the contents into the program; here the variable gets its memory from
// the machine, if code uses it at all.
//
// The contents are copied to the variable when the package is initialized, because a []byte may be
// changed by the program.
func (l *packages) embed(p *libraryPackage, e source.Embed) {
	g := p.variables[e.Var]
	if g == nil || g.Address == nil {
		return // the variable is not used
	}
	v := l.bodies.machine.Variable(g)
	// The type checker has verified that a string or []byte variable has exactly one file.
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
