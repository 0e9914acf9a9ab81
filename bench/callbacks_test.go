//go:build unix

package main

import (
	"context"
	"fmt"
	"os"
	"reflect"
	"strings"
	"testing"
	"time"

	"gosphere/runtime/interp"
)

// A callback is a function type with a function of cells and compiled code that calls it n times.
type callback struct {
	literal string // the function in Go
	drive   any    // func(n int, f F), where F is the type of the literal
}

// measured is a struct that is passed in registers.
type measured struct {
	Name  string
	Value float64
	Count int32
}

// callbacks are shapes of functions, the comparison of sort.Slice first.
var callbacks = []callback{
	{"func(i, j int) bool { return i < j }", func(n int, f func(int, int) bool) {
		for i := range n {
			f(i, 5)
		}
	}},
	{"func() {}", func(n int, f func()) {
		for range n {
			f()
		}
	}},
	{"func(x float64) float64 { return x }", func(n int, f func(float64) float64) {
		for range n {
			f(2)
		}
	}},
	{"func(r rune) rune { return r }", func(n int, f func(rune) rune) {
		for range n {
			f('x')
		}
	}},
	{"func(p []byte) (int, error) { return len(p), nil }", func(n int, f func([]byte) (int, error)) {
		p := make([]byte, 8)
		for range n {
			f(p)
		}
	}},
	{"func(data []byte, end bool) (int, []byte, error) { return 1, data, nil }", func(n int, f func([]byte, bool) (int, []byte, error)) {
		p := make([]byte, 8)
		for range n {
			f(p, false)
		}
	}},
	{"func(a, b, c int) int { return a }", func(n int, f func(a, b, c int) int) {
		for i := range n {
			f(i, 1, 2)
		}
	}},
	{"func(a, b uint16) uint16 { return b }", func(n int, f func(a, b uint16) uint16) {
		for i := range n {
			f(uint16(i), 1)
		}
	}},
	{"func(a, b, c float64) (float64, float64) { return a, c }", func(n int, f func(a, b, c float64) (float64, float64)) {
		for range n {
			f(1, 2, 3)
		}
	}},
	{"func(a float32, b int8) float32 { return a }", func(n int, f func(float32, int8) float32) {
		for range n {
			f(1, 2)
		}
	}},
	{"func(z complex128) complex128 { return z }", func(n int, f func(complex128) complex128) {
		for range n {
			f(1i)
		}
	}},
	{"func(a, b string) (string, string, bool) { return a, b, true }", func(n int, f func(a, b string) (string, string, bool)) {
		for range n {
			f("a", "b")
		}
	}},
	{"func(m measured) measured { return m }", func(n int, f func(measured) measured) {
		for range n {
			f(measured{"a", 1, 2})
		}
	}},
	{"func(m measured, k [1]string) int32 { return m.Count }", func(n int, f func(measured, [1]string) int32) {
		for range n {
			f(measured{"a", 1, 2}, [1]string{"b"})
		}
	}},
	{"func(t time.Time) bool { return true }", func(n int, f func(time.Time) bool) {
		for range n {
			f(time.Time{})
		}
	}},
	{"func(a any, err error, k map[string]int) error { return err }", func(n int, f func(any, error, map[string]int) error) {
		for range n {
			f(n, nil, nil)
		}
	}},
	{"func(format string, list ...any) int { return len(list) }", func(n int, f func(string, ...any) int) {
		for range n {
			f("", nil, nil)
		}
	}},
	{"func(a, b, c, d, e, f, g, h, i int) int { return i }", func(n int, f func(a, b, c, d, e, f, g, h, i int) int) {
		for i := range n {
			f(i, 1, 2, 3, 4, 5, 6, 7, 8)
		}
	}},
	{"func(a [2]int) int { return a[0] }", func(n int, f func([2]int) int) {
		for i := range n {
			f([2]int{i, 1})
		}
	}},
}

// BenchmarkCallbacks prints the time of a call of a function of cells by compiled code, for each
// shape of functions.
//
//	go test ./bench -run none -bench Callbacks -benchtime 1x
func BenchmarkCallbacks(b *testing.B) {
	for range b.N {
		best, err := timeCallbacks()
		if err != nil {
			b.Fatal(err)
		}
		fmt.Fprintf(os.Stdout, "\n| ns per call | cell | relative to sort.Slice's comparison |\n| --- | --- | --- |\n")
		worst := 0.0
		for i, c := range callbacks {
			shape, _, _ := strings.Cut(c.literal, " {")
			fmt.Fprintf(os.Stdout, "| `%s` | %.3g | %.2f |\n", shape, best[i], best[i]/best[0])
			worst = max(worst, best[i]/best[0])
		}
		b.ReportMetric(worst, "worst/sort.Slice")
	}
}

// timeCallbacks returns the best time of a call of each callback.
func timeCallbacks() ([]float64, error) {
	const calls = 20_000
	s, err := interp.New(interp.Options{})
	if err != nil {
		return nil, err
	}
	defer s.Close()
	exports := map[string]reflect.Value{"Measured": reflect.ValueOf((*measured)(nil)), "Time": reflect.ValueOf((*time.Time)(nil))}
	for i, c := range callbacks {
		exports[fmt.Sprint("Drive", i)] = reflect.ValueOf(c.drive)
	}
	if err := s.Use(interp.Values("drivers", exports)); err != nil {
		return nil, err
	}
	best := make([]float64, len(callbacks))
	for i, c := range callbacks {
		literal := strings.NewReplacer("measured", "drivers.Measured", "time.Time", "drivers.Time").Replace(c.literal)
		if _, err := s.Eval(context.Background(), fmt.Sprintf("import \"drivers\"\nfunc run%d(n int) { drivers.Drive%d(n, %s) }", i, i, literal)); err != nil {
			return nil, fmt.Errorf("%s: %w", c.literal, err)
		}
	}
	for range *rounds {
		for i := range callbacks {
			run, err := interp.Get[func(int)](s, fmt.Sprint("run", i))
			if err != nil {
				return nil, err
			}
			begin := spent()
			run(calls)
			if ns := float64(spent()-begin) / calls; best[i] == 0 || ns < best[i] {
				best[i] = ns
			}
		}
	}
	return best, nil
}
