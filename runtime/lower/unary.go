package lower

import (
	"go/ast"
	"go/types"
	"reflect"
)

// Functions of the standard library that do nothing but compute, as math.Sqrt, and have one
// parameter and one result, are operations.

// computation is the operation that takes the place of a call, "" for most calls.
func (e *emitter) computation(x *ast.CallExpr) operation {
	if len(x.Args) != 1 || x.Ellipsis.IsValid() || e.src.info.Types[x.Args[0]].Value != nil {
		return ""
	}
	f, ok := e.calledObject(x.Fun).(*types.Func)
	if !ok || f.Pkg() == nil || !computing[f.Pkg().Path()] || f.Signature().Recv() != nil || generic(f) || f.Signature().Params().Len() != 1 {
		return ""
	}
	if _, several := e.typeOf(x.Args[0]).(*types.Tuple); several {
		return ""
	}
	return e.u.s.unary(f.Pkg().Path(), f.Name())
}

// computed emits it.
func (e *emitter) computed(o operation, x *ast.CallExpr) string {
	f := e.calledObject(x.Fun).(*types.Func)
	return o.on(e.convert(x.Args[0], f.Signature().Params().At(0).Type()))
}

// unary is the operation that calls a compiled function, "" if there is none.
func (s *Session) unary(path, name string) operation {
	key := path + "." + name
	if o, known := s.unaries[key]; known {
		return o
	}
	s.unaries[key] = ""
	if s.options.Override(path, name) != "" {
		return ""
	}
	if f, found := s.options.Compiled(path, name); found && f.Kind() == reflect.Func {
		if result, run := runUnary(f.Interface()); run != nil {
			s.unaries[key] = s.operation("O", result, run)
		}
	}
	return s.unaries[key]
}

// runUnary makes an operation of a function of one of the common types.
func runUnary(f any) (result reflect.Type, run func(from, to reflect.Value)) {
	switch f := f.(type) {
	case func(float64) float64:
		run = func(from, to reflect.Value) { to.SetFloat(f(from.Float())) }
	case func(float64) bool:
		run = func(from, to reflect.Value) { to.SetBool(f(from.Float())) }
	case func(float64) uint64:
		run = func(from, to reflect.Value) { to.SetUint(f(from.Float())) }
	case func(int) int:
		run = func(from, to reflect.Value) { to.SetInt(int64(f(int(from.Int())))) }
	case func(int) string:
		run = func(from, to reflect.Value) { to.SetString(f(int(from.Int()))) }
	case func(int64) int64:
		run = func(from, to reflect.Value) { to.SetInt(f(from.Int())) }
	case func(uint) int:
		run = func(from, to reflect.Value) { to.SetInt(int64(f(uint(from.Uint())))) }
	case func(uint64) int:
		run = func(from, to reflect.Value) { to.SetInt(int64(f(from.Uint()))) }
	case func(uint64) uint64:
		run = func(from, to reflect.Value) { to.SetUint(f(from.Uint())) }
	case func(rune) bool:
		run = func(from, to reflect.Value) { to.SetBool(f(rune(from.Int()))) }
	case func(rune) rune:
		run = func(from, to reflect.Value) { to.SetInt(int64(f(rune(from.Int())))) }
	case func(rune) int:
		run = func(from, to reflect.Value) { to.SetInt(int64(f(rune(from.Int())))) }
	case func(string) string:
		run = func(from, to reflect.Value) { to.SetString(f(from.String())) }
	case func(string) int:
		run = func(from, to reflect.Value) { to.SetInt(int64(f(from.String()))) }
	case func(string) bool:
		run = func(from, to reflect.Value) { to.SetBool(f(from.String())) }
	case func(string) []string:
		run = func(from, to reflect.Value) { to.Set(reflect.ValueOf(f(from.String()))) }
	default:
		return nil, nil
	}
	return reflect.TypeOf(f).Out(0), run
}
