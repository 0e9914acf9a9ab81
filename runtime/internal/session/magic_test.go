package session

import (
	"context"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"gosphere/kernel/protocol"
)

// playCells runs cells one after another and returns the output of each: its streams, its value and
// its error.
func playCells(s *Session, cells ...string) (shown []string, replies []protocol.ExecuteReply) {
	for _, code := range cells {
		var mu sync.Mutex
		var text strings.Builder
		reply := s.Execute(context.Background(), protocol.ExecuteRequest{Code: code, StoreHistory: true}, func(c protocol.Content) {
			mu.Lock()
			defer mu.Unlock()
			switch c := c.(type) {
			case protocol.Stream:
				text.WriteString(c.Text)
			case protocol.ExecuteResult:
				text.WriteString("= " + c.Data["text/plain"].(string) + "\n")
			case protocol.Error:
				text.WriteString("error " + c.Ename + ": " + c.Evalue + "\n")
			}
		})
		mu.Lock()
		shown, replies = append(shown, text.String()), append(replies, reply)
		mu.Unlock()
	}
	return shown, replies
}

func TestMagicsRunInTheOrderOfTheCell(t *testing.T) {
	s := newTestSession(t)
	folder := t.TempDir()
	t.Chdir(folder)
	shown, _ := playCells(s,
		"%%writefile a.txt\none\n`two`",
		"fmt.Print(1, \" \")\n%env SPHERE=round\ntext, _ := os.ReadFile(\"a.txt\")\nfmt.Println(os.Getenv(\"SPHERE\"))\nstring(text)",
		"%%writefile -a a.txt\n\nthree",
		"%%writefile a.txt",
		"%save b.txt 1-2 4",
		"%save b.txt 9",
		"%cd nothing",
		"%env NO_SUCH_NAME",
	)
	for i, want := range []string{
		"Wrote a.txt\n",
		"1 SPHERE=round\nround\n= one\n`two`\n",
		"Appended to a.txt\n",
		"Overwrote a.txt\n",
		"Wrote 3 cells to b.txt\n",
		"error magic error: %save: no cell [9]\n",
		"error magic error: %cd: chdir nothing: no such file or directory\n",
		"error magic error: %env: NO_SUCH_NAME is not set: set it with %env NO_SUCH_NAME=VALUE\n",
	} {
		if shown[i] != want {
			t.Errorf("cell %d shows %q, want %q", i+1, shown[i], want)
		}
	}
	saved, err := os.ReadFile(filepath.Join(folder, "b.txt"))
	if want := "// Cell [1]\n%%writefile a.txt\none\n`two`\n\n// Cell [2]\n"; err != nil || !strings.HasPrefix(string(saved), want) {
		t.Errorf("b.txt holds %q, %v", saved, err)
	}
}

func TestShellLinesShowOutputAndStatus(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the commands are those of a Unix shell")
	}
	s := newTestSession(t)
	shown, replies := playCells(s, "!echo out; echo err >&2; exit 3\nfmt.Println(\"after\")", "%%bash\nfor i in 1 2; do echo $i; done\nexit 4")
	for _, part := range []string{"out\n", "err\n", "!echo out; echo err >&2; exit 3: exit status 3\n", "after\n"} {
		if !strings.Contains(shown[0], part) {
			t.Errorf("the cell shows %q, which lacks %q", shown[0], part)
		}
	}
	if replies[0].Status != "ok" {
		t.Errorf("a command's status ends the cell: %+v", replies[0])
	}
	if want := "1\n2\nerror magic error: %%bash: exit status 4\n"; shown[1] != want {
		t.Errorf("%%%%bash shows %q, want %q", shown[1], want)
	}
}

// Each of these cells would wait for the end of a process in the background.
func TestProcessesInTheBackgroundAreNotWaitedFor(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the commands are those of a Unix shell")
	}
	s := newTestSession(t)
	folder := t.TempDir()
	shown, _ := playCells(s,
		"!sleep 1000 & echo $!",
		"%%bash\nsleep 1000 &\necho $!",
		"%%bash --bg a b\necho $$ $# >"+filepath.Join(folder, "new")+"\nmv "+filepath.Join(folder, "new")+" "+filepath.Join(folder, "pid")+"\nsleep 1000",
	)
	var line []byte
	for end := time.Now().Add(waitingTime); len(line) == 0; time.Sleep(time.Millisecond) {
		line, _ = os.ReadFile(filepath.Join(folder, "pid"))
		if time.Now().After(end) {
			t.Fatal("the script in the background did not run")
		}
	}
	pid, rest, _ := strings.Cut(string(line), " ")
	if rest != "2\n" || shown[2] != "" {
		t.Errorf("the script has %q arguments and the cell shows %q", rest, shown[2])
	}
	for _, text := range []string{shown[0], shown[1], pid} {
		id, err := strconv.Atoi(strings.TrimSpace(text))
		if err != nil {
			t.Fatalf("%q is no process", text)
		}
		p, _ := os.FindProcess(id) // never fails on Unix
		if err := p.Kill(); err != nil {
			t.Errorf("process %d has ended already: %v", id, err)
		}
	}
}

func TestInterruptEndsAShellLine(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the commands are those of a Unix shell")
	}
	s := newTestSession(t)
	started, ended := make(chan bool, 1), make(chan protocol.ExecuteReply, 1)
	go func() {
		ended <- s.Execute(context.Background(), protocol.ExecuteRequest{Code: "!echo begun; sleep 1000 & wait"}, func(c protocol.Content) {
			if _, ok := c.(protocol.Stream); ok {
				started <- true
			}
		})
	}()
	<-started
	s.Interrupt()
	select {
	case reply := <-ended:
		if reply.Ename != "KeyboardInterrupt" {
			t.Errorf("the cell ends with %q", reply.Ename)
		}
	case <-time.After(waitingTime):
		t.Fatal("the command goes on")
	}
}

func TestTimesAreTold(t *testing.T) {
	s := newTestSession(t)
	shown, _ := playCells(s,
		"x := []int{1, 2}\n%time x = append(x, 3)\n%time x[2] + 2",
		"%%time\ny := 0\nfor i := range 10 {\n\ty += i\n}\ny",
		"%timeit len(x)",
		"%time panic(\"no\")",
		"%time   x[1] + unknown",
	)
	clock := `wall time [0-9.]+ (ns|µs|ms|s), (CPU time [0-9.]+ (ns|µs|ms|s), )?allocated [0-9.]+ (bytes|KB|MB)\n`
	for i, want := range []string{
		"^" + clock + clock + "= 5\n$",
		"^" + clock + "= 45\n$",
		`^[0-9.]+ (ns|µs|ms) ± [0-9.]+ (ns|µs|ms) per loop \(mean ± sd of 7 runs of [0-9]+ loops\), least [0-9.]+ (ns|µs|ms); cell code\n$`,
		"^" + clock + `error panic: no\n$`,
		"^error compile error: undefined: unknown\n$",
	} {
		if !regexp.MustCompile(want).MatchString(shown[i]) {
			t.Errorf("cell %d shows %q, want %s", i+1, shown[i], want)
		}
	}
}

func TestErrorsBehindTimePointIntoTheCell(t *testing.T) {
	s := newTestSession(t)
	_, replies := playCells(s, "x := 1\n%time   x + unknown")
	if want := "Cell [1], line 2, column 13: undefined: unknown"; len(replies[0].Traceback) == 0 || replies[0].Traceback[0] != want {
		t.Errorf("the traceback is %q, want %q", replies[0].Traceback, want)
	}
	_, replies = playCells(s, "import \"testing\"\n%time   testing.Main(nil, nil, nil, nil)")
	if want := "Cell [2], line 2, column 9: testing.Main ends"; len(replies[0].Traceback) == 0 || !strings.HasPrefix(replies[0].Traceback[0], want) {
		t.Errorf("the traceback is %q, want %q", replies[0].Traceback, want)
	}
}

func TestVarsShowsTypesSizesAndValues(t *testing.T) {
	s := newTestSession(t)
	shown, _ := playCells(s, "type point struct{ X, Y int }\np := point{1, 2}\nm := mat.NewDense(2, 3, nil)\nlist := []string{\"a\", \"b\"}\n_ = m", "%vars", "%vars p list", "%vars q")
	if want := "name  type        size      value\nlist  []string    length 2  [\"a\" \"b\"]\nm     *mat.Dense  2×3"; !strings.HasPrefix(shown[1], want) {
		t.Errorf("%%vars shows %q", shown[1])
	}
	if want := "name  type      size      value\nlist  []string  length 2  [\"a\" \"b\"]\np     point               {X:1 Y:2}\n"; shown[2] != want {
		t.Errorf("%%vars p list shows %q, want %q", shown[2], want)
	}
	if want := "error magic error: %vars: no variable q\n"; shown[3] != want {
		t.Errorf("%%vars q shows %q", shown[3])
	}
}

func TestVarsReadsValuesWhileNoOtherGoroutineRunsCells(t *testing.T) {
	for name, c := range map[string]struct{ code, reason string }{
		"a package":   {"import \"net/http\"\n_ = http.StatusText", ""},
		"a timer":     {"time.AfterFunc(time.Hour, func() {})", ""},
		"a goroutine": {"go func() { select {} }()", "goroutines of cells are running"},
		"a handler": {`entered := make(chan bool)
server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { entered <- true; select {} }))
client, err := net.Dial("tcp", server.Listener.Addr().String())
fmt.Fprint(client, "GET / HTTP/1.0\r\n\r\n")
<-entered`, "goroutines of cells are running"},
		"a handler that has returned": {`server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { n = 3 }))
http.Get(server.URL)`, ""},
		"nothing": {"_ = list", ""},
	} {
		s := newTestSession(t)
		shown, _ := playCells(s, "n, list := 3, []int{1}", c.code, "%vars n list", "%vars n")
		want := "name  type   size  value\nlist  []int\nn     int          3\nOnly values of numbers and bools are shown: " + c.reason + ".\n"
		if c.reason == "" {
			want = "name  type   size      value\nlist  []int  length 1  [1]\nn     int              3\n"
		}
		if shown[2] != want {
			t.Errorf("%s: %%vars shows\n%s, want\n%s", name, shown[2], want)
		}
		if want := "name  type  size  value\nn     int         3\n"; shown[3] != want { // nothing is left out
			t.Errorf("%s: %%vars n shows\n%s, want\n%s", name, shown[3], want)
		}
		s.Close()
	}
}

func TestVarsShowsWhatPeopleExpect(t *testing.T) {
	s := newTestSession(t)
	shown, _ := playCells(s, `bar := display.NewProgress("sampling", 10)
err := fmt.Errorf("reading: %w", os.ErrNotExist)
root := math.Sqrt
queue := make(chan int, 3)
slider := widget.NewIntSlider("n", 2, 0, 9)
type loud struct{ N int }
func (loud) Error() string { for {} }
var own error = loud{4}`, "%vars")
	want := "name    type                     size  value\n" +
		"bar     *display.Progress              sampling: 0 of 10\n" +
		"err     error                          reading: file does not exist\n" +
		"own     error                          {N:4}\n" +
		"queue   chan int                       chan int (0 of 3)\n" +
		"root    func(x float64) float64        func(float64) float64 (math.Sqrt)\n" +
		"slider  *widget.IntSlider              IntSlider(\"n\", value=2)\n"
	if shown[1] != want {
		t.Errorf("%%vars shows\n%s, want\n%s", shown[1], want)
	}
}

func TestResetForgetsEverythingAndEndsGoroutines(t *testing.T) {
	s := newTestSession(t)
	shown, _ := playCells(s,
		"import str \"strings\"\ntype T struct{ a int }\nvar ticks atomic.Int64\nx := T{1}\nfunc f() int { return x.a }\ngo func() { for { ticks.Add(1); time.Sleep(time.Millisecond) } }()\nf()",
		"%reset",
		"x", "f()", "str.ToUpper(\"a\")", "T{}",
		"x := \"again\"\nfunc f() string { return x }\nf()",
	)
	for i, want := range []string{
		"= 1\n", "", "error compile error: undefined: x\n", "error compile error: undefined: f\n",
		"error compile error: undefined: str\n", "error compile error: undefined: T\n", "= again\n",
	} {
		if shown[i] != want {
			t.Errorf("cell %d shows %q, want %q", i+1, shown[i], want)
		}
	}
	for end := time.Now().Add(waitingTime); !s.guard.Sharing.Quiet(); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("the goroutine of the forgotten cell runs on")
		}
	}
}

func TestLoadAsksForAnotherText(t *testing.T) {
	s := newTestSession(t)
	file := filepath.Join(t.TempDir(), "stats.go")
	if err := os.WriteFile(file, []byte("x := 1\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	_, replies := playCells(s, "%load "+file, "1")
	if len(replies[0].Payload) != 1 || replies[0].Payload[0]["source"] != "set_next_input" || replies[0].Payload[0]["text"] != "// %load "+file+"\nx := 1\n" || replies[0].Payload[0]["replace"] != true {
		t.Errorf("the payload is %v", replies[0].Payload)
	}
	if len(replies[1].Payload) != 0 {
		t.Errorf("the next cell has the payload %v", replies[1].Payload)
	}
}

// TestFilesOfMagicsObeyTheRule reads and writes what is no file of the folder. The text of a
// notebook may come from a stranger, together with links.
func TestFilesOfMagicsObeyTheRule(t *testing.T) {
	if runtime.GOOS == "windows" || runtime.GOOS == "js" {
		t.Skip("links need rights, or have no target outside")
	}
	s := newTestSession(t)
	other := t.TempDir()
	precious := filepath.Join(other, "precious")
	t.Chdir(t.TempDir())
	for name, target := range map[string]string{"link": precious, "folder": other, "zero": "/dev/zero"} {
		if err := os.Symlink(target, name); err != nil {
			t.Fatal(err)
		}
	}
	for code, want := range map[string]string{
		"%load zero": "zero is a device: want a regular file", "%load .": "is a directory",
		"%save link 1": "link is a link to", "%%writefile link\ntext": "link is a link to", "%%writefile -a link\ntext": "link is a link to",
		"%save folder/precious 1": "folder is a link to", "%%writefile folder/precious\ntext": "folder is a link to",
	} {
		if err := os.WriteFile(precious, []byte("kept"), 0o600); err != nil {
			t.Fatal(err)
		}
		shown, _ := playCells(s, "1", code)
		if text, err := os.ReadFile(precious); !strings.Contains(shown[1], want) || err != nil || string(text) != "kept" {
			t.Errorf("%s: %q, want %q; the file holds %q, %v", code, shown[1], want, text, err)
		}
	}
	if shown, _ := playCells(s, "%%writefile new\ntext"); !strings.Contains(shown[0], "Wrote new") {
		t.Errorf("a new file: %q", shown[0])
	}
}

func TestLimitIsSetAndTold(t *testing.T) {
	s := newTestSession(t)
	shown, _ := playCells(s, "%limit 3TB", "%limit", "%limit 2 turnips", "%limit 1KB")
	for i, want := range []string{
		`^memory limit 3 TB, in use [0-9.]+ .B\n$`, `^memory limit 3 TB, in use `,
		`^error magic error: %limit: invalid size "2 turnips", want a size such as 2GB\n$`, `limit 1 KB is too small: .* are in use\n$`,
	} {
		if !regexp.MustCompile(want).MatchString(shown[i]) {
			t.Errorf("cell %d shows %q, want %s", i+1, shown[i], want)
		}
	}
}

func TestMagicsAreCompletedAndExplained(t *testing.T) {
	s := newTestSession(t)
	playCells(s, "text := \"a\"")
	if c := s.Complete(protocol.CompleteRequest{Code: "%ver", CursorPos: 4}); len(c.Matches) != 1 || c.Matches[0] != "%version" || c.CursorStart != 0 {
		t.Errorf("the completion is %+v", c)
	}
	list := s.Complete(protocol.CompleteRequest{Code: "%", CursorPos: 1}).Metadata[protocol.TypedMatches].([]protocol.TypedMatch)
	for _, m := range list {
		if m.Type != "magic" || m.Documentation == "" || m.End != 1 {
			t.Errorf("%+v", m)
		}
	}
	if i := slices.IndexFunc(list, func(m protocol.TypedMatch) bool { return m.Text == "%load" }); i < 0 || list[i].Signature != "FILE" || list[i].Documentation != "replace the cell by the text of a file" {
		t.Errorf("%%load is described so: %+v", list)
	}
	if c := s.Complete(protocol.CompleteRequest{Code: "%time strings.ToUp", CursorPos: 18}); len(c.Matches) == 0 || c.Matches[0] != "ToUpper" || c.CursorStart != 14 {
		t.Errorf("the completion is %+v", c)
	}
	if i := s.Inspect(protocol.InspectRequest{Code: "%vars", CursorPos: 3}); !i.Found {
		t.Errorf("the help is %+v", i)
	}
	for code, want := range map[string]string{"%%bash\nls": "incomplete", "%%bash\nls\n": "complete", "%cd x": "complete", "%time f(": "incomplete"} {
		if got := s.IsComplete(protocol.IsCompleteRequest{Code: code}).Status; got != want {
			t.Errorf("%q is %s, want %s", code, got, want)
		}
	}
}
