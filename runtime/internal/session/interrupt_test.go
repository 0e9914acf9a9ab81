package session

import (
	"context"
	"strings"
	"sync"
	"testing"
	"time"

	"gosphere/kernel/protocol"
)

// interruptible lists cells that do not end without an interrupt.
var interruptible = map[string]string{
	"empty loop":             "for {}",
	"counting loop":          "for i := 0; ; i++ { _ = i }",
	"loop in a function":     "func spin() { n := 0; for { n++ } }\nspin()",
	"recursion":              "func fib(n int) int { if n < 2 { return n }; return fib(n-1) + fib(n-2) }\nfib(60)",
	"sleep":                  "time.Sleep(time.Hour)",
	"loop of sleeps":         "for { time.Sleep(time.Millisecond) }",
	"receive":                "<-make(chan int)",
	"send":                   "make(chan int) <- 1",
	"select without a case":  "select {}",
	"range over a channel":   "for range make(chan int) {}",
	"wait for a group":       "var wg sync.WaitGroup\nwg.Add(1)\nwg.Wait()",
	"printing loop":          "for { fmt.Println(1) }",
	"locked mutex":           "var mu sync.Mutex\nmu.Lock()\nmu.Lock()",
	"compiled call":          "sort.Slice(make([]int, 1e6), func(i, j int) bool { time.Sleep(time.Microsecond); return i < j })",
	"loop in a goroutine":    "done := make(chan int)\ngo func() { for {} }()\n<-done",
	"deferred endless loop":  "func f() { defer func() { recover() }(); for {} }\nfor { f() }",
	"range over a function":  "func all(yield func(int) bool) { for yield(1) {} }\nfor range all {}",
	"loop in a method":       "type T struct{}\nfunc (T) Loop() { for {} }\nT{}.Loop()",
	"String method of value": "type S struct{}\nfunc (S) String() string { for {} }\nS{}",
}

// interrupted runs a cell and interrupts it as soon as it has begun. It returns the reply and the
// time from the interrupt to the reply.
func interrupted(t *testing.T, s *Session, code string) (protocol.ExecuteReply, time.Duration) {
	t.Helper()
	replies := make(chan protocol.ExecuteReply, 1)
	var mu sync.Mutex
	began := make(chan struct{})
	var once sync.Once
	go func() {
		replies <- execute(s, "started := true; println(started)\n"+code, func(content protocol.Content) {
			mu.Lock()
			defer mu.Unlock()
			if _, printed := content.(protocol.Stream); printed {
				once.Do(func() { close(began) })
			}
		})
	}()
	<-began                           // the first statement has run
	time.Sleep(30 * time.Millisecond) // until the cell waits or loops
	start := time.Now()
	s.Interrupt()
	select {
	case reply := <-replies:
		return reply, time.Since(start)
	case <-time.After(waitingTime):
		t.Fatal("the cell goes on after an interrupt")
	}
	return protocol.ExecuteReply{}, 0
}

func execute(s *Session, code string, publish func(protocol.Content)) protocol.ExecuteReply {
	return s.Execute(context.Background(), protocol.ExecuteRequest{Code: code, StoreHistory: true}, publish)
}

func discard(protocol.Content) {}

func TestInterruptEndsEveryKindOfCellAndKeepsTheState(t *testing.T) {
	for name, code := range interruptible {
		t.Run(name, func(t *testing.T) {
			s := newTestSession(t)
			execute(s, "kept := 41", discard)
			reply, took := interrupted(t, s, code)
			if reply.Ename != "KeyboardInterrupt" {
				t.Errorf("ename %q (%s), want KeyboardInterrupt", reply.Ename, strings.Join(reply.Traceback, "\n"))
			}
			t.Logf("ended after %v", took)
			end := s.play(99, "kept + 1", discard)
			if end.failure != nil || end.shown == nil || end.shown.data["text/plain"] != "42" {
				t.Errorf("after the interrupt: %v %v", end.failure, end.shown)
			}
		})
	}
}

func TestInterruptSparesGoroutinesOfEarlierCells(t *testing.T) {
	s := newTestSession(t)
	execute(s, "ticks := make(chan int)\ngo func() { for i := 0; ; i++ { ticks <- i } }()", discard)
	interrupted(t, s, "for {}")
	end := s.play(99, "a, b := <-ticks, <-ticks\nb - a", discard)
	if end.failure != nil || end.shown.data["text/plain"] != "1" {
		t.Fatalf("the goroutine of the first cell: %v", end.failure)
	}
}
