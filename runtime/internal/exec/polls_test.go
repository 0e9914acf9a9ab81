package exec_test

import "testing"

// TestEveryJumpBackAndEveryCallPolls counts the polls of each form of statement while the stop flag
// is set. A form without polls could not be interrupted; one with more polls than iterations or
// calls would be slow.
func TestEveryJumpBackAndEveryCallPolls(t *testing.T) {
	s := newSession(t)
	s.run(`
import "strings"
func recursive(n int) int { if n == 0 { return 0 }; return 1 + recursive(n-1) }
func inlined(n int) int { return n + 1 }
type counter struct{ n int }
func (c *counter) add(n int) { for range 1 { c.n += n } }
type adder interface{ add(int) }
func upTo(n int) func(func(int) bool) { return func(yield func(int) bool) { for i := 0; i < n; i++ { if !yield(i) { return } } } }
func deferring(n *int) { defer func() { *n++ }() }
func compiledCalls(f func()) { strings.Map(func(r rune) rune { f(); return r }, "ab") }
var xs, text, table, total = []int{1, 2, 3}, "añ", map[int]int{1: 2, 3: 4}, 0
`)
	for _, c := range []struct {
		form, body string
		polls      int64
	}{
		{"no loop and no call", "total += xs[0] * 2; if total > 0 { total = 0 }", 0},
		{"for with a counter", "for i := 0; i < 4; i++ { total += i }", 4},
		{"for with a variable as the bound", "n := 3; for i := 0; i < n; i++ { total++ }", 3},
		{"for with another condition", "for i := 8; i > 0; i /= 2 { total += i }", 4},
		{"for with a computed condition", "for i := 0; inlined(i) < 4; i++ { total++ }", 3},
		{"for that continues", "for i := 0; i < 4; i++ { if i == 2 { continue }; total++ }", 4},
		{"for that breaks", "for i := 0; ; i++ { if i == 3 { break } }", 3},
		{"for with fresh variables", "var fs []func(); for i := 0; i < 3; i++ { fs = append(fs, func() { total += i }) }; _ = fs", 3},
		{"goto back", "i := 0\nagain:\n\tif i < 3 { i++; goto again }", 3},
		{"goto forward", "if total >= 0 { goto end }\n\ttotal = 1\nend:\n\ttotal++", 1},
		{"range over an integer", "for i := range 5 { total += i }", 5},
		{"range over an integer that breaks", "for i := range 5 { if i == 2 { break } }", 2},
		{"range over a slice", "for _, x := range xs { total += x }", 3},
		{"range over indices", "for i := range xs { total += i }", 3},
		{"range over an array of structs", "for _, c := range [2]counter{} { total += c.n }", 2},
		{"range over a string", "for _, r := range text { total += int(r) }", 2},
		{"range over a map", "for k := range table { total += k }", 2},
		{"range over a channel", "c := make(chan int, 2); c <- 1; c <- 2; close(c); for v := range c { total += v }", 2},
		{"range over a function", "for i := range upTo(3) { total += i }", 4},
		{"nested loops", "for range 2 { for range 3 { total++ } }", 8},
		{"recursive calls, of which each frame serves four", "recursive(8)", 2},
		{"inlined call", "total = inlined(1)", 0},
		{"call of a method", "c := &counter{}; c.add(1)", 2},
		{"call of an interface method", "var a adder = &counter{}; a.add(1)", 2},
		{"call of a function literal", "fs := []func(n int){func(n int) { total += n }}; fs[0](1); fs[0](2)", 2},
		{"call of a function with a deferred call, which runs in its frame", "deferring(&total)", 1},
		{"call of a compiled function", "_ = strings.Repeat(text, 2)", 1},
		{"calls back from a compiled function", "compiledCalls(func() { total++ })", 6},
	} {
		s.run("func form() {\n" + c.body + "\n}")
		s.run("run := form")
		f := s.variable("run").(func())
		before := s.host.polls.Load()
		s.host.machine.SetStop(true)
		s.host.machine.Call(f)
		s.host.machine.SetStop(false)
		// The call of form polls once itself.
		if got := s.host.polls.Load() - before - 1; got != c.polls {
			t.Errorf("%s: %d polls, want %d\n%s", c.form, got, c.polls, c.body)
		}
	}
}
