package session

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"gosphere/kernel/protocol"
)

// waitingTime is how long these tests wait for an expected event.
const waitingTime = 2 * time.Minute

// A running cell publishes to a list of texts.
type running struct {
	t     *testing.T
	s     *Session
	lines chan string
	reply chan protocol.ExecuteReply
	stop  context.CancelFunc
}

// begin starts a cell in a separate shell.
func begin(t *testing.T, s *Session, code string) *running {
	ctx, cancel := context.WithCancel(t.Context())
	r := &running{t, s, make(chan string, 10_000), make(chan protocol.ExecuteReply, 1), cancel}
	go func() {
		r.reply <- s.Execute(ctx, protocol.ExecuteRequest{Code: code, StoreHistory: true}, func(content protocol.Content) {
			switch m := content.(type) {
			case protocol.Stream:
				for line := range strings.Lines(m.Text) {
					r.lines <- m.Name + " " + strings.TrimSuffix(line, "\n")
				}
			case protocol.ExecuteResult:
				r.lines <- fmt.Sprint("value ", m.Data["text/plain"])
			}
		})
	}()
	return r
}

// until waits for a line.
func (r *running) until(want string) {
	r.t.Helper()
	late := time.After(waitingTime)
	for {
		select {
		case line := <-r.lines:
			if line == want {
				return
			}
		case <-late:
			r.t.Fatalf("%q did not come", want)
		}
	}
}

// end waits for the end of the cell and describes it.
func (r *running) end() string {
	r.t.Helper()
	select {
	case reply := <-r.reply:
		return strings.TrimSpace(reply.Status + " " + reply.Ename)
	case <-time.After(waitingTime):
		r.t.Fatal("the cell does not end")
		return ""
	}
}

// runs reports whether the cell is still running.
func (r *running) runs() bool { return len(r.reply) == 0 }

// busy lists cells that wait or compute until release is closed or they are interrupted.
var busy = map[string]string{
	"a channel":             "fmt.Println(`began`)\n<-release",
	"a select":              "fmt.Println(`began`)\nselect { case <-release: case <-time.After(time.Hour): }",
	"a wait group":          "var wg sync.WaitGroup\nwg.Add(1)\ngo func() { <-release; wg.Done() }()\nfmt.Println(`began`)\nwg.Wait()",
	"a mutex":               "var mu sync.Mutex\nmu.Lock()\ngo func() { <-release; mu.Unlock() }()\nfmt.Println(`began`)\nmu.Lock()",
	"a loop":                "fmt.Println(`began`)\nfor len(release) == 0 { steps++ }",
	"a loop with maps":      "fmt.Println(`began`)\nfor len(release) == 0 { counts[steps % 100]++; steps++ }",
	"a recursion":           "func walk(n int) int { if n == 0 || len(release) > 0 { return 1 }; return walk(n-1) + walk(n-1) }\nfmt.Println(`began`)\nwalk(1000)",
	"a function of a slice": "fmt.Println(`began`)\nfor len(release) == 0 { sort.Slice(numbers, func(i, j int) bool { return numbers[i] < numbers[j] }) }",
}

const busySetup = "release := make(chan int, 10)\nsteps := 0\ncounts := map[int]int{}\nnumbers := []int{3, 1, 2}"

func TestCellsOfAnotherShellRunBesideABusyOne(t *testing.T) {
	for name, code := range busy {
		t.Run(name, func(t *testing.T) {
			s := newTestSession(t)
			execute(s, busySetup, discard)
			main := begin(t, s, code)
			main.until("stdout began")
			for i := range 20 {
				beside := begin(t, s, fmt.Sprintf("type T%d struct{ N int }\nfmt.Println(T%d{%d}.N)\nbeside := counts[7]\nbeside*0 + %d", i, i, i, i))
				beside.until(fmt.Sprint("stdout ", i))
				beside.until(fmt.Sprint("value ", i))
				if got := beside.end(); got != "ok" {
					t.Fatalf("cell %d beside it: %s", i, got)
				}
			}
			if !main.runs() {
				t.Fatal("the busy cell has ended")
			}
			execute(s, "for range 10 { release <- 1 }", discard)
			if got := main.end(); got != "ok" {
				t.Errorf("the busy cell: %s", got)
			}
		})
	}
}

// A cell that observed partly assigned slices or interface values would read invalid memory.
func TestVariablesAreNeverSeenHalfWritten(t *testing.T) {
	s := newTestSession(t)
	execute(s, "type Pair struct{ A, B int }\nlist := []int{}\nvar value any\npair := Pair{}\nlookup := map[string]int{}\nstop := false", discard)
	main := begin(t, s, `
for i := 0; !stop; i++ {
	if i % 3 == 0 { list = make([]int, i % 50); value = "text" } else { list = append(list, i); value = i }
	pair = Pair{i, i}
	lookup[fmt.Sprint(i % 20)] = i
	if i == 0 { fmt.Println("began") }
}`)
	main.until("stdout began")
	for range 20 {
		beside := begin(t, s, `
sum := 0
for range 200 {
	for _, n := range list { sum += n }
	switch v := value.(type) { case string: sum += len(v); case int: sum += v }
	if pair.A != pair.B { panic(fmt.Sprint(pair)) }
	for k, n := range lookup { sum += len(k) + n }
	lookup["beside"]++
}
fmt.Println(lookup != nil, len(fmt.Sprint(lookup, list, value)) > 0)
lookup`)
		if got := beside.end(); got != "ok" {
			t.Fatalf("beside: %s %v", got, <-beside.lines)
		}
	}
	execute(s, "stop = true", discard)
	if got := main.end(); got != "ok" {
		t.Errorf("the loop: %s", got)
	}
}

func TestDefinitionsBesideARunningCellLoseNoValues(t *testing.T) {
	s := newTestSession(t)
	execute(s, "type Point struct{ X, Y int }\npoint := Point{}\nvar f func() int\nstop := false", discard)
	main := begin(t, s, `
n := 0
for !stop {
	n++
	point = Point{n, n}
	f = func() int { return n }
	if point.X != n || point.Y != n { panic(fmt.Sprint("lost ", point, n)) }
	if n == 1 { fmt.Println("began") }
}
point.X - n + f() - n`)
	main.until("stdout began")
	for i := range 40 {
		code := fmt.Sprintf("var a%d, b%d = %d, \"x\"\nfunc f%d() int { return a%d }\nf%d() == %d", i, i, i, i, i, i, i)
		beside := begin(t, s, code)
		beside.until("value true")
		beside.end()
	}
	execute(s, "stop = true", discard)
	main.until("value 0")
	if got := main.end(); got != "ok" {
		t.Errorf("the loop: %s", got)
	}
}

func TestOutputsAndCountsBelongToTheirCells(t *testing.T) {
	s := newTestSession(t)
	var shells sync.WaitGroup
	var mu sync.Mutex
	counts := map[int]int{}
	for shell := range 4 {
		// Each shell runs twenty cells, some of them with goroutines that print.
		shells.Go(func() {
			for i := range 20 {
				code := fmt.Sprintf("func() { var wg sync.WaitGroup; for k := range 3 { wg.Add(1); go func() { defer wg.Done(); fmt.Println(%q, k) }() }; wg.Wait() }()", fmt.Sprint(shell, " ", i))
				var lines []string
				reply := s.Execute(t.Context(), protocol.ExecuteRequest{Code: code, StoreHistory: true}, func(content protocol.Content) {
					if m, ok := content.(protocol.Stream); ok {
						mu.Lock()
						defer mu.Unlock()
						lines = append(lines, m.Text)
					}
				})
				mu.Lock()
				counts[reply.ExecutionCount]++
				for _, line := range lines {
					if !strings.HasPrefix(line, fmt.Sprint(shell, " ", i, " ")) {
						t.Errorf("cell %d of shell %d got %q", i, shell, line)
					}
				}
				if reply.Status != "ok" || len(lines) != 3 {
					t.Errorf("cell %d of shell %d: %s %s, printed %q", i, shell, reply.Status, reply.Evalue, lines)
				}
				mu.Unlock()
			}
		})
	}
	shells.Wait()
	for n := 1; n <= 80; n++ {
		if counts[n] != 1 {
			t.Errorf("the execution count %d was given %d times", n, counts[n])
		}
	}
}

func TestInterruptEndsAllShells(t *testing.T) {
	s := newTestSession(t)
	execute(s, "kept := 41", discard)
	cells := []*running{begin(t, s, "fmt.Println(`began`)\nfor {}"), begin(t, s, "fmt.Println(`began`)\ntime.Sleep(time.Hour)"), begin(t, s, "fmt.Println(`began`)\nselect {}")}
	for _, c := range cells {
		c.until("stdout began")
	}
	s.Interrupt()
	for i, c := range cells {
		if got := c.end(); got != "error KeyboardInterrupt" {
			t.Errorf("cell %d: %s", i, got)
		}
	}
	after := begin(t, s, "kept + 1")
	after.until("value 42")
	after.end()
}

func TestEndOfTheContextEndsItsOwnCellOnly(t *testing.T) {
	s := newTestSession(t)
	execute(s, busySetup, discard)
	main, beside := begin(t, s, busy["a loop"]), begin(t, s, "fmt.Println(`beside`)\nfor {}")
	main.until("stdout began")
	beside.until("stdout beside")
	beside.stop()
	if got := beside.end(); got != "error KeyboardInterrupt" {
		t.Errorf("the cell whose context has ended: %s", got)
	}
	if !main.runs() {
		t.Error("the other cell has ended as well")
	}
	execute(s, "release <- 1", discard)
	if got := main.end(); got != "ok" {
		t.Errorf("the other cell: %s", got)
	}
}

func TestPanicsBesideARunningCellNameTheirOwnLine(t *testing.T) {
	s := newTestSession(t)
	execute(s, busySetup, discard)
	main := begin(t, s, "fmt.Println(`began`)\nfor len(release) == 0 {\n\tsteps++\n}\nvar p *int\n*p = 1")
	main.until("stdout began")
	reply := execute(s, "x := []int{}\n\ny := 3\nx[y] = 1", discard)
	if text := strings.Join(reply.Traceback, "\n"); !strings.Contains(text, "Cell [3], line 4") {
		t.Errorf("traceback %s", text)
	}
	execute(s, "release <- 1", discard)
	if text := strings.Join((<-main.reply).Traceback, "\n"); !strings.Contains(text, "Cell [2], line 6") {
		t.Errorf("traceback of the loop %s", text)
	}
}

func TestCallbacksRunWhileACellIsBusy(t *testing.T) {
	for name, code := range busy {
		t.Run(name, func(t *testing.T) {
			d := newDesk(t)
			d.cell(busySetup + "\n" + echoCell)
			main := begin(t, d.s, code)
			main.until("stdout began")
			d.expect(d.open("echo", `{}`), "stdout opened with map[]")
			for i := range 10 {
				d.expect(d.send("c", `{"x":1,"y":2}`), fmt.Sprintf(`stdout total %d, comm_msg {"x":2,"y":1}`, i+1))
			}
			if !main.runs() {
				t.Error("the busy cell has ended")
			}
			d.cell("for range 10 { release <- 1 }")
			if got := main.end(); got != "ok" {
				t.Errorf("the busy cell: %s", got)
			}
		})
	}
}

func TestInterruptEndsACallback(t *testing.T) {
	d := newDesk(t)
	d.cell("import \"gosphere/runtime/comm\"\ncomm.Register(\"loop\", func(c *comm.Comm, m comm.Message) { fmt.Println(`began`); for {} })")
	began, done := make(chan struct{}), make(chan string, 1)
	go func() {
		var list []string
		note := published(&list)
		var once sync.Once
		d.table.TakeOpen(protocol.CommOpen{CommID: "c", TargetName: "loop"}, func(content protocol.Content) {
			note(content)
			once.Do(func() { close(began) })
		})
		done <- strings.Join(list, ", ")
	}()
	<-began
	d.s.Interrupt()
	select {
	case got := <-done:
		d.expect(got, "stdout began, stderr KeyboardInterrupt: the cell was interrupted, stderr Cell [1], line 2, in a function literal, comm_close")
	case <-time.After(waitingTime):
		t.Fatal("the callback goes on")
	}
}

// TestNothingRunsBesideAnotherCellBehindACallThatTookLong has cells increment and decrement a
// variable without a poll in between, in straight-line code that follows calls that wait. If
// statements of two cells ran concurrently, one would observe the incremented variable of the
// other.
func TestNothingRunsBesideAnotherCellBehindACallThatTookLong(t *testing.T) {
	const setup = `import ("fmt"; "os/exec"; "sort"; "strings"; "sync"; "time")
inside, wrong := 0, 0
pair := [2]string{}
func waits() { c := make(chan bool, 1); go func() { time.Sleep(20 * time.Millisecond); c <- true }(); <-c }
func closed() chan int { c := make(chan int); go func() { time.Sleep(20 * time.Millisecond); close(c) }(); return c }
func waited() time.Time { return <-time.After(20 * time.Millisecond) }
func touched() int { touch(); return 1 }
func group() *sync.WaitGroup { var w sync.WaitGroup; w.Go(func() { time.Sleep(20 * time.Millisecond) }); return &w }
type pauses struct{ n int }
func (p pauses) Len() int { return 2 }
func (p pauses) Swap(i, j int) {}
func (p pauses) Less(i, j int) bool { touch(); return i < j }
func later() (string, error) { return "", nil }
func touch() {
	if inside != 0 { wrong++ }
	inside++
	text := fmt.Sprint("work that takes some steps", inside, wrong)
	text = strings.ToUpper(text)
	text = strings.Repeat(text, 50)
	text = strings.ToLower(text)
	text = strings.ReplaceAll(text, "work", "nothing")
	inside--
}`
	for name, code := range map[string]string{
		"a wait group":       "group().Wait()\ntouch()",
		"a sleep":            "time.Sleep(20*time.Millisecond)\ntouch()",
		"a receive":          "<-time.After(20*time.Millisecond)\ntouch()",
		"a value received":   "at := <-time.After(20*time.Millisecond)\ntouch()\n_ = at",
		"a condition":        "if g := group(); func() bool { g.Wait(); return true }() { touch() }",
		"a program":          "out, err := exec.Command(\"sleep\", \"0.02\").Output()\ntouch()\n_, _ = out, err",
		"a select":           "select { case <-time.After(20*time.Millisecond): touch() }",
		"a function":         "waits()\ntouch()",
		"a sorted list":      "sort.Sort(pauses{2})",
		"a literal":          "sort.Slice(make([]int, 3), func(i, j int) bool { touch(); return false })",
		"a range":            "for range closed() {}\ntouch()",
		"a switch":           "switch err := exec.Command(\"sleep\", \"0.02\").Run(); { case err == nil: touch() }",
		"an else":            "if exec.Command(\"false\").Run() == nil { } else if wrong < 0 { } else { touch() }",
		"a return":           "touch2 := func() time.Time { return waited() }\ntouch()\n_ = touch2()\ntouch()",
		"an operand":         "n := 1 + len(fmt.Sprint(<-time.After(20*time.Millisecond))) + touched()\n_ = n",
		"a store in a field": "pair[0], _ = func() (string, error) { o, err := exec.Command(\"sleep\", \"0.02\").Output(); return string(o), err }()\ntouch()",
	} {
		t.Run(name, func(t *testing.T) {
			s := newTestSession(t)
			if reply := execute(s, setup, discard); reply.Status != "ok" {
				t.Fatal(reply.Evalue)
			}
			var cells []*running
			for range 2 {
				for range 2 {
					cells = append(cells, begin(t, s, code))
				}
				cells = append(cells, begin(t, s, "for range 800 { touch() }"))
			}
			for _, c := range cells {
				if got := c.end(); got != "ok" {
					t.Fatalf("a cell: %s", got)
				}
			}
			last := begin(t, s, "fmt.Println(inside, wrong)")
			last.end()
			if got := <-last.lines; got != "stdout 0 0" {
				t.Errorf("%s: cells inside and steps beside another cell, want none of either", got)
			}
		})
	}
}

// A package is initialized once, even if cells of two shells import it at the same time. The second
// one waits, and can be interrupted.
func TestCellsWaitForThePackageThatAnotherOneInitializes(t *testing.T) {
	s, p := moduleSession(t)
	p.Add("example.com/slow", "v1.0.0", map[string]string{"s.go": `package slow
import ("fmt"; "os"; "time")
var Starts int
func init() {
	Starts++
	fmt.Println("begins")
	for { if _, err := os.Stat("go on"); err == nil { break }; time.Sleep(time.Millisecond) }
}`})
	plays(t, s, [2]string{"%require example.com/slow", "added"})
	const use = "import \"example.com/slow\"\nfmt.Println(slow.Starts)"
	first := begin(t, s, use)
	first.until("stdout begins")
	second, third := begin(t, s, use), begin(t, s, use)
	plays(t, s, [2]string{"fmt.Print(2)", "2"}) // while they wait
	third.stop()
	if got := third.end(); got != "error KeyboardInterrupt" {
		t.Errorf("an interrupted wait ends with %s", got)
	}
	if !first.runs() || !second.runs() {
		t.Error("a cell does not wait for the initialization")
	}
	plays(t, s, [2]string{`os.WriteFile("go on", nil, 0o600)`, ""})
	for _, r := range []*running{first, second} {
		r.until("stdout 1")
		if got := r.end(); got != "ok" {
			t.Errorf("a cell ends with %s", got)
		}
	}
}
