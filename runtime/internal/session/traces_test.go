package session

import (
	"bytes"
	"io"
	"os"
	"regexp"
	"runtime/debug"
	"strings"
	"testing"
)

// stackPrinted returns what debug.PrintStack prints in compiled code.
func stackPrinted(t *testing.T) []byte {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	stderr := os.Stderr
	os.Stderr = w
	debug.PrintStack()
	os.Stderr = stderr
	w.Close()
	text, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

const tracingCells = `import ("bytes"; "net/http/httptest"; "regexp"; "strings"; "log/slog"; "gonum.org/v1/gonum/mat")
type deep struct{ p *int }
func (d deep) get() int { return *d.p }
func inner(n int) int {
	if n > 0 { return inner(n-1) + 1 }
	return deep{}.get()
}
func plain(w http.ResponseWriter, r *http.Request) { inner(1) }
func raises(w http.ResponseWriter, r *http.Request) { panic("boom") }
func sorts(w http.ResponseWriter, r *http.Request) {
	sort.Slice([]int{2, 1}, func(i, j int) bool { panic("in sort") })
}
func defers(w http.ResponseWriter, r *http.Request) {
	defer func() { n++ }()
	inner(0)
}
func again(w http.ResponseWriter, r *http.Request) {
	defer func() { panic("second") }()
	panic("first")
}
var n int
type mw struct{ next http.Handler }
func (m mw) ServeHTTP(w http.ResponseWriter, r *http.Request) { m.next.ServeHTTP(w, r) }
type outer struct{ mw }
var names = regexp.MustCompile("(?m)^([\\w/.*()]+?)(\\[\\.\\.\\.\\])?\\([^()]*\\)$")
func shown(text string) string {
	var list []string
	for _, m := range names.FindAllStringSubmatch(text, -1) { list = append(list, m[1]) }
	if strings.Contains(text, "runtime/internal") { return text }
	return strings.Join(list, " ")
}
func serve(h http.Handler) {
	var b bytes.Buffer
	s := httptest.NewUnstartedServer(h)
	s.Config.ErrorLog = log.New(&b, "", 0)
	s.Start()
	http.Get(s.URL)
	s.Close()
	fmt.Println(shown(b.String()))
}`

// Compiled code that recovers a panic of a cell's function shows the calls of cells in its trace,
// where the runtime sees those of the machine. The expected names are those that the compiled
// program shows, without calls of compiled code between calls of cells that have ended because a
// function among them defers calls.
func TestTracesOfCompiledCodeShowCallsOfCells(t *testing.T) {
	s := newTestSession(t)
	defer s.Close()
	printed(s, tracingCells)
	const before, after = "net/http.(*conn).serve.func1 panic ", " net/http.HandlerFunc.ServeHTTP net/http.serverHandler.ServeHTTP net/http.(*conn).serve"
	for code, want := range map[string]string{
		"serve(http.HandlerFunc(plain))":              before + "main.deep.get main.inner main.inner main.plain" + after,
		"serve(http.HandlerFunc(raises))":             before + "main.raises" + after,
		"serve(http.HandlerFunc(sorts))":              before + "main.sorts.func1 sort.insertionSort_func sort.pdqsort_func sort.Slice main.sorts" + after,
		"serve(http.HandlerFunc(defers))":             before + "main.deep.get main.inner main.defers" + after,
		"serve(http.HandlerFunc(again))":              before + "main.again.func1 panic main.again" + after,
		"serve(outer{mw{http.HandlerFunc(raises)}})":  before + "main.raises net/http.HandlerFunc.ServeHTTP main.mw.ServeHTTP net/http.serverHandler.ServeHTTP net/http.(*conn).serve",
		"serve(&outer{mw{http.HandlerFunc(raises)}})": before + "main.raises net/http.HandlerFunc.ServeHTTP main.mw.ServeHTTP net/http.serverHandler.ServeHTTP net/http.(*conn).serve",
		`m := mat.NewDense(1, 1, nil)
err := mat.Maybe(func() { m.Set(0, 2, 0) })
fmt.Println(err, shown(err.(mat.ErrorStack).StackTrace))`: "mat: column index out of range gonum.org/v1/gonum/mat.Maybe.func1 panic gonum.org/v1/gonum/mat.(*Dense).Set main.main.func1 gonum.org/v1/gonum/mat.Maybe main.main",
		`m := mat.NewDense(1, 1, nil)
_, err := mat.MaybeFloat(func() float64 { return m.At(0, 2) })
fmt.Println(err, shown(err.(mat.ErrorStack).StackTrace))`: "mat: column index out of range gonum.org/v1/gonum/mat.MaybeFloat.func1 panic gonum.org/v1/gonum/mat.(*Dense).At main.main.func1 gonum.org/v1/gonum/mat.MaybeFloat main.main",
	} {
		got := printed(s, code)
		if got = strings.TrimSpace(got); got != want {
			t.Errorf("%s\ngot:  %s\nwant: %s", code, got, want)
		}
	}
}

func TestTracesOfGoroutinesAndPrintStack(t *testing.T) {
	s := newTestSession(t)
	defer s.Close()
	printed(s, tracingCells)
	got := printed(s, `func waits(c chan string) {
	defer func() { recover(); c <- string(debug.Stack()) }()
	panic(1)
}
func starts() string { c := make(chan string); go waits(c); return <-c }
text := starts()
fmt.Println(shown(text), regexp.MustCompile("created by .* in goroutine [0-9]+\n\t.*:[0-9]+").MatchString(text), strings.Contains(text, "created by main.starts in"))`)
	if want := "runtime/debug.Stack main.waits.func1 panic main.waits true true\n"; got != want {
		t.Errorf("a goroutine: %s", got)
	}
	var own bytes.Buffer
	for line := range bytes.Lines(stackPrinted(t)) {
		if !bytes.HasPrefix(line, []byte("\t")) || bytes.Contains(line, []byte("debug/stack.go")) {
			own.Write(line)
		}
	}
	printing := own.String()
	printing = printing[strings.Index(printing, "\n")+1:]
	printing, _, _ = strings.Cut(printing, "gosphere/")
	offset := regexp.MustCompile(` \+0x[0-9a-f]+`)
	if got := printed(s, "debug.PrintStack()"); !strings.Contains(offset.ReplaceAllString(got, ""), offset.ReplaceAllString(printing, "")) {
		t.Errorf("debug.PrintStack: %s, want %s", got, printing)
	}
}

func TestLoggersShowTheirWriters(t *testing.T) {
	s := newTestSession(t)
	defer s.Close()
	printed(s, tracingCells)
	got := printed(s, `var b bytes.Buffer
l := log.New(io.Discard, "", 0)
before := l.Writer() == io.Discard
l.SetOutput(&b)
log.SetOutput(&b)
log.SetFlags(0)
log.Print("default")
fmt.Println(before, l.Writer() == io.Writer(&b), log.Writer() == io.Writer(&b), log.Default().Writer() == io.Writer(&b))
slog.NewLogLogger(slog.NewJSONHandler(l.Writer(), &slog.HandlerOptions{ReplaceAttr: func(g []string, a slog.Attr) slog.Attr {
	if a.Key == "time" { return slog.Attr{} }
	return a
}}), slog.LevelWarn).Print("text")
l.Print("own")
fmt.Print(b.String())
log.SetOutput(os.Stderr)`)
	if want := "true true true true\ndefault\n{\"level\":\"WARN\",\"msg\":\"text\"}\nown\n"; got != want {
		t.Errorf("loggers: %s", got)
	}
}
