package link

import (
	"reflect"

	"gosphere/runtime/realtype"
	"gosphere/runtime/source"
)

// embed gives a variable with a go:embed directive its value.
func (s *Session) embed(p *libraryPackage, e source.Embed) {
	g := p.variables[e.Var]
	if g == nil || g.Address == nil {
		return // nothing uses it
	}
	v := s.machine.Variable(g)
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
