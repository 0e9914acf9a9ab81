package zeroshot

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gosphere/asymvlm/embedding"
	"gosphere/asymvlm/gaussian"
	"gosphere/internal/testing/golden"
)

// rows returns a matrix of valid rows.
func rows(t *testing.T, values ...[]float64) embedding.Matrix {
	t.Helper()
	m, err := embedding.MatrixFromRows(values)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func TestPromptsKeepAClassTogether(t *testing.T) {
	got, err := Prompts(STLTemplates(), []string{"cat", "dog"})
	want := []string{"a photo of a cat.", "a photo of the cat.", "a photo of a dog.", "a photo of the dog."}
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("prompts %q, want %q (error %v)", got, want, err)
	}
	templates := CIFARTemplates()
	if len(templates) != 18 {
		t.Errorf("%d templates, want 18", len(templates))
	}
	slices.Sort(templates)
	if len(slices.Compact(templates)) != 18 {
		t.Error("two templates are equal")
	}
}

func TestEnsembleAgreesWithGoldenArrays(t *testing.T) {
	array := golden.Open(t, "functions.npz")
	means := golden.Rows(array("bprw/means"), 5)
	ensemble, err := Ensemble(rows(t, means...), 6)
	if err != nil {
		t.Fatal(err)
	}
	golden.Near(t, "CLIP ensemble", ensemble.Row64(0), array("prompt/clip"), 1e-6) // embeddings are float32
	class, err := MeanPrompt(promptsOf(array))
	if err != nil {
		t.Fatal(err)
	}
	golden.Near(t, "mean prompt", class.Mean, array("prompt/clip"), 1e-14)
	golden.Near(t, "variance", class.Variance, array("prompt/variance"), 1e-14)
}

// promptsOf returns the prompts of the reference material.
func promptsOf(array func(string) []float64) []gaussian.Moments {
	var prompts []gaussian.Moments
	variances := golden.Rows(array("bprw/variances"), 5)
	for k, mean := range golden.Rows(array("bprw/means"), 5) {
		prompts = append(prompts, gaussian.Moments{Mean: mean, Variance: variances[k]})
	}
	return prompts
}

func TestReweightingAgreesWithGoldenArrays(t *testing.T) {
	array := golden.Open(t, "functions.npz")
	prompts, observations := promptsOf(array), golden.Rows(array("bprw/observations"), 5)
	for group, r := range map[string]Reweighting{"bprw/alpha2/": FewShot(), "bprw/alpha5/": ZeroShot()} {
		once := r
		once.MaxIterations = 1
		first, err := once.Fit(prompts, observations)
		if err != nil {
			t.Fatal(err)
		}
		golden.Near(t, group+"first", first.Prompts, array(group+"first"), 1e-13)
		w, err := r.Fit(prompts, observations)
		if err != nil {
			t.Fatal(err)
		}
		golden.Near(t, group+"weights", w.Prompts, array(group+"weights"), 1e-11)
		golden.Near(t, group+"mean", w.Class.Mean, array(group+"mean"), 1e-11)
		golden.Near(t, group+"variance", w.Class.Variance, array(group+"variance"), 1e-11)
		if want := array(group + "iterations")[0]; math.Abs(float64(w.Iterations)-want) > 3 {
			t.Errorf("%s: %d iterations, want about %g", group, w.Iterations, want)
		}
		logits, err := Logits(golden.Rows(array("bprw/images"), 5), []gaussian.Moments{w.Class})
		if err != nil {
			t.Fatal(err)
		}
		golden.Near(t, group+"logits", slices.Concat(logits...), array(group+"logits"), 1e-11)
	}
}

// TestReweightingFindsTheMode checks that the fixed point maximizes the log posterior: no small
// transfer of weight from one prompt to another increases it.
func TestReweightingFindsTheMode(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	var prompts []gaussian.Moments
	for range 4 {
		p := gaussian.Moments{}
		for range 3 {
			p.Mean, p.Variance = append(p.Mean, r.NormFloat64()), append(p.Variance, 0.1+r.Float64())
		}
		prompts = append(prompts, p)
	}
	observations := Observe(prompts[:2], 10, rand.NewPCG(3, 4))
	setting := FewShot()
	w, err := setting.Fit(prompts, observations)
	if err != nil {
		t.Fatal(err)
	}
	densities := setting.logDensities(prompts, observations)
	posterior := func(weights []float64) float64 {
		value := 0.0
		for k := range weights {
			value += (setting.Alpha - 1) * math.Log(weights[k])
		}
		for _, density := range densities {
			total := 0.0
			for k, weight := range weights {
				total += weight * math.Exp(density[k])
			}
			value += math.Log(total)
		}
		return value
	}
	top := posterior(w.Prompts)
	for a := range prompts {
		for b := range prompts {
			moved := slices.Clone(w.Prompts)
			moved[a] += 1e-3
			moved[b] -= 1e-3
			if a != b && posterior(moved) > top {
				t.Errorf("moving weight from %d to %d raises the posterior from %.15g to %.15g", b, a, top, posterior(moved))
			}
		}
	}
}

func TestMeanScoresAndEmbeddingsAverageAClass(t *testing.T) {
	m := rows(t, []float64{1, 3, 5, 9}, []float64{0, 2, -1, -3})
	scores, err := MeanScores(m, 2)
	if err != nil || !slices.Equal(scores.Values, []float32{2, 7, 1, -2}) {
		t.Errorf("mean scores %v (error %v)", scores.Values, err)
	}
	means, err := MeanEmbeddings(m, 2)
	if err != nil || !slices.Equal(means.Values, []float32{0.5, 2.5, 2, 3}) {
		t.Errorf("mean embeddings %v (error %v)", means.Values, err)
	}
}

func TestClassifyCountsByClass(t *testing.T) {
	scores := rows(t, []float64{1, 0, 0}, []float64{0, 2, 1}, []float64{3, 1, 2}, []float64{1, 1, 0})
	accuracy, err := Classify(scores, []int{0, 1, 1, 0})
	if err != nil {
		t.Fatal(err)
	}
	if accuracy.Overall != 0.75 || accuracy.PerClass[0] != 1 || accuracy.PerClass[1] != 0.5 || !math.IsNaN(accuracy.PerClass[2]) {
		t.Errorf("accuracy %+v", accuracy)
	}
}

func TestDummiesRejectWhatTheyWin(t *testing.T) {
	positives := rows(t, []float64{3, 1, 2, 0}, []float64{1, 2, 3, 0}, []float64{2, 1, 0, 0})
	negatives := rows(t, []float64{0, 0, 1, 0}, []float64{0, 0, 0, 1}, []float64{1, 0, 1, 0}, []float64{2, 1, 1, 0})
	p, err := NoneOfTheAbove(positives, negatives, []int{0, 1, 1}, 2)
	if err != nil || math.Abs(p.Positive-1./3) > 1e-15 || p.Negative != 0.5 {
		t.Errorf("point %+v (error %v)", p, err)
	}
}

// TestCurvesAgreeWithCounting compares each point of both curves with plain counts, for scores with
// many ties.
func TestCurvesAgreeWithCounting(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	positives, negatives := embedding.NewMatrix(40, 3), embedding.NewMatrix(30, 3)
	for _, m := range []embedding.Matrix{positives, negatives} {
		for i := range m.Values {
			m.Values[i] = float32(r.IntN(9))
		}
	}
	labels := make([]int, 40)
	for i := range labels {
		labels[i] = r.IntN(3)
		positives.Values[3*i+labels[i]] += 3
	}
	for name, build := range map[string]func(p, n embedding.Matrix, l []int) (*Curve, error){
		"threshold": RejectByThreshold, "margin": RejectByMargin,
	} {
		curve, err := build(positives, negatives, labels)
		if err != nil {
			t.Fatal(err)
		}
		confidence := func(row []float32) float64 {
			sorted := slices.Sorted(slices.Values(row))
			if name == "margin" {
				return float64(sorted[2] - sorted[1])
			}
			return float64(sorted[2])
		}
		for _, p := range curve.Points {
			right, rejected := 0, 0
			for i, label := range labels {
				if best(positives.Row(i)) == label && confidence(positives.Row(i)) >= p.Threshold {
					right++
				}
			}
			for i := range negatives.Rows {
				if confidence(negatives.Row(i)) < p.Threshold {
					rejected++
				}
			}
			if p.Positive != float64(right)/40 || p.Negative != float64(rejected)/30 {
				t.Errorf("%s %g: %+v, want %d of 40 and %d of 30", name, p.Threshold, p, right, rejected)
			}
		}
		first, last := curve.Points[0], curve.Points[len(curve.Points)-1]
		if first.Negative != 0 || last.Positive != 0 || last.Negative != 1 {
			t.Errorf("%s: the curve goes from %+v to %+v", name, first, last)
		}
		balanced := curve.Balanced()
		if balanced.Positive != balanced.Negative || balanced.Positive <= 0 || balanced.Positive >= 1 {
			t.Errorf("%s: balanced point %+v", name, balanced)
		}
		if p, err := curve.AtNegative(0.5); err != nil || p.Negative < 0.5 {
			t.Errorf("%s: point %+v at half of the negatives (error %v)", name, p, err)
		}
	}
}

func TestBalancedPointLiesOnTheLine(t *testing.T) {
	curve := &Curve{Points: []Point{{0, 0.9, 0}, {1, 0.8, 0.6}, {2, 0.6, 0.9}, {math.Inf(1), 0, 1}}}
	// Between (0.8, 0.6) and (0.6, 0.9) the lines cross after 0.4 of the distance.
	if p := curve.Balanced(); math.Abs(p.Positive-0.72) > 1e-15 || p.Threshold != 1 {
		t.Errorf("balanced point %+v, want 0.72 at 1", p)
	}
}

func TestCertainPromptsAreKept(t *testing.T) {
	var prompts []gaussian.Moments
	for _, v := range []float64{0.3, 0.1, 0.9, 0.2} {
		prompts = append(prompts, gaussian.Moments{Mean: []float64{1}, Variance: []float64{v}})
	}
	if got := MostCertain(prompts, 2); !slices.Equal(got, []int{1, 3}) {
		t.Errorf("most certain %v", got)
	}
	if got := KeepCertain(prompts, 0); !slices.Equal(got, []int{0, 1, 3}) {
		t.Errorf("kept %v", got)
	}
}

func TestErrorsNameTheValue(t *testing.T) {
	one := rows(t, []float64{1, 2})
	nan := embedding.Matrix{Rows: 1, Columns: 2, Values: []float32{1, float32(math.NaN())}}
	good := []gaussian.Moments{{Mean: []float64{1}, Variance: []float64{1}}}
	fit := func(r Reweighting, prompts []gaussian.Moments, x ...[]float64) error {
		_, err := r.Fit(prompts, x)
		return err
	}
	cases := []struct {
		err  error
		want string
	}{
		{second(Prompts([]string{"a photo"}, []string{"cat"})), `"a photo" has 0 places`},
		{second(Prompts(nil, []string{"cat"})), "0 templates"},
		{second(Prompts(PlainTemplates(), []string{" "})), "without a name"},
		{second(MeanScores(one, 3)), "2 prompts do not divide into classes of 3"},
		{second(Ensemble(rows(t, []float64{1, 0}, []float64{-1, 0}), 2)), "cancel"},
		{second(Predict(nan)), "NaN"},
		{second(Classify(one, []int{2})), "label 2 of 2 classes"},
		{second(Classify(one, nil)), "0 labels for 1 images"},
		{second(NoneOfTheAbove(one, one, []int{0}, 2)), "2 dummy classes among 2"},
		{second(RejectByThreshold(one, rows(t, []float64{1}), []int{0})), "2 columns, negatives 1"},
		{second(RejectByMargin(rows(t, []float64{1}), rows(t, []float64{1}), []int{0})), "1 classes"},
		{fit(Reweighting{Alpha: 0.5, MaxIterations: 1}, good, []float64{1}), "Alpha ≥ 1"},
		{fit(FewShot(), good), "0 observations"},
		{fit(FewShot(), good, []float64{1, 2}), "observation 0 has 2 values, want 1"},
		{fit(FewShot(), []gaussian.Moments{{Mean: []float64{1}, Variance: []float64{0}}}, []float64{1}), "smallest variance 0"},
		{second(Logits([][]float64{{1, 2}}, good)), "image 0 has 2 values"},
		{second((&Curve{}).AtNegative(1)), "no threshold rejects 1"},
	}
	for _, c := range cases {
		if c.err == nil || !strings.Contains(c.err.Error(), c.want) {
			t.Errorf("error %v, want %q", c.err, c.want)
		}
	}
}

// second returns its second argument.
func second(_ any, err error) error { return err }
