package gaussian

import (
	"testing"

	"gosphere/internal/testing/golden"
)

// forms maps the reference material's names to the two forms.
var forms = map[string]Form{"exact": Exact, "printed": Official, "official": Official}

func TestInclusionAgreesWithGoldenArrays(t *testing.T) {
	array := golden.Open(t, "functions.npz")
	one := Diagonal{array("gauss/mu1"), array("gauss/logvar1")}
	two := Diagonal{array("gauss/mu2"), array("gauss/logvar2")}
	for k, eps := range array("gauss/eps") {
		for _, name := range []string{"exact", "printed"} {
			group := "gauss/eps" + string(rune('0'+k)) + "/" + name + "/"
			n := Inclusion{Form: forms[name], Eps: eps}
			var inc, h []float64
			for i := range one.Mean {
				a := Diagonal{one.Mean[i : i+1], one.LogVariance[i : i+1]}
				b := Diagonal{two.Mean[i : i+1], two.LogVariance[i : i+1]}
				inc = append(inc, n.Log(a, b))
				h = append(h, n.Compare(a, b))
			}
			loss, err := n.Loss(one, two, array("gauss/c")[0])
			if err != nil {
				t.Fatal(err)
			}
			// The reference computes B²/4A − C, in which terms of size μ²/σ² cancel.
			golden.Near(t, group+"inc", inc, array(group+"inc12"), 1e-12)
			golden.Near(t, group+"H", h, array(group+"H"), 1e-12)
			golden.Near(t, group+"loss", []float64{loss.Loss}, array(group+"loss"), 1e-12)
			golden.Near(t, group+"mu1", loss.One.Mean, array(group+"grad_mu1"), 1e-11)
			golden.Near(t, group+"logvar1", loss.One.LogVariance, array(group+"grad_logvar1"), 1e-11)
			golden.Near(t, group+"mu2", loss.Two.Mean, array(group+"grad_mu2"), 1e-11)
			golden.Near(t, group+"logvar2", loss.Two.LogVariance, array(group+"grad_logvar2"), 1e-11)
		}
	}
	far := Diagonal{append([]float64(nil), one.Mean...), one.LogVariance}
	for i := range far.Mean {
		far.Mean[i] += 1e4
	}
	dropped, err := Inclusion{}.Loss(far, two, array("gauss/c")[0])
	if err != nil {
		t.Fatal(err)
	}
	golden.Near(t, "dropped", []float64{dropped.Loss}, array("gauss/loss_dropped"), 0)
}

func TestBottleneckAgreesWithGoldenArrays(t *testing.T) {
	array := golden.Open(t, "functions.npz")
	d := Diagonal{array("gauss/mu1"), array("gauss/logvar1")}
	for _, name := range []string{"exact", "official"} {
		loss, gradient, err := Bottleneck(forms[name], d)
		if err != nil {
			t.Fatal(err)
		}
		golden.Near(t, name+" loss", []float64{loss}, array("vib/"+name+"/loss"), 1e-13)
		golden.Near(t, name+" mu", gradient.Mean, array("vib/"+name+"/grad_mu"), 1e-13)
		golden.Near(t, name+" logvar", gradient.LogVariance, array("vib/"+name+"/grad_logvar"), 1e-13)
		far := Diagonal{append([]float64(nil), d.Mean...), d.LogVariance}
		for i := range far.Mean {
			far.Mean[i] += 1e3
		}
		loss, gradient, err = Bottleneck(forms[name], far)
		if err != nil || gradient.Mean[0] != 0 {
			t.Errorf("%s: gradient %g above the limit, error %v", name, gradient.Mean[0], err)
		}
		golden.Near(t, name+" dropped", []float64{loss}, array("vib/"+name+"/dropped"), 0)
	}
}

func TestGeneralizedAgreesWithGoldenArrays(t *testing.T) {
	array := golden.Open(t, "functions.npz")
	g := Generalized{array("ggd/mu"), array("ggd/raw_q"), array("ggd/raw_beta")}
	for _, name := range []string{"exact", "official"} {
		loss, err := g.Loss(forms[name], array("ggd/target"))
		if err != nil {
			t.Fatal(err)
		}
		group := "ggd/" + name + "/"
		golden.Near(t, group+"nll", loss.NLL, array(group+"nll"), 1e-12)
		golden.Near(t, group+"loss", []float64{loss.Loss}, array(group+"loss"), 1e-12)
		golden.Near(t, group+"mu", loss.Gradient.Mean, array(group+"grad_mu"), 1e-12)
		golden.Near(t, group+"raw_q", loss.Gradient.RawInverseScale, array(group+"grad_raw_q"), 1e-12)
		golden.Near(t, group+"raw_beta", loss.Gradient.RawShape, array(group+"grad_raw_beta"), 1e-12)
	}
	golden.Near(t, "variance", g.Variances(), array("ggd/variance"), 1e-12)
	u, err := g.Uncertainties(Official, 6)
	if err != nil {
		t.Fatal(err)
	}
	golden.Near(t, "uncertainty", u, array("ggd/u"), 1e-12)
}

func TestCosinesAgreeWithGoldenArrays(t *testing.T) {
	array := golden.Open(t, "functions.npz")
	m1, v1 := golden.Rows(array("cosine/m1"), 5), golden.Rows(array("cosine/v1"), 5)
	m2, v2 := golden.Rows(array("cosine/m2"), 5), golden.Rows(array("cosine/v2"), 5)
	var mean, variance, delta, probit []float64
	for i := range m1 {
		for j := range m2 {
			c, err := Cosine(Moments{m1[i], v1[i]}, Moments{m2[j], v2[j]})
			if err != nil {
				t.Fatal(err)
			}
			mean, variance, delta = append(mean, c.Mean), append(variance, c.Variance), append(delta, c.DeltaVariance)
		}
		row, err := Probit(mean[4*i:], variance[4*i:], 10)
		if err != nil {
			t.Fatal(err)
		}
		probit = append(probit, row...)
	}
	golden.Near(t, "mean", mean, array("cosine/mean"), 1e-13)
	golden.Near(t, "variance", variance, array("cosine/var"), 1e-13)
	golden.Near(t, "delta variance", delta, array("cosine/var_delta"), 1e-13)
	golden.Near(t, "probit", probit, array("cosine/probit"), 1e-13)
}
