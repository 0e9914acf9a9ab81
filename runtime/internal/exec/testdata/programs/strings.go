// Strings.

package programs

import (
	"strings"
	"sync"
)

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
	// Each of these strings is appended to after other variables have received it.
	"appending to shared strings": func() string {
		var kept []string
		s := "a"
		for i := range 40 {
			s += string(rune('a' + i%26))
			t, u := s, s
			t += "T"
			u = u + "U" + u[:i%3]
			kept = append(kept, s, t, u)
			if i%7 == 3 {
				s = t
			}
			if i%11 == 5 {
				s = s[:len(s)-2]
			}
			if i%13 == 6 {
				s = s[1:]
			}
			s += s[:2]
			s += ""
			kept = append(kept, s)
		}
		return strings.Join(kept, " ")
	},
	"appending in other places": func() string {
		var r result
		type record struct{ name, text string }
		list, byName, p := make([]record, 2), map[string]string{}, new(string)
		var boxed string
		var nested func(depth int)
		nested = func(depth int) {
			boxed += "<"
			before := boxed
			if depth > 0 {
				nested(depth - 1)
			}
			boxed += ">" + before[:1]
		}
		for i := range 12 {
			list[i%2].text += string(rune('a'+i)) + "."
			list[i%2].name = list[0].text
			byName[list[i%2].text[:1]] += list[i%2].text
			*p += byName["a"]
			q := *p
			q += "!"
			nested(2)
			r.add(q, *p, list, byName["a"], byName["b"], boxed)
		}
		return r.text()
	},
	// The operands change the string that they are appended to.
	"operands that append": func() string {
		var r result
		s := "0"
		more := func(x string) string { s += x; return x }
		for range 5 {
			s += more("a")
			r.add(s)
			s = s + more("b") + more("c")
			r.add(s)
			s += more("d") + s + more("")
			r.add(s)
			r.add(try(func() { s += more("e") + s[len(s)+1:] }), s)
			s = s[max(0, len(s)-9):]
		}
		return r.text()
	},
	"appending on goroutines": func() string {
		base := "x"
		for range 6 {
			base += "y"
		}
		results := make([]string, 8)
		var wait sync.WaitGroup
		for i := range results {
			wait.Add(1)
			s := base
			go func() {
				defer wait.Done()
				for k := range 50 {
					s += string(rune('a' + (i+k)%26))
				}
				results[i] = s
			}()
		}
		for range 50 {
			base += "z"
		}
		wait.Wait()
		return strings.Join(results, " ") + base
	},
	"compiled functions": func() string {
		var b strings.Builder
		b.WriteString(strings.Repeat("ab", 3))
		b.WriteByte('c')
		return b.String() + strings.ToUpper(b.String()) + strings.Map(func(c rune) rune { return c + 1 }, "HAL")
	},
}
