package session

import (
	"context"
	"flag"
	"fmt"
	"log"
	"log/slog"
	"net/http"
	"os"
	"os/exec"
	"runtime"
	"runtime/debug"
	"strings"
	"testing"

	"gosphere/kernel/protocol"
)

// A program that is not made for cells must find its variables as they were. The tests of this
// package take the process, so this one runs in a process of its own.
func TestASessionWithoutAProcessChangesNoVariable(t *testing.T) {
	if os.Getenv("GOSPHERE_TEST_OWN") == "" {
		child := exec.Command(os.Args[0], "-test.run=^TestASessionWithoutAProcessChangesNoVariable$", "-test.v")
		child.Env = append(os.Environ(), "GOSPHERE_TEST_OWN=1")
		said, err := child.CombinedOutput()
		if err != nil || !strings.Contains(string(said), "--- PASS") {
			t.Fatalf("%v\n%s", err, said)
		}
		return
	}
	http.HandleFunc("/host", func(http.ResponseWriter, *http.Request) {})
	flag.String("host", "", "of the host")
	var logged strings.Builder
	log.SetOutput(&logged)
	type state struct {
		mux         *http.ServeMux
		flags       *flag.FlagSet
		out         any
		slog        *slog.Logger
		limit       int64
		processors  int
		stdout      *os.File
		output      any
		prefix, arg string
	}
	now := func() state {
		return state{http.DefaultServeMux, flag.CommandLine, log.Writer(), slog.Default(), debug.SetMemoryLimit(-1), runtime.GOMAXPROCS(0), os.Stdout, flag.CommandLine.Output(),
			log.Prefix(), strings.Join(os.Args, " ")}
	}
	before := now()
	s := newTestSession(t)
	var printed strings.Builder
	run := func(code string) {
		t.Helper()
		printed.Reset()
		reply := s.Execute(context.Background(), protocol.ExecuteRequest{Code: code}, func(c protocol.Content) {
			if text, ok := c.(protocol.Stream); ok {
				printed.WriteString(text.Text)
			}
		})
		if reply.Status != protocol.OK {
			t.Errorf("%s\n%s: %s", code, reply.Ename, reply.Evalue)
		}
	}
	for _, c := range []struct{ code, want string }{
		{"import (\"flag\"; \"fmt\"; \"log\"; \"log/slog\"; \"net/http\"; \"os\")\nlog.SetFlags(0)\nlog.SetPrefix(`p: `)\nlog.Println(1)", "p: 1\n"},
		{"log.Default().Print(2)\nfmt.Println(log.Prefix(), log.Flags())", "p: 2\np:  0\n"},
		{"slog.Info(`m`, `k`, 1)\nslog.Default().With(`a`, `b`).WithGroup(`g`).Warn(`n`, `x`, 2)\nslog.Debug(`none`)", "p: INFO m k=1\np: WARN n a=b g.x=2\n"},
		{"slog.SetDefault(slog.New(slog.NewTextHandler(os.Stdout, &slog.HandlerOptions{ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr { if a.Key == `time` { return slog.Attr{} }; return a }})))\nslog.Info(`t`)", "level=INFO msg=t\n"},
		{"n := flag.Int(`n`, 1, `number`)\nos.Args = []string{`prog`, `-n`, `3`, `rest`}\nflag.Parse()\nfmt.Println(*n, flag.Args(), flag.NArg(), flag.Lookup(`host`) == nil)", "3 [rest] 1 true\n"},
		{"import \"net/url\"\nhttp.HandleFunc(`/cell`, func(http.ResponseWriter, *http.Request) {})\n_, p := http.DefaultServeMux.Handler(&http.Request{Method: `GET`, URL: &url.URL{Path: `/cell`}})\n" +
			"_, q := http.DefaultServeMux.Handler(&http.Request{Method: `GET`, URL: &url.URL{Path: `/host`}})\nfmt.Printf(`%q %q`, p, q)", `"/cell" ""`},
		{"f, _ := os.CreateTemp(``, `own`)\ndefer os.Remove(f.Name())\nold := os.Stdout\nos.Stdout = f\nfmt.Println(`to the file`)\nos.Stdout = old\ntext, _ := os.ReadFile(f.Name())\nfmt.Printf(`%q`, text)", `"to the file\n"`},
	} {
		run(c.code)
		if printed.String() != c.want {
			t.Errorf("%s\nprinted %q, want %q", c.code, printed.String(), c.want)
		}
	}
	s.Close()
	if after := now(); fmt.Sprintf("%p %+v", before.mux, before) != fmt.Sprintf("%p %+v", after.mux, after) {
		t.Errorf("before\n%+v\nafter\n%+v", before, after)
	}
	log.Print("of the host")
	if !strings.HasSuffix(logged.String(), "of the host\n") || strings.Contains(logged.String(), "p: ") {
		t.Errorf("the host's log has %q", logged.String())
	}
	if _, pattern := http.DefaultServeMux.Handler(must(http.NewRequest("GET", "/cell", nil))); pattern != "" {
		t.Errorf("the host serves %q of a cell", pattern)
	}
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}
