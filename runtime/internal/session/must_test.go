package session

import (
	"strings"
	"testing"

	"gosphere/kernel/protocol"
)

// Each case is a session of cells, separated by lines of ---, and what they print.
func TestMustReturnsResultsOrPanics(t *testing.T) {
	const declared = "func two() (int, string, error) { return 1, `x`, nil }\nfunc three() (int, string, bool, error) { return 1, `x`, true, nil }\nfunc fails() (int, error) { return 0, io.EOF }\n---\n"
	for _, c := range []struct{ cells, want string }{
		{"must(os.Setenv(`A`, `b`))\nfmt.Print(must(strconv.Atoi(`12`)) + 1)", "13"},
		{declared + "a, b := must(two())\nc, d, e := must(three())\nfmt.Println(a, b, c, d, e)", "1 x 1 x true\n"},
		{declared + "fmt.Print(must(must(nested())))\nfunc nested() (int, error, error) { return 7, nil, nil }", "7"},
		{declared + "func f() (n int) { defer func() { fmt.Print(recover(), ` `) }(); return must(fails()) }\nfmt.Print(f())", "EOF 0"},
		{"func f() string { return x }\nx := string(must(os.ReadFile(os.DevNull)))\nfmt.Printf(`%q`, f())", `""`}, // checked in two passes
		{"func list[T any](v T, err error) []T { return []T{must(v, err)} }\nfmt.Print(list(strconv.Atoi(`3`)))", "[3]"},
		// Declarations of the name take precedence, and what has been checked before keeps its meaning.
		{"must := 3\nfmt.Print(must)", "3"},
		{"type T struct{}\nfunc f(T) int { return must(strconv.Atoi(`5`)) }\n---\nfunc must(n int) int { return -n }\n---\ntype T struct{ x int }\n---\nfmt.Print(f(T{}), must(2))", "5 -2"},
		{"func must(n int) int { return -n }\nfmt.Print(must(2))", "-2"},
		{"func f(must func(int) int) int { return must(2) }\nfmt.Print(f(func(n int) int { return n }))", "2"},
		{"type T struct{ must int }\nfmt.Print(T{must: 4}.must)", "4"},
	} {
		s := newTestSession(t)
		var output string
		for i, code := range strings.Split(c.cells, "\n---\n") {
			end, printed := play(s, i+1, code)
			if output += printed; end.failure != nil {
				t.Errorf("%s\n%v", c.cells, end.failure.traceback)
			}
		}
		if output != c.want {
			t.Errorf("%s\nprints %q, want %q", c.cells, output, c.want)
		}
	}
}

func TestMustNamesTheLineOfTheCall(t *testing.T) {
	s := newTestSession(t)
	play(s, 1, "func f(s string) int {\n\treturn must(strconv.Atoi(s))\n}")
	for code, want := range map[string]string{
		"x := 1\nx = must(strconv.Atoi(`a`))": "Cell [2], line 2",
		"f(`a`)":                              "Cell [1], line 2, in f\nCell [2], line 1",
		"must(os.Remove(`nosuch`))":           "Cell [2], line 1",
	} {
		end, _ := play(s, 2, code)
		var places []string
		for _, line := range end.failure.traceback {
			if strings.Contains(line, ", line ") {
				places = append(places, line)
			}
		}
		if got := strings.Join(places, "\n"); got != want || end.failure.name != "panic" {
			t.Errorf("%s: %q at %q, want %q", code, end.failure.name, got, want)
		}
	}
}

func TestWrongCallsOfMustSayHow(t *testing.T) {
	s := newTestSession(t)
	for _, code := range []string{"must(3)", "must()", "must(strconv.Itoa(3))", "must(1, 2, 3, 4, nil)", "f := must", "must(`a`, 3)"} {
		end, _ := play(s, 1, code)
		if text := strings.Join(end.failure.traceback, "\n"); !strings.Contains(text, "hint: must ") || strings.Contains(text, "cell__") {
			t.Errorf("%s:\n%s", code, text)
		}
	}
	// Programs are Go.
	if end, _ := play(s, 1, "package main\nfunc main() { must(error(nil)) }"); end.failure == nil || !strings.HasPrefix(end.failure.value, "undefined: must") {
		t.Error(end.failure)
	}
}

func TestMustIsCompletedAndDescribed(t *testing.T) {
	s := newTestSession(t)
	has := func(code string) bool {
		reply := s.Complete(protocol.CompleteRequest{Code: code, CursorPos: len(code)})
		n := 0
		for _, match := range reply.Matches {
			if strings.Contains(match, "cell__") {
				t.Errorf("%s: %s", code, match)
			}
			if match == "must" {
				n++
			}
		}
		return n == 1
	}
	if !has("mus") || !has("x := must(os.ReadFile(`a`))\nmus") {
		t.Error("must is not completed")
	}
	described := s.Inspect(protocol.InspectRequest{Code: "must(os.Remove(`a`))", CursorPos: 2})
	if text, _ := described.Data["text/plain"].(string); !strings.HasPrefix(text, "func must(results ..., err error) (results ...)\n\nmust stops the cell") {
		t.Error(described.Data)
	}
}
