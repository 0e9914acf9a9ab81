package session

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"gosphere/kernel/protocol"
)

// giants are cells that take long to check and compile.
var giants = map[string]func() string{
	"statements": func() string {
		return "x := 0\n" + strings.Repeat("x += 1\n", 15_000)
	},
	"calls": func() string {
		return strings.Repeat("fmt.Sprint(`a`, `b`)\n", 8_000)
	},
	"a literal": func() string {
		return "list := []int{" + strings.Repeat("1, ", 60_000) + "}"
	},
	"a literal of strings": func() string {
		return "list := []string{" + strings.Repeat("`text`, ", 60_000) + "}"
	},
	"functions": func() string {
		var b strings.Builder
		for i := range 2_000 {
			fmt.Fprintf(&b, "func f%d(n int) int { if n > 3 { return n + %d }; return f%d(n-1) }\n", i, i, max(0, i-1))
		}
		return b.String()
	},
	"an expression": func() string { return "s := `a`" + strings.Repeat(" + `b`", 3_000) },
}

// TestInterruptsDoNotWaitForCompilation interrupts a cell whose compilation does not end.
func TestInterruptsDoNotWaitForCompilation(t *testing.T) {
	s := newTestSession(t)
	execute(s, "kept := 41", discard)
	s.compiling.Lock()
	replies := make(chan protocol.ExecuteReply, 1)
	go func() { replies <- execute(s, "kept = 0", discard) }()
	for s.calls.idle() {
		time.Sleep(100 * time.Microsecond)
	}
	s.Interrupt()
	if reply := <-replies; reply.Ename != "KeyboardInterrupt" {
		t.Errorf("ename %q", reply.Ename)
	}
	s.compiling.Unlock()
	if end := s.play(99, "kept + 1", discard); end.failure != nil || end.shown.data["text/plain"] != "42" {
		t.Fatalf("after the interrupt: %v %v", end.failure, end.shown)
	}
}

// TestInterruptsWhileGiantsAreCompiled interrupts cells at several moments of their compilation.
// The next cell must find the session in order, and the giant must run when it is sent again.
func TestInterruptsWhileGiantsAreCompiled(t *testing.T) {
	for name, code := range giants {
		t.Run(name, func(t *testing.T) {
			s := newTestSession(t)
			execute(s, "kept := 41", discard)
			for _, delay := range []time.Duration{0, 20 * time.Millisecond, 60 * time.Millisecond} {
				replies := make(chan protocol.ExecuteReply, 1)
				go func() { replies <- execute(s, code(), discard) }()
				for s.calls.idle() {
					time.Sleep(100 * time.Microsecond)
				}
				time.Sleep(delay)
				s.Interrupt()
				if reply := <-replies; reply.Ename != "KeyboardInterrupt" && reply.Status != "ok" {
					t.Fatalf("interrupted after %v: %s %s", delay, reply.Ename, reply.Evalue)
				}
				if end := s.play(99, "kept + 1", discard); end.failure != nil || end.shown.data["text/plain"] != "42" {
					t.Fatalf("after the interrupt: %v %v", end.failure, end.shown)
				}
			}
			if reply := execute(s, code(), discard); reply.Status != "ok" {
				t.Errorf("sent again: %s %s", reply.Ename, reply.Evalue)
			}
		})
	}
}
