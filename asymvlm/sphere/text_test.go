package sphere

import (
	"fmt"
	"testing"
)

func TestDensitiesTellWhatTheyAre(t *testing.T) {
	v, _ := NewVonMisesFisher([]float64{0, 0.6, 0.8}, 8, nil)
	p, _ := NewPowerSpherical([]float64{0, 0, 0, 1, 0}, 0.5, nil)
	n, _ := NewVonMisesFisherNormalizer(512)
	q, _ := NewPowerSphericalNormalizer(3)
	f, _ := NewPaperNormalizer(768)
	for _, c := range []struct {
		value any
		want  string
	}{
		{v, "von Mises–Fisher density in 3 dimensions, κ = 8, μ = (0, 0.6, 0.8)"},
		{p, "power spherical density in 5 dimensions, κ = 0.5, μ = (0, 0, 0, 1, …)"},
		{n, "normalizer of the von Mises–Fisher density in 512 dimensions"},
		{q, "normalizer of the power spherical density in 3 dimensions"},
		{f, "normalizer F_d of the AsymVLM paper in 768 dimensions"},
	} {
		if got := fmt.Sprint(c.value); got != c.want {
			t.Errorf("got %q, want %q", got, c.want)
		}
	}
}
