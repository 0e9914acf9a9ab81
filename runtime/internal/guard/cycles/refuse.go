package cycles

import (
	"fmt"
	"reflect"
	"strings"
)

// Refuse panics if one of the values contains itself in parts that the walk visits.
func (w Walk) Refuse(values ...any) {
	for i, v := range values {
		if !mayContainItself(v) {
			continue
		}
		if err := w.Find(fmt.Sprintf("argument %d", i+1), v); err != nil {
			panic(err)
		}
	}
}

// mayContainItself decides by the type. A reflect.Value is formatted as the value that it holds.
func mayContainItself(v any) bool {
	if _, ok := v.(reflect.Value); ok {
		return true
	}
	return v != nil && recursive(reflect.TypeOf(v))
}

// RefuseInFormat is Refuse for the operands of a format. A verb other than %v, %s, %q and the
// hexadecimal ones calls no String method.
func RefuseInFormat(format string, values ...any) {
	var verbs []rune
	for i, v := range values {
		if !mayContainItself(v) {
			continue
		}
		if verbs == nil {
			verbs = verbsOf(format)
		}
		walk := Format
		if i < len(verbs) && !strings.ContainsRune("vsqxXw", verbs[i]) {
			walk = Bare
		}
		if err := walk.Find(fmt.Sprintf("argument %d", i+1), v); err != nil {
			panic(err)
		}
	}
}

// verbsOf returns the verbs of a format, in the order of the operands. A width or precision that is
// an operand counts as one. %#v is a verb without methods.
func verbsOf(format string) (verbs []rune) {
	inside, sharp := false, false
	for _, c := range format {
		switch {
		case !inside:
			inside, sharp = c == '%', false
		case c == '*':
			verbs = append(verbs, c)
		case c == '#':
			sharp = true
		case strings.ContainsRune("+- 0123456789.[]", c):
		default:
			if inside = false; c == '%' {
				continue
			}
			if sharp && c == 'v' {
				c = '#'
			}
			verbs = append(verbs, c)
		}
	}
	return verbs
}
