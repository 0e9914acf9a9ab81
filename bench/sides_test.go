//go:build unix

package main

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/traefik/yaegi/interp"

	"gosphere/internal/testing/sessiontest"
	"gosphere/runtime/session"
	"gosphere/runtime/symbols"
)

// A side runs program number i once and returns the CPU time in nanoseconds, or 0 if it cannot run
// it.
type side interface {
	run(i int) (float64, error)
}

// cellSide runs each program as a cell in a separate session.
type cellSide struct {
	list     []program
	sessions []*session.Session
}

// A separateSide runs each program as a cell in a process of its own, as in use: there, no other
// session or interpreter has memory that each collection must mark.
type separateSide []*processSide

// servedProgram is the environment variable that makes the test binary serve the program with that
// name as a cell, instead of running tests.
const servedProgram = "GOSPHERE_BENCH_PROGRAM"

func newSeparateSide(list []program) (s separateSide, err error) {
	for _, p := range list {
		command := exec.Command(os.Args[0])
		command.Env = append(os.Environ(), servedProgram+"="+p.name)
		process, err := startProcess(command)
		if err != nil {
			s.close()
			return nil, err
		}
		s = append(s, process)
	}
	return s, nil
}

func (s separateSide) run(i int) (float64, error) { return s[i].run(0) }

func (s separateSide) close() {
	for _, p := range s {
		p.close()
	}
}

func TestMain(m *testing.M) {
	if name := os.Getenv(servedProgram); name != "" {
		if err := serve(name); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

// serve runs a program as a cell for each line of the standard input and prints its time.
func serve(name string) error {
	all := slices.Concat(operations, features, laboratory, classics, idioms, programs, library, wellKnown)
	i := slices.IndexFunc(all, func(p program) bool { return p.name == name })
	if i < 0 {
		return fmt.Errorf("no program %q", name)
	}
	s, err := newSession()
	if err != nil {
		return err
	}
	code := all[i].source()
	if m := modules[name]; m != "" {
		code = "%require " + m + "\n" + code
	}
	if _, err := sessiontest.Printed(s, code); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	c := &cellSide{list: all[i : i+1], sessions: []*session.Session{s}}
	for lines := bufio.NewScanner(os.Stdin); lines.Scan(); {
		n, err := c.run(0)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		fmt.Println(n)
	}
	return nil
}

func (c *cellSide) run(i int) (float64, error) {
	text, err := sessiontest.Printed(c.sessions[i], fmt.Sprintf(`import ("fmt"; "syscall")
func spent() int64 { var u syscall.Rusage; syscall.Getrusage(0, &u); return u.Utime.Nano() + u.Stime.Nano() }
begin := spent(); Run(%d); fmt.Print(spent() - begin)`, c.list[i].size))
	if err != nil {
		return 0, err
	}
	var n float64
	_, err = fmt.Sscan(text, &n)
	return n, err
}

func (c *cellSide) close() {
	for _, s := range c.sessions {
		s.Close()
	}
}

// spent returns the CPU time of this process in nanoseconds.
func spent() int64 {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		panic(err)
	}
	return u.Utime.Nano() + u.Stime.Nano()
}

// rawSide runs the programs in yaegi alone.
type rawSide struct {
	list []program
	runs []func(int) int // nil if it cannot run the program
}

func newRawSide(list []program) *rawSide {
	exports := interp.Exports{}
	symbols.Each(func(importPath, name string, v reflect.Value) {
		key := importPath + "/" + path.Base(importPath)
		if exports[key] == nil {
			exports[key] = map[string]reflect.Value{}
		}
		exports[key][name] = v
	})
	r := &rawSide{list: list, runs: make([]func(int) int, len(list))}
	for k, p := range list {
		i := interp.New(interp.Options{Unrestricted: true})
		if err := i.Use(exports); err != nil {
			continue
		}
		if _, err := i.Eval(p.source()); err != nil {
			continue
		}
		if v, err := i.Eval("Run"); err == nil {
			r.runs[k], _ = v.Interface().(func(int) int)
		}
	}
	return r
}

func (r *rawSide) run(i int) (float64, error) {
	if r.runs[i] == nil {
		return 0, nil
	}
	begin := spent()
	r.runs[i](r.list[i].size)
	return float64(spent() - begin), nil
}

// A processSide is a process that reads the number of a program from each line and answers with its
// time.
type processSide struct {
	command *exec.Cmd
	in      io.WriteCloser
	out     *bufio.Reader
}

func startProcess(command *exec.Cmd) (*processSide, error) {
	command.Stderr = os.Stderr
	in, err := command.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := command.StdoutPipe()
	if err != nil {
		return nil, err
	}
	return &processSide{command, in, bufio.NewReader(out)}, command.Start()
}

func (p *processSide) run(i int) (float64, error) {
	fmt.Fprintln(p.in, i)
	var n float64
	_, err := fmt.Fscan(p.out, &n)
	return n, err
}

func (p *processSide) close() {
	p.in.Close()
	p.command.Wait()
}

// compiledSide builds the programs, each in its own package, and starts the result. Each runs many
// times per measurement, because the clock is coarse.
func compiledSide(folder string, list []program) (*processSide, error) {
	files, err := speedsModule()
	if err != nil {
		return nil, err
	}
	imports, calls := "", ""
	for i, p := range list {
		if m := modules[p.name]; m != "" {
			files["go.mod"] += "require " + strings.ReplaceAll(m, "@", " ") + "\n"
		}
		files[fmt.Sprintf("p%d/p.go", i)] = fmt.Sprintf("package p%d\n\n%s", i, p.source())
		imports += fmt.Sprintf("import \"speeds/p%d\"\n", i)
		calls += fmt.Sprintf("\t\tfunc() int { return p%d.Run(%d) },\n", i, p.size)
	}
	files["main.go"] = "package main\n\nimport (\"fmt\"; \"syscall\")\n" + imports + `
var sink int
func spent() int64 { var u syscall.Rusage; syscall.Getrusage(0, &u); return u.Utime.Nano() + u.Stime.Nano() }
func main() {
	runs := []func() int{
` + calls + `	}
	for i := 0; ; {
		if _, err := fmt.Scan(&i); err != nil { return }
		begin, count := spent(), 0
		for ; spent() - begin < 3e6; count++ { sink += runs[i]() }
		fmt.Println(float64(spent() - begin) / float64(count))
	}
}
`
	for name, text := range files {
		name = filepath.Join(folder, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			return nil, err
		}
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			return nil, err
		}
	}
	build := exec.Command("go", "build", "-trimpath", "-mod=mod", "-o", "speeds", ".")
	build.Dir = folder
	if out, err := build.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("%w\n%s", err, out)
	}
	return startProcess(exec.Command(filepath.Join(folder, "speeds")))
}

// speedsModule returns the module files of the compiled programs. The module depends on this one
// and on what it depends on, so that programs can import the laboratory's packages.
func speedsModule() (map[string]string, error) {
	root, err := filepath.Abs("..")
	if err != nil {
		return nil, err
	}
	module, err := os.ReadFile(filepath.Join(root, "go.mod"))
	if err != nil {
		return nil, err
	}
	sums, err := os.ReadFile(filepath.Join(root, "go.sum"))
	if err != nil {
		return nil, err
	}
	text := strings.Replace(string(module), "module gosphere\n", "module speeds\n", 1)
	text += fmt.Sprintf("\nrequire gosphere v0.0.0\n\nreplace gosphere => %s\n", root)
	return map[string]string{"go.mod": text, "go.sum": string(sums)}, nil
}

// pythonSide starts CPython with the programs.
func pythonSide(list []program) (*processSide, error) {
	var script strings.Builder
	script.WriteString(`import json, math, sys, time
def add(a, b): return a + b
def after(a, b):
    if b & 1 == 0:
        return a + b
    return a - b
def down(n):
    if n == 0:
        return 0
    return 1 + down(n - 1)
def fib(n): return n if n < 2 else fib(n-1) + fib(n-2)
class point:
    __slots__ = ('x', 'y')
    def __init__(self, x, y): self.x, self.y = x, y
    def sum(self): return self.x + self.y
    def move(self, d):
        self.x += d
        self.y -= d
def larger(a, b):
    if a > b:
        return a
    return b
def upto(n):
    i = 0
    while i < n:
        yield i
        i += 1
runs = []
`)
	for _, p := range list {
		if p.python == "" {
			script.WriteString("runs.append(None)\n")
			continue
		}
		fmt.Fprintf(&script, "def run(n):\n%s\nruns.append((run, %d))\n", p.python, p.size)
	}
	script.WriteString(`for line in sys.stdin:
    if runs[int(line)] is None:
        print(0, flush=True)
        continue
    run, n = runs[int(line)]
    begin = time.process_time_ns()
    run(n)
    print(time.process_time_ns() - begin, flush=True)
`)
	return startProcess(exec.Command("python3", "-c", script.String()))
}
