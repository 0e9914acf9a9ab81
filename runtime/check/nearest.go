package check

import (
	"go/token"
	"go/types"
	"sort"
	"strings"
	"unicode/utf8"

	"gosphere/runtime/internal/spelling"
)

// nearest returns the candidate that a misspelled name most likely means, or "". It is the one with
// the fewest changed, added, missing or swapped letters, which must be at most a third of the name.
// Differences in case count little. Distances are doubled, so that a difference in case or in the
// first letter counts half an edit. Equal candidates are decided by what they share with the name
// at both ends, then by alphabetical order, so the hint does not depend on the order of a map. For
// instance "lenght" means length, "Prinln" Println and "strngs" strings, but "x" means nothing
// else.
func nearest(name string, candidates []string) string {
	best, least := "", max(1, utf8.RuneCountInString(name)/3)*2+1
	sorted := append([]string(nil), candidates...)
	sort.Strings(sorted)
	for _, c := range sorted {
		if c == name || c == "_" || strings.HasPrefix(c, "cell__") {
			continue
		}
		d := 2 * spelling.Distance(strings.ToLower(name), strings.ToLower(c))
		if d == 0 || !strings.EqualFold(name[:1], c[:1]) {
			d++ // only the case differs, or the first letter does
		}
		if d < least || d == least && best != "" && shared(name, c) > shared(name, best) {
			best, least = c, d
		}
	}
	if utf8.RuneCountInString(name) < 3 && !strings.EqualFold(name, best) {
		return "" // almost every short name resembles another one
	}
	return best
}

// shared returns the number of leading and trailing bytes that two names have in common.
func shared(a, b string) int {
	n := 0
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	a, b = a[n:], b[n:]
	for len(a) > 0 && len(b) > 0 && a[len(a)-1] == b[len(b)-1] {
		a, b, n = a[:len(a)-1], b[:len(b)-1], n+1
	}
	return n
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
