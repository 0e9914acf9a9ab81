package check

import (
	"go/token"
	"go/types"
	"slices"
	"strings"

	"gosphere/runtime/internal/spelling"
)

// nearest returns the candidate that a misspelled name most likely means, or "". Names that this
// program generates and the blank identifier are none.
func nearest(name string, candidates []string) string {
	return spelling.Nearest(name, slices.DeleteFunc(slices.Clone(candidates), func(c string) bool {
		return c == "_" || strings.HasPrefix(c, "cell__")
	}))
}

// namesAt returns the names that code at a position can use. LookupParent respects positions: a
// variable that is declared below is not included.
func (p *pass) namesAt(pos token.Pos) []string {
	var list []string
	for _, file := range p.files {
		scope := p.info.Scopes[file]
		if scope == nil || pos < file.FileStart || file.FileEnd < pos {
			continue
		}
		for inner := scope.Innermost(pos); inner != nil; inner = inner.Parent() {
			for _, name := range inner.Names() {
				if _, object := inner.LookupParent(name, pos); object != nil {
					list = append(list, name)
				}
			}
		}
	}
	for name, r := range p.work.session.current {
		if r.symbol.Broken == nil {
			list = append(list, name)
		}
	}
	return list
}

// membersOf returns the names of the fields and methods of a type. The set of a pointer includes
// the methods of the value. Promoted fields are included.
//
// Method sets are computed for the value and the pointer, because which of them applies depends on
// whether the operand is addressable.
func membersOf(t types.Type) []string {
	var list []string
	for _, t := range []types.Type{t, types.NewPointer(t)} {
		set := types.NewMethodSet(t)
		for i := range set.Len() {
			list = append(list, set.At(i).Obj().Name())
		}
	}
	return append(list, fieldNames(t)...)
}

// fieldNames returns the names of the fields of a struct, or of the struct that a type points to,
// and of the fields that it promotes.
func fieldNames(t types.Type) []string {
	var list []string
	seen := map[*types.Struct]bool{}
	for level := []types.Type{t}; len(level) > 0; {
		var next []types.Type
		for _, t := range level {
			structure := structOf(t)
			if structure == nil || seen[structure] {
				continue
			}
			seen[structure] = true
			for field := range structure.Fields() {
				list = append(list, field.Name())
				if field.Embedded() {
					next = append(next, field.Type())
				}
			}
		}
		level = next
	}
	return list
}

// exportedNames returns the names that a package exports.
func exportedNames(p *types.Package) []string {
	var list []string
	for _, name := range p.Scope().Names() {
		if token.IsExported(name) {
			list = append(list, name)
		}
	}
	return list
}
