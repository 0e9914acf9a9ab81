package session

import "testing"

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
