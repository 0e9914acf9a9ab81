package check

import (
	"fmt"
	"go/ast"
	"go/types"
	"slices"
	"strings"
)

// rulesOfTypeParameters returns the rules about type parameters of functions and methods, and about
// the keys of struct literals. Code that causes some of the messages, where Map has the type
// parameter U:
//
//	var m Mapper = list{}                         (wrong type for method Map) have Map[U any] ...
//	f := list{}.Map                               cannot use generic function list{}.Map without ...
//	func (l List[T]) Map[T any]()                 T redeclared in this block
//	fs := []func(int) string{same}                inferred type ... does not match type ...
//	User{Base: b, ID: 1}                          cannot specify promoted field ID and ...
func rulesOfTypeParameters() []hintRule {
	return []hintRule{
		computedHint(`\(wrong type for method (\w+)\)\s+have \w+\[`, func(m *mistake) string {
			return fmt.Sprintf("a method with type parameters implements no method of an interface: declare %s without them, and give the one with them another name", m.parts[1])
		}),
		computedHint(`^in call to (.+), cannot infer \w+`, func(m *mistake) string {
			return fmt.Sprintf("name the type argument: %s[%s](...)", m.parts[1], typeArguments(m))
		}),
		computedHint(`^cannot use generic function (.+) without instantiation$`, func(m *mistake) string {
			return fmt.Sprintf("name the type argument: %s[%s]", m.parts[1], typeArguments(m))
		}),
		computedHint(`^(\w+) redeclared in this block$`, redeclaredTypeParameter),
		computedHint(`^(?:invalid operation: )?cannot index (\S+) \(value of type func\(`, func(m *mistake) string {
			return fmt.Sprintf("%s has no type parameters: leave out the type arguments", m.parts[1])
		}),
		computedHint(`^inferred type (func.*) for func.* does not match type (func.*?)(?: of .*)?$`, func(m *mistake) string {
			return fmt.Sprintf("no type arguments make it a %s: write a function literal of this type that calls it", m.parts[2])
		}),
		computedHint(`^duplicate field name (\w+) in struct literal$`, func(m *mistake) string {
			return fmt.Sprintf("each field has one value: leave out one of the keys %s", m.parts[1])
		}),
		computedHint(`^cannot specify promoted field (\w+) and enclosing embedded field (\w+)$`, func(m *mistake) string {
			return fmt.Sprintf("set %[1]s in the value of %[2]s, %[2]s: %[2]s{%[1]s: ...}, or set all fields of %[2]s by keys of their own", m.parts[1], m.parts[2])
		}),
		computedHint(`^invalid implicit pointer indirection to reach (\w+)$`, behindPointer),
		computedHint(`^invalid field name (?:\w+\.)+(\w+) in struct literal$`, func(m *mistake) string {
			return fmt.Sprintf("a key is one name, also of a field of an embedded struct: write %s", m.parts[1])
		}),
		computedHint(`^(\w+) is not a field$`, func(m *mistake) string {
			if fields := fieldsOfLiteral(m); fields != "" {
				return "it is a method; the fields are " + fields
			}
			return "it is a method; keys are names of fields"
		}),
	}
}

// typeArguments returns a list of type arguments for the function at an error: "int" for one type
// parameter, and "int, ..." for more.
func typeArguments(m *mistake) string {
	for _, n := range slices.Backward(m.path) {
		if call, ok := n.(*ast.CallExpr); ok {
			n = call.Fun
		}
		if x, ok := n.(ast.Expr); ok {
			if signature, ok := m.pass.info.TypeOf(x).(*types.Signature); ok && signature.TypeParams().Len() > 1 {
				return "int, ..."
			}
			if selector, ok := ast.Unparen(x).(*ast.SelectorExpr); ok {
				if signature, ok := m.pass.info.TypeOf(selector.Sel).(*types.Signature); ok && signature.TypeParams().Len() > 1 {
					return "int, ..."
				}
			}
		}
	}
	return "int"
}

// redeclaredTypeParameter returns a hint for a type parameter of a method that has the name of one
// of its receiver.
func redeclaredTypeParameter(m *mistake) string {
	f := around[*ast.FuncDecl](m)
	if f == nil || f.Recv == nil || f.Type.TypeParams == nil || m.error.Pos < f.Type.TypeParams.Pos() || m.error.Pos >= f.Type.TypeParams.End() {
		return ""
	}
	return fmt.Sprintf("the receiver has a type parameter %s already: give this one another name", m.parts[1])
}

// literalType returns the struct type of the literal around an error, or nil.
func literalType(m *mistake) types.Type {
	literal := around[*ast.CompositeLit](m)
	if literal == nil {
		return nil
	}
	t := m.pass.info.TypeOf(literal)
	if t == nil {
		return nil
	}
	if pointer, ok := t.Underlying().(*types.Pointer); ok { // an element with an elided type
		return pointer.Elem()
	}
	return t
}

func fieldsOfLiteral(m *mistake) string {
	if t := literalType(m); t != nil {
		return fieldsOf(t)
	}
	return ""
}

// behindPointer returns a hint for the key of a field of a struct that is embedded as a pointer. A
// literal has no struct behind the pointer before it is made.
func behindPointer(m *mistake) string {
	t := literalType(m)
	if t == nil {
		return ""
	}
	for _, path := range pathsOf(t, m.parts[1]) {
		for _, f := range path {
			if pointer, ok := types.Unalias(f.Type()).(*types.Pointer); ok {
				name := types.TypeString(pointer.Elem(), fromCells)
				return fmt.Sprintf("make the struct that %[1]s points to: %[1]s: &%[2]s{%[3]s: ...}", f.Name(), name, m.parts[1])
			}
		}
	}
	return ""
}

// fromCells qualifies names as cells write them.
func fromCells(p *types.Package) string {
	if p.Path() == "main" {
		return ""
	}
	return p.Name()
}

// ambiguousKey returns a hint for a key that fields of several embedded structs have, or "".
func ambiguousKey(t types.Type, name string) string {
	paths := pathsOf(t, name)
	if len(paths) < 2 {
		return ""
	}
	var owners []string
	for _, path := range paths {
		owners = append(owners, path[len(path)-2].Name())
	}
	return fmt.Sprintf("%s have a field %s: set it in one of them, %s: %[3]s{%[2]s: ...}", strings.Join(owners, " and "), name, owners[0])
}

// pathsOf returns the shallowest fields of a name in a struct and in the structs that it embeds,
// also as pointers, each with the embedded fields that lead to it. Fields of the struct itself are
// left out.
func pathsOf(t types.Type, name string) (found [][]*types.Var) {
	level := [][]*types.Var{nil}
	seen := map[types.Type]bool{}
	for len(level) > 0 && len(found) == 0 {
		var next [][]*types.Var
		for _, path := range level {
			of := t
			if len(path) > 0 {
				of = path[len(path)-1].Type()
			}
			structure := structOf(of)
			if structure == nil || seen[of] {
				continue
			}
			seen[of] = true
			for f := range structure.Fields() {
				to := append(path[:len(path):len(path)], f)
				if f.Name() == name && len(path) > 0 {
					found = append(found, to)
				} else if f.Embedded() {
					next = append(next, to)
				}
			}
		}
		level = next
	}
	return found
}

// structOf returns the struct that a type is or points to, or nil.
func structOf(t types.Type) *types.Struct {
	t = t.Underlying()
	if pointer, ok := t.(*types.Pointer); ok {
		t = pointer.Elem().Underlying()
	}
	structure, _ := t.(*types.Struct)
	return structure
}
