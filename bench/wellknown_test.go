//go:build unix

package main

import (
	"embed"
	"fmt"
	"math"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"

	"gosphere/internal/testing/sessiontest"
)

// wellKnown are 23 programs of different kinds that are known from textbooks and from comparisons
// of languages. Six of them are idioms.
var wellKnown = []program{
	idioms[0], // iterators
	idioms[1], // deferred calls
	fromFile("vectors as structs, 100 steps", "vectors", 100),
	idioms[4], // container/heap
	fromFile("Fourier transform of 8192", "fourier", 8192),
	fromFile("murmur hash of 4e5 bytes", "hash", 400_000),
	fromFile("matrix product 120", "product", 120),
	fromFile("knapsack to 5000", "knapsack", 5000),
	fromFile("queens 9", "queens", 9),
	fromFile("game of life 64", "life", 64),
	fromFile("Monte Carlo 3e5", "montecarlo", 300_000),
	fromFile("integral of a func value", "integral", 20_000),
	idioms[5], // interfaces
	fromFile("k-means of 2000 points", "kmeans", 2000),
	fromFile("Mandelbrot 100", "mandelbrot", 100),
	fromFile("JSON parser, 1000 objects", "json", 1000),
	fromFile("search tree 4000", "tree", 4000),
	fromFile("sieve 1e6", "primes", 1_000_000),
	idioms[6], // sort.Slice
	fromFile("page rank of 5000", "pagerank", 5000),
	fromFile("word count 2e4", "words", 20_000),
	idioms[8], // channels
	fromFile("text: +=, runes, Split", "text", 6000),
}

//go:embed testdata/wellknown
var texts embed.FS

// fromFile returns the program in testdata/wellknown with a name. The file in Go declares Run, and
// the one in Python declares run.
func fromFile(title, name string, size int) program {
	read := func(suffix string) string {
		b, err := texts.ReadFile("testdata/wellknown/" + name + suffix)
		if err != nil {
			panic(err)
		}
		return string(b)
	}
	script := strings.ReplaceAll("    "+strings.TrimSpace(read(".py")), "\n", "\n    ")
	return program{
		name: title, declarations: strings.TrimPrefix(read(".go"), "package p\n"), size: size,
		python: "    n_given = n\n" + script + "\n    s = run(n_given)\n",
	}
}

// BenchmarkWellKnown prints the times of the well-known programs as cells, compiled and in CPython,
// and the geometric means of the ratios.
//
//	go test ./bench -run none -bench WellKnown -benchtime 1x
func BenchmarkWellKnown(b *testing.B) {
	for range b.N {
		list, err := choose(wellKnown)
		if err != nil {
			b.Fatal(err)
		}
		table, err := sideBySide(b, list, noSide{})
		if err != nil {
			b.Fatal(err)
		}
		table.print(os.Stdout, "ms per program", func(program) float64 { return 1e6 })
		compiled, python := table.mean(2), table.mean(3)
		fmt.Printf("geometric mean: %.2f times compiled Go, %.2f times CPython\n", compiled, python)
		b.ReportMetric(compiled, "cell/Go")
		b.ReportMetric(python, "cell/CPython")
	}
}

// mean returns the geometric mean of the cells' times relative to those of another side, over the
// programs that this side runs.
func (t *speedTable) mean(side int) float64 {
	sum, n := 0.0, 0
	for i, other := range t.best[side] {
		if !math.IsInf(other, 1) {
			sum += math.Log(t.best[0][i] / other)
			n++
		}
	}
	return math.Exp(sum / float64(n))
}

func TestWellKnownProgramsGiveTheSameInPython(t *testing.T) {
	if _, err := exec.LookPath("python3"); err != nil {
		t.Skip("python3 is not installed")
	}
	small := map[string]int{"queens 9": 6, "game of life 64": 9, "Mandelbrot 100": 12, "matrix product 120": 7, "vectors as structs, 100 steps": 3}
	for _, p := range wellKnown {
		if p.run != "" {
			continue
		}
		n := small[p.name]
		if n == 0 {
			n = 64
		}
		t.Run(p.name, func(t *testing.T) {
			t.Parallel()
			want, err := exec.Command("python3", "-c", fmt.Sprintf("def f(n):\n%s    return s\nprint(f(%d))", p.python, n)).Output()
			if err != nil {
				t.Fatal(err)
			}
			got, err := sessiontest.Printed(sessiontest.New(t), p.source()+"import \"fmt\"\nfmt.Print(Run("+strconv.Itoa(n)+"))")
			if err != nil || got != strings.TrimSpace(string(want)) {
				t.Errorf("got %q, %v; Python %s", got, err, want)
			}
		})
	}
}

func TestMeansAreGeometric(t *testing.T) {
	table := speedTable{best: [4][]float64{{2, 8, 5}, nil, {1, 1, 5}, {1, 2, math.Inf(1)}}}
	for side, want := range map[int]float64{2: math.Cbrt(16), 3: math.Sqrt(8)} {
		if got := table.mean(side); math.Abs(got-want) > 1e-12 {
			t.Errorf("side %d: %v, want %v", side, got, want)
		}
	}
}
