// Command bench compares the speed of training with other programs on the same machine, in one run: matrix products
// beside numpy's OpenBLAS, and training steps beside PyTorch.
//
//	go run ./bench -python .venv/conformance/bin/python
//
// Runs are interleaved round by round, so that a machine that gets slower or busier does so for all. Every program
// gets the same number of threads. Without Python, or without PyTorch in it, those columns stay empty. Read
// measure.go for what is measured, peer.go and peer.py for the other side.
package main

import (
	"flag"
	"fmt"
	"io"
	"os"
	"runtime"
	"time"

	"gosphere/asymvlm/device"
)

func main() {
	python := flag.String("python", "", "Python interpreter with numpy, and PyTorch if wanted")
	script := flag.String("script", "bench/peer.py", "the Python side")
	rounds := flag.Int("rounds", 5, "rounds of every measurement")
	slice := flag.Duration("slice", 300*time.Millisecond, "time of one measurement in one round")
	flag.Parse()
	if err := bench(os.Stdout, *python, *script, plan{*rounds, *slice}); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

// A plan says how long to measure.
type plan struct {
	rounds int
	slice  time.Duration
}

// bench runs all measurements and prints a table of each kind.
func bench(w io.Writer, python, script string, p plan) error {
	var others peer = nobody{}
	if python != "" {
		started, err := startPython(python, script, runtime.GOMAXPROCS(0))
		if err != nil {
			return err
		}
		defer started.stop()
		others = started
	}
	cpu := device.NewCPU(0)
	defer cpu.Close()
	fmt.Fprintf(w, "gosphere: %s\n", cpu.Name())
	for _, name := range others.names() {
		fmt.Fprintf(w, "%s: %s\n", name, others.version(name))
	}
	fmt.Fprintf(w, "%d rounds of %v; GFLOP/s of the best round, and the median over the rounds of gosphere's rate divided by the other's\n",
		p.rounds, p.slice)
	for _, table := range []struct {
		title string
		tasks []task
	}{{"matrix products in float32", products()}, {"training steps of AsymVLM (von Mises–Fisher) in float32", steps()}} {
		fmt.Fprintf(w, "\n%s\n", table.title)
		for _, t := range table.tasks {
			rates, err := compare(t, cpu, others, p)
			if err != nil {
				return err
			}
			fmt.Fprintln(w, rates.line(t.name, others.names()))
		}
	}
	return nil
}
