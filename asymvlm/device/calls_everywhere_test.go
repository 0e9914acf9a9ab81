package device

import (
	"fmt"
	"math"
	"strings"
	"testing"
)

// shapes are sizes of calls: shorter than a vector, odd, at and across tiles, blocks of rows and of
// the inner dimension, long and thin.
var shapes = [][3]int{{1, 1, 1}, {2, 3, 5}, {7, 8, 9}, {12, 32, 32}, {13, 33, 31}, {1, 300, 40}, {65, 1, 130}, {130, 257, 70}}

func TestResultsDoNotDependOnWhereTheArgumentsLie(t *testing.T) {
	for _, shape := range shapes {
		for _, c := range calls() {
			onDevices(t, 1, func(name string, device Device) {
				var first outputs
				for _, offset := range []int{0, 1, 3, 8, 15} {
					b := newBench(offset)
					c.do(device, b, shape[0], shape[1], shape[2])
					if offset == 0 {
						first = b.out
					} else if !b.out.equalBits(first) {
						t.Errorf("%s: %s of %v differs %d values after a boundary", name, c.name, shape, offset)
					}
				}
			})
		}
	}
}

func TestOperationsWriteNothingBesideTheirResults(t *testing.T) {
	for _, shape := range shapes {
		for _, c := range calls() {
			for _, offset := range []int{0, 5} {
				onDevices(t, 2, func(name string, device Device) {
					b := newBench(offset)
					c.do(device, b, shape[0], shape[1], shape[2])
					b.guards(t, fmt.Sprintf("%s: %s of %v", name, c.name, shape))
				})
			}
		}
	}
}

// Results are initialized to NaN, so that a value that is not written, or read before it is
// written, is detected.
func TestOperationsAgreeWithTheReferenceAtAllShapes(t *testing.T) {
	for _, shape := range shapes {
		for _, c := range calls() {
			want := newBench(0)
			c.do(Reference[float32]{}, want, shape[0], shape[1], shape[2])
			onDevices(t, 2, func(name string, device Device) {
				got := newBench(0)
				c.do(device, got, shape[0], shape[1], shape[2])
				what := fmt.Sprintf("%s: %s of %v", name, c.name, shape)
				for i, values := range want.out.values {
					// Slopes of small losses are differences of numbers near 1, so errors are
					// relative to 1/50.
					size := 0.02
					for _, value := range values {
						size = math.Max(size, math.Abs(value))
					}
					for k, value := range values {
						if !(math.Abs(got.out.values[i][k]-value) <= 6e-6*size) {
							t.Fatalf("%s: value %d of result %d is %g, want %g", what, k, i, got.out.values[i][k], value)
						}
					}
				}
				for i, value := range want.out.scalars {
					// Sums of numbers of both signs have errors relative to 1.
					if !(math.Abs(got.out.scalars[i]-value) <= 3e-5*math.Max(1, math.Abs(value))) {
						t.Errorf("%s: value %d is %g, want %g", what, i, got.out.scalars[i], value)
					}
				}
			})
		}
	}
}

func TestThreadsUpToFiveGiveTheSameBits(t *testing.T) {
	large := [3]int{200, 600, 130}
	if testing.Short() {
		large = [3]int{130, 20, 40}
	}
	for _, shape := range [][3]int{{5, 7, 3}, {67, 40, 33}, large} {
		for _, c := range calls() {
			first := map[string]outputs{}
			for threads := 1; threads <= 5; threads++ {
				onDevices(t, threads, func(name string, device Device) {
					for range 2 { // the second time with existing buffers
						b := newBench(0)
						c.do(device, b, shape[0], shape[1], shape[2])
						if threads == 1 {
							first[name] = b.out
						} else if !b.out.equalBits(first[name]) {
							t.Errorf("%s: %s of %v differs with %d threads", name, c.name, shape, threads)
						}
					}
				})
			}
		}
	}
}

func TestOperationsOnNothingAreQuiet(t *testing.T) {
	onEvery(t, func(t *testing.T, device Device) {
		for _, shape := range [][3]int{{0, 0, 0}, {0, 5, 9}, {9, 5, 0}, {0, 0, 9}, {9, 0, 0}, {0, 5, 0}, {9, 0, 5}} {
			for _, c := range calls() {
				b := newBench(3)
				c.do(device, b, shape[0], shape[1], shape[2])
				b.guards(t, c.name)
				for _, value := range b.out.scalars {
					if shape[0] == 0 && value != 0 {
						t.Errorf("%s of %v returns %g", c.name, shape, value)
					}
				}
				for _, values := range b.out.values {
					for _, value := range values {
						if value != value {
							t.Errorf("%s of %v leaves NaN", c.name, shape)
						}
					}
				}
			}
		}
	})
}

// A special value in an argument must appear in the same positions of the results as in the
// reference's, and in one of the returned numbers. Only infinite heads of ProbVLM may cause
// additional NaN.
func TestNaNAndInfinityGoWhereTheReferenceHasThem(t *testing.T) {
	const rows, inner, columns = 13, 21, 19
	inf := float32(math.Inf(1))
	for _, c := range calls() {
		named := newBench(0)
		c.do(Reference[float32]{}, named, rows, inner, columns)
		for input, argument := range named.drawn {
			for _, strange := range []float32{float32(math.NaN()), inf, -inf} {
				for _, place := range []int{0, 9, -1} { // in full vectors, and in the remainder
					spoiled := func(device Device) outputs {
						b := newBench(0)
						b.spoiled, b.place, b.strange = input, place, strange
						c.do(device, b, rows, inner, columns)
						return b.out
					}
					want := spoiled(Reference[float32]{})
					onDevices(t, 1, func(name string, device Device) {
						what := fmt.Sprintf("%s: %s with %g in %s at %d", name, c.name, strange, argument, place)
						compareClasses(t, what, spoiled(device), want, strings.HasPrefix(c.name, "generalized"))
					})
				}
			}
		}
	}
}

func finite(value float64) bool { return value-value == 0 }

// compareClasses compares which results are finite. Operations that return numbers report other
// values there, and their gradients need not agree then.
func compareClasses(t *testing.T, what string, got, want outputs, mayBeMore bool) {
	t.Helper()
	all := func(values []float64) bool {
		for _, value := range values {
			if !finite(value) {
				return false
			}
		}
		return true
	}
	if all(got.scalars) != all(want.scalars) && !(mayBeMore && all(want.scalars)) {
		t.Errorf("%s: returns %v, the reference %v", what, got.scalars, want.scalars)
	}
	if !all(want.scalars) {
		return
	}
	for i, values := range want.values {
		for k, value := range values {
			if finite(got.values[i][k]) != finite(value) && !(mayBeMore && finite(value)) {
				t.Errorf("%s: value %d of result %d is %g, the reference's %g", what, k, i, got.values[i][k], value)
				return
			}
		}
	}
}
