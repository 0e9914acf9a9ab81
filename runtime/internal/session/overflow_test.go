package session

import (
	"cmp"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"gosphere/runtime/internal/machine"
)

// smallStack limits the stack of a session to 16 MB. make large keeps the limit of the product.
func smallStack(o *Options) {
	if os.Getenv("GOSPHERE_LARGE") == "" {
		o.Stack = 16 << 20
	}
}

// TestStackOverflowIsAnErrorThatNamesTheFunctions plays functions with endless recursion.
func TestStackOverflowIsAnErrorThatNamesTheFunctions(t *testing.T) {
	for name, c := range map[string]struct{ code, want string }{
		"function":        {"func f(n int) int {\n\tn++\n\treturn f(n) + 1\n}\nf(0)", "Cell [1], line 3, in f\nCell [1], line 5"},
		"on two lines":    {"func f(n int) int {\n\tif n > 0 {\n\t\treturn f(n+1) + 1\n\t}\n\treturn f(n+2) + 1\n}\nf(0)", "Cell [1], line 3, in f\nCell [1], line 5, in f\nCell [1], line 7"},
		"line noted last": {"func f(xs []int) int {\n\tx := xs[0]\n\treturn x + f(xs)\n}\nf([]int{1})", "Cell [1], line 3, in f\nCell [1], line 5"},
		"mutual": {"func even(n int) bool {\n\treturn odd(n-1)\n}\nfunc odd(n int) bool {\n\treturn even(n-1)\n}\neven(1)",
			"Cell [1], line 5, in odd\nCell [1], line 2, in even\n    (the last 2 again and again)\nCell [1], line 7|Cell [1], line 2, in even\nCell [1], line 5, in odd\n    (the last 2 again and again)\nCell [1], line 7"},
		"method": {"type T int\nfunc (t *T) M() int {\n\t*t++\n\treturn t.M() + 1\n}\nnew(T).M()", "Cell [1], line 4, in T.M\nCell [1], line 6"},
		"through an interface": {"type walker interface{ walk() int }\ntype tree struct{ left walker }\nfunc (t *tree) walk() int {\n\tn := 1\n\treturn n + t.left.walk()\n}\nloop := &tree{}\nloop.left = loop\nloop.walk()",
			"Cell [1], line 5, in tree.walk\nCell [1], line 9"},
		"closure":          {"var f func(int) int\nf = func(n int) int {\n\tn++\n\treturn f(n) + 1\n}\nf(0)", "Cell [1], line 4, in a function literal\nCell [1], line 6"},
		"local closure":    {"func outer() int {\n\tvar f func(int) int\n\tf = func(n int) int {\n\t\treturn f(n+1) + 1\n\t}\n\treturn f(0)\n}\nouter()", "Cell [1], line 4, in a function literal of outer\nCell [1], line 6, in outer\nCell [1], line 8"},
		"generic function": {"func f[T any](x T) int {\n\treturn f(x) + 1\n}\nf(1)", "Cell [1], line 2, in f\nCell [1], line 4"},
		"generic method":   {"type L[T any] struct{ next *L[T] }\nfunc (l *L[T]) Len() int {\n\treturn 1 + l.next.Len()\n}\nl := &L[int]{}\nl.next = l\nl.Len()", "Cell [1], line 3, in L.Len\nCell [1], line 7"},
		"with a defer":     {"func f(n int) int {\n\tdefer func() {}()\n\treturn f(n+1) + 1\n}\nf(0)", "Cell [1], line 3, in f\nCell [1], line 5"},
		"String method":    {"type T int\nfunc (t T) String() string {\n\treturn fmt.Sprint(t)\n}\nfmt.Sprint(T(3))", "Cell [1], line 3, in T.String\nCell [1], line 5"},
		"sort callback":    {"func f() {\n\tsort.Slice([]int{1, 2}, func(i, j int) bool {\n\t\tf()\n\t\treturn false\n\t})\n}\nf()", "Cell [1], line 3, in a function literal of f\nCell [1], line 2, in f\n    (the last 2 again and again)\nCell [1], line 7|Cell [1], line 2, in f\nCell [1], line 3, in a function literal of f\n    (the last 2 again and again)\nCell [1], line 7"},
		"method value":     {"type T int\nvar g func() int\nfunc (t T) M() int {\n\treturn g() + 1\n}\ng = T(1).M\ng()", "Cell [1], line 4, in T.M\nCell [1], line 7"},
		"through a type":   {"type F func(F) int\nf := F(func(g F) int {\n\treturn g(g) + 1\n})\nf(f)", "Cell [1], line 3, in a function literal\nCell [1], line 5"},
	} {
		t.Run(name, func(t *testing.T) {
			s := newSessionWith(t, smallStack)
			limit := fmt.Sprint(cmp.Or(s.options.Stack, machine.DefaultStack) >> 20)
			end := s.play(1, c.code, discard)
			if end.failure == nil {
				t.Fatal("no error")
			}
			got, ok := strings.Join(end.failure.traceback, "\n"), false
			for frames := range strings.SplitSeq(c.want, "|") { // of two functions either may be the one that finds the end
				ok = ok || got == "runtime error: stack overflow\n"+frames+"\n    hint: these calls nest without end, or take more than the "+limit+" MB of stack that a cell has, which debug.SetMaxStack raises"
			}
			if !ok {
				t.Errorf("got:\n%s\nwant the frames:\n%s", got, c.want)
			}
			if end := s.play(2, "1 + 1", discard); end.failure != nil {
				t.Errorf("afterward: %v", end.failure)
			}
		})
	}
}

func TestStackOverflowOfAGoroutineNamesItsFunctions(t *testing.T) {
	s := newTestSession(t)
	shown, _ := playCells(s, "func down(n int) int {\n\treturn down(n+1) + 1\n}\nvar group sync.WaitGroup\ngroup.Go(func() { down(0) })\ngroup.Wait()")
	want := "goroutine ended: stack overflow: more than 30 MB of nested calls\n    Cell [1], line 2, in down\n    Cell [1], line 5, in a function literal\n"
	if shown[0] != want {
		t.Errorf("got %q, want %q", shown[0], want)
	}
}

func TestFramesThatComeAgainAndAgainAreShortened(t *testing.T) {
	many := make([]string, 150)
	for i := range many {
		many[i] = strings.Repeat("x", i+1)
	}
	for name, c := range map[string]struct{ list, want []string }{
		"nothing":         {nil, nil},
		"twice":           {strings.Split("abab", ""), strings.Split("abab", "")},
		"three times":     {strings.Split("xabcabcabcaby", ""), []string{"x", "a", "b", "c", "    (the last 3 again and again)", "y"}},
		"cycle in cycle":  {strings.Split("ababab", ""), []string{"a", "b", "    (the last 2 again and again)"}},
		"longer than all": {many, append(append(append([]string{}, many[:50]...), "    (50 more)"), many[100:]...)},
	} {
		t.Run(name, func(t *testing.T) {
			var got []string
			for _, p := range shorten(c.list) {
				got = append(got, p.of+p.note)
			}
			if !slices.Equal(got, c.want) {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}
