package session

import (
	"strings"
	"testing"
)

func TestItIsToldThatLiteralsKeepTheFunctionsTheyWereMadeWith(t *testing.T) {
	const warning = "warning: function values of cell 2 still call the f that they were made with; run them again to change that\n"
	for name, c := range map[string]struct {
		first, second, third, want string
	}{
		"a variable holds it":        {"func f() int { return 1 }", "g := func() int { return f() }", "func f() int { return 2 }", warning},
		"a map holds it":             {"func f() int { return 1 }", "g := map[string]func() int{\"a\": func() int { return f() }}", "func f() int { return 2 }", warning},
		"a goroutine runs it":        {"func f() int { return 1 }\nc := make(chan int)", "go func() { <-c; f() }()", "func f() int { return 2 }", warning},
		"a package keeps it":         {"func f() {}", "time.AfterFunc(time.Hour, func() { f() }).Stop()", "func f() { println() }", warning},
		"a package passes it on":     {"func f(n int) int { return n }", "sort.Slice([]int{1}, func(i, j int) bool { return f(i) < f(j) })", "func f(n int) int { return -n }", ""},
		"the same words":             {"func f() int { return 1 }", "g := func() int { return f() }", "func f() int { return 1 }", ""},
		"called on the spot":         {"func f() int { return 1 }", "g := func() int { return f() }()", "func f() int { return 2 }", ""},
		"declared functions follow":  {"func f() int { return 1 }", "func g() int { return f() }", "func f() int { return 2 }", ""},
		"it calls what has changed":  {"const n = 1\nfunc f() int { return n }", "g := func() int { return f() }", "const n = 2", ""},
		"a variable is the function": {"func f() int { return 1 }", "g := f", "func f() int { return 2 }", warning},
		"a map has the function":     {"func f() int { return 1 }", "g := map[string]func() int{\"a\": f}", "func f() int { return 2 }", warning},
		"a channel has it":           {"func f() int { return 1 }\nc := make(chan func() int, 1)", "c <- f", "func f() int { return 2 }", warning},
		"a package keeps the value":  {"func f(w http.ResponseWriter, r *http.Request) {}", "http.NewServeMux().HandleFunc(\"/\", f)", "func f(w http.ResponseWriter, r *http.Request) { println() }", warning},
		"a value calls what changes": {"const n = 1\nfunc f() int { return n }", "g := f", "const n = 2", ""},
		"a call of the function":     {"func f() int { return 1 }", "g := f()", "func f() int { return 2 }", ""},
		"only a function of its own": {"func f() int { return 1 }", "g := func(f func() int) int { return f() }", "func f() int { return 2 }", ""},
	} {
		s := newTestSession(t)
		if got := printed(s, c.first, c.second, c.third); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
		if got := printed(s, c.third); got != "" {
			t.Errorf("%s: it is told twice: %q", name, got)
		}
		s.Close()
	}
}

// The warning, or its absence, must agree with the version that a literal actually calls.
func TestWarningsAboutLiteralsAreRight(t *testing.T) {
	const first = "const n = 1\nfunc f() int { return n }\nfunc g() int { return f() }\ntype T struct{}\nfunc (T) M() int { return 1 }\ntype U struct{ T }\ntype V struct{ *U }\nvar V0 = V{&U{}}"
	for name, c := range map[string]struct{ literal, second, warns, calls string }{
		"another function":            {"f()", "func f() int { return 2 }", "f", "1"},
		"another function of another": {"g()", "func f() int { return 2 }", "", "2"},
		"another constant":            {"g()", "const n = 2", "", "2"},
		"another method":              {"T{}.M()", "func (T) M() int { return 2 }", "", "2"},
		"another receiver":            {"T{}.M()", "func (*T) M() int { return 2 }", "T.M", "1"},
		"over a promoted method":      {"U{}.M()", "func (U) M() int { return 2 }", "U.M", "1"},
		"over one of an inner type":   {"V0.M()", "func (U) M() int { return 2 }", "U.M", "1"},
		"a method beside":             {"T{}.M()", "func (T) N() int { return 2 }", "", "1"},
		"the function itself":         {"f", "func f() int { return 2 }", "f", "1"},
		"a function that calls":       {"g", "func f() int { return 2 }", "", "2"},
		"a method value":              {"T{}.M", "func (T) M() int { return 2 }", "", "2"},
		"a promoted method value":     {"U{}.M", "func (U) M() int { return 2 }", "U.M", "1"},
		"a value of other results":    {"T{}.M", "func (T) M() string { return \"2\" }", "T.M", "1"},
		"other results":               {"T{}.M()", "func (T) M() string { return \"2\" }", "T.M", "1"},
	} {
		s := newTestSession(t)
		want := ""
		if c.warns != "" {
			want = "warning: function values of cell 2 still call the " + c.warns + " that they were made with; run them again to change that\n"
		}
		literal := c.literal
		if strings.HasSuffix(literal, ")") {
			literal = "func() int { return " + literal + " }"
		}
		if got := printed(s, first, "h := "+literal, c.second); !strings.HasPrefix(got, want) || want == "" && strings.Contains(got, "function values") {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
		if got := printed(s, "fmt.Println(h())"); got != c.calls+"\n" {
			t.Errorf("%s: the literal returns %q, want %s", name, got, c.calls)
		}
		s.Close()
	}
}

// A literal that calls the latest version of a method is warned about when a later declaration
// changes the signature.
func TestMethodsThatLiteralsKeepAreTold(t *testing.T) {
	s := newTestSession(t)
	got := printed(s, "type T struct{}\nfunc (T) M() int { return 1 }\nfunc f() {}", "var g = func() int { return T{}.M() }", "h := func() { f(); T{}.M() }",
		"func (T) M() int { return 2 }\nfunc f() { println() }")
	if want := "warning: function values of cell 3 still call the f that they were made with; run them again to change that\n"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	got = printed(s, "func (T) M() string { return \"3\" }")
	if want := "warning: function values of cells 2, 3 still call the T.M that they were made with; run them again to change that\n"; !strings.HasPrefix(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestNoWarningSpeaksOfWhatResetRemoved(t *testing.T) {
	s := newTestSession(t)
	for _, code := range []string{
		"func f() int { return 1 }\ntype T struct{}\nfunc (T) M() int { return 1 }\ntype U struct{ T }",
		"g := func() int { return f() }; h := U{}.M; k := func() int { return U{}.M() }; go func() { _ = f() }()",
		"%reset",
	} {
		printed(s, code)
	}
	if text := printed(s, "func f() int { return 2 }\ntype T struct{}\nfunc (T) M() int { return 2 }\ntype U struct{ T }\nfunc (U) M() int { return 3 }"); text != "" {
		t.Errorf("declaring the names again prints %q", text)
	}
}
