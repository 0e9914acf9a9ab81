package notebook

import (
	"fmt"
	"regexp"
	"strings"
	"testing"
)

// wordsOfNotebooks mean nothing to the author of a program.
var wordsOfNotebooks = regexp.MustCompile(`(?i)\b(cells?|notebooks?|kernels?|sessions?|%[a-z]{3,})\b`)

// repeated returns n numbered copies of a text, which has one verb for the number.
func repeated(n int, format, separator string) string {
	var list []string
	for i := range n {
		list = append(list, fmt.Sprintf(format, i))
	}
	return strings.Join(list, separator)
}

// The programs fail in the ways that have texts of their own: limits, refusals, waits, misuse,
// panics, input, output, and functions that serve cells. Each must fail or print something.
func TestProgramsDoNotReadOfCells(t *testing.T) {
	for name, c := range map[string]struct{ flags, imports, text string }{
		"time limit":             {"--timeout 300ms", "", `func main() { for {} }`},
		"time limit, asleep":     {"--timeout 300ms", `"time"`, `func main() { time.Sleep(time.Hour) }`},
		"time limit, waiting":    {"--timeout 300ms", `"os"; "os/signal"`, `func main() { c := make(chan os.Signal); signal.Notify(c, os.Interrupt); <-c }`},
		"no input":               {"", `"fmt"`, `func main() { var n int; fmt.Println(fmt.Scan(&n)) }`},
		"parameters":             {"", `"fmt"`, "func main() { f := func(" + repeated(130, "a%d int", ", ") + ") {}; fmt.Println(f == nil) }"},
		"parameters of a method": {"", `"fmt"`, "type F func(" + repeated(30, "a%d int", ", ") + ")\nfunc (F) M() {}\nfunc main() { var f F; fmt.Printf(`%T`, f) }"},
		"methods":                {"", `"fmt"`, "type T int\n" + repeated(1100, "func (T) M%d() {}", "\n") + "\nfunc main() { fmt.Println(any(T(1))) }"},
		"element of a channel":   {"", "", `func f[T any]() { var c chan T; println(c == nil) }; func main() { f[[1 << 17]byte]() }`},
		"instance of the tables": {"", `"gosphere/asymvlm/device"`, `func main() { var m device.Matrix[float64]; println(m.Rows) }`},
		"function of the tables": {"", `"gosphere/asymvlm/device"`, `func main() { println(device.NewMatrix[float32] == nil) }`},
		"linked variable":        {"", `_ "unsafe"`, "//go:linkname x runtime.nosuch\nvar x int\nfunc main() { println(x) }"},
		"linked function":        {"", `_ "unsafe"`, "//go:linkname f runtime.nosuch\nfunc f()\nfunc main() { f() }"},
		"overflow":               {"", "", `func f(n int) int { return f(n+1) + 1 }; func main() { f(0) }`},
		"memory":                 {"", "", `func main() { x := make([]byte, 1<<46); println(len(x)) }`},
		"memory of a variable":   {"", "", `func main() { var x [1 << 46]byte; println(len(x)) }`},
		"channel":                {"", "", `func main() { n := 1 << 62; println(make(chan int, n) == nil) }`},
		"breakpoint":             {"", `"runtime"`, `func main() { runtime.Breakpoint() }`},
		"flags":                  {"", `"flag"`, `func main() { flag.Int("n", 1, "number"); flag.CommandLine.Parse([]string{"-x"}) }`},
		"tests":                  {"", `"testing"`, `func main() { testing.Main(nil, nil, nil, nil) }`},
		"benchmark":              {"", `"fmt"; "testing"`, `func main() { fmt.Println(testing.Benchmark(func(b *testing.B) { b.Error("x") })) }`},
		"bubble":                 {"", `"testing/synctest"`, `func main() { synctest.Wait() }`},
		"finalizer":              {"", `"runtime"`, `func main() { runtime.SetFinalizer(3, nil) }`},
		"misuse":                 {"", `"sync"`, `func main() { new(sync.WaitGroup).Done() }`},
		"unlock":                 {"", `"sync"`, `func main() { new(sync.Mutex).Unlock() }`},
		"deadlock":               {"", "", `func main() { select {} }`},
		"deadlock of several":    {"", `"sync"; "time"`, `func main() { var m sync.Mutex; m.Lock(); go m.Lock(); time.Sleep(time.Millisecond); m.Lock() }`},
		"goexit":                 {"", `"runtime"`, `func main() { runtime.Goexit() }`},
		"cycle":                  {"", `"fmt"`, `func main() { s := make([]any, 1); s[0] = s; fmt.Println(s) }`},
		"cycle in a panic":       {"", "", `func main() { s := make([]any, 1); s[0] = s; panic(s) }`},
		"nil error":              {"", `"os"`, "var err error\nfunc main() { var p *struct{ n int }; _, err = os.Open(`/nosuch`); p.n = 1 }"},
		"panic":                  {"", "", `type T struct{ a int }; func main() { defer func() { panic(T{2}) }(); panic(T{1}) }`},
		"panic of a goroutine":   {"", "", `func main() { go panic("x"); select {} }`},
		"panic of init":          {"", "", `func init() { panic("x") }; func main() {}`},
		"exit":                   {"", `"os"`, `func main() { os.Exit(3) }`},
		"log":                    {"", `"log"`, `func main() { log.SetFlags(log.Lshortfile); log.Fatal("x") }`},
		"stacks":                 {"", `"os"; "runtime/debug"; "runtime/pprof"`, `func main() { debug.PrintStack(); pprof.Lookup("goroutine").WriteTo(os.Stdout, 2); pprof.Lookup("goroutine").WriteTo(os.Stdout, 1) }`},
		"invalid bytes":          {"", `"os"`, `func main() { os.Stdout.Write([]byte{0xff, 'a', 0xfe}) }`},
		"display":                {"", `"fmt"; "gosphere/runtime/display"`, `func main() { display.Show(1); display.HTML("x"); fmt.Println(display.Prompt("name? ")) }`},
		"widget":                 {"", `"fmt"; "gosphere/runtime/comm"; "gosphere/runtime/widget"`, `func main() { fmt.Println(comm.Register("x", nil)); fmt.Println(widget.NewLabel("x")) }`},
		"cgo":                    {"", `"C"`, `func main() {}`},
		"plugin":                 {"", `"plugin"`, `func main() { plugin.Open("x") }`},
		"unknown package":        {"", `"example.com/x"`, `func main() { x.X() }`},
		"unknown folder":         {"", `"./x"`, `func main() { x.X() }`},
		"a notebook":             {"", `"./x.ipynb"`, `func main() {}`},
		"undefined":              {"", "", `func main() { x := y; fmt.Println(x) }`},
		"twice":                  {"", `"os"`, `var os string; func f() {}; func f() {}; type f int; func main() {}`},
		"unused":                 {"", `"os"`, `func main() { x := 1; 1 + 1; L: for {} }`},
		"statements outside":     {"", "", "x := 1\nfmt.Println(x)"},
		"magic":                  {"", "", "%time x()\nfunc main() {}"},
		"result":                 {"", "", "func main() { return 1 }"},
		"mismatch":               {"", "", "type T int; func main() { var x string = T(1); T(2).M(); var y T = nil; _, _ = x, y }"},
		"embed":                  {"", `_ "embed"`, "//go:embed x.txt\nvar x string\nfunc main() {}"},
		"body":                   {"", "", "func f()\nfunc main() { f() }"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			program := "package main\n\nimport (" + c.imports + ")\n\n" + c.text + "\n"
			stdout, stderr, status := runProgram(t, c.flags+" main.go", "", map[string]string{"main.go": program})
			if strings.Contains(stderr, "internal error") || stdout+stderr == "" && status == 0 {
				t.Errorf("status %d, prints %q and %q", status, stdout, stderr)
			}
			text := strings.ReplaceAll(stdout+stderr, "./x.ipynb", "")
			if found := wordsOfNotebooks.FindString(text); found != "" {
				t.Errorf("speaks of a %s: %q and %q", found, stdout, stderr)
			}
		})
	}
}
