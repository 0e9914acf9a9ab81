package lower

import (
	"go/ast"
	"go/types"
	"unicode/utf8"
)

// rangeString emits a range over a string. The interpreter counts characters where there is one
// variable, takes an invalid byte for three bytes, and decodes the whole string in every turn. So the
// loop goes over characters that a compiled function decodes, some at a time: a loop that leaves
// early must not cost what the whole string does.
func (e *emitter) rangeString(s *ast.RangeStmt, label string) string {
	e.inHeader++
	operand := e.x(s.X)
	e.inHeader--
	text, offsets, runes, k := e.temporary("text"), e.temporary("o"), e.temporary("r"), e.temporary("k")
	before := text + " := string(" + operand + ")\n" + k + " := 0\nvar " + offsets + " []int\nvar " + runes + " []int32\n"
	j := &jump{label: label, loop: true, before: e.noteAgain(s)}
	e.enter(j)
	key, enterKey := e.rangeVariable(s.Key, s.Tok, types.Typ[types.Int])
	value, enterValue := e.rangeVariable(s.Value, s.Tok, types.Typ[types.Int32])
	take := ""
	if key != "" && key != "_" {
		take += key + " := " + offsets + "[" + k + "]\n"
	}
	if value != "" && value != "_" {
		take += value + " := " + runes + "[" + k + "]\n"
	}
	if e.assignsBoth(s) {
		settled, store := e.secondPlace(s, value, types.Typ[types.Int32])
		enterKey, enterValue = settled+enterKey, store
	}
	body := e.loopBody(s.Body)
	header := "for ; " + k + " < len(" + runes + ") || " + support + ".MoreRunes(" + text + ", &" + k + ", &" + offsets + ", &" + runes + "); " + k + "++ {\n"
	return "{\n" + before + e.exit(j, header+e.poll(s)+take+enterKey+enterValue+body+j.before+"}") + "\n}"
}

// moreRunes decodes the characters that come after those in the lists, with the offsets at which
// they begin, sets k to the first of them, and reports whether there are any.
func moreRunes(s string, k *int, offsets *[]int, characters *[]rune) bool {
	const first, most = 16, 1024
	next, size := 0, first
	if n := len(*offsets); n > 0 {
		last := (*offsets)[n-1]
		_, width := utf8.DecodeRuneInString(s[last:])
		next, size = last+width, min(2*n, most)
	}
	*k, *offsets, *characters = 0, (*offsets)[:0], (*characters)[:0]
	for i, r := range s[next:] {
		if len(*offsets) == size {
			break
		}
		*offsets, *characters = append(*offsets, next+i), append(*characters, r)
	}
	return len(*offsets) > 0
}
