package figure_test

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gonum.org/v1/plot/cmpimg"
)

var update = flag.Bool("update", false, "rewrite the golden figures")

func TestExamplesMatchTheirGoldenFigures(t *testing.T) {
	golden, err := filepath.Abs("testdata")
	if err != nil {
		t.Fatal(err)
	}
	for name, example := range map[string]func(){
		"recall.png":         ExampleRecallByLevel,
		"loss.png":           ExampleLoss,
		"concentrations.png": ExampleConcentrations,
		"spheres.png":        ExampleSpheres,
		"scatter.png":        ExampleScatter,
		"lines.png":          ExampleLines,
		"times.png":          ExampleTimeSeries,
		"graph.png":          ExampleGraph,
		"panels.png":         ExamplePanels,
		"bars.png":           ExampleBars,
		"marginals.png":      ExampleMarginals,
		"violins.png":        ExampleViolins,
		"lengths.png":        ExampleByLength,
		"roc.png":            ExampleROC,
		"risk.png":           ExampleRiskCoverage,
		"reliability.png":    ExampleReliability,
		"parallel.png":       ExampleParallel,
		"heatmap.png":        ExampleHeatMap,
		"confusion.png":      ExampleConfusion,
		"contours.png":       ExampleSpheres_contours,
		"triangle.png":       ExampleTriangle,
		"logarithmic.png":    ExampleFigure_LogX,
		"fromplot.png":       ExampleFromPlot,
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
