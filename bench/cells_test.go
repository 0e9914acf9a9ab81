//go:build unix

package main

import (
	"flag"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"

	"gosphere/internal/testing/sessiontest"
)

// rounds is the number of times that each program runs on each side, alternating between sides; the
// best time of each counts. More rounds cover more of the time in which other processes slow the
// machine.
var rounds = flag.Int("rounds", 15, "number of times that BenchmarkCells and BenchmarkLatency run each program")

// BenchmarkCells prints the cost of operations and whole programs as cells, in yaegi alone,
// compiled, and in CPython. The times are CPU times including the garbage collector, so that other
// programs on the machine have little effect. A dash means that a side cannot run the program or
// has no such operation.
//
//	go test ./bench -run none -bench Cells -benchtime 1x
func BenchmarkCells(b *testing.B) {
	for range b.N {
		table, err := sideBySide(b, operations, newRawSide(operations))
		if err != nil {
			b.Fatal(err)
		}
		table.print(os.Stdout, "ns per operation", func(p program) float64 { return float64(p.size) })
		b.ReportMetric(table.ratio(nil), "operations/yaegi")
		if table, err = sideBySide(b, features, noSide{}); err != nil {
			b.Fatal(err)
		}
		table.print(os.Stdout, "ns per operation", func(p program) float64 { return float64(p.size) })
		if table, err = sideBySide(b, laboratory, noSide{}); err != nil {
			b.Fatal(err)
		}
		table.print(os.Stdout, "ns per operation", func(p program) float64 { return float64(p.size) })
		if table, err = sideBySide(b, classics, noSide{}); err != nil {
			b.Fatal(err)
		}
		table.print(os.Stdout, "ms per program", func(program) float64 { return 1e6 })
		if table, err = sideBySide(b, idioms, noSide{}); err != nil {
			b.Fatal(err)
		}
		table.print(os.Stdout, "ms per program", func(program) float64 { return 1e6 })
		if table, err = sideBySide(b, programs, newRawSide(programs)); err != nil {
			b.Fatal(err)
		}
		table.print(os.Stdout, "ms per program", func(program) float64 { return 1e6 })
		b.ReportMetric(table.ratio(nil), "programs/yaegi")
		b.ReportMetric(table.ratio(weights), "weighted/yaegi")
		fmt.Printf("ratio of sums %.2f; with the programs as long as in the interpreter's survey %.2f\n", table.ratio(nil), table.ratio(weights))
	}
}

// before is a program made by "go test -c ./bench" from another state of the repository.
var before = flag.String("before", "", "program of these tests built from another state, which BenchmarkBuilds compares with this one")

// chosen is a regular expression for the names of programs.
var chosen = flag.String("programs", "", "regular expression for the names of the programs that BenchmarkBuilds and BenchmarkWellKnown run")

// choose returns the programs whose names match the flag -programs.
func choose(list []program) ([]program, error) {
	shown, err := regexp.Compile(*chosen)
	return slices.DeleteFunc(slices.Clone(list), func(p program) bool { return !shown.MatchString(p.name) }), err
}

// BenchmarkBuilds prints how long cells take relative to another build of the same programs, such
// as one with the release of Go before. Both builds run each program in turn.
//
//	go test -c -o before.test ./bench    # in the other state
//	go test ./bench -run none -bench Builds -benchtime 1x -before "$PWD/before.test"
func BenchmarkBuilds(b *testing.B) {
	if *before == "" {
		b.Skip("-before names no other build")
	}
	for range b.N {
		list := slices.Concat(operations, features, laboratory, classics, programs, wellKnown)
		list = append(list, slices.DeleteFunc(slices.Clone(idioms), func(p program) bool {
			return slices.ContainsFunc(wellKnown, func(w program) bool { return w.name == p.name })
		})...)
		list, err := choose(list)
		if err != nil {
			b.Fatal(err)
		}
		best, err := builds(list, *before, *rounds)
		if err != nil {
			b.Fatal(err)
		}
		b.ReportMetric(printBuilds(os.Stdout, list, best), "now/before")
	}
}

// builds returns the best times in nanoseconds of programs in the other build and in this one.
func builds(list []program, other string, rounds int) (best [2][]float64, err error) {
	for k := range best {
		best[k] = slices.Repeat([]float64{math.Inf(1)}, len(list))
	}
	for i, p := range list {
		var sides [2]*processSide
		for k, file := range []string{other, os.Args[0]} {
			command := exec.Command(file)
			command.Env = append(os.Environ(), servedProgram+"="+p.name)
			if sides[k], err = startProcess(command); err != nil {
				return best, err
			}
			defer sides[k].close()
		}
		for range rounds {
			for k, s := range sides {
				n, err := s.run(0)
				if err != nil {
					return best, fmt.Errorf("%s: %w", p.name, err)
				}
				best[k][i] = min(best[k][i], n)
			}
		}
		for _, s := range sides {
			s.in.Close()
		}
	}
	return best, nil
}

// printBuilds writes a table and returns the geometric mean of the ratios.
func printBuilds(w io.Writer, list []program, best [2][]float64) float64 {
	fmt.Fprintf(w, "\n| ms per run | before | now | now/before |\n| --- | --- | --- | --- |\n")
	logs := 0.0
	for i, p := range list {
		ratio := best[1][i] / best[0][i]
		logs += math.Log(ratio)
		fmt.Fprintf(w, "| %s | %.3g | %.3g | %.2f |\n", p.name, best[0][i]/1e6, best[1][i]/1e6, ratio)
	}
	return math.Exp(logs / float64(len(list)))
}

// A speedTable holds the best times of some programs in nanoseconds: cells, yaegi, compiled Go,
// CPython.
type speedTable struct {
	list []program
	best [4][]float64
}

// noSide replaces yaegi for programs that it is not asked to run, because some of them end its
// process.
type noSide struct{}

func (noSide) run(int) (float64, error) { return 0, nil }

// sideBySide measures programs on all sides, round by round.
func sideBySide(b *testing.B, list []program, raw side) (*speedTable, error) {
	cells, err := newSeparateSide(list)
	if err != nil {
		return nil, err
	}
	defer cells.close()
	compiled, err := compiledSide(b.TempDir(), list)
	if err != nil {
		return nil, err
	}
	defer compiled.close()
	sides := []side{cells, raw, compiled}
	if _, err := exec.LookPath("python3"); err == nil {
		python, err := pythonSide(list)
		if err != nil {
			return nil, err
		}
		defer python.close()
		sides = append(sides, python)
	}
	t := &speedTable{list: list}
	for k := range t.best {
		t.best[k] = slices.Repeat([]float64{math.Inf(1)}, len(list))
	}
	for range *rounds {
		for i := range list {
			for k, s := range sides {
				n, err := s.run(i)
				if err != nil {
					return nil, fmt.Errorf("%s: %w", list[i].name, err)
				}
				if n > 0 {
					t.best[k][i] = min(t.best[k][i], n)
				}
			}
		}
	}
	return t, nil
}

// ratio returns the sum of the cells' times divided by that of yaegi, over the programs that yaegi
// can run. With weights, each program counts as if yaegi took that long.
func (t *speedTable) ratio(weights []float64) float64 {
	var cells, raws float64
	for i := range t.list {
		cell, raw := t.best[0][i], t.best[1][i]
		if math.IsInf(raw, 1) {
			continue
		}
		if weights != nil {
			cell, raw = cell/raw*weights[i], weights[i]
		}
		cells, raws = cells+cell, raws+raw
	}
	return cells / raws
}

// print writes the table, with times in units of per nanoseconds.
func (t *speedTable) print(w io.Writer, unit string, per func(program) float64) {
	fmt.Fprintf(w, "\n| %s | cell | yaegi | Go | CPython | cell/yaegi | cell/CPython | cell/Go |\n| --- | --- | --- | --- | --- | --- | --- | --- |\n", unit)
	for i, p := range t.list {
		number := func(n float64) string {
			if math.IsInf(n, 1) {
				return "–"
			}
			return fmt.Sprintf("%.3g", n)
		}
		ratio := func(side int, other float64) string {
			if math.IsInf(other, 1) {
				return "–"
			}
			return fmt.Sprintf("%.2f", t.best[side][i]/other)
		}
		fmt.Fprintf(w, "| %s", p.name)
		for k := range t.best {
			fmt.Fprintf(w, " | %s", number(t.best[k][i]/per(p)))
		}
		python := t.best[3][i]
		fmt.Fprintf(w, " | %s | %s | %s |\n", ratio(0, t.best[1][i]), ratio(0, python), ratio(0, t.best[2][i]))
	}
}

func TestSpeedProgramsRunAsCells(t *testing.T) {
	for _, p := range slices.Concat(operations, features, laboratory, programs, classics, idioms) {
		t.Run(p.name, func(t *testing.T) {
			if got, err := sessiontest.Printed(sessiontest.New(t), p.source()+"import \"fmt\"\nfmt.Print(Run(5) == Run(5))"); got != "true" || err != nil {
				t.Errorf("got %q, %v", got, err)
			}
		})
	}
}

func TestSpeedRatioWeighsProgramsByTheInterpretersTime(t *testing.T) {
	table := speedTable{list: make([]program, 3), best: [4][]float64{{1, 4, 5}, {2, 2, math.Inf(1)}}}
	if got := table.ratio(nil); got != 1.25 {
		t.Errorf("ratio of sums %v", got)
	}
	if got := table.ratio([]float64{30, 10, 99}); got != (15+20)/40.0 {
		t.Errorf("weighted ratio %v", got)
	}
}

func TestBuildsAreComparedProgramByProgram(t *testing.T) {
	list := slices.Concat(operations[:1], programs[:1])
	best, err := builds(list, os.Args[0], 1)
	if err != nil {
		t.Fatal(err)
	}
	for k := range best {
		for i, n := range best[k] {
			if math.IsInf(n, 1) || n < 0 {
				t.Errorf("build %d, %s: %v", k, list[i].name, n)
			}
		}
	}
	var w strings.Builder
	mean := printBuilds(&w, list, [2][]float64{{1e6, 4e6}, {2e6, 2e6}})
	if want := "| " + list[0].name + " | 1 | 2 | 2.00 |\n| " + list[1].name + " | 4 | 2 | 0.50 |\n"; !strings.HasSuffix(w.String(), want) || mean != 1 {
		t.Errorf("mean %v of\n%s", mean, &w)
	}
}
