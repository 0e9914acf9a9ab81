// Package golden provides tests with reference arrays that may exist next to the repository:
// numbers computed by independent programs (PyTorch in float64, mpmath with 50 digits) for
// comparison with this project's formulas. The arrays are not part of the repository; a test that
// needs them is skipped, with one line, if they do not exist.
//
//	array := golden.Open(t, "functions.npz")
//	golden.Near(t, "beliefs", beliefs, array("dirichlet/plain/belief"), 1e-12)
package golden

import (
	"math"
	"os"
	"path/filepath"
	"testing"

	"gosphere/asymvlm/embedding"
)

// above is the number of parent folders of a package that are searched for the reference material.
const above = 4

// File returns the path of a file of the reference material, such as
// data/coco500_clip_vitb16/features_clip.npy, or skips the test if it does not exist.
func File(t testing.TB, name string) string {
	t.Helper()
	for up, step := "..", 0; step < above; up, step = filepath.Join(up, ".."), step+1 {
		path := filepath.Join(up, "shared", filepath.FromSlash(name))
		if _, err := os.Stat(path); err == nil {
			return path
		}
	}
	t.Skipf("golden: the reference file %s is not here", name)
	return ""
}

// Open reads one file of reference arrays, or skips the test if it does not exist. The returned
// function returns an array's values in storage order, and fails the test if there is no array of
// that name.
func Open(t testing.TB, file string) func(name string) []float64 {
	t.Helper()
	arrays, err := embedding.ReadNPZ(File(t, "golden/"+file))
	if err != nil {
		t.Fatal(err)
	}
	return func(name string) []float64 {
		t.Helper()
		if arrays[name] == nil {
			t.Fatalf("golden: %s has no array %q", file, name)
		}
		values, err := arrays[name].Float64s()
		if err != nil {
			t.Fatal(err)
		}
		return values
	}
}

// Rows splits values into rows of equal width, at least 1, which share their memory. An incomplete
// last row is omitted.
func Rows(values []float64, width int) [][]float64 {
	rows := make([][]float64, 0, len(values)/width)
	for from := 0; from+width <= len(values); from += width {
		rows = append(rows, values[from:from+width:from+width])
	}
	return rows
}

// Integers converts values that are stored as numbers but are indices or counts.
func Integers(values []float64) []int {
	whole := make([]int, len(values))
	for i, value := range values {
		whole[i] = int(value)
	}
	return whole
}

// Near reports an error if values differ from the reference by more than the tolerance times the
// largest absolute value of the reference, the measure in which the reference states its accuracy.
// The largest relative difference is logged, visible with go test -v. Different numbers of values,
// NaN on either side and infinite references are also errors.
func Near(t testing.TB, name string, got, want []float64, tolerance float64) {
	t.Helper()
	if len(got) != len(want) {
		t.Errorf("%s: %d values, want %d", name, len(got), len(want))
		return
	}
	largest, worst, place := 0.0, 0.0, 0
	for i, value := range want {
		largest = max(largest, math.Abs(value))
		difference := math.Abs(got[i] - value)
		if math.IsNaN(difference) {
			t.Errorf("%s: value %d is %g, want %g", name, i, got[i], value)
			return
		}
		if difference > worst {
			worst, place = difference, i
		}
	}
	relative := worst
	if largest > 0 {
		relative = worst / largest
	}
	t.Logf("%s: error %.1e", name, relative)
	if !(relative <= tolerance) { // NaN if the reference is infinite
		t.Errorf("%s: value %d is %.17g, want %.17g (error %.1e, tolerance %.0e)", name, place, got[place], want[place], relative, tolerance)
	}
}
