package session

import (
	"context"
	"strings"
	"sync"
	"testing"
	"time"

	"gosphere/kernel/protocol"
)

// shortNotice replaces the seconds after which a wait is reported.
const shortNotice = 20 * time.Millisecond

// reportedWait runs a cell until it writes to stderr and returns the text. It interrupts the cell.
func reportedWait(t *testing.T, s *Session, code string) string {
	t.Helper()
	reported := make(chan string, 1)
	ctx, interrupt := context.WithTimeout(context.Background(), waitingTime)
	defer interrupt()
	s.Execute(ctx, protocol.ExecuteRequest{Code: code, StoreHistory: true}, func(content protocol.Content) {
		if stream, ok := content.(protocol.Stream); ok && stream.Name == "stderr" {
			select {
			case reported <- stream.Text:
			default:
			}
			interrupt()
		}
	})
	select {
	case text := <-reported:
		return text
	default:
		return ""
	}
}

func TestTheResultOfABenchmarkSaysThatCellCodeRan(t *testing.T) {
	var text any
	execute(newTestSession(t), "testing.BenchmarkResult{N: 10, T: 1000}", func(content protocol.Content) {
		if result, ok := content.(protocol.ExecuteResult); ok {
			text = result.Data["text/plain"]
		}
	})
	if text != "      10\t       100.0 ns/op\t(cell code)" {
		t.Errorf("text %q", text)
	}
}

// Cells that wait for an event that no goroutine can cause, and the operation that is reported.
var endlessWaits = map[string]struct{ code, want string }{
	"receive":       {"ch := make(chan int)\n<-ch", "in a receive\nCell [1], line 2"},
	"nil channel":   {"var ch chan int\nfor range ch {\n}", "in a receive\nCell [1], line 2"},
	"send":          {"func put(ch chan<- int) { ch <- 1 }\nput(make(chan int))", "in a send\nCell [1], line 1, in put\nCell [1], line 2"},
	"select":        {"select {}", "in a select statement\nCell [1], line 1"},
	"wait group":    {"var wg sync.WaitGroup\nwg.Add(1)\nwg.Wait()", "in sync.(*WaitGroup).Wait\nCell [1], line 3"},
	"lock":          {"var mu sync.Mutex\nmu.Lock()\nmu.Lock()", "in sync.(*Mutex).Lock\nCell [1], line 3"},
	"two that wait": {"a, b := make(chan int), make(chan int)\ngo func() { a <- <-b }()\nb <- <-a", "in a receive\nCell [1], line 3"},
}

func TestAWaitThatNoGoroutineCanEndIsReported(t *testing.T) {
	for name, c := range endlessWaits {
		t.Run(name, func(t *testing.T) {
			s := newTestSession(t)
			s.guard.NoticeWaits(shortNotice)
			got := reportedWait(t, s, c.code)
			if !strings.HasPrefix(got, "all goroutines are asleep: the cell has waited for 20ms\n    "+c.want+"\n    hint: ") {
				t.Errorf("%s\nstderr %q, want %q", c.code, got, c.want)
			}
		})
	}
}

func TestAWaitBesideAListenerIsNotCalledADeadlock(t *testing.T) {
	s := newTestSession(t)
	s.guard.NoticeWaits(shortNotice)
	got := reportedWait(t, s, "l, err := net.Listen(\"tcp\", \"127.0.0.1:0\")\ngot := make(chan net.Conn)\ngo func() { c, _ := l.Accept(); got <- c }()\n<-got")
	if !strings.HasPrefix(got, "no goroutine of a cell is running: ") {
		t.Errorf("stderr %q", got)
	}
}

// Each cell waits for about ten times as long as the notice.
func TestAWaitThatEndsIsNotReported(t *testing.T) {
	for name, code := range map[string]string{
		"timer":      "<-time.After(200 * time.Millisecond)",
		"context":    "ctx, stop := context.WithTimeout(context.Background(), 200*time.Millisecond)\n<-ctx.Done()\nstop()",
		"sleeping":   "done := make(chan int)\ngo func() { time.Sleep(200 * time.Millisecond); done <- 1 }()\n<-done",
		"computing":  "done := make(chan int)\ngo func() {\n\tfor end := time.Now().Add(200 * time.Millisecond); time.Now().Before(end); {\n\t}\n\tdone <- 1\n}()\n<-done",
		"many waits": "ch := make(chan int)\ngo func() {\n\tfor range 20 {\n\t\ttime.Sleep(10 * time.Millisecond)\n\t\tch <- 1\n\t}\n\tclose(ch)\n}()\nfor range ch {\n}",
	} {
		t.Run(name, func(t *testing.T) {
			s := newTestSession(t)
			s.guard.NoticeWaits(shortNotice)
			var mu sync.Mutex
			var text string
			reply := execute(s, code, func(content protocol.Content) {
				mu.Lock()
				defer mu.Unlock()
				if stream, ok := content.(protocol.Stream); ok {
					text += stream.Text
				}
			})
			mu.Lock()
			defer mu.Unlock()
			if reply.Status != "ok" || text != "" {
				t.Errorf("%s\nstatus %s, output %q", code, reply.Status, text)
			}
		})
	}
}
