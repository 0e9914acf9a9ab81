package session

import (
	"strings"
	"testing"
)

func TestWarningsComeOnceAndBlockNothing(t *testing.T) {
	s := newTestSession(t)
	code := "n := 7\nfmt.Printf(\"%s\\n\", n)"
	end, output := play(s, 1, code)
	want := "warning: line 2: fmt.Printf format %s has arg n of wrong type int\n    fmt.Printf(\"%s\\n\", n)\n%!s(int=7)\n"
	if end.failure != nil || output != want {
		t.Errorf("%v, output %q, want %q", end.failure, output, want)
	}
	if _, output := play(s, 2, code); output != "%!s(int=7)\n" {
		t.Errorf("run again, the cell prints %q", output)
	}
	if _, output := play(s, 3, "m := 8\nfmt.Printf(\"%s\\n\", m)"); !strings.HasPrefix(output, "warning: line 2: ") {
		t.Errorf("another cell prints %q", output)
	}
}

func TestWarningsCanBeTurnedOff(t *testing.T) {
	t.Setenv("GOSPHERE_WARNINGS", "off")
	s := newTestSession(t)
	if _, output := play(s, 1, "x := 1\nx = x"); output != "" {
		t.Errorf("the cell prints %q", output)
	}
}

func TestWarningsStayAwayFromOrdinaryCells(t *testing.T) {
	s := newTestSession(t)
	for _, code := range []string{
		"x := []float64{1, 2}\nstat.Mean(x, nil)",
		"strings.ToUpper(\"shown\")",
		"type T struct{ mu sync.Mutex; n int }\nfunc (t *T) Add() { t.mu.Lock(); defer t.mu.Unlock(); t.n++ }\nvar t T\nt.Add()",
		"ctx, cancel := context.WithCancel(context.Background())\ndefer cancel()\n_ = ctx",
	} {
		if end, output := play(s, 1, code); end.failure != nil || output != "" {
			t.Errorf("%q: %v, output %q", code, end.failure, output)
		}
	}
}

func TestWarningsKnowMagics(t *testing.T) {
	s := newTestSession(t)
	for code, want := range map[string]string{
		"%timeit math.Sqrt(2)":               "",
		"%%timeit\nstrings.ToUpper(\"a\")":   "",
		"%time math.Sqrt(2)\nx := 3":         "",
		"%time fmt.Printf(\"%d\\n\", \"x\")": "warning: line 1: fmt.Printf format %d has arg \"x\" of wrong type string\n    %time fmt.Printf(\"%d\\n\", \"x\")\n",
	} {
		end, output := play(s, 1, code)
		warned := ""
		if at := strings.Index(output, "warning"); at >= 0 {
			warned = strings.Join(strings.SplitAfter(output[at:], "\n")[:2], "")
		}
		if end.failure != nil || warned != want {
			t.Errorf("%s: %v, warned %q, want %q", code, end.failure, warned, want)
		}
	}
}
