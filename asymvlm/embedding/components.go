package embedding

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"
)

// Components are the principal components of rows: the directions, at right angles to each other, along which the rows vary most (Pearson
// 1901, Hotelling 1933).
type Components struct {
	Mean      []float64   // of the rows, D
	Axes      [][]float64 // unit vectors of D numbers, that of the largest variance first; the largest number of each, by size, is positive
	Variances []float64   // of the rows along the axes: squares divided by n−1
	Total     float64     // the variance along all D axes together
}

// PrincipalComponents returns the first few components of at least two rows, computed in float64 from the covariance matrix, which takes
// n·D² + D³ multiplications. Fewer than one component, more than there are columns, and values that are not finite are errors.
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
	const some = 512 // rows at a time, so that a large matrix is not copied as a whole
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
	values := eigen.Values(nil) // rising
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

// turn makes the number that is largest by size positive.
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

// Project returns the coordinates of rows along the axes, one list of n numbers for each axis, so that the first two are X and Y of a
// figure. Rows of another width are an error.
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

// Shares returns the part of the variance of all axes that is along each of the components.
func (c *Components) Shares() []float64 {
	shares := make([]float64, len(c.Variances))
	for k, variance := range c.Variances {
		shares[k] = variance / c.Total
	}
	return shares
}
