package sphere

import (
	"math"
	"slices"
	"strings"
	"testing"

	"gosphere/asymvlm/embedding"
)

// rowsOf returns count unit vectors of dimension d in float32.
func rowsOf(count, d int) embedding.Matrix {
	m := embedding.NewMatrix(count, d)
	for i := range count {
		for j, value := range direction(d, uint64(i+1)) {
			m.Row(i)[j] = float32(value)
		}
	}
	return m
}

// The mean cosines must be those of this package's densities, within five standard errors.
func TestRowsAreDrawnFromTheDensitiesOfThisPackage(t *testing.T) {
	const draws = 4000
	for _, d := range []int{2, 16, 129} {
		means, kappas := rowsOf(3, d), []float64{0.5, 20, 700}
		exact, _, power := normalizers(t, d)
		for name, law := range map[string]struct {
			draw           func(embedding.Matrix, []float64, int, uint64) (embedding.Matrix, error)
			mean, variance func(kappa float64) float64
		}{
			"von Mises–Fisher": {DrawVonMisesFisher, exact.MeanResultantLength, exact.MeanResultantSlope},
			"power spherical":  {DrawPowerSpherical, power.MeanResultantLength, power.Variance},
		} {
			got, err := law.draw(means, kappas, draws, 9)
			if err != nil || got.Rows != 3*draws || got.Columns != d {
				t.Fatal(got.Rows, got.Columns, err)
			}
			for i, kappa := range kappas {
				sum := 0.0
				for r := i * draws; r < (i+1)*draws; r++ {
					sum += dot(means.Row64(i), got.Row64(r)) / draws
				}
				if z := (sum - law.mean(kappa)) / math.Sqrt(law.variance(kappa)/draws); math.Abs(z) > 5 {
					t.Errorf("%s d=%d κ=%g: mean cosine %.6g, want %.6g (%.1f standard errors)", name, d, kappa, sum, law.mean(kappa), z)
				}
			}
		}
	}
}

// Drawing more vectors, or from more densities, must not change the earlier ones.
func TestDrawnRowsDependOnTheirPlaceAlone(t *testing.T) {
	means, kappas := rowsOf(4, 5), []float64{1, 10, 100, 0}
	many, err := DrawVonMisesFisher(means, kappas, 6, 2)
	if err != nil {
		t.Fatal(err)
	}
	few, err := DrawVonMisesFisher(means.RowRange(0, 2), kappas[:2], 3, 2)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(few.RowRange(3, 6).Values, many.RowRange(6, 9).Values) {
		t.Error("other draws of the second direction")
	}
	other, err := DrawVonMisesFisher(means, kappas, 6, 3)
	if err != nil || slices.Equal(other.Values, many.Values) {
		t.Errorf("another seed draws the same (%v)", err)
	}
}

func TestRowsThatCannotBeDrawnAreErrors(t *testing.T) {
	means := rowsOf(2, 5)
	long := means.Clone()
	long.Row(1)[0] += 3
	draw := func(means embedding.Matrix, draws int, kappas ...float64) error {
		got, err := DrawPowerSpherical(means, kappas, draws, 1)
		if got.Values != nil {
			t.Error("an error comes with vectors")
		}
		return err
	}
	for want, err := range map[string]error{
		"sphere: concentration NaN, want a finite value of at least 0 (number 1)":             draw(means, 1, 1, math.NaN()),
		"sphere: concentration -2, want a finite value of at least 0 (number 0)":              draw(means, 1, -2, 1),
		"sphere: concentration 1 is 1e+39, too large for float32; VonMisesFisher and":         draw(means, 1, 1, 1e39),
		"sphere: 0 draws around each of 2 directions, want at least 1":                        draw(means, 0, 1, 1),
		"sphere: 9223372036854775807 draws around each of 2 directions, want at least 1":      draw(means, math.MaxInt, 1, 1),
		"device: 1 concentrations for 2 mean directions":                                      draw(means, 1, 1),
		"device: mean direction 1 has length 2.63642, want 1":                                 draw(long, 1, 1, 1),
		"device: 2×1 draws around 2×1 mean directions, want as many columns, at least 2, and": draw(embedding.NewMatrix(2, 1), 1, 1, 1),
	} {
		if err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}
