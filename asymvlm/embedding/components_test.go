package embedding

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
)

// tilted returns n rows whose variances along three known axes are 9, 4 and 1/4, and the axes.
func tilted(n int) (m Matrix, axes [][]float64) {
	axes = [][]float64{{0.6, 0.8, 0}, {-0.8, 0.6, 0}, {0, 0, 1}}
	source := rand.New(rand.NewPCG(1, 7))
	m = NewMatrix(n, 3)
	for i := range n {
		row := m.Row(i)
		row[0], row[1], row[2] = 5, -2, 1
		for k, axis := range axes {
			z := source.NormFloat64() * []float64{3, 2, 0.5}[k]
			for j := range row {
				row[j] += float32(z * axis[j])
			}
		}
	}
	return m, axes
}

func TestPrincipalComponentsAreTheAxesThatRowsWereDrawnAlong(t *testing.T) {
	m, axes := tilted(20000)
	c, err := PrincipalComponents(m, 3)
	if err != nil {
		t.Fatal(err)
	}
	for k, want := range []float64{9, 4, 0.25} {
		cosine := 0.0
		for j := range 3 {
			cosine += c.Axes[k][j] * axes[k][j]
		}
		// The relative standard error of a variance from n draws is √(2/n) = 0.01.
		if math.Abs(c.Variances[k]/want-1) > 0.05 || math.Abs(math.Abs(cosine)-1) > 1e-3 {
			t.Errorf("axis %d: variance %g, want %g; cosine %g", k, c.Variances[k], want, cosine)
		}
	}
	if math.Abs(c.Mean[0]-5) > 0.1 || math.Abs(c.Total-13.25) > 0.5 || math.Abs(c.Shares()[0]-9/13.25) > 0.02 {
		t.Errorf("mean %v, total %g, shares %v", c.Mean, c.Total, c.Shares())
	}
	projected, err := c.Project(m)
	if err != nil || len(projected) != 3 {
		t.Fatal(err)
	}
	for k := range projected {
		if mean, variance := stat.MeanVariance(projected[k], nil); math.Abs(mean) > 1e-6 || math.Abs(variance/c.Variances[k]-1) > 1e-6 {
			t.Errorf("axis %d: projected to mean %g and variance %g, want %g", k, mean, variance, c.Variances[k])
		}
	}
}

// The reference is gonum's implementation by a singular value decomposition of the rows.
func TestPrincipalComponentsAreThoseOfTheSingularValueDecomposition(t *testing.T) {
	source, m := rand.New(rand.NewPCG(2, 2)), NewMatrix(700, 9)
	for i := range m.Values {
		m.Values[i] = float32(source.NormFloat64() * float64(1+i%9))
	}
	c, err := PrincipalComponents(m, 4)
	if err != nil {
		t.Fatal(err)
	}
	rows := mat.NewDense(m.Rows, m.Columns, nil)
	for i, value := range m.Values {
		rows.Set(i/9, i%9, float64(value))
	}
	var pc stat.PC
	if !pc.PrincipalComponents(rows, nil) {
		t.Fatal("gonum finds none")
	}
	var vectors mat.Dense
	pc.VectorsTo(&vectors)
	for k, variance := range pc.VarsTo(nil)[:4] {
		other := mat.Col(nil, k, &vectors)
		turn(other)
		for j := range other {
			if math.Abs(other[j]-c.Axes[k][j]) > 1e-9 {
				t.Errorf("axis %d: %v, want %v", k, c.Axes[k], other)
				break
			}
		}
		if math.Abs(variance-c.Variances[k]) > 1e-9*variance {
			t.Errorf("axis %d: variance %g, want %g", k, c.Variances[k], variance)
		}
	}
}

func TestPrincipalComponentsOfTooLittleAreRefused(t *testing.T) {
	m, _ := tilted(4)
	damaged := m.Clone()
	damaged.Values[4] = float32(math.NaN())
	for want, of := range map[string]func() error{
		"0 principal components of 4 rows": func() error { _, err := PrincipalComponents(m, 0); return err },
		"from 1 to 3 components":           func() error { _, err := PrincipalComponents(m, 4); return err },
		"of 1 rows":                        func() error { _, err := PrincipalComponents(m.RowRange(0, 1), 1); return err },
		"NaN":                              func() error { _, err := PrincipalComponents(damaged, 1); return err },
		"rows of 5 columns and principal components of 3": func() error {
			c, err := PrincipalComponents(m, 1)
			if err == nil {
				_, err = c.Project(NewMatrix(2, 5))
			}
			return err
		},
	} {
		if err := of(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q in it", err, want)
		}
	}
}
