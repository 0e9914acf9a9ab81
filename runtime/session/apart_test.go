package session

import (
	"strings"
	"testing"
)

// The interpreter puts a closure back in its place when one of the same literal returns: on a machine with two processors one
// of fifty goroutines began with a nil function now and then, and its WaitGroup waited for ever.
func TestGoroutinesOfALoopBeginAll(t *testing.T) {
	for _, code := range []string{
		"var wg sync.WaitGroup\nfor i := range 50 { wg.Add(1); go func(k int) { defer wg.Done(); _ = k }(i) }\nwg.Wait()\nfmt.Print(1)",
		"var wg sync.WaitGroup\nfor range 50 { wg.Add(1); go func() { wg.Done() }() }\nwg.Wait()\nfmt.Print(1)",
		"var wg sync.WaitGroup\nfor range 50 { wg.Go(func() {}) }\nwg.Wait()\nfmt.Print(1)",
		"var wg sync.WaitGroup\ni := 0\nagain:\nwg.Add(1)\ngo func(k int) { wg.Done() }(i)\ni++\nif i < 50 { goto again }\nwg.Wait()\nfmt.Print(1)",
		"type T struct{ wg *sync.WaitGroup }\nfunc (t T) Do() { t.wg.Done() }\nvar wg sync.WaitGroup\n" +
			"for range 50 { wg.Add(1); f := T.Do; go f(T{&wg}) }\nwg.Wait()\nfmt.Print(1)",
	} {
		s := newTestSession(t)
		for n := range 60 {
			if end, output, ok := playCell(s, n+1, code); !ok || end.failure != nil || output != "1" {
				t.Fatalf("round %d: ended %v, %v, printed %q\n%s", n, ok, end.failure, output, code)
			}
		}
		s.Close()
	}
}

func TestLiteralsOfLoopsHaveFramesOfTheirOwn(t *testing.T) {
	for code, want := range map[string]string{
		"for i := range 3 { go func(k int) {}(i) }":                          "}(func() func(int) { return func(k int)",
		"for range 3 { go func() {}() }":                                     "gs.Go(func() func() { return func()",
		"for range 3 { time.AfterFunc(0, func() {}) }":                       "(0), func() func() { return func()",
		"for range 3 { f := func() int { return 1 }; _ = f }":                "= func() func() (int) { return func() (int)",
		"for range 3 { _ = func() { for { func() {}(); break } } }":          "= func() func() { return func()",
		"i := 0\nagain:\ni++\ngo func() {}()\nif i < 3 { goto again }":       "gs.Go(func() func() { return func()",
		"type T int\nfunc (t T) Do() {}\nfor range 3 { f := T.Do; go f(1) }": "= func() func(int) { return func(r int)",
	} {
		if text := lowered(t, code); !strings.Contains(text, want) {
			t.Errorf("%s becomes\n%s\nwithout %q", code, text, want)
		}
	}
}
