package session

import (
	"strings"
	"testing"

	"gosphere/runtime/lower"
)

// lowered plays cells and gives what the last one was lowered to, without unique marks.
func lowered(t *testing.T, cells ...string) string {
	t.Helper()
	s := newTestSession(t)
	defer s.Close()
	var emitted strings.Builder
	lower.Trace = func(text string) { emitted.WriteString(text) }
	defer func() { lower.Trace = nil }()
	for _, code := range cells {
		emitted.Reset()
		if got := printed(s, code); strings.Contains(got, "error") || strings.Contains(got, "not supported") {
			t.Fatalf("%s\n%s", code, got)
		}
	}
	return uniqueMarks.ReplaceAllString(emitted.String(), "")
}

// TestRulesOfLowering pins down when a pass does something that the results of programs do not
// tell, or that only some programs need.
func TestRulesOfLowering(t *testing.T) {
	const declared = `type T struct { a, b int; in struct{ c int } }
type tree struct { n int; l, r *tree }
var count int
var list = []int{1, 2, 3}
func call(f func()) { f() }
func add(x int) int { count += x; list = append(list, x); return count }
func sum(t *tree) int { if t == nil { return 0 }; n := t.n; n += sum(t.l); return n + sum(t.r) }
func size(xs []int) (n int) { for _, x := range xs { n += x }; return }
`
	for _, rule := range []struct {
		name, cell string
		has        []string
		hasNot     []string
	}{
		{"a call that changes something comes before what its statement reads", "func f(t *tree) int { return t.n*2 + add(1) }",
			[]string{"t := add(1)\n", "return t.Fˑn * 2 + t"}, nil},
		{"a call without effects stays where it is", "func f(t *tree) int { return t.n*2 + sum(t.l) }", []string{"* 2 + sum(t.Fˑl)"}, []string{":= sum("}},
		{"a call stays where it is if nothing is read before it", "func f(t *tree) int { return add(1) + t.n }", nil, []string{":= add("}},
		{"what no other function can change is read where it stands", "func f(n int) int { return n*2 + add(1) }", nil, []string{":= add("}},
		{"a call behind && stays conditional", "func f(t *tree) bool { return t.n > 0 && add(1) > 0 }", nil, []string{":= add("}},
		{"calls before one that must be made first are made first, too", "func f(t *tree) int { return size(list) + t.n + add(1) }", []string{"t := size(list)\nt := add(1)\n"}, nil},
		{"a call in the place of an assignment is made before that of its value", "func f() { list[add(1)*0] = add(2) }", []string{"t := add(1)\nt := add(2)\n"}, nil},

		{"an index beside a call is checked before the call that contains it", "func f(i int) { _ = add(list[i]) }", []string{"if i < 0 || i >= len(list)"}, nil},
		{"an index behind a call is not checked", "func f(i int) (int, int) { return add(1), list[i] }", nil, []string{"BadIndex"}},
		{"an index that may not be evaluated is not checked", "func f(i int) bool { return i < 3 && list[i] > 0 }", nil, []string{"BadIndex"}},
		{"an index in the head of an if statement is checked", "func f(i int) int { if list[i] > 0 { return 1 }; return 0 }", []string{"BadIndex"}, nil},
		{"an index in a loop is not checked", "func f() (n int) { for i := range 3 { n += list[i] }; return }", nil, []string{"BadIndex"}},
		{"a constant index of an array is not checked", "func f(a [3]int) int { return a[2] }", nil, []string{"BadIndex"}},

		{"a literal of a struct goes through a variable where a pointer knows the place", "func f() int { w := T{a: 1}; p := &w; w = T{b: 2}; return p.b }", []string{"t := T{Fˑb: 2}\nw = t"}, nil},
		{"and where a literal uses it", "func f() int { w := T{a: 1}; call(func() { _ = w.a }); w = T{b: 2}; return w.b }", []string{"t := T{"}, nil},
		{"but not where the function is alone", "func f() int { w := T{a: 1}; w = T{b: 2}; return w.b }", []string{"\nw = T{"}, nil},

		{"a literal that a variable holds and that is called becomes a function", "func f() (n int) { g := func(k int) { n += k }; g(1); g(2); return }", []string{"func literal(n *int, k int)"}, nil},
		{"but not one that is handed on", "func f() (n int) { g := func() { n++ }; call(g); g(); return }", nil, []string{"func literal("}},
		{"nor one that defers", "func f() (n int) { g := func() { defer add(1) }; g(); g(); return }", nil, []string{"func literal("}},
	} {
		text := lowered(t, declared, rule.cell)
		for _, part := range rule.has {
			if !strings.Contains(text, part) {
				t.Errorf("%s: %s\nhas no %q:\n%s", rule.name, rule.cell, part, text)
			}
		}
		for _, part := range rule.hasNot {
			if strings.Contains(text, part) {
				t.Errorf("%s: %s\nhas %q:\n%s", rule.name, rule.cell, part, text)
			}
		}
	}
}

// TestACallIsMadeFirstOnceItsFunctionHasEffects declares a function again, which had none.
func TestACallIsMadeFirstOnceItsFunctionHasEffects(t *testing.T) {
	s := newTestSession(t)
	defer s.Close()
	for _, step := range []struct{ cell, want string }{
		{"var xs = []int{1}\nfunc next() int { return 5 }\nfunc through() int { return next() }\nfunc store() int { xs[0] = through(); return xs[0] + through() }", ""},
		{"fmt.Println(store(), xs)", "10 [5]\n"},
		{"func next() int { xs = []int{7, 8}; return 6 }", ""},
		{"fmt.Println(store(), xs)", "13 [7 8]\n"},
	} {
		if got := printed(s, step.cell); got != step.want {
			t.Errorf("%s\nshows %q, want %q", step.cell, got, step.want)
		}
	}
}
