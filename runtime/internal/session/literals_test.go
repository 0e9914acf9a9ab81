package session

import (
	"context"
	"runtime"
	"strings"
	"sync"
	"testing"

	"gosphere/kernel/protocol"
)

// The positions that a cell's statements need are forgotten after its goroutines have ended, and
// not earlier: a goroutine that fails late still reports its position.
func TestALateGoroutineKnowsItsLineWhenOthersAreForgotten(t *testing.T) {
	s := newTestSession(t)
	var mu sync.Mutex
	var text strings.Builder
	run := func(code string) {
		t.Helper()
		reply := s.Execute(context.Background(), protocol.ExecuteRequest{Code: code, StoreHistory: true}, func(content protocol.Content) {
			if stream, ok := content.(protocol.Stream); ok {
				mu.Lock()
				defer mu.Unlock()
				text.WriteString(stream.Text)
			}
		})
		if reply.Status != "ok" {
			t.Errorf("%s: %s", code, reply.Evalue)
		}
	}
	shown := func() string {
		mu.Lock()
		defer mu.Unlock()
		return text.String()
	}
	run("import \"sync\"\nc := make(chan []int)\nvar wait sync.WaitGroup")
	run("go func() {\n\tlist := <-c\n\n\tprintln(list[3])\n}()")
	for i := range 20 {
		run("wait.Add(2)\nfor range 2 {\n\tgo func() { defer wait.Done(); println() }()\n}\nwait.Wait()")
		if i%10 == 9 {
			runtime.GC()
		}
	}
	run("c <- []int{1}")
	for !strings.Contains(shown(), "index out of range") {
		runtime.Gosched()
	}
	for !strings.Contains(shown(), "in a function literal") { // the end of the report
		runtime.Gosched()
	}
	if !strings.Contains(shown(), "Cell [2], line 4") {
		t.Errorf("the report does not name the line: %q", shown())
	}
}

// A return statement sets named results, and functions and pointers that refer to them observe the
// values.
func TestReturnsSetTheResultsThatOthersSee(t *testing.T) {
	s := newTestSession(t)
	got := printed(s, `import "fmt"
func captured() (v any, f func()) { v = 1; f = func() { fmt.Println(v) }; return nil, f }
func pointed() (v int, p *int) { p = &v; return 5, p }
func literal() func() int { g := func() (n int, f func() int) { f = func() int { return n }; return 8, f }; _, f := g(); return f }
func swapped() (a, b int, f func() (int, int)) { a, b = 1, 2; f = func() (int, int) { return a, b }; return b, a, f }
`, "_, f := captured(); f(); _, p := pointed(); fmt.Println(*p, literal()()); a, b, g := swapped(); fmt.Print(a, b, \" \"); fmt.Println(g())")
	if want := "<nil>\n5 8\n2 1 2 1\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
