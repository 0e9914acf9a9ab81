package ood

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"gosphere/internal/testing/golden"
)

func TestDetectionAgreesWithGoldenArrays(t *testing.T) {
	array := golden.Open(t, "functions.npz")
	d, err := Detect(array("ood/u_id"), array("ood/u_ood"))
	if err != nil {
		t.Fatal(err)
	}
	golden.Near(t, "AUROC", []float64{d.AUROC}, array("ood/auroc"), 1e-14)
	golden.Near(t, "AUPR", []float64{d.AUPR}, array("ood/aupr"), 1e-14)
	golden.Near(t, "FPR95", []float64{d.FPR95}, array("ood/fpr95"), 0)
}

// TestAUROCIsAProbability compares the area with the count over all pairs.
func TestAUROCIsAProbability(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 20 {
		ordinary, strange := make([]float64, 1+r.IntN(30)), make([]float64, 1+r.IntN(30))
		for i := range ordinary {
			ordinary[i] = float64(r.IntN(8))
		}
		for i := range strange {
			strange[i] = float64(r.IntN(8) + 2)
		}
		pairs := 0.0
		for _, a := range ordinary {
			for _, b := range strange {
				switch {
				case b > a:
					pairs++
				case b == a:
					pairs += 0.5
				}
			}
		}
		d, err := Detect(ordinary, strange)
		if err != nil {
			t.Fatal(err)
		}
		if want := pairs / float64(len(ordinary)*len(strange)); math.Abs(d.AUROC-want) > 1e-14 {
			t.Errorf("AUROC %g, pairs %g", d.AUROC, want)
		}
		back, _ := Detect(strange, ordinary)
		if math.Abs(back.AUROC+d.AUROC-1) > 1e-14 {
			t.Errorf("AUROC %g and %g with the kinds exchanged", d.AUROC, back.AUROC)
		}
	}
}

func TestDetectionAtItsBounds(t *testing.T) {
	cases := []struct {
		name              string
		ordinary, strange []float64
		want              Detection
	}{
		{"apart", []float64{1, 2}, []float64{3, 4}, Detection{1, 1, 0}},
		{"the wrong way", []float64{3, 4}, []float64{1, 2}, Detection{0, (1./3 + 2./4) / 2, 1}},
		{"all equal", []float64{1, 1, 1}, []float64{1}, Detection{0.5, 0.25, 1}},
		{"infinite", []float64{0}, []float64{math.Inf(1)}, Detection{1, 1, 0}},
	}
	for _, c := range cases {
		d, err := Detect(c.ordinary, c.strange)
		if err != nil {
			t.Fatal(err)
		}
		golden.Near(t, c.name, []float64{d.AUROC, d.AUPR, d.FPR95}, []float64{c.want.AUROC, c.want.AUPR, c.want.FPR95}, 1e-15)
	}
}

func TestFalsePositivesRiseWithThePartWanted(t *testing.T) {
	ordinary, strange := []float64{1, 2, 3, 4}, []float64{2.5, 3.5, 4.5, 5.5}
	for part, want := range map[float64]float64{0.25: 0, 0.5: 0, 0.75: 0.25, 0.76: 0.5, 1: 0.5} {
		if got, err := FalsePositiveRate(ordinary, strange, part); err != nil || got != want {
			t.Errorf("part %g: %g, want %g (error %v)", part, got, want, err)
		}
	}
}

func TestHistogramPutsEveryValueOnce(t *testing.T) {
	h, err := NewHistogram([]float64{0, 0.1, 0.2, 0.3, 0.7, 0.99, 1, -1, 2}, 0, 1, 10)
	if err != nil {
		t.Fatal(err)
	}
	golden.Near(t, "parts", h.Parts, []float64{1. / 9, 1. / 9, 1. / 9, 1. / 9, 0, 0, 0, 1. / 9, 0, 2. / 9}, 1e-15)
	if h.Beyond != 2 || len(h.Edges) != 11 || h.Edges[10] != 1 {
		t.Errorf("%d beyond, edges %v", h.Beyond, h.Edges)
	}
	if _, err := EvidentialHistogram([]float64{0, 0.5, 1}, 4); err != nil {
		t.Error(err)
	}
}

func TestErrorsNameTheValue(t *testing.T) {
	nan := []float64{0, math.NaN()}
	one := []float64{1}
	cases := []struct {
		err  error
		want string
	}{
		{second(Detect(nil, one)), "0 ordinary and 1 strange"},
		{second(Detect(one, nil)), "1 ordinary and 0 strange"},
		{second(Detect(nan, one)), "ordinary query 1 is NaN"},
		{second(Detect(one, nan)), "strange query 1 is NaN"},
		{second(FalsePositiveRate(one, one, 0)), "rate 0"},
		{second(EvidentialHistogram([]float64{1.5}, 2)), "query 0 is 1.5"},
		{second(NewHistogram(nan, 0, 1, 2)), "value 1 is NaN"},
		{second(NewHistogram(one, 1, 1, 2)), "from 1 to 1"},
		{second(NewHistogram(one, 0, 1, 0)), "0 intervals"},
	}
	for _, c := range cases {
		if c.err == nil || !strings.Contains(c.err.Error(), c.want) {
			t.Errorf("error %v, want %q", c.err, c.want)
		}
	}
}

// second returns its second argument.
func second(_ any, err error) error { return err }
