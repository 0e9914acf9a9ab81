package compare

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"gosphere/internal/lazyregexp"
)

// A token is a part of a line: a word, a number, blanks, a rule, or another character.
type token struct {
	text   string
	blank  bool
	rule   bool // rule of a table, which has the width of its columns
	number bool
	value  float64
	unit   float64 // unit of the last printed digit; 0 for numbers without a decimal point
}

// rules are the characters that tables use for rules.
const rules = "-=─━═"

// pieces splits a line. Digits after a letter belong to the word: R2 and float64 are not numbers.
var pieces = lazyregexp.New(`[\pL_][\pL\pN_]*|-{3,}|={3,}|─{3,}|━{3,}|═{3,}|[-+−]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?|\s+|.`)

// tokens splits a line into its tokens.
func tokens(line string) []token {
	var list []token
	for _, at := range pieces.FindAllStringIndex(line, -1) {
		text := line[at[0]:at[1]]
		sign, size := utf8.DecodeRuneInString(text)
		if size < len(text) && strings.ContainsRune("-+−", sign) && joins(line[:at[0]]) && !isRule(text) {
			list = append(list, token{text: text[:size]}) // 2026-11-21 and 10-20 contain hyphens
			text = text[size:]
		}
		list = append(list, newToken(text))
	}
	return list
}

// joins reports whether a sign after this text is a hyphen or an operator rather than part of a
// number.
func joins(before string) bool {
	last, _ := utf8.DecodeLastRuneInString(before)
	return unicode.IsLetter(last) || unicode.IsDigit(last) || last == ')' || last == ']'
}

// isRule reports whether a token is a rule of a table, a repetition of one character.
func isRule(text string) bool {
	first, size := utf8.DecodeRuneInString(text)
	return len(text) >= 3*size && strings.ContainsRune(rules, first) && strings.Trim(text, string(first)) == ""
}

func newToken(text string) token {
	t := token{text: text, blank: strings.TrimSpace(text) == "", rule: isRule(text)}
	value, err := strconv.ParseFloat(strings.Replace(text, "−", "-", 1), 64)
	if first, _ := utf8.DecodeRuneInString(text); err != nil || unicode.IsLetter(first) {
		return t // Inf and NaN are words, and equal to themselves
	}
	t.number, t.value = true, value
	digits, exponent, _ := strings.Cut(strings.ToLower(text), "e")
	if _, fraction, ok := strings.Cut(digits, "."); ok || exponent != "" {
		power, _ := strconv.Atoi(exponent) // "" becomes 0
		t.unit = math.Pow10(power - len(fraction))
	}
	return t
}

// alike reports whether two tokens differ only by the width of a column.
func (k *token) alike(other *token) bool {
	if k.rule || other.rule {
		return k.rule && other.rule && k.text[0] == other.text[0] && strings.Trim(k.text, other.text) == ""
	}
	return k.blank && other.blank
}

// A line is a line of a text. Its tokens are computed on demand, because most lines are equal.
type line struct {
	text   string
	tokens []token
	cut    bool
}

// of returns the tokens. If numbers may differ, it omits leading and trailing blanks, which wider
// numbers replace.
func (l *line) of(t *Tolerances) []token {
	if !l.cut {
		l.tokens, l.cut = tokens(l.text), true
		if t.loose() {
			l.tokens = withoutBlanks(l.tokens)
		}
	}
	return l.tokens
}

// equalLines reports whether two lines agree within the tolerances.
func equalLines(stored, fresh *line, t *Tolerances) bool {
	equal, _ := differ(stored, fresh, t, false)
	return equal
}

// differ reports whether two lines agree within the tolerances. If explain is set and they agree
// except in numbers, it also returns remarks on the numbers that differ too much for tolerances
// above 0.
func differ(stored, fresh *line, t *Tolerances, explain bool) (equal bool, remarks []string) {
	if stored.text == fresh.text {
		return true, nil
	}
	a, b := stored.of(t), fresh.of(t)
	if len(a) != len(b) {
		return false, nil
	}
	equal = true
	for i := range a {
		switch old, now := &a[i], &b[i]; {
		case old.text == now.text || t.loose() && old.alike(now):
		case !old.number || !now.number:
			return false, nil
		case !t.loose():
			equal = false
		default:
			apart, allowed := math.Abs(now.value-old.value), t.allowed(old.value)
			if apart <= allowed+(old.unit+now.unit)/2*(1+1e-9) { // both are rounded
				continue
			}
			if equal = false; !explain {
				return false, nil
			}
			remarks = append(remarks, fmt.Sprintf("%s → %s: differs by %.2g, allowed is %.2g", old.text, now.text, apart, allowed))
		}
	}
	return equal, remarks
}

// withoutBlanks removes blanks at both ends.
func withoutBlanks(list []token) []token {
	for len(list) > 0 && list[0].blank {
		list = list[1:]
	}
	for len(list) > 0 && list[len(list)-1].blank {
		list = list[:len(list)-1]
	}
	return list
}
