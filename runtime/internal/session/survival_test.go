package session

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"gosphere/kernel/protocol"
)

// A killer is a cell that would end a compiled program.
type killer struct {
	name, code string
	failure    string // part of the failure; may be ""
	output     string // part of what the cell prints
}

// killers lists cells that must not affect the process or the state of the session. Those that wait
// for their goroutines print done, so that no goroutine remains when the next cell begins.
var killers = []killer{
	{"panic", `panic("boom")`, "panic: boom", ""},
	{"nil map", "var none map[string]int\nnone[\"a\"] = 1", "assignment to entry in nil map", ""},
	{"division", "zero := 0\n_ = 1 / zero", "integer divide by zero", ""},
	{"index", "short := []int{1}\nat := 3\n_ = short[at]", "index out of range [3] with length 1", ""},
	{"goroutine", "gone := make(chan bool)\ngo func() { defer close(gone); panic(\"far away\") }()\n<-gone\nfmt.Println(\"done\")", "", "done"},
	{"wait group", "var group sync.WaitGroup\ngroup.Go(func() { panic(\"in a group\") })\ngroup.Wait()\nfmt.Println(\"done\")", "", "done"},
	{"timer", "rang := make(chan bool)\ntime.AfterFunc(time.Millisecond, func() { defer close(rang); panic(\"late\") })\n<-rang\nfmt.Println(\"done\")", "", "done"},
	{"context", "canceled := make(chan bool)\nctx, cancel := context.WithCancel(context.Background())\ncontext.AfterFunc(ctx, func() { defer close(canceled); panic(\"after\") })\ncancel()\n<-canceled\nfmt.Println(\"done\")", "", "done"},
	{"sort callback", `sort.Slice([]int{3, 1, 2}, func(i, j int) bool { panic("while sorting") })`, "panic: while sorting", ""},
	{"String method", "type loud int\nfunc (loud) String() string { panic(\"in String\") }\nfmt.Println(loud(1))", "", "PANIC=String method: in String"},
	{"handler", "server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { panic(\"in a handler\") }))\nserver.Config.ErrorLog = log.New(io.Discard, \"\", 0)\n_, failed := http.Get(server.URL)\nserver.Close()\nfmt.Println(failed != nil)", "", "true"},
	{"exit", "os.Exit(3)", "exit status 3", ""},
	{"fatal", `log.Fatal("that was it")`, "exit status 1", ""},
	{"goexit", "fmt.Println(\"done\")\nruntime.Goexit()", "", "done"},
	{"recursion", "func down(n int) int { return down(n+1) + 1 }\ndown(0)", "stack overflow", ""},
	{"recursion by an element", "var calls [1]func(int) int\nfunc next(n int) int { return calls[0](n+1) + 1 }\ncalls[0] = next\nnext(0)", "stack overflow", ""},
	{"shared map", `counts := map[int]int{}
var writers sync.WaitGroup
for g := 0; g < 4; g++ {
	writers.Add(1)
	go func() {
		defer writers.Done()
		for i := 0; i < 3000; i++ {
			counts[i%50]++
			if n, ok := counts[(i+7)%50]; ok && n < 0 { delete(counts, i) }
			if i%500 == 0 { for k, v := range counts { _ = k + v } }
		}
	}()
}
for i := 0; i < 3000; i++ { counts[i%50] = i }
writers.Wait()
fmt.Println("done", len(counts))`, "", "done 50"},
	{"a terabyte", "huge := make([]byte, 1<<40)\nhuge[0] = 1", "out of memory: 1 TB wanted", ""},
	{"a terabyte at run time", "n := 1 << 40\n_ = make([]byte, 0, n)", "out of memory: 1 TB wanted", ""},
	{"a terabyte repeated", `_ = strings.Repeat("x", 1<<40)`, "out of memory: 1 TB wanted", ""},
	{"more than there are addresses", "n := 1 << 60\n_ = make([]int64, n)", "makeslice: len out of range", ""},
	{"less than nothing", "n := -1\n_ = make([]int64, n)", "makeslice: len out of range", ""},
	{"closed streams", "os.Stdout.Close()\nos.Stderr.Close()\nfmt.Println(\"done\")", "", "done"},
	{"closed channel", "shut := make(chan int)\nclose(shut)\nclose(shut)", "close of closed channel", ""},
	{"unlocked mutex", "var free sync.Mutex\nfree.Unlock()", "unlock of unlocked mutex", ""},
	{"unlocked for writing", "var open sync.RWMutex\nopen.RLock()\nopen.Unlock()", "Unlock of unlocked RWMutex", ""},
	{"unlocked for reading", "var open sync.RWMutex\ndefer open.RUnlock()", "RUnlock of unlocked RWMutex", ""},
	{"exit in a goroutine", "go func() { os.Exit(4) }()\nselect {}", "exit status 4", ""},
	{"fatal of a logger", "log.New(io.Discard, \"\", 0).Fatalln(\"that was it\")", "exit status 1", ""},
	{"recursion in a goroutine", "func deep(n int) int { return deep(n+1) + 1 }\nlost := make(chan bool)\ngo func() { defer close(lost); deep(0) }()\n<-lost\nfmt.Println(\"done\")", "", "done"},
	{"recursion by String", "type echo int\nfunc (e echo) String() string { return fmt.Sprint(e) }\n_ = fmt.Sprint(echo(1))", "stack overflow", ""},
	{"panic while panicking", "func twice() { defer func() { panic(\"second\") }(); panic(\"first\") }\ntwice()", "panic: second", ""},
	{"panicking error", "type moody struct{}\nfunc (moody) Error() string { panic(\"no text\") }\npanic(moody{})", "panic: main.moody (its Error method panics: no text)", ""},
	{"panic in MarshalJSON", "type shy int\nfunc (shy) MarshalJSON() ([]byte, error) { panic(\"not me\") }\njson.Marshal(shy(1))", "panic: not me", ""},
	{"once", "var once sync.Once\nonce.Do(func() { panic(\"once\") })", "panic: once", ""},
	{"flags", "flags := flag.NewFlagSet(\"cell\", flag.ExitOnError)\nflags.SetOutput(io.Discard)\nflags.Parse([]string{\"-nope\"})", "exit status 2", ""},
	{"exit of syscall", "syscall.Exit(5)", "exit status 5", ""},
	{"shared map in compiled code", `box := map[string]int{}
text, _ := json.Marshal(map[string]int{"a": 1, "b": 2, "c": 3})
var fillers sync.WaitGroup
for g := 0; g < 4; g++ {
	fillers.Go(func() { for i := 0; i < 500; i++ { json.Unmarshal(text, &box); maps.Copy(box, map[string]int{"d": i}); box["a"] = i } })
}
for i := 0; i < 500; i++ { json.Marshal(box); fmt.Sprint(box); fmt.Sprintf("%v", []any{box}); box["e"] = i }
fillers.Wait()
fmt.Println("done", len(box))`, "", "done 5"},
	{"shared map shown", `grow := map[string]int{}
stopped := make(chan bool)
go func() { defer close(stopped); for i := 0; i < 20000; i++ { grow[strconv.Itoa(i%100)] = i } }()
for i := 0; i < 50; i++ { display.Show(grow) }
<-stopped
fmt.Println("done")`, "", "done"},
	{"negative group", "var below sync.WaitGroup\nbelow.Add(-1)", "negative WaitGroup counter", ""},
}

// play runs a cell and returns its reply and output.
func play(s *Session, number int, code string) (ending, string) {
	var mu sync.Mutex
	var out strings.Builder
	end := s.play(number, code, func(content protocol.Content) {
		mu.Lock()
		defer mu.Unlock()
		if stream, ok := content.(protocol.Stream); ok {
			out.WriteString(stream.Text)
		}
	})
	mu.Lock()
	defer mu.Unlock()
	return end, out.String()
}

// judge describes an error in the ending of a killer, or returns "".
func (k killer) judge(end ending, output string) string {
	failure := ""
	if end.failure != nil {
		failure = end.failure.String()
	}
	if k.failure == "" && failure != "" || !strings.Contains(failure, k.failure) {
		return fmt.Sprintf("failure %q, want %q", failure, k.failure)
	}
	if !strings.Contains(output, k.output) {
		return fmt.Sprintf("output %q, want %q", output, k.output)
	}
	return ""
}

func TestNothingThatACellDoesEndsTheSession(t *testing.T) {
	for _, k := range killers {
		t.Run(k.name, func(t *testing.T) {
			s := newSessionWith(t, smallStack)
			play(s, 1, "kept := map[string]int{\"a\": 41}")
			if wrong := k.judge(play(s, 2, k.code)); wrong != "" {
				t.Error(wrong)
			}
			end, output := play(s, 3, "fmt.Println(kept[\"a\"] + 1)")
			if end.failure != nil || output != "42\n" {
				t.Errorf("afterward: %v, output %q", end.failure, output)
			}
		})
	}
}

// TestEncodersAndTemplatesWalkOverMapsThatGoroutinesWrite would end the process if one of the calls
// did not lock the map.
func TestEncodersAndTemplatesWalkOverMapsThatGoroutinesWrite(t *testing.T) {
	s := newTestSession(t)
	shown, _ := playCells(s,
		"import (\n\t\"encoding/gob\"\n\thtml \"html/template\"\n\t\"sync/atomic\"\n\t\"text/template\"\n)\nm := map[int]int{}\nvar over atomic.Bool\nfor range 3 {\n\tgo func() {\n\t\tfor i := 0; !over.Load(); i++ {\n\t\t\tm[i%1000] = i\n\t\t\tdelete(m, (i+500)%1000)\n\t\t}\n\t}()\n}",
		"const list = \"{{range $k, $v := .}}{{$k}} {{end}}\"\ntexts, pages := template.Must(template.New(\"l\").Parse(list)), html.Must(html.New(\"l\").Parse(list))\nfor range 200 {\n\tvar data bytes.Buffer\n\tback := map[int]int{}\n\tif err := gob.NewEncoder(&data).Encode(m); err != nil {\n\t\tpanic(err)\n\t}\n\tif err := gob.NewDecoder(&data).Decode(&back); err != nil {\n\t\tpanic(err)\n\t}\n\tif err := texts.Execute(io.Discard, m); err != nil {\n\t\tpanic(err)\n\t}\n\tif err := pages.ExecuteTemplate(io.Discard, \"l\", m); err != nil {\n\t\tpanic(err)\n\t}\n\tif err := json.NewEncoder(io.Discard).Encode(m); err != nil {\n\t\tpanic(err)\n\t}\n}\nover.Store(true)\nlen(m) <= 1000",
	)
	if shown[1] != "= true\n" {
		t.Errorf("got %q", shown)
	}
}

// TestElementsOfSharedMapsAreReadWhole reads elements of two words while goroutines assign to them.
// If the words of an element came from two assignments, a length would be out of range, or a value
// would have the wrong type.
func TestElementsOfSharedMapsAreReadWhole(t *testing.T) {
	s := newTestSession(t)
	shown, _ := playCells(s,
		"import \"sync/atomic\"\nvar over atomic.Bool\nlong := strings.Repeat(\"x\", 100)\ntexts, values := map[int]string{1: long}, map[int]any{1: 3}",
		"for range 2 {\n\tgo func() {\n\t\tfor !over.Load() {\n\t\t\ttexts[1], values[1] = \"a\", 3\n\t\t\ttexts[1], values[1] = long, \"text\"\n\t\t}\n\t}()\n}",
		"torn := 0\nfor range 1_000_000 {\n\tif s := texts[1]; s != long && s != \"a\" {\n\t\ttorn++\n\t}\n\tif v := values[1]; v != any(3) && v != any(\"text\") {\n\t\ttorn++\n\t}\n}\nover.Store(true)\ntorn")
	if shown[2] != "= 0\n" {
		t.Errorf("got %q", shown)
	}
}
