// Command bench compares the speed of training with other programs on the same machine, in one run:
// matrix products with numpy's OpenBLAS and PyTorch, and training steps of four methods with
// PyTorch, eager and compiled.
//
//	go run ./bench -python .venv/training/bin/python
//
// Runs are interleaved round by round, so that changes in the speed or the load of the machine
// affect all programs. Every program has the same number of threads. Without Python, or without
// PyTorch in it, those columns are empty. Read measure.go for the measurements, and peer.go and
// peer.py for the other side.
package main

import (
	"flag"
	"fmt"
	"io"
	"os"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"time"

	"gosphere/asymvlm/device"
)

func main() {
	python := flag.String("python", "", "Python interpreter with numpy, and PyTorch if wanted")
	script := flag.String("script", "bench/peer.py", "the Python side")
	rounds := flag.Int("rounds", 5, "rounds of every measurement")
	slice := flag.Duration("slice", 300*time.Millisecond, "time of one measurement in one round")
	threads := flag.Int("threads", runtime.GOMAXPROCS(0), "threads of every program")
	only := flag.String("only", "", "measure only what this regular expression matches")
	flag.Parse()
	p := plan{rounds: *rounds, slice: *slice, threads: *threads}
	var err error
	if p.only, err = regexp.Compile(*only); err == nil {
		err = bench(os.Stdout, *python, *script, p)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

// A plan describes what to measure, and for how long.
type plan struct {
	rounds  int
	slice   time.Duration
	threads int
	only    *regexp.Regexp
}

// wanted reports whether any of the tasks is measured.
func (p plan) wanted(tasks []task) bool {
	return slices.ContainsFunc(tasks, func(t task) bool { return p.only == nil || p.only.MatchString(t.name) })
}

// bench runs all measurements and prints a table of each kind, in Markdown.
func bench(w io.Writer, python, script string, p plan) error {
	var others peer = nobody{}
	if python != "" {
		started, err := startPython(python, script, p.threads)
		if err != nil {
			return err
		}
		defer started.stop()
		others = started
	}
	cpu := device.NewCPU(p.threads)
	defer cpu.Close()
	fmt.Fprintf(w, "- gosphere: %s\n", cpu.Name())
	for _, name := range others.names() {
		fmt.Fprintf(w, "- %s: %s\n", name, others.version(name))
	}
	fmt.Fprintf(w, "- medians of %d rounds of %v\n", p.rounds, p.slice)
	brief, err := device.NewCPUWith(p.threads, device.BFloat16)
	if err != nil {
		return err
	}
	defer brief.Close()
	for _, t := range []table{
		{"matrix products in float32", products(), cpu, others}, {"training steps in float32", steps(), cpu, others},
		{"products and training steps in bfloat16", rounded(), brief, &single{device: cpu}},
	} {
		if err := t.print(w, p); err != nil {
			return err
		}
	}
	return evaluation(w, cpu, p)
}

// A table compares a device with other programs.
type table struct {
	title  string
	tasks  []task
	own    device.Device
	others peer
}

// print measures the selected tasks of a table and prints it line by line.
func (t table) print(w io.Writer, p plan) error {
	if !p.wanted(t.tasks) {
		return nil
	}
	fmt.Fprintf(w, "\n| %s | wall, ms | CPU, ms | GFLOP per CPU second |", t.title)
	for _, name := range t.others.names() {
		fmt.Fprintf(w, " %s: wall, CPU (GFLOP) |", name)
	}
	fmt.Fprintf(w, "\n%s\n", strings.Repeat("|---", 4+len(t.others.names()))+"|")
	for _, one := range t.tasks {
		if p.only != nil && !p.only.MatchString(one.name) {
			continue
		}
		r, err := compare(one, t.own, t.others, p)
		if err != nil {
			return err
		}
		fmt.Fprintln(w, r.line(one, t.others.names()))
	}
	return nil
}
