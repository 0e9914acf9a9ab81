package chart

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"
)

// sorted returns the known values in ascending order.
func sorted(values []float64) []float64 {
	kept := slices.DeleteFunc(slices.Clone(values), math.IsNaN)
	slices.SortFunc(kept, cmp.Compare[float64])
	return kept
}

func sum(values []float64) float64 {
	total := 0.0
	for _, v := range values {
		total += v
	}
	return total
}

// quantile returns a quantile of sorted values, linear between two values as in pandas and R (type
// 7), or NaN if there are none.
func quantile(values []float64, p float64) float64 {
	if len(values) == 0 {
		return math.NaN()
	}
	at := p * float64(len(values)-1)
	k := int(at)
	if k+1 >= len(values) {
		return values[len(values)-1]
	}
	return values[k] + (at-float64(k))*(values[k+1]-values[k])
}

// bins returns the first edge, the width and the number of bins of values. If n is 0, the width is
// that of Freedman and Diaconis (1981), with 5 to 60 bins, rounded to 1, 2, 2.5 or 5 times a power
// of ten. Edges are multiples of the width.
func bins(values []float64, n int) (low, width float64, count int) {
	list := sorted(values)
	if len(list) == 0 {
		return 0, 1, 1
	}
	least, most := list[0], list[len(list)-1]
	spread := most - least
	if spread == 0 {
		spread = 1
	}
	if n > 0 {
		width = spread / float64(n)
		return least, width * (1 + 1e-12), n
	}
	width = 2 * (quantile(list, 0.75) - quantile(list, 0.25)) / math.Cbrt(float64(len(list)))
	width = niceStep(min(max(width, spread/60), spread/5) * 0.75)
	if whole(list) {
		width = max(1, math.Round(width))
	}
	low = math.Floor(least/width+1e-9) * width
	return low, width, max(1, int(math.Floor((most-low)/width+1e-9))+1)
}

// whole reports whether all values are integers.
func whole(values []float64) bool {
	return !slices.ContainsFunc(values, func(x float64) bool { return x != math.Trunc(x) })
}

// niceStep rounds a distance up to 1, 2, 2.5 or 5 times a power of ten.
func niceStep(x float64) float64 {
	if !(x > 0) || math.IsInf(x, 0) {
		return 1
	}
	power := math.Pow(10, math.Floor(math.Log10(x)))
	for _, step := range []float64{1, 2, 2.5, 5} {
		if x <= step*power*(1+1e-9) {
			return step * power
		}
	}
	return 10 * power
}

// bandwidth returns the width of a Gaussian kernel by Silverman's rule (1986, equation 3.31).
func bandwidth(list []float64) float64 {
	spread := 0.0
	if len(list) > 1 {
		spread = stat.StdDev(list, nil)
	}
	if between := (quantile(list, 0.75) - quantile(list, 0.25)) / 1.34; between > 0 {
		spread = min(spread, between)
	}
	if spread == 0 {
		spread = max(math.Abs(list[0])*0.01, 1e-3)
	}
	return 0.9 * spread * math.Pow(float64(len(list)), -0.2)
}

// density estimates the density of sorted values with a Gaussian kernel at evenly spaced points
// from three bandwidths below the values to three above.
func density(list []float64, h float64, points int) (x, d []float64) {
	if h == 0 {
		h = bandwidth(list)
	}
	low, high := list[0]-3*h, list[len(list)-1]+3*h
	x, d = make([]float64, points), make([]float64, points)
	scale := 1 / (h * math.Sqrt(2*math.Pi) * float64(len(list)))
	for i := range x {
		x[i] = low + (high-low)*float64(i)/float64(points-1)
		from, _ := slices.BinarySearch(list, x[i]-6*h)
		for _, v := range list[from:] {
			if v > x[i]+6*h {
				break
			}
			z := (v - x[i]) / h
			d[i] += scale * math.Exp(-z*z/2)
		}
	}
	return x, d
}

// A fitted curve has a mean and the bounds of its 95 % confidence interval at evenly spaced points.
// The bounds are NaN if there are too few values for them.
type curve struct{ x, mean, low, high []float64 }

func newCurve(low, high float64, points int) curve {
	c := curve{make([]float64, points), make([]float64, points), make([]float64, points), make([]float64, points)}
	for i := range c.x {
		c.x[i] = low + (high-low)*float64(i)/float64(points-1)
	}
	return c
}

// bound sets the bounds of a point from the standard error of its mean.
func (c curve) bound(i int, mean, deviation, freedom float64) {
	c.mean[i], c.low[i], c.high[i] = mean, math.NaN(), math.NaN()
	if freedom > 0 {
		t := distuv.StudentsT{Mu: 0, Sigma: 1, Nu: freedom}.Quantile(0.975)
		c.low[i], c.high[i] = mean-t*deviation, mean+t*deviation
	}
}

// polynomial fits a polynomial by least squares. It reports false if there are fewer different
// positions than coefficients.
func polynomial(x, y []float64, degree int) (curve, bool) {
	if len(slices.Compact(sorted(x))) <= degree {
		return curve{}, false
	}
	center, scale := stat.Mean(x, nil), stat.StdDev(x, nil)
	powers := func(at float64) []float64 {
		row := make([]float64, degree+1)
		row[0] = 1
		for k := 1; k <= degree; k++ {
			row[k] = row[k-1] * (at - center) / scale
		}
		return row
	}
	design := mat.NewDense(len(x), degree+1, nil)
	for i, at := range x {
		design.SetRow(i, powers(at))
	}
	var beta mat.VecDense
	if err := beta.SolveVec(design, mat.NewVecDense(len(y), slices.Clone(y))); err != nil {
		return curve{}, false
	}
	var fitted mat.VecDense
	fitted.MulVec(design, &beta)
	squares := 0.0
	for i := range y {
		squares += (y[i] - fitted.AtVec(i)) * (y[i] - fitted.AtVec(i))
	}
	freedom := float64(len(x) - degree - 1)
	var normal, inverse mat.Dense
	normal.Mul(design.T(), design)
	if err := inverse.Inverse(&normal); err != nil {
		return curve{}, false
	}
	c := newCurve(slices.Min(x), slices.Max(x), 60)
	for i, at := range c.x {
		row := mat.NewVecDense(degree+1, powers(at))
		variance := mat.Inner(row, &inverse, row) * squares / max(freedom, 1)
		c.bound(i, mat.Dot(row, &beta), math.Sqrt(variance), freedom)
	}
	return c, true
}

// loess fits local lines with tricube weights to the nearest share of the points (Cleveland 1979,
// without robustness iterations). It reports false for fewer than four different positions.
func loess(x, y []float64, share float64) (curve, bool) {
	order := make([]int, len(x))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(x[a], x[b]) })
	xs, ys := make([]float64, len(x)), make([]float64, len(x))
	for i, k := range order {
		xs[i], ys[i] = x[k], y[k]
	}
	if len(slices.Compact(slices.Clone(xs))) < 4 {
		return curve{}, false
	}
	near := min(len(xs), max(3, int(math.Ceil(share*float64(len(xs))))))
	c := newCurve(xs[0], xs[len(xs)-1], 60)
	means, norms, leverages := make([]float64, len(c.x)), make([]float64, len(c.x)), make([]float64, len(c.x))
	for i, at := range c.x {
		means[i], norms[i], leverages[i] = localLine(xs, ys, at, near)
	}
	// The residuals and leverages of the points are interpolated between those of the curve.
	squares, trace := 0.0, 0.0
	for i, at := range xs {
		mean, leverage := between(c.x, means, at), between(c.x, leverages, at)
		squares += (ys[i] - mean) * (ys[i] - mean)
		trace += leverage
	}
	freedom := float64(len(xs)) - trace
	for i := range c.x {
		c.bound(i, means[i], math.Sqrt(squares/max(freedom, 1)*norms[i]), freedom)
	}
	return c, true
}

// localLine returns the value of a local line, the sum of the squares of the weights of the values
// in it, and the weight of a value at the same position.
func localLine(x, y []float64, at float64, near int) (mean, norm, leverage float64) {
	from := 0
	for from+near < len(x) && x[from+near]-at < at-x[from] {
		from++
	}
	radius := max(at-x[from], x[from+near-1]-at) * (1 + 1e-9)
	if radius <= 0 {
		radius = 1
	}
	weights := make([]float64, near)
	var s0, s1, s2 float64
	for i := range weights {
		d := x[from+i] - at
		u := math.Abs(d) / radius
		w := 1 - u*u*u
		weights[i] = max(0, w*w*w)
		s0, s1, s2 = s0+weights[i], s1+weights[i]*d, s2+weights[i]*d*d
	}
	determinant := s0*s2 - s1*s1
	for i, w := range weights {
		l := w / s0 // all positions are equal
		if determinant > 1e-12*s0*s2 {
			l = w * (s2 - s1*(x[from+i]-at)) / determinant
		}
		mean, norm = mean+l*y[from+i], norm+l*l
	}
	leverage = 1 / s0
	if determinant > 1e-12*s0*s2 {
		leverage = s2 / determinant
	}
	return mean, norm, leverage
}

// between interpolates linearly in an evenly spaced list.
func between(x, values []float64, at float64) float64 {
	position := (at - x[0]) / (x[1] - x[0])
	k := min(max(int(position), 0), len(x)-2)
	share := position - float64(k)
	return values[k] + share*(values[k+1]-values[k])
}

// interval returns a center with bounds. The extent is ci (mean and its 95 % confidence interval by
// Student's distribution), stderr, std or iqr (median and quartiles).
func interval(values []float64, extent string) (center, low, high float64) {
	if extent == "iqr" {
		list := sorted(values)
		return quantile(list, 0.5), quantile(list, 0.25), quantile(list, 0.75)
	}
	center = stat.Mean(values, nil)
	half, n := stat.StdDev(values, nil), float64(len(values))
	switch {
	case n < 2:
		return center, center, center
	case extent == "stderr":
		half /= math.Sqrt(n)
	case extent == "ci":
		half *= distuv.StudentsT{Mu: 0, Sigma: 1, Nu: n - 1}.Quantile(0.975) / math.Sqrt(n)
	}
	return center, center - half, center + half
}

// A grid holds the density of points on a square grid.
type grid struct {
	x, y []float64
	d    [][]float64 // by y and x
}

// density2 estimates the density of points with a product of Gaussian kernels, with Scott's
// bandwidths (1992).
func density2(x, y []float64, n int) grid {
	axis := func(values []float64) (at []float64, h float64) {
		h = stat.StdDev(values, nil) * math.Pow(float64(len(values)), -1.0/6)
		if !(h > 0) {
			h = 1
		}
		low, high := slices.Min(values)-2*h, slices.Max(values)+2*h
		for i := range n {
			at = append(at, low+(high-low)*float64(i)/float64(n-1))
		}
		return at, h
	}
	gx, hx := axis(x)
	gy, hy := axis(y)
	g := grid{gx, gy, make([][]float64, n)}
	for k := range g.d {
		g.d[k] = make([]float64, n)
	}
	kx := make([]float64, n)
	for p := range x {
		for i := range kx {
			z := (gx[i] - x[p]) / hx
			kx[i] = math.Exp(-z * z / 2)
		}
		for k := range g.d {
			z := (gy[k] - y[p]) / hy
			w := math.Exp(-z * z / 2)
			if w < 1e-9 {
				continue
			}
			for i := range kx {
				g.d[k][i] += w * kx[i]
			}
		}
	}
	return g
}

// contour returns the lines of a level by marching squares, as pairs of points.
func (g grid) contour(level float64) (segments [][4]float64) {
	for k := 0; k+1 < len(g.y); k++ {
		for i := 0; i+1 < len(g.x); i++ {
			corner := [4]float64{g.d[k][i], g.d[k][i+1], g.d[k+1][i+1], g.d[k+1][i]}
			px := [4]float64{g.x[i], g.x[i+1], g.x[i+1], g.x[i]}
			py := [4]float64{g.y[k], g.y[k], g.y[k+1], g.y[k+1]}
			var cuts [][2]float64
			for e := range 4 {
				a, b := corner[e], corner[(e+1)%4]
				if (a < level) == (b < level) {
					continue
				}
				share := (level - a) / (b - a)
				cuts = append(cuts, [2]float64{px[e] + share*(px[(e+1)%4]-px[e]), py[e] + share*(py[(e+1)%4]-py[e])})
			}
			// A saddle has four cuts. The mean of the corners says which ones belong together.
			if len(cuts) == 4 && (sum(corner[:])/4 >= level) == (corner[0] >= level) {
				cuts = append(cuts[1:], cuts[0])
			}
			for c := 0; c+1 < len(cuts); c += 2 {
				segments = append(segments, [4]float64{cuts[c][0], cuts[c][1], cuts[c+1][0], cuts[c+1][1]})
			}
		}
	}
	return segments
}
