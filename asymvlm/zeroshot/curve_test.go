package zeroshot

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gosphere/asymvlm/embedding"
)

// noisy returns scores of images in which the column of the image's class, or the last column for
// −1, is higher by lead.
func noisy(r *rand.Rand, labels []int, columns int, lead float64) embedding.Matrix {
	m := embedding.NewMatrix(len(labels), columns)
	for i := range m.Values {
		m.Values[i] = float32(r.NormFloat64())
	}
	for image, label := range labels {
		if label < 0 {
			label = columns - 1
		}
		m.Set(image, label, m.At(image, label)+float32(lead))
	}
	return m
}

// TestAccuracyIsTheProbabilityOfTheHighest compares with the integral of φ(x−δ)Φ(x)^(C−1), the
// probability that a normal score with a lead of δ is above C−1 others. The bound is five standard
// errors of a proportion of 4000 images.
func TestAccuracyIsTheProbabilityOfTheHighest(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, classes := range []int{1, 2, 10, 100} {
		for _, lead := range []float64{0, 1, 3} {
			labels := make([]int, 4000)
			for i := range labels {
				labels[i] = r.IntN(classes)
			}
			accuracy, err := Classify(noisy(r, labels, classes, lead), labels)
			if err != nil {
				t.Fatal(err)
			}
			want := 0.0
			for x := -9.0; x < 12; x += 1e-3 {
				want += 1e-3 * math.Exp(-(x-lead)*(x-lead)/2) / math.Sqrt(2*math.Pi) * math.Pow(math.Erfc(-x/math.Sqrt2)/2, float64(classes-1))
			}
			if math.Abs(accuracy.Overall-want) > 5*math.Sqrt(want*(1-want)/4000)+1e-9 {
				t.Errorf("%d classes, lead %g: accuracy %g, want %g", classes, lead, accuracy.Overall, want)
			}
		}
	}
}

// TestAccuracyFollowsThePermutationOfClasses also checks that the accuracy is the weighted mean
// over the classes, and that scaling or shifting an image's scores does not change it.
func TestAccuracyFollowsThePermutationOfClasses(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	labels := make([]int, 300)
	for i := range labels {
		labels[i] = r.IntN(7)
	}
	scores := noisy(r, labels, 7, 1)
	want, err := Classify(scores, labels)
	if err != nil {
		t.Fatal(err)
	}
	order := r.Perm(7)
	turned, renamed := embedding.NewMatrix(300, 7), make([]int, 300)
	for image := range scores.Rows {
		for class, to := range order {
			turned.Set(image, to, scores.At(image, class)*float32(1+image%3)-float32(image%5)*64)
		}
		renamed[image] = order[labels[image]]
	}
	got, err := Classify(turned, renamed)
	if err != nil || got.Overall != want.Overall {
		t.Errorf("accuracy %g, want %g (error %v)", got.Overall, want.Overall, err)
	}
	mean, counts := 0.0, make([]float64, 7)
	for _, label := range labels {
		counts[label]++
	}
	for class, to := range order {
		if got.PerClass[to] != want.PerClass[class] {
			t.Errorf("class %d: %g, want %g", class, got.PerClass[to], want.PerClass[class])
		}
		mean += want.PerClass[class] * counts[class] / 300
	}
	if math.Abs(mean-want.Overall) > 1e-14 {
		t.Errorf("the classes' mean is %g, the accuracy %g", mean, want.Overall)
	}
}

func TestAllRightIsExactlyOne(t *testing.T) {
	for _, images := range []int{1, 3, 7, 10, 49, 1000} {
		labels := make([]int, images)
		for i := range labels {
			labels[i] = i % 13
		}
		scores := embedding.NewMatrix(images, 13)
		for image, label := range labels {
			scores.Set(image, label, 1)
		}
		if accuracy, err := Classify(scores, labels); err != nil || accuracy.Overall != 1 {
			t.Errorf("%d images: accuracy %.17g (error %v)", images, accuracy.Overall, err)
		}
	}
}

// TestCurvesAreMonotonic also checks the ends and the balanced points, for the three rules.
func TestCurvesAreMonotonic(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for range 20 {
		n := 2 + r.IntN(40)
		labels, none := make([]int, n), make([]int, 1+r.IntN(40))
		for i := range labels {
			labels[i] = r.IntN(3)
		}
		for i := range none {
			none[i] = -1
		}
		positives, negatives := noisy(r, labels, 5, 1), noisy(r, none, 5, 1)
		for i := range positives.Values { // ties
			positives.Values[i] = float32(math.Round(float64(positives.Values[i]) * 2))
		}
		for name, build := range map[string]func() (*Curve, error){
			"threshold": func() (*Curve, error) { return RejectByThreshold(positives, negatives, labels) },
			"margin":    func() (*Curve, error) { return RejectByMargin(positives, negatives, labels) },
			"dummies":   func() (*Curve, error) { return RejectByDummies(positives, negatives, labels, 2) },
		} {
			curve, err := build()
			if err != nil {
				t.Fatal(err)
			}
			for i, p := range curve.Points[1:] {
				before := curve.Points[i]
				if !(p.Threshold > before.Threshold && p.Positive <= before.Positive && p.Negative >= before.Negative) {
					t.Errorf("%s: %+v after %+v", name, p, before)
				}
			}
			first, last := curve.Points[0], curve.Points[len(curve.Points)-1]
			if first.Negative != 0 || last.Positive != 0 || last.Negative != 1 || !math.IsInf(last.Threshold, 1) {
				t.Errorf("%s: from %+v to %+v", name, first, last)
			}
			if b := curve.Balanced(); b.Positive != b.Negative || b.Positive < 0 || b.Positive > first.Positive {
				t.Errorf("%s: balanced %+v after %+v", name, b, first)
			}
			for _, part := range []float64{0, 0.3, 1} {
				p, err := curve.AtNegative(part)
				if err != nil || p.Negative < part {
					t.Errorf("%s: %+v at %g of the negatives (error %v)", name, p, part, err)
				}
			}
		}
	}
}

func TestEnsemblesAreMeansOfDirections(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	for _, width := range []int{2, 3, 512, 4096} {
		prompts := embedding.NewMatrix(12, width)
		for i := range prompts.Values {
			prompts.Values[i] = float32(r.NormFloat64())
		}
		want, err := Ensemble(prompts, 4)
		if err != nil {
			t.Fatal(err)
		}
		long := prompts.Clone()
		for i := range long.Rows { // raw embeddings have various norms, which must not matter
			for j := range long.Row(i) {
				long.Row(i)[j] *= float32(i + 1)
			}
		}
		got, err := Ensemble(long, 4)
		if err != nil {
			t.Fatal(err)
		}
		for class := range 3 {
			sum := make([]float64, width)
			for k := range 4 {
				row := prompts.Row64(4*class + k)
				length := math.Sqrt(dot64(row, row))
				for j, value := range row {
					sum[j] += value / length
				}
			}
			length := math.Sqrt(dot64(sum, sum))
			for j, value := range sum {
				if math.Abs(float64(want.At(class, j))-value/length) > 3e-7 || math.Abs(float64(got.At(class, j))-value/length) > 3e-7 {
					t.Fatalf("width %d, class %d, column %d: %g and %g, want %g", width, class, j, want.At(class, j), got.At(class, j), value/length)
				}
			}
		}
	}
	one, err := Ensemble(rows(t, []float64{3, 4}, []float64{0, 2}), 1)
	if err != nil || math.Abs(float64(one.At(0, 1))-0.8) > 1e-7 || one.At(1, 1) != 1 {
		t.Errorf("one template gives %v (error %v)", one.Values, err)
	}
}

// dot64 returns a·b.
func dot64(a, b []float64) (sum float64) {
	for i, value := range a {
		sum += value * b[i]
	}
	return sum
}

// TestPromptsThatCancelAreErrors includes prompts that cancel up to rounding: three directions at
// 120 degrees.
func TestPromptsThatCancelAreErrors(t *testing.T) {
	var star [][]float64
	for k := range 3 {
		sin, cos := math.Sincos(0.3 + 2*math.Pi*float64(k)/3)
		star = append(star, []float64{cos, sin})
	}
	_, err := Ensemble(rows(t, append([][]float64{{1, 0}, {1, 0}, {0, 1}}, star...)...), 3)
	if err == nil || !strings.Contains(err.Error(), "the 3 prompts of class 1 cancel") {
		t.Errorf("error %v", err)
	}
	if _, err := Ensemble(rows(t, star[0], star[1]), 2); err != nil {
		t.Error(err)
	}
}

func TestDummyColumnsAreTheLast(t *testing.T) {
	// If an image of class 0 ties with the dummy, the lower index, its class, wins.
	p, err := NoneOfTheAbove(rows(t, []float64{2, 1, 2}), rows(t, []float64{2, 1, 2}, []float64{1, 2, 3}), []int{0}, 1)
	if err != nil || p.Positive != 1 || p.Negative != 0.5 || !math.IsNaN(p.Threshold) {
		t.Errorf("%+v (error %v)", p, err)
	}
	for want, err := range map[string]error{
		"3 dummy classes among 3 columns":         second(NoneOfTheAbove(rows(t, []float64{1, 1, 1}), rows(t, []float64{1, 1, 1}), []int{0}, 3)),
		"0 dummy classes":                         second(RejectByDummies(rows(t, []float64{1}), rows(t, []float64{1}), []int{0}, 0)),
		"label 1 of 1 classes":                    second(NoneOfTheAbove(rows(t, []float64{1, 2}), rows(t, []float64{1, 2}), []int{1}, 1)),
		"positives have 2 columns, negatives 1":   second(RejectByDummies(rows(t, []float64{1, 2}), rows(t, []float64{1}), []int{0}, 1)),
		"scores of 0 images and 0 classes":        second(RejectByThreshold(embedding.Matrix{}, embedding.Matrix{}, nil)),
		"1 labels for 2 images":                   second(RejectByMargin(rows(t, []float64{1, 2}, []float64{1, 2}), rows(t, []float64{1, 2}), []int{0})),
		"zeroshot: 0 prompts do not divide":       second(MeanScores(embedding.Matrix{}, 2)),
		"zeroshot: 3 prompts do not divide into":  second(MeanEmbeddings(embedding.NewMatrix(3, 2), 0)),
		"zeroshot: embedding: row 0, column 1 is": second(MeanScores(embedding.Matrix{Rows: 1, Columns: 2, Values: []float32{1, float32(math.Inf(1))}}, 2)),
	} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}

func TestTemplatesAreGivenAnewToEveryCaller(t *testing.T) {
	for name, set := range TemplateSets() {
		set[0] = "changed"
		if again := TemplateSets()[name]; again[0] == "changed" || slices.Contains(again, "changed") {
			t.Errorf("%s: a caller changed the templates of all", name)
		}
	}
	if DummyPrompts()[0] != "a photo" || len(DummyPrompts()) != 3 {
		t.Errorf("dummies %q", DummyPrompts())
	}
}
