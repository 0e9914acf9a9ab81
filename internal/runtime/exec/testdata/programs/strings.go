// Strings.

package programs

import "strings"

// Strings are the programs of this file.
var Strings = map[string]func() string{
	"comparisons": func() string {
		var r result
		list := []string{"", "a", "ab", "b", "ü", "a\x00"}
		for _, x := range list {
			for _, y := range list {
				r.add(x+y, x < y, x <= y, x == y, x != y, x >= y, x > y, min(x, y), max(x, y), len(x+y))
			}
		}
		return r.text()
	},
	"concatenation": func() string {
		s, t := "", text("t")
		for i := range 20 {
			s += string(rune('a'+i)) + "-"
			t = t + text(s[:1]) + "x" + t[:1]
		}
		return s + "|" + string(t)
	},
	"bounds": func() string {
		var r result
		s := "héllo"
		for i := -1; i <= len(s)+1; i++ {
			r.add(i, try(func() { r.add(s[i]) }), try(func() { r.add(s[i:]) }), try(func() { r.add(s[:i]) }), try(func() { r.add(s[2:i]) }), try(func() { r.add(s[i:3]) }))
		}
		return r.text()
	},
	"compiled functions": func() string {
		var b strings.Builder
		b.WriteString(strings.Repeat("ab", 3))
		b.WriteByte('c')
		return b.String() + strings.ToUpper(b.String()) + strings.Map(func(c rune) rune { return c + 1 }, "HAL")
	},
}
