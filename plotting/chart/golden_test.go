package chart_test

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gonum.org/v1/plot/cmpimg"
)

var update = flag.Bool("update", false, "rewrite the golden files")

func TestExamplesMatchTheirGoldenPictures(t *testing.T) {
	golden, err := filepath.Abs("testdata")
	if err != nil {
		t.Fatal(err)
	}
	for name, example := range map[string]func(){
		"facets.png":        ExampleOf,
		"points.png":        ExampleChart_Point,
		"lines.png":         ExampleChart_Line,
		"bars.png":          ExampleChart_Bar,
		"distributions.png": ExampleChart_Histogram,
		"groups.png":        ExampleChart_Box,
		"fields.png":        ExampleChart_HeatMap,
		"trends.png":        ExampleChart_Smooth,
		"others.png":        ExampleChart_Pie,
	} {
		t.Run(name, func(t *testing.T) {
			t.Chdir(t.TempDir())
			example()
			got, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			path := filepath.Join(golden, strings.TrimSuffix(name, ".png")+"_golden.png")
			if *update {
				if err := os.WriteFile(path, got, 0o666); err != nil {
					t.Fatal(err)
				}
				return
			}
			want, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			// Floating-point results differ in the last digit between CPUs, which may change the
			// shade of an edge.
			const tolerance = 0.1
			same, err := cmpimg.EqualApprox("png", got, want, tolerance)
			if err != nil {
				t.Fatal(err)
			}
			if !same {
				t.Errorf("differs from %s; look at both and run with -update if the new one is right", path)
			}
		})
	}
}
