package compare

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// A token is a piece of a line: a word, a number, blanks, or one other letter.
type token struct {
	text   string
	blank  bool
	number bool
	value  float64
	unit   float64 // of the last printed digit; 0 for numbers without a decimal point
}

// pieces cuts a line. Digits behind a letter belong to the word: R2 and float64 are no numbers.
var pieces = regexp.MustCompile(`[\pL_][\pL\pN_]*|[-+−]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?|\s+|.`)

// tokens cuts a line into its tokens.
func tokens(line string) []token {
	var list []token
	for _, at := range pieces.FindAllStringIndex(line, -1) {
		text := line[at[0]:at[1]]
		sign, size := utf8.DecodeRuneInString(text)
		if size < len(text) && strings.ContainsRune("-+−", sign) && joins(line[:at[0]]) {
			list = append(list, token{text: text[:size]}) // 2026-11-21 and 10-20 have hyphens
			text = text[size:]
		}
		list = append(list, newToken(text))
	}
	return list
}

// joins tells whether a sign behind this text is a hyphen or an operator and not part of a number.
func joins(before string) bool {
	last, _ := utf8.DecodeLastRuneInString(before)
	return unicode.IsLetter(last) || unicode.IsDigit(last) || last == ')' || last == ']'
}

func newToken(text string) token {
	t := token{text: text, blank: strings.TrimSpace(text) == ""}
	value, err := strconv.ParseFloat(strings.Replace(text, "−", "-", 1), 64)
	if first, _ := utf8.DecodeRuneInString(text); err != nil || unicode.IsLetter(first) {
		return t // Inf and NaN are words, and equal to themselves
	}
	t.number, t.value = true, value
	digits, exponent, _ := strings.Cut(strings.ToLower(text), "e")
	if _, fraction, ok := strings.Cut(digits, "."); ok || exponent != "" {
		power, _ := strconv.Atoi(exponent) // "" is 0
		t.unit = math.Pow10(power - len(fraction))
	}
	return t
}

// equalLines tells whether two lines agree within the tolerances, and if they agree in all but numbers, which numbers are
// too far apart for tolerances above 0, in words.
func equalLines(stored, fresh string, t *Tolerances) (equal bool, remarks []string) {
	if stored == fresh {
		return true, nil
	}
	a, b := tokens(stored), tokens(fresh)
	if t.loose() {
		a, b = withoutBlanks(a), withoutBlanks(b)
	}
	if len(a) != len(b) {
		return false, nil
	}
	equal = true
	for i, old := range a {
		switch now := b[i]; {
		case old.text == now.text || t.loose() && old.blank && now.blank:
		case !old.number || !now.number:
			return false, nil
		default:
			apart, allowed := math.Abs(now.value-old.value), t.allowed(old.value)
			if t.loose() {
				allowed += math.Max(old.unit, now.unit) * (1 + 1e-9) // the numbers themselves are rounded
			}
			if !t.loose() || apart > allowed {
				equal = false
			}
			if t.loose() && apart > allowed {
				remarks = append(remarks, fmt.Sprintf("%s → %s: differs by %.2g, allowed is %.2g", old.text, now.text, apart, t.allowed(old.value)))
			}
		}
	}
	return equal, remarks
}

// withoutBlanks leaves blanks at both ends out, where wider numbers take their place.
func withoutBlanks(list []token) []token {
	for len(list) > 0 && list[0].blank {
		list = list[1:]
	}
	for len(list) > 0 && list[len(list)-1].blank {
		list = list[:len(list)-1]
	}
	return list
}
