package spelling

import (
	"sort"
	"strings"
	"unicode/utf8"
)

// Nearest returns the candidate that a misspelled name most likely means, or "". It is the one with
// the fewest changed, added, missing or swapped letters, which must be at most a third of the name.
// Differences in case count little. Distances are doubled, so that a difference in case or in the
// first letter counts half an edit. Equal candidates are decided by what they share with the name
// at both ends, then by alphabetical order, so the hint does not depend on the order of a map. For
// instance "lenght" means length, "Prinln" Println and "strngs" strings, but "x" means nothing
// else.
func Nearest(name string, candidates []string) string {
	best, least := "", max(1, utf8.RuneCountInString(name)/3)*2+1
	sorted := append([]string(nil), candidates...)
	sort.Strings(sorted)
	for _, c := range sorted {
		if c == name || c == "" || name == "" {
			continue
		}
		d := 2 * Distance(strings.ToLower(name), strings.ToLower(c))
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
