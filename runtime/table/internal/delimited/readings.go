package delimited

import (
	"math"
	"strconv"
	"strings"
	"time"
)

// A reading converts texts to values of one type.
type reading struct {
	kind   string // such as float64
	what   string // what a value must be, for notes
	layout string // of times
}

// anyLayout is the layout of a column whose times have several of the layouts. The first that fits
// a text counts.
const anyLayout = ""

// readings returns the conversions in the order in which they are tried. Layouts without
// separators, such as 20060102, come before integers.
func (o *Options) readings() []reading {
	var list []reading
	add := func(layout string) {
		list = append(list, reading{kind: "time.Time", what: "a date or time", layout: layout})
	}
	for _, layout := range o.layouts {
		if isCompact(layout) {
			add(layout)
		}
	}
	list = append(list, reading{kind: "int", what: "an integer"}, reading{kind: "float64", what: "a number"}, reading{kind: "bool", what: "true or false"})
	for _, layout := range o.layouts {
		if !isCompact(layout) {
			add(layout)
		}
	}
	if len(o.layouts) > 1 {
		add(anyLayout)
	}
	return list
}

// isCompact reports whether times of a layout look like integers of eight digits or more.
func isCompact(layout string) bool {
	return len(layout) >= len("20060102") && strings.Trim(layout, "0123456789") == ""
}

// fits reports whether a text can be converted.
func (o *Options) fits(r reading, text string) (ok bool) {
	switch r.kind {
	case "int":
		_, ok = o.integer(text)
	case "float64":
		_, ok = o.float(text)
	case "bool":
		_, ok = boolean(text)
	case "time.Time":
		_, ok = o.time(r.layout, text)
	default:
		ok = true
	}
	return ok
}

// reason says why the reading does not fit a text.
func (r reading) reason(text string) string {
	if digits := strings.TrimLeft(text, "+-"); digits != "" && strings.Trim(digits, "0123456789") == "" && r.kind != "time.Time" {
		if leadingZero(text) {
			return "has a leading zero"
		}
		return "has more digits than a number holds"
	}
	return "is not " + r.what
}

// leadingZero reports whether a number has an unneeded leading zero, as postal codes have.
func leadingZero(text string) bool {
	digits := text
	for digits != "" && (digits[0] == '+' || digits[0] == '-') {
		digits = digits[1:]
	}
	return len(digits) > 1 && digits[0] == '0' && digits[1] >= '0' && digits[1] <= '9'
}

// digits returns a number without separators of thousands, and with a decimal point. It returns
// false if the separators are not where they belong.
func (o *Options) digits(text string) (string, bool) {
	decimal := o.Decimal
	if decimal == 0 {
		decimal = '.'
	}
	if decimal == '.' && o.Thousands == 0 {
		return text, true
	}
	whole, fraction, parted := strings.Cut(text, string(decimal))
	if decimal != '.' && o.Thousands != '.' && strings.Contains(text, ".") {
		return "", false
	}
	if o.Thousands != 0 {
		groups := strings.Split(whole, string(o.Thousands))
		for i, group := range groups {
			if i > 0 && len(group) != 3 || i == 0 && len(groups) > 1 && (len(strings.TrimLeft(group, "+-")) > 3 || group == "") {
				return "", false
			}
		}
		if strings.ContainsRune(fraction, o.Thousands) {
			return "", false
		}
		whole = strings.Join(groups, "")
	}
	if parted {
		whole += "." + fraction
	}
	return whole, true
}

// numeric reports whether a text may be a number, so that most other texts cost little.
func numeric(text string) bool {
	switch c := text[0]; c {
	case '+', '-', '.', ',', 'n', 'N':
		return true
	default:
		return '0' <= c && c <= '9'
	}
}

// shortInteger parses a whole number of at most 18 digits without a leading zero, the most frequent
// form. It returns false for other texts, which may be numbers as well.
func shortInteger(text string) (n int, ok bool) {
	digits := text
	if text != "" && text[0] == '-' {
		digits = text[1:]
	}
	if len(digits) == 0 || len(digits) > 18 || digits[0] == '0' && len(digits) > 1 || len(digits) > 9 && math.MaxInt == math.MaxInt32 {
		return 0, false
	}
	for i := range len(digits) {
		c := digits[i] - '0'
		if c > 9 {
			return 0, false
		}
		n = 10*n + int(c)
	}
	if len(digits) < len(text) {
		n = -n
	}
	return n, true
}

// powers are those of ten that float64 has exactly.
var powers = [...]float64{1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15}

// shortFloat parses a number with a point and at most 15 digits. The digits and the power of ten
// are exact, so that the quotient is the nearest float64. It returns false for other texts, which
// may be numbers as well.
func shortFloat(text string) (float64, bool) {
	digits, negative := text, false
	if text != "" && text[0] == '-' {
		digits, negative = text[1:], true
	}
	if len(digits) < 3 || len(digits) > 16 || digits[0] == '0' && digits[1] != '.' {
		return 0, false
	}
	n, point := int64(0), -1
	for i := range len(digits) {
		if digits[i] == '.' && point < 0 {
			point = i
			continue
		}
		c := digits[i] - '0'
		if c > 9 {
			return 0, false
		}
		n = 10*n + int64(c)
	}
	if point <= 0 || point == len(digits)-1 {
		return 0, false
	}
	x := float64(n) / powers[len(digits)-1-point]
	if negative {
		x = -x
	}
	return x, true
}

func (o *Options) integer(text string) (int, bool) {
	if n, ok := shortInteger(text); ok && o.Decimal == 0 && o.Thousands == 0 {
		return n, true
	}
	if text == "" || !numeric(text) {
		return 0, false
	}
	text, ok := o.digits(text)
	if !ok || leadingZero(text) {
		return 0, false
	}
	n, err := strconv.Atoi(text)
	return n, err == nil
}

func (o *Options) float(text string) (float64, bool) {
	if x, ok := shortFloat(text); ok && o.Decimal == 0 && o.Thousands == 0 {
		return x, true
	}
	if text == "" || !numeric(text) {
		return 0, false
	}
	text, ok := o.digits(text)
	if !ok || text == "" {
		return 0, false
	}
	point := false
	for i := range len(text) {
		switch text[i] {
		case 'i', 'I', 'x', 'X', '_': // inf is as likely a word as a number
			return 0, false
		case '.', 'e', 'E', 'n', 'N':
			point = true
		}
	}
	if leadingZero(text) {
		return 0, false
	}
	x, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return 0, false
	}
	if !point {
		// A whole number such as an identifier, whose last digits would be lost.
		if n, err := strconv.Atoi(text); err != nil || n < -1<<53 || n > 1<<53 {
			return 0, false
		}
	}
	return x, true
}

func boolean(text string) (value, ok bool) {
	switch text {
	case "true", "True", "TRUE":
		return true, true
	case "false", "False", "FALSE":
		return false, true
	}
	return false, false
}

func (o *Options) time(layout, text string) (time.Time, bool) {
	if layout == anyLayout {
		for _, layout := range o.layouts {
			if at, ok := o.time(layout, text); ok && layout != anyLayout {
				return at, true
			}
		}
		return time.Time{}, false
	}
	if o.Layouts == nil && !isoForm(layout, text) {
		return time.Time{}, false
	}
	at, err := time.Parse(layout, text)
	return at, err == nil
}

// isoForm reports whether a text may have one of the default layouts, so that others cost little.
func isoForm(layout, text string) bool {
	if layout == time.DateOnly {
		return len(text) == len(layout) && text[4] == '-'
	}
	if len(text) < len("2006-01-02 15:04:05") || text[4] != '-' || text[10] != layout[10] {
		return false
	}
	zone := text[len(text)-1] == 'Z' || text[len(text)-6] == '+' || text[len(text)-6] == '-'
	return zone == (layout == time.RFC3339Nano)
}
