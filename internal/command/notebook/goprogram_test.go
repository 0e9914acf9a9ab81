package notebook

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// runProgram runs a program in a folder of its own, in a process of its own, and returns what a
// user sees. Files are named in front of their texts.
func runProgram(t *testing.T, target, stdin string, files map[string]string) (stdout, stderr string, status int) {
	t.Helper()
	folder := t.TempDir()
	for name, text := range files {
		write(t, filepath.Join(folder, name), text)
	}
	command := exec.Command(os.Args[0], append([]string{"run"}, strings.Fields(target)...)...)
	command.Dir = folder
	command.Env = append(os.Environ(), asProgram+"=1", "GOWORK=", "GODEBUG=")
	command.Stdin = strings.NewReader(stdin)
	var out, errs strings.Builder
	command.Stdout, command.Stderr = &out, &errs
	_ = command.Run()
	return out.String(), strings.ReplaceAll(errs.String(), folder+string(filepath.Separator), ""), command.ProcessState.ExitCode()
}

// The waits that nothing ends, each with what else the program has. Compiled Go ends all of these
// programs with status 2 and the same message.
func TestADeadlockEndsAProgram(t *testing.T) {
	waits := map[string]string{
		"chan receive":        "c := make(chan int); <-c",
		"chan send":           "c := make(chan int); c <- 1",
		"nil channel":         "var c chan int; <-c",
		"send to nil":         "var c chan int; c <- 1",
		"range":               "c := make(chan int, 1); c <- 1; for range c { }",
		"select":              "a, b := make(chan int), make(chan string); select { case <-a: case b <- `x`: }",
		"empty select":        "select {}",
		"sync.Mutex.Lock":     "var m sync.Mutex; m.Lock(); m.Lock()",
		"sync.RWMutex.Lock":   "var m sync.RWMutex; m.RLock(); m.Lock()",
		"sync.RWMutex.RLock":  "var m sync.RWMutex; m.Lock(); m.RLock()",
		"sync.WaitGroup.Wait": "var w sync.WaitGroup; w.Add(1); w.Wait()",
		"sync.Cond.Wait":      "var m sync.Mutex; k := sync.NewCond(&m); m.Lock(); k.Wait()",
		"io.Pipe":             "r, _ := io.Pipe(); io.ReadAll(r)",
		"Goexit":              "runtime.Goexit()",
	}
	besides := map[string]string{
		"alone":            "",
		"others asleep":    "q := make(chan int); for range 3 { go func() { <-q }() }; time.Sleep(time.Millisecond)",
		"a stopped timer":  "time.AfterFunc(time.Hour, func() {}).Stop()",
		"an ended context": "ctx, cancel := context.WithTimeout(context.Background(), time.Hour); cancel(); <-ctx.Done()",
		"a deferred call":  "defer fmt.Println(`deferred`)",
	}
	for wait, text := range waits {
		for name, before := range besides {
			if name != "alone" && wait != "Goexit" && wait != "chan receive" && wait != "sync.Mutex.Lock" && wait != "select" {
				continue // what else there is affects the kinds of waits alike
			}
			t.Run(wait+"/"+name, func(t *testing.T) {
				t.Parallel()
				program := "package main\n\nimport (\"context\"; \"fmt\"; \"io\"; \"runtime\"; \"sync\"; \"time\")\n\n" +
					"var _, _, _, _, _, _ = context.Canceled, fmt.Sprint, io.EOF, runtime.GC, sync.NewCond, time.Second\n\n" +
					"func main() {\n\t" + before + "\n\t" + text + "\n}\n"
				stdout, stderr, status := runProgram(t, "main.go", "", map[string]string{"main.go": program})
				want := "fatal error: all goroutines are asleep - deadlock!\n"
				if wait == "Goexit" && name != "others asleep" {
					want = "fatal error: no goroutines (main called runtime.Goexit) - deadlock!\n"
				}
				wantOut := ""
				if wait == "Goexit" && name == "a deferred call" {
					wantOut = "deferred\n"
				}
				if status != 2 || !strings.HasPrefix(stderr, want) || stdout != wantOut {
					t.Errorf("status %d, prints %q and %q, want %q", status, stdout, stderr, want)
				}
				if strings.HasPrefix(wait, "sync.") && !strings.Contains(stderr, "goroutine 1 ["+wait+"]:\nmain.main()\n\tmain.go:9 ") {
					t.Errorf("no trace of the wait in %q", stderr)
				}
			})
		}
	}
}

// In these programs something outside the goroutines ends a wait, later than the guard looks for a
// deadlock.
func TestAWaitThatEndsIsNoDeadlock(t *testing.T) {
	for name, text := range map[string]string{
		"sleep":     "c := make(chan int); go func() { time.Sleep(400 * time.Millisecond); c <- 1 }(); <-c",
		"timer":     "<-time.After(400 * time.Millisecond)",
		"select":    "c := make(chan int); select { case <-c: case <-time.NewTimer(400 * time.Millisecond).C: }",
		"elsewhere": "c, t := make(chan int), time.NewTicker(400 * time.Millisecond); go func() { <-t.C; close(c) }(); <-c",
		"any":       "c := make(chan int); var x any = time.After(400 * time.Millisecond); go func() { receive(x.(<-chan time.Time)); close(c) }(); <-c",
		"function":  "c := make(chan int); time.AfterFunc(400*time.Millisecond, func() { c <- 1 }); <-c",
		"reset":     "c := make(chan int); time.AfterFunc(time.Hour, func() { c <- 1 }).Reset(400 * time.Millisecond); <-c",
		"context":   "ctx, cancel := context.WithTimeout(context.Background(), 400*time.Millisecond); defer cancel(); <-ctx.Done()",
		"cause":     "ctx, cancel := context.WithDeadlineCause(context.Background(), time.Now().Add(400*time.Millisecond), io.EOF); defer cancel(); <-ctx.Done()",
		"network":   "l, _ := net.Listen(`tcp`, `127.0.0.1:0`); c := make(chan int); go func() { l.Accept(); close(c) }(); go func() { time.Sleep(400 * time.Millisecond); l.Close() }(); <-c",
		"process":   "c := make(chan int); go func() { exec.Command(`sleep`, `0.4`).Run(); close(c) }(); <-c",
		"signal":    "c := make(chan os.Signal, 1); signal.Notify(c, syscall.SIGUSR1); go exec.Command(`sh`, `-c`, fmt.Sprintf(`sleep 0.4; kill -USR1 %d`, os.Getpid())).Start(); <-c",
		"mutex":     "var m sync.Mutex; m.Lock(); go func() { time.Sleep(400 * time.Millisecond); m.Unlock() }(); m.Lock()",
		"goexit":    "go func() { time.Sleep(400 * time.Millisecond); fmt.Println(`ended`); os.Exit(0) }(); runtime.Goexit()",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			program := "package main\n\nimport (\"context\"; \"fmt\"; \"io\"; \"net\"; \"os\"; \"os/exec\"; \"os/signal\"; \"runtime\"; \"sync\"; \"syscall\"; \"time\")\n\n" +
				"var _, _, _, _, _, _, _, _, _, _, _ = context.Canceled, fmt.Sprint, io.EOF, net.Listen, os.Args, exec.Command, signal.Stop, runtime.GC, sync.NewCond, syscall.Getpid, time.Second\n\n" +
				"func receive[T any](c <-chan T) { <-c }\n\nfunc main() {\n\t" + text + "\n\tfmt.Println(`ended`)\n}\n"
			if stdout, stderr, status := runProgram(t, "main.go", "", map[string]string{"main.go": program}); status != 0 || stdout != "ended\n" || stderr != "" {
				t.Errorf("status %d, prints %q and %q", status, stdout, stderr)
			}
		})
	}
}

// The expected texts are those of the compiled programs, up to the blank line before the trace.
func TestProgramsEndAsCompiledOnes(t *testing.T) {
	for name, c := range map[string]struct {
		text, stdout, stderr string
		status               int
	}{
		"panic in a goroutine": {`func main() { defer println("no"); go func() { defer fmt.Println("own"); var m map[string]int; m["a"] = 1 }(); select {} }`, "own\n", "panic: assignment to entry in nil map", 2},
		"panic in a timer":     {`func main() { time.AfterFunc(time.Millisecond, func() { panic("late") }); time.Sleep(time.Hour) }`, "", "panic: late", 2},
		"waited for":           {`func main() { var w sync.WaitGroup; w.Go(func() { panic(T(4)) }); w.Wait(); fmt.Println("after") }`, "", "panic: main.T(4)", 2},
		"lines":                {`func main() { panic("a\nb\n\tc") }`, "", "panic: a\n\tb\n\t\tc", 2},
		"error":                {`func main() { panic(fmt.Errorf("one\ntwo: %w", os.ErrNotExist)) }`, "", "panic: one\n\ttwo: file does not exist", 2},
		"replaced":             {`func main() { defer func() { panic("three") }(); defer func() { panic("two") }(); panic("one") }`, "", "panic: one\n\tpanic: two\n\tpanic: three", 2},
		"recovered":            {`func main() { defer func() { recover(); panic("two") }(); panic("one") }`, "", "panic: one [recovered]\n\tpanic: two", 2},
		"repanicked":           {`func main() { defer func() { panic(recover()) }(); panic("one") }`, "", "panic: one [recovered, repanicked]", 2},
		"nested":               {`func g() { defer func() { panic("g2") }(); panic("g1") }; func main() { defer func() { g() }(); panic("one") }`, "", "panic: one\n\tpanic: g1\n\tpanic: g2", 2},
		"recovered again":      {`func f() { defer func() { recover() }(); panic("one") }; func main() { f(); panic("two") }`, "", "panic: two", 2},
		"misuse":               {`func main() { defer func() { recover() }(); var m sync.Mutex; m.Unlock() }`, "", "fatal error: sync: unlock of unlocked mutex", 2},
		"exit":                 {`func main() { defer println("no"); os.Exit(4) }`, "", "exit status 4\n", 4},
		"names of types":       {`type E struct{}; type G[T any] struct{}; func main() { type local struct{}; fmt.Printf("%T %T %T\n", G[*E]{}, G[local]{}, G[struct{ x E }]{}); os.Exit(3) }`, "main.G[*main.E] main.G[main.local·1] main.G[struct { main.x main.E }]\n", "exit status 3\n", 3},
		"exit of a goroutine":  {`func main() { go os.Exit(5); select {} }`, "", "exit status 5\n", 5},
		"exit after Goexit":    {`func main() { go func() { time.Sleep(20 * time.Millisecond); os.Exit(6) }(); runtime.Goexit() }`, "", "exit status 6\n", 6},
		"init":                 {`func init() { panic("early") }; func main() {}`, "", "panic: early", 2},
		"overflow":             {`func f(n int) int { return f(n+1) + 1 }; func main() { f(0) }`, "", "runtime: goroutine stack exceeds 200 MB limit\nfatal error: stack overflow", 2},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			program := "package main\n\nimport (\"fmt\"; \"os\"; \"runtime\"; \"sync\"; \"time\")\n\n" +
				"var _, _, _, _, _ = fmt.Sprint, os.Args, runtime.GC, sync.NewCond, time.Second\n\ntype T int\n\n" + c.text + "\n"
			stdout, stderr, status := runProgram(t, "main.go", "", map[string]string{"main.go": program})
			head, _, traced := strings.Cut(stderr, "\n\ngoroutine ")
			if stdout != c.stdout || head != c.stderr || status != c.status || traced == strings.HasPrefix(c.stderr, "exit") {
				t.Errorf("status %d, prints %q and %q, want %+v", status, stdout, stderr, c)
			}
		})
	}
}

func TestWhatGoBuildRefusesIsRefused(t *testing.T) {
	for name, c := range map[string]struct {
		files  map[string]string
		target string
		stderr string
	}{
		"imports":      {map[string]string{"a.go": "package main\n\nfunc main() { fmt.Println(math.Pi) }\n"}, "a.go", "# command-line-arguments\n./a.go:3:15: undefined: fmt\n./a.go:3:27: undefined: math\n"},
		"unused":       {map[string]string{"a.go": "package main\n\nimport \"os\"\n\nfunc main() { x := 1 }\n"}, ".", "# command-line-arguments\n./a.go:3:8: \"os\" imported and not used\n./a.go:5:15: declared and not used: x\n"},
		"twice":        {map[string]string{"a.go": "package main\n\nfunc f() {}\nfunc main() {}\n", "b.go": "package main\n\nfunc f() {}\n"}, ".", "# command-line-arguments\n./b.go:3:6: f redeclared in this block\n\t./a.go:3:6: other declaration of f\n"},
		"label":        {map[string]string{"a.go": "package main\n\nfunc main() {\nL:\n\tfor {\n\t}\n}\n"}, "a.go", "# command-line-arguments\n./a.go:4:1: label L defined and not used\n"},
		"no main":      {map[string]string{"a.go": "package main\n"}, "a.go", "# command-line-arguments\nruntime.main_main·f: function main is undeclared in the main package\n"},
		"main, a var":  {map[string]string{"a.go": "package main\n\nvar main = func() {}\n"}, "a.go", "# command-line-arguments\n./a.go:3:5: cannot declare main - must be func\n"},
		"modules":      {map[string]string{"a.go": "package main\n\nimport (\n\t_ \"example.com/x\"\n\t_ \"fod\"\n)\n\nfunc main() {}\n"}, "a.go", "a.go:4:2: no required module provides package example.com/x: go.mod file not found in current directory or any parent directory; see 'go help modules'\na.go:5:2: package fod is not in std\n"},
		"no module":    {map[string]string{"go.mod": "module m\n", "a.go": "package main\n\nimport _ \"example.com/x\"\n\nfunc main() {}\n"}, "a.go", "a.go:3:8: no required module provides package example.com/x; to add it:\n\tgo get example.com/x\n"},
		"paths":        {map[string]string{"a.go": "package main\n\nimport (\n\t_ \"./x\"\n\t_ \"/fmt\"\n\t_ \"a b\"\n)\n\nfunc main() {}\n"}, ".", "a.go:4:2: \"./x\" is relative, but relative import paths are not supported in module mode\na.go:5:2: \"/fmt\" is not a package path; see 'go help packages'\na.go:6:2: invalid import path: a b\n"},
		"no such":      {map[string]string{"a.go": "package main\n\nimport (\n\t_ \"internal/abi\"\n\t_ \"plugin\"\n)\n\nfunc main() {}\n"}, ".", "a.go:4:2: use of internal package internal/abi not allowed\na.go:5:2: package plugin needs cgo, which gosphere does not have\n"},
		"linked":       {map[string]string{"a.go": "package main\n\nimport _ \"unsafe\"\n\n//go:linkname x runtime.x\nvar x int\n\nfunc main() { println(x) }\n"}, "a.go", "not supported: a.go:6: the variable x is linked from elsewhere by go:linkname\n"},
		"no body":      {map[string]string{"a.go": "package main\n\nfunc f(x int) int\n\nfunc main() { println(1) }\n"}, "a.go", "# command-line-arguments\n./a.go:3:6: missing function body\n"},
		"too large":    {map[string]string{"a.go": "package main\n\nvar a [1<<40]int\n\nfunc main() { println(len(a)) }\n"}, ".", "# command-line-arguments\n./a.go:3:5: main.a: symbol too large (8796093022208 bytes > 2000000000 bytes)\n"},
		"embed":        {map[string]string{"a.go": "package main\n\nimport _ \"embed\"\n\n//go:embed a.go b.txt\nvar a string\n\nfunc main() {}\n"}, ".", "a.go:5:17: pattern b.txt: no matching files found\n"},
		"directive":    {map[string]string{"a.go": "package main\n\nfunc main() {\n\tgoto L\n\t//go:noinline\n\tx := 1\nL:\n\t_ = x\n}\n"}, ".", "# command-line-arguments\n./a.go:4:7: goto L jumps over variable declaration at line 6\n"},
		"package":      {map[string]string{"a.go": "package tool\n\nfunc main() {}\n"}, "a.go", "gosphere: package command-line-arguments is not a main package: its clause is package tool, and a program is package main\n"},
		"syntax":       {map[string]string{"a.go": "package main\n\nfunc main() {\n\tx :=\n}\n"}, "a.go", "# command-line-arguments\n./a.go:5:1: syntax error: expected operand, found '}'\n"},
		"setting":      {map[string]string{"a.go": "//go:debug nonsense=1\npackage main\n\nfunc main() {}\n"}, "a.go", "gosphere: a.go:1: unknown //go:debug setting \"nonsense\"\n"},
		"a refusal":    {map[string]string{"a.go": "package main\n\nimport \"testing\"\n\nfunc main() { testing.Main(nil, nil, nil, nil) }\n"}, "a.go", "not supported: testing.Main ends the process when the tests are over; call them yourself\n"},
		"a parameter":  {map[string]string{"a.go": "package main\n\nfunc main() {}\n"}, "-p x=1 a.go", "gosphere: -p x=1: a program has no parameters; pass arguments after its name\n"},
		"eleven wrong": {map[string]string{"a.go": "package main\n\nfunc main() {\n" + strings.Repeat("\tx()\n", 11) + "}\n"}, "a.go", "# command-line-arguments\n" + lines(4, 10, "./a.go:%d:2: undefined: x\n") + "too many errors\n"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if stdout, stderr, status := runProgram(t, c.target, "", c.files); stdout != "" || stderr != c.stderr || status != 1 {
				t.Errorf("status %d, prints %q and %q, want %q", status, stdout, stderr, c.stderr)
			}
		})
	}
}

// lines returns a number of lines with consecutive numbers.
func lines(first, n int, format string) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, format, first+i)
	}
	return b.String()
}

// olderProgram prints what depends on the language version and on settings of GODEBUG.
const olderProgram = `package main

import (
	"fmt"
	"math/rand"
)

func main() {
	var list []func()
	for i := 0; i < 3; i++ {
		list = append(list, func() { fmt.Print(i) })
	}
	for _, f := range list {
		f()
	}
	rand.Seed(1)
	fmt.Print(" ", rand.Intn(1000000) == 498081)
	defer func() { fmt.Println("", recover() == nil) }()
	panic(nil)
}
`

func TestTheVersionOfAProgramDecides(t *testing.T) {
	for name, c := range map[string]struct {
		files        map[string]string
		target, want string
	}{
		"none":                {map[string]string{"a.go": olderProgram}, "a.go", "012 false false\n"},
		"folder":              {map[string]string{"go.mod": "module m\n\ngo 1.20\n", "a.go": olderProgram}, ".", "333 true true\n"},
		"no directive":        {map[string]string{"go.mod": "module m\n", "a.go": olderProgram}, ".", "333 true true\n"},
		"newer":               {map[string]string{"go.mod": "module m\n\ngo 1.22\n", "a.go": olderProgram}, ".", "012 true false\n"},
		"named file":          {map[string]string{"go.mod": "module m\n\ngo 1.20\n", "a.go": olderProgram}, "a.go", "012 true true\n"},
		"build constraint":    {map[string]string{"a.go": "//go:build go1.20\n\n" + olderProgram}, "a.go", "333 false false\n"},
		"directives":          {map[string]string{"a.go": "//go:debug panicnil=1\n//go:debug randseednop=0\n\n" + olderProgram}, "a.go", "012 true true\n"},
		"default":             {map[string]string{"a.go": "//go:debug default=go1.20\n\n" + olderProgram}, "a.go", "012 true true\n"},
		"godebug":             {map[string]string{"go.mod": "module m\n\ngo 1.20\n\ngodebug panicnil=0\n", "a.go": olderProgram}, ".", "333 true false\n"},
		"directive over file": {map[string]string{"go.mod": "module m\n\ngo 1.20\n\ngodebug panicnil=0\n", "a.go": "//go:debug panicnil=1\n\n" + olderProgram}, ".", "333 true true\n"},
		"workspace":           {map[string]string{"go.work": "go 1.24\n\nuse ./m\n\ngodebug panicnil=1\n", "m/go.mod": "module m\n\ngo 1.20\n", "m/a.go": olderProgram}, "./m", "333 false true\n"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if stdout, stderr, status := runProgram(t, c.target, "", c.files); stdout != c.want || stderr != "" || status != 0 {
				t.Errorf("status %d, prints %q and %q, want %q", status, stdout, stderr, c.want)
			}
		})
	}
}

// The limit on the output of cells is 64 MB, and the bytes are those of the program.
func TestTheOutputOfAProgramHasNoLimit(t *testing.T) {
	program := "package main\n\nimport (\"fmt\"; \"os\")\n\nfunc main() {\n\tb := make([]byte, 1<<20)\n\tfor i := range b { b[i] = 0xff }\n\tfor range 70 { os.Stdout.Write(b) }\n\tfmt.Print(\"end\")\n}\n"
	stdout, stderr, status := runProgram(t, "main.go", "", map[string]string{"main.go": program})
	if len(stdout) != 70<<20+3 || !strings.HasSuffix(stdout, "\xffend") || stderr != "" || status != 0 {
		t.Errorf("status %d, prints %d bytes and %q", status, len(stdout), stderr)
	}
}

func TestErrorsOfStandardOutputReachTheProgram(t *testing.T) {
	program := "package main\n\nimport (\"fmt\"; \"os\")\n\nfunc main() {\n\t_, err := fmt.Println(1)\n\tfmt.Fprintln(os.Stderr, err)\n}\n"
	folder := t.TempDir()
	write(t, filepath.Join(folder, "main.go"), program)
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Skip(err)
	}
	defer full.Close()
	command := exec.Command(os.Args[0], "run", filepath.Join(folder, "main.go"))
	command.Env = append(os.Environ(), asProgram+"=1")
	var stderr strings.Builder
	command.Stdout, command.Stderr = full, &stderr
	if err := command.Run(); err != nil || stderr.String() != "write /dev/stdout: no space left on device\n" {
		t.Errorf("%v, prints %q", err, stderr.String())
	}
}

func TestTracesEndInTheCallOfMain(t *testing.T) {
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		t.Skip(err)
	}
	text, err := os.ReadFile(filepath.Join(strings.TrimSpace(string(root)), "src/runtime/proc.go"))
	if err != nil {
		t.Skip(err)
	}
	program := "package main\n\nimport \"runtime\"\n\nfunc main() {\n\t_, file, line, _ := runtime.Caller(1)\n\tprintln(file, line)\n}\n"
	_, stderr, _ := runProgram(t, "main.go", "", map[string]string{"main.go": program})
	var name string
	var line int
	if _, err := fmt.Sscan(stderr, &name, &line); err != nil || !strings.HasSuffix(name, "runtime/proc.go") || strings.TrimSpace(strings.Split(string(text), "\n")[line-1]) != "fn()" {
		t.Errorf("prints %q, %v", stderr, err)
	}
}

func TestConflictingPatternsNameLinesOfTheProgram(t *testing.T) {
	program := "package main\n\nimport \"net/http\"\n\nfunc main() {\n\thttp.HandleFunc(\"/a\", nil2)\n\thttp.Handle(\"/a\", http.HandlerFunc(nil2))\n}\n\nfunc nil2(http.ResponseWriter, *http.Request) {}\n"
	_, stderr, status := runProgram(t, "main.go", "", map[string]string{"main.go": program})
	want := "panic: pattern \"/a\" (registered at main.go:7) conflicts with pattern \"/a\" (registered at main.go:6):\n\t/a matches the same requests as /a\n\n"
	if status != 2 || !strings.HasPrefix(stderr, want) {
		t.Errorf("status %d, prints %q, want %q", status, stderr, want)
	}
}

// The names of a program's functions begin with main, whatever the path of the package.
func TestTracesOfInitializersAreCompiledGos(t *testing.T) {
	for text, want := range map[string]string{
		"func init() { panic(1) }":                                                "main.init.0()\n\tmain.go:3 ",
		"func init() {}; func init() { panic(1) }":                                "main.init.1()\n\tmain.go:3 ",
		"var x = f(0); func f(n int) int { return 1 / n }":                        "main.f(...)\n\tmain.go:3 ",
		"var x = func() int { panic(1) }()":                                       "main.init.func1()\n\tmain.go:3 ",
		"func init() { defer func() { panic(2) }(); panic(1) }":                   "main.init.0.func1()\n\tmain.go:3 ",
		"import _ \"unsafe\"\n//go:linkname f x.y\nfunc f()\nfunc init() { f() }": "panic: main.go:5: main.f has no body in Go",
	} {
		_, stderr, status := runProgram(t, "main.go", "", map[string]string{"main.go": "package main\n\n" + text + "\n\nfunc main() {}\n"})
		if status != 2 || !strings.Contains(stderr, want) {
			t.Errorf("%s\nstatus %d, prints %s, want %q", text, status, stderr, want)
		}
	}
}

// net/http recovers the panic of a handler and logs the stack of the goroutine.
func TestHandlersOfProgramsShowNoFramesOfGosphere(t *testing.T) {
	const program = `package main

import (
	"net/http"
	"net/http/httptest"
)

type handler struct{ m map[string]int }

func (h *handler) ServeHTTP(w http.ResponseWriter, r *http.Request) { h.count(r.URL.Path) }

func (h *handler) count(path string) {
	h.m[path]++
}

func main() {
	s := httptest.NewServer(http.StripPrefix("/a", &handler{}))
	defer s.Close()
	http.Get(s.URL + "/a/b")
}
`
	_, stderr, status := runProgram(t, "main.go", "", map[string]string{"main.go": program})
	at := 0
	for _, frame := range []string{"net/http.(*conn).serve.func1(", "panic(", "main.(*handler).count(", "\tmain.go:13 ", "main.(*handler).ServeHTTP(", "\tmain.go:10 ", "net/http.StripPrefix.func1(", "net/http.HandlerFunc.ServeHTTP(", "net/http.serverHandler.ServeHTTP(", "net/http.(*conn).serve(", "created by net/http.(*Server).Serve"} {
		found := strings.Index(stderr[at:], frame)
		if found < 0 {
			t.Fatalf("status %d, no %q behind byte %d of\n%s", status, frame, at, stderr)
		}
		at += found
	}
	if status != 0 || strings.Contains(stderr, "gosphere") || strings.Contains(stderr, "runtime/internal") || strings.Contains(stderr, "hostcall") {
		t.Errorf("status %d, prints\n%s", status, stderr)
	}
}
