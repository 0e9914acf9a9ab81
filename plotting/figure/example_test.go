package figure_test

import (
	"fmt"
	"log"
	"math"
	"math/rand/v2"
	"time"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"

	"gosphere/plotting/figure"
)

// save writes a figure or ends the program.
func save(f *figure.Figure, path string) {
	if err := f.Save(path); err != nil {
		log.Fatal(err)
	}
}

func ExampleRecallByLevel() {
	// Three seeds of one method become a line with a band.
	seeds := [][]float64{
		{0.71, 0.64, 0.58, 0.55, 0.50, 0.44, 0.43, 0.36, 0.31, 0.22},
		{0.69, 0.65, 0.60, 0.52, 0.48, 0.46, 0.40, 0.37, 0.28, 0.20},
		{0.74, 0.61, 0.59, 0.56, 0.52, 0.42, 0.41, 0.33, 0.30, 0.25},
	}
	f := figure.RecallByLevel(
		figure.Series{Name: "clip", Values: []float64{0.57, 0.60, 0.56, 0.59, 0.61, 0.58, 0.55, 0.60, 0.57, 0.59}},
		figure.Bands("asymvlm-vmf", seeds),
		figure.Series{Name: "asymvlm-psd", Values: []float64{0.70, 0.64, 0.60, 0.53, 0.51, 0.45, 0.40, 0.36, 0.30, 0.21}},
	)
	f.Title = "Uncertain captions are found less often"
	f.Note = "Recall@1 text to image in ten levels of equal size; band: one standard deviation over three seeds"
	save(f, "recall.png")
}

func ExampleLoss() {
	random := rand.New(rand.NewPCG(1, 2))
	falling := func(from, to, pace float64) []float64 {
		var values []float64
		for step := 0.0; step < 2000; step++ {
			values = append(values, to+(from-to)*math.Exp(-step/pace)+0.12*random.NormFloat64())
		}
		return values
	}
	f := figure.Loss(
		figure.Series{Name: "asymvlm-vmf", Values: falling(6.2, 2.1, 300)},
		figure.Series{Name: "asymvlm-psd", Values: falling(6.2, 2.2, 420)},
	)
	f.Title = "Training loss"
	f.Note = "InfoNCE in nats, each step and the average over 2 % of the steps"
	save(f, "loss.png")
}

func ExampleConcentrations() {
	random := rand.New(rand.NewPCG(3, 4))
	normal := func(n int, mean, deviation float64) []float64 {
		values := make([]float64, n)
		for i := range values {
			values[i] = mean + deviation*random.NormFloat64()
		}
		return values
	}
	f := figure.Concentrations(
		figure.Series{Name: "asymvlm-vmf", Values: normal(2000, 8, 1.1)},
		figure.Series{Name: "asymvlm-psd", Values: normal(2000, 9.5, 0.8)},
	)
	f.Title = "Learned concentrations of 2,000 captions"
	save(f, "concentrations.png")
}

func ExampleSpheres() {
	var balls []figure.Ball
	for _, kappa := range []float64{1, 5, 25, 100} {
		balls = append(balls, figure.Ball{
			Name:    fmt.Sprintf("κ = %g", kappa),
			Profile: func(t float64) float64 { return math.Exp(kappa * (t - 1)) },
		})
	}
	// A few directions serve as samples.
	for i := 0.0; i < 40; i++ {
		balls[2].Samples = append(balls[2].Samples, []float64{
			0.44 + 0.3*math.Sin(7*i), 0.56 + 0.3*math.Sin(11*i), 0.71 + 0.3*math.Sin(13*i),
		})
	}
	f := figure.Spheres(balls...)
	f.Title = "Von Mises–Fisher densities on the sphere S²"
	save(f, "spheres.png")
}

func ExampleScatter() {
	random := rand.New(rand.NewPCG(5, 6))
	s := figure.Series{Name: "captions"}
	for range 1500 {
		kappa := 5 + 45*random.Float64()
		s.X = append(s.X, kappa)
		s.Values = append(s.Values, 3+2.4*math.Log(kappa)+0.8*random.NormFloat64())
	}
	f := figure.Scatter("true concentration κ", "learned κ", s)
	f.Title = "Learned against true concentration"
	save(f, "scatter.png")
}

func ExampleLines() {
	f := figure.Lines("κ", "A(κ)",
		figure.Series{Name: "d = 2", X: []float64{0, 1, 2, 4, 8}, Values: []float64{0, 0.446, 0.698, 0.864, 0.935}},
		figure.Series{Name: "d = 3", X: []float64{0, 1, 2, 4, 8}, Values: []float64{0, 0.313, 0.537, 0.751, 0.875}},
	)
	f.Title, f.Width, f.Height = "Mean resultant length", 420, 300
	save(f, "lines.png")
}

func ExampleTimeSeries() {
	oslo, rome := make([]float64, 36), make([]float64, 36)
	var times []time.Time
	for i := range oslo {
		times = append(times, time.Date(2024, time.Month(7+i), 1, 0, 0, 0, 0, time.UTC))
		season := -math.Cos(2 * math.Pi * float64(6+i) / 12)
		oslo[i], rome[i] = 6.5+11*season, 16+8.5*season
	}
	f := figure.TimeSeries("mean temperature, °C", times,
		figure.Series{Name: "Oslo", Values: oslo}, figure.Series{Name: "Rome", Values: rome})
	f.Title, f.Width, f.Height = "Three years", 560, 320
	save(f, "times.png")
}

func ExampleTriangle() {
	random := rand.New(rand.NewPCG(9, 10))
	// Three exponential numbers divided by their sum are uniform in the triangle; scales move them
	// toward a corner.
	cloud := func(name string, scales ...float64) figure.Shares {
		s := figure.Shares{Name: name}
		for range 120 {
			row, sum := make([]float64, 3), 0.0
			for j := range row {
				row[j] = scales[j] * random.ExpFloat64()
				sum += row[j]
			}
			for j := range row {
				row[j] /= sum
			}
			s.Rows = append(s.Rows, row)
		}
		return s
	}
	f := figure.Triangle([]string{"a cat", "a dog", "a fox"}, cloud("no evidence", 1, 1, 1), cloud("for the dog", 1, 20, 1))
	f.Title = "Distributions over three outcomes"
	save(f, "triangle.png")
}

func ExampleFigure_LogX() {
	s := figure.Series{Name: "d = 64"}
	for power := -1.0; power <= 4; power += 0.1 {
		kappa := math.Pow(10, power)
		s.X, s.Values = append(s.X, kappa), append(s.Values, kappa/(31.5+math.Hypot(32.5, kappa)))
	}
	f := figure.Lines("κ", "A(κ)", s).LogX().LogY()
	f.Title, f.Width, f.Height = "A bound of the mean resultant length", 420, 300
	save(f, "logarithmic.png")
}

func ExampleFromPlot() {
	p := plot.New()
	p.Title.Text, p.X.Label.Text, p.Y.Label.Text = "A plot of gonum in this style", "x", "sin x"
	p.Add(plotter.NewFunction(math.Sin))
	p.X.Min, p.X.Max, p.Y.Min, p.Y.Max = 0, 10, -1, 1
	f := figure.FromPlot(p)
	f.Width, f.Height = 420, 300
	save(f, "fromplot.png")
}

// A figure that cannot be drawn reports the reason wherever it is used.
func ExampleFigure_Err() {
	f := figure.RecallByLevel(
		figure.Series{Name: "clip", Values: []float64{0.5, 0.4}},
		figure.Series{Name: "pfe", Values: []float64{0.5}},
	)
	fmt.Println(f.Err())
	// Output: figure: series "pfe" has 1 levels, want 2
}

func ExampleGraph() {
	// The loss of AsymVLM, from the natural parameters η of the texts and the unit images x.
	// Package asymvlm/graph produces such labels and edges.
	labels := []string{
		"η\nB × D", "x\nB × D", "κ² = |η|²\nB × 1", "F(κ)\nB × 1", "inner products\nB × B", "ℓ = η·x + F(κ)\nB × B",
		"τ\nnumber", "Λ = τℓ\nB × B", "log Σ exp over rows\nB × 1", "log Σ exp over columns\n1 × B", "diagonal\nB × 1", "InfoNCE\nnumber",
	}
	f := figure.Graph(labels, [][2]int{
		{0, 2}, {2, 3}, {0, 4}, {1, 4}, {4, 5}, {3, 5}, {5, 7}, {6, 7}, {7, 8}, {7, 9}, {7, 10}, {8, 11}, {9, 11}, {10, 11},
	})
	f.Title = "The loss of AsymVLM"
	f.Note = "B pairs in a batch, D dimensions"
	save(f, "graph.png")
}

func ExampleMarginals() {
	random := rand.New(rand.NewPCG(7, 8))
	cloud := func(name string, n int, kappa, cosine float64) figure.Series {
		s := figure.Series{Name: name}
		for range n {
			k := kappa * math.Exp(0.25*random.NormFloat64())
			s.X = append(s.X, k)
			s.Values = append(s.Values, cosine+0.02*(k-kappa)+0.05*random.NormFloat64())
		}
		return s
	}
	f := figure.Marginals("concentration $\\kappa$", "cosine with the image, $\\mu \\cdot \\hat{x}$",
		cloud("short captions", 700, 4, 0.22), cloud("long captions", 700, 7, 0.31))
	f.Title = "Certain captions lie nearer to their images"
	save(f, "marginals.png")
}

// captionsByLevel returns concentrations of captions at four levels of a hierarchy.
func captionsByLevel() []figure.Series {
	random := rand.New(rand.NewPCG(9, 10))
	var groups []figure.Series
	for level, kappa := range []float64{2.4, 3.6, 5.2, 6.9} {
		g := figure.Series{Name: fmt.Sprintf("level %d", level)}
		for range 400 {
			g.Values = append(g.Values, kappa*math.Exp(0.18*random.NormFloat64()))
		}
		groups = append(groups, g)
	}
	return groups
}

func ExampleViolins() {
	f := figure.Violins("level of the hierarchy, 0: most general", "concentration $\\kappa$", captionsByLevel()...)
	f.Title = "More special captions are more certain"
	f.Note = "Outline: density; bar: quartiles; dot: median of 400 captions"
	save(f, "violins.png")
}

func ExampleByLength() {
	random := rand.New(rand.NewPCG(11, 12))
	method := func(name string, from, fall float64) figure.Series {
		s := figure.Series{Name: name}
		for range 1500 {
			tokens := 4 + math.Floor(6*random.ExpFloat64())
			s.X = append(s.X, tokens)
			s.Values = append(s.Values, from-fall*math.Log(tokens)+0.02*random.NormFloat64())
		}
		return s
	}
	f := figure.ByLength("uncertainty $u = 1/\\kappa$", method("asymvlm-vmf", 0.5, 0.11), method("asymvlm-psd", 0.46, 0.08))
	f.Title = "Short captions are uncertain"
	save(f, "lengths.png")
}

// ratesOf returns a smooth curve of rates, such as that of a detector.
func ratesOf(name string, quality float64) figure.Series {
	s := figure.Series{Name: name}
	for t := 0.0; t <= 1.0001; t += 0.02 {
		s.X, s.Values = append(s.X, min(t, 1)), append(s.Values, math.Pow(min(t, 1), 1/quality))
	}
	return s
}

func ExampleROC() {
	f := figure.ROC(ratesOf("elip", 6), ratesOf("asymvlm-vmf", 3.5), ratesOf("clip", 1.3))
	f.Title = "Strange queries are told by their uncertainty"
	save(f, "roc.png")
}

func ExampleRiskCoverage() {
	method := func(name string, order float64) figure.Series {
		s := figure.Series{Name: name}
		for n := 1.0; n <= 50; n++ {
			s.X, s.Values = append(s.X, n/50), append(s.Values, 0.42-0.36*order*(1-n/50))
		}
		return s
	}
	f := figure.RiskCoverage(method("asymvlm-vmf", 1), method("pcmepp", 0.55), method("clip", 0.02))
	f.Title = "Answering only the certain queries"
	save(f, "risk.png")
}

// An overconfident method and a calibrated one.
func ExampleReliability() {
	method := func(name string, excess float64, most int) figure.Calibration {
		c := figure.Calibration{Name: name}
		for i := range 10 {
			confidence, count := (float64(i)+0.55)/10, 40+30*i
			if i < most {
				count = 0
			}
			c.Confidence = append(c.Confidence, confidence)
			c.Accuracy = append(c.Accuracy, max(0, confidence-excess*math.Sin(math.Pi*confidence)))
			c.Count = append(c.Count, count)
		}
		return c
	}
	f := figure.Reliability(method("clip", 0.28, 2), method("asymvlm-vmf", 0.04, 0))
	f.Title = "Does 0.8 hit in 80 % of the cases?"
	save(f, "reliability.png")
}

// Twenty-four trainings: two methods, four rates, three widths. The best are drawn last.
func ExampleParallel() {
	var method, rate, width, recall []float64
	for m := range 2 {
		for r := range 4 {
			for w := range 3 {
				lr := math.Pow(10, -3+float64(r)*0.75)
				method, rate, width = append(method, float64(m)), append(rate, lr), append(width, 64*math.Pow(4, float64(w)))
				recall = append(recall, 0.55-0.03*float64(m)-0.06*math.Pow(math.Log10(lr)+1.6, 2)+0.02*float64(w))
			}
		}
	}
	f := figure.Parallel(
		figure.Dimension{Name: "method", Values: method, Labels: []string{"asymvlm-vmf", "asymvlm-psd"}},
		figure.Dimension{Name: "learning rate", Values: rate, Log: true},
		figure.Dimension{Name: "width", Values: width, Log: true},
		figure.Dimension{Name: "recall@1", Values: recall})
	f.Title = "A rate of 0.03 is best for both methods"
	save(f, "parallel.png")
}

func ExampleHeatMap() {
	captions := []string{"a dog runs", "a dog in the grass", "two people cook", "a kitchen", "a bus", "a red bus in the street"}
	var cosines [][]float64
	for i := range captions {
		row := make([]float64, len(captions))
		for k := range captions {
			row[k] = 0.62*math.Exp(-math.Abs(float64(i-k))*0.7) - 0.12
			if i/2 == k/2 {
				row[k] += 0.25
			}
		}
		cosines = append(cosines, row)
	}
	f := figure.HeatMap(figure.Grid{Values: cosines, Rows: captions, Columns: captions, RowLabel: "caption", ColumnLabel: "image of the caption"})
	f.Title = "Cosines of images and captions"
	save(f, "heatmap.png")
}

func ExampleConfusion() {
	f := figure.Confusion([][]float64{
		{82, 3, 1, 14}, {5, 91, 2, 2}, {0, 7, 88, 5}, {11, 1, 0, 138},
	}, []string{"airplane", "cat", "dog", "ship"})
	f.Title = "Zero-shot classification"
	save(f, "confusion.png")
}

func ExampleSpheres_contours() {
	ball := func(kappa float64) figure.Ball {
		b := figure.Ball{
			Name:     fmt.Sprintf("$\\kappa = %g$", kappa),
			Profile:  func(t float64) float64 { return math.Exp(kappa * (t - 1)) },
			Contours: []float64{0.1, 0.5, 0.9},
		}
		return b
	}
	f := figure.Spheres(ball(2), ball(10), ball(50))
	f.Title = "Lines of equal density"
	f.Note = "at 10 %, 50 % and 90 % of the maximum"
	save(f, "contours.png")
}

func ExampleFigure_VegaLite() {
	f := figure.Violins("level", "concentration", captionsByLevel()...)
	specification, err := f.VegaLite()
	fmt.Println(specification["mark"].(map[string]any)["type"], specification["description"], err)
	// Output: boxplot distributions of 4 groups, 640×400 <nil>
}
