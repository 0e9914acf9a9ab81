//go:build unix

package session

import (
	"fmt"
	"maps"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// growthMeasure measures a function at n, 2n, 4n and 8n, both as a cell and compiled. It prints the
// shortest of several times per call in nanoseconds of the processor: on a busy machine, the time
// of the clock grows faster for calls that are longer than a turn. A measurement repeats calls
// until it is long enough for the resolution of clocks and the collector not to matter. With warm,
// it calls and collects first, so that calls find memory that the process has used before: on a
// busy machine, the first use of a page can take ten times as long as the work in it.
const growthMeasure = `func used() int64 {
	var u syscall.Rusage
	syscall.Getrusage(syscall.RUSAGE_SELF, &u)
	return u.Utime.Nano() + u.Stime.Nano()
}

func measure(name string, f func(int), warm bool) {
	line := "growth of " + name
	for size := 1; size <= 8; size *= 2 {
		if warm {
			f(size * 2000)
			runtime.GC()
		}
		best := 0.0
		for range 5 {
			calls, start := 0, used()
			for calls == 0 || used()-start < 2e6 {
				f(size * 2000)
				calls++
			}
			if t := float64(used()-start) / float64(calls); best == 0 || t < best {
				best = t
			}
		}
		line += fmt.Sprint(" ", best)
	}
	fmt.Println("\n" + line)
}
`

// growthMargin is the amount by which the exponent of a cell may exceed that of compiled Go. Linear
// work has exponent 1 and quadratic work 2. Caches and the collector change exponents by up to a
// third.
const growthMargin = 0.5

// TestStatementsGrowAsTheyDoCompiled compares the growth with n of the time of each statement form
// in cells and in a compiled program. It measures time, so only make large runs it.
func TestStatementsGrowAsTheyDoCompiled(t *testing.T) {
	if os.Getenv("GOSPHERE_LARGE") == "" {
		t.Skip("make large measures it")
	}
	names := slices.Sorted(maps.Keys(growing))
	folder := t.TempDir()
	program := compiledGrowth(t, folder, names)
	s := newTestSession(t)
	for number, code := range []string{growingTypes, growthMeasure} {
		if end, _, ok := playCell(s, number+1, code); !ok || end.failure != nil {
			t.Fatal(end.failure)
		}
	}
	for i, name := range names {
		t.Run(name, func(t *testing.T) {
			var cell, compiled []float64
			for try := range 4 {
				end, output, ok := playCell(s, 3+4*i+try, fmt.Sprintf("func work(n int) {\n%s\n}\nmeasure(%q, work, %t)", growing[name], name, try > 0))
				if !ok || end.failure != nil {
					t.Fatal(end.failure)
				}
				out, err := exec.Command(program, name, fmt.Sprint(try > 0)).Output()
				if err != nil {
					t.Fatal(err)
				}
				cell, compiled = shorter(cell, growthOf(t, output, name)), shorter(compiled, growthOf(t, string(out), name))
				if exponent(cell) <= max(exponent(compiled), 0.7)+growthMargin {
					t.Logf("exponent %.2f, compiled %.2f", exponent(cell), exponent(compiled))
					return
				}
			}
			t.Errorf("in cells %.0f ns grow with n to the power of %.2f, compiled %.0f ns with %.2f", cell, exponent(cell), compiled, exponent(compiled))
		})
	}
}

// compiledGrowth builds one program with all forms. Its arguments are the form to measure and
// whether to call and collect first.
func compiledGrowth(t *testing.T, folder string, names []string) (program string) {
	t.Helper()
	var text strings.Builder
	text.WriteString("package main\n\nimport (\n\t\"fmt\"\n\t\"os\"\n\t\"runtime\"\n\t\"slices\"\n\t\"sort\"\n\t\"strings\"\n\t\"sync\"\n\t\"syscall\"\n\t\"time\"\n)\n\nvar _, _, _, _ = slices.Sorted[int], sort.Ints, new(sync.Mutex), time.Now\n\n")
	text.WriteString(growthMeasure + "\n" + growingTypes + "\n\nfunc main() {\n\tswitch os.Args[1] {\n")
	for i, name := range names {
		fmt.Fprintf(&text, "\tcase %q:\n\t\tmeasure(os.Args[1], work%d, os.Args[2] == \"true\")\n", name, i)
	}
	text.WriteString("\t}\n\t_ = strings.Repeat\n}\n")
	for i, name := range names {
		fmt.Fprintf(&text, "\nfunc work%d(n int) {\n%s\n}\n", i, growing[name])
	}
	source := filepath.Join(folder, "main.go")
	if err := os.WriteFile(source, []byte(text.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	program = filepath.Join(folder, "program")
	if out, err := exec.Command("go", "build", "-o", program, source).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return program
}

// growthOf parses the times that measure prints.
func growthOf(t *testing.T, output, name string) (times []float64) {
	t.Helper()
	_, rest, _ := strings.Cut(output, "\ngrowth of "+name+" ")
	line, _, _ := strings.Cut(rest, "\n")
	for _, field := range strings.Fields(line) {
		x, err := strconv.ParseFloat(field, 64)
		if err != nil {
			t.Fatal(err)
		}
		times = append(times, x)
	}
	if len(times) != 4 {
		t.Fatalf("there are the times %v in what is printed", times)
	}
	return times
}

// shorter returns the element-wise minimum of two lists of times, because disturbances only
// increase measurements.
func shorter(a, b []float64) []float64 {
	if a == nil {
		return b
	}
	for i, x := range b {
		a[i] = min(a[i], x)
	}
	return a
}

// exponent returns the slope of the logarithms of times at n, 2n, 4n and 8n by least squares.
func exponent(times []float64) float64 {
	slope := 0.0
	for i, x := range times {
		slope += (float64(i) - 1.5) * math.Log2(x)
	}
	return slope / 5 // the sum of the squares of -1.5, -0.5, 0.5 and 1.5
}

func TestExponentsAreThoseOfPowers(t *testing.T) {
	for want, times := range map[float64][]float64{0: {3, 3, 3, 3}, 1: {2, 4, 8, 16}, 2: {1, 4, 16, 64}} {
		if got := exponent(times); math.Abs(got-want) > 1e-12 {
			t.Errorf("%v have the exponent %g, want %g", times, got, want)
		}
	}
}
