package embedding

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"
)

// Components holds the principal components of rows: the orthogonal directions along which the rows
// vary most (Pearson 1901, Hotelling 1933).
type Components struct {
	Mean      []float64   // mean of the rows, D values
	Axes      [][]float64 // unit vectors of D values by decreasing variance; the value of largest magnitude in each is positive
	Variances []float64   // variances of the rows along the axes, with divisor n−1
	Total     float64     // sum of the variances along all D axes
}

// PrincipalComponents returns the first principal components of at least two rows. It computes in
// float64 from the covariance matrix, which takes n·D² + D³ multiplications. Fewer than one
// component, more components than columns, and values that are not finite are errors.
func PrincipalComponents(m Matrix, components int) (*Components, error) {
	if err := m.Check(); err != nil {
		return nil, err
	}
	if m.Rows < 2 || components < 1 || components > m.Columns {
		return nil, fmt.Errorf("embedding: %d principal components of %d rows and %d columns, want at least 2 rows and from 1 to %d components",
			components, m.Rows, m.Columns, m.Columns)
	}
	c := &Components{Mean: make([]float64, m.Columns)}
	for i := range m.Rows {
		for j, value := range m.Row(i) {
			c.Mean[j] += float64(value) / float64(m.Rows)
		}
	}
	covariance := mat.NewSymDense(m.Columns, nil)
	const some = 512 // rows per block, so that a large matrix is not copied as a whole
	for from := 0; from < m.Rows; from += some {
		rows := min(some, m.Rows-from)
		centered := mat.NewDense(m.Columns, rows, nil)
		for i := range rows {
			for j, value := range m.Row(from + i) {
				centered.Set(j, i, float64(value)-c.Mean[j])
			}
		}
		covariance.SymRankK(covariance, 1/float64(m.Rows-1), centered)
	}
	var eigen mat.EigenSym
	if !eigen.Factorize(covariance, true) {
		return nil, fmt.Errorf("embedding: the principal components of %d rows were not found", m.Rows)
	}
	values := eigen.Values(nil) // in increasing order
	var vectors mat.Dense
	eigen.VectorsTo(&vectors)
	for _, value := range values {
		c.Total += max(0, value)
	}
	for k := range components {
		at := m.Columns - 1 - k
		axis := mat.Col(nil, at, &vectors)
		turn(axis)
		c.Axes, c.Variances = append(c.Axes, axis), append(c.Variances, max(0, values[at]))
	}
	return c, nil
}

// turn changes the sign of axis if needed, so that its value of largest magnitude is positive.
func turn(axis []float64) {
	most := 0
	for i, value := range axis {
		if math.Abs(value) > math.Abs(axis[most]) {
			most = i
		}
	}
	if axis[most] >= 0 {
		return
	}
	for i := range axis {
		axis[i] = -axis[i]
	}
}

// Project returns the coordinates of the rows along the axes, one list of n values per axis, so
// that the first two lists are the X and Y of a figure. Rows of another width are an error.
func (c *Components) Project(m Matrix) ([][]float64, error) {
	if m.Columns != len(c.Mean) {
		return nil, fmt.Errorf("embedding: rows of %d columns and principal components of %d", m.Columns, len(c.Mean))
	}
	all := make([][]float64, len(c.Axes))
	for k, axis := range c.Axes {
		all[k] = make([]float64, m.Rows)
		for i := range m.Rows {
			for j, value := range m.Row(i) {
				all[k][i] += (float64(value) - c.Mean[j]) * axis[j]
			}
		}
	}
	return all, nil
}

// Shares returns each component's fraction of the total variance.
func (c *Components) Shares() []float64 {
	shares := make([]float64, len(c.Variances))
	for k, variance := range c.Variances {
		shares[k] = variance / c.Total
	}
	return shares
}
