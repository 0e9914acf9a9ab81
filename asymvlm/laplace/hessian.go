package laplace

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"gosphere/asymvlm/special"
)

// A Loss selects the loss of the curvature.
type Loss int

// The losses of CLIP and of SigLIP.
const (
	InfoNCE Loss = iota
	Sigmoid
)

// Logits are computed from cosines as Scale·cosine + Bias. InfoNCE does not depend on the bias.
type Logits struct{ Scale, Bias float64 }

// Hessian returns the sum over the rows f of n embeddings of the generalized Gauss–Newton matrices
// of the loss, D×D, with the C normalized rows y of targets as classes:
//
//	H = t² J M J,  J = (I − f̂f̂ᵀ)/|f|
//	InfoNCE  M = Σ p y yᵀ − (Σ p y)(Σ p y)ᵀ,  p the softmax of t f̂·y
//	Sigmoid  M = Σ s(1−s) y yᵀ,               s = sigmoid(t f̂·y + b)
//
// It takes about 6·n·C·D operations instead of the C·D² per row that the formula suggests, because
// J M J is a matrix common to all rows plus terms of rank 2. Zero rows, empty matrices, different
// widths and logits that are not finite are errors.
//
// Source: the implementation of BayesVLM (Baumann and others 2025), which builds H row by row.
func Hessian(loss Loss, embeddings, targets *mat.Dense, logits Logits) (*mat.SymDense, error) {
	n, width := embeddings.Dims()
	classes, again := targets.Dims()
	if width != again {
		return nil, fmt.Errorf("laplace: embeddings have %d columns, targets %d", width, again)
	}
	if n == 0 || classes == 0 {
		return nil, fmt.Errorf("laplace: %d embeddings with %d targets, want some of each", n, classes)
	}
	if math.IsNaN(logits.Scale+logits.Bias) || math.IsInf(logits.Scale, 0) || math.IsInf(logits.Bias, 0) {
		return nil, fmt.Errorf("laplace: logits with scale %g and bias %g, want finite numbers", logits.Scale, logits.Bias)
	}
	unit, lengths, err := normalized(embeddings)
	if err != nil {
		return nil, err
	}
	y, _, err := normalized(targets)
	if err != nil {
		return nil, fmt.Errorf("%w, of the targets", err)
	}
	cosines, weighted := mat.NewDense(n, classes, nil), mat.NewDense(n, classes, nil)
	cosines.Mul(unit, y.T())
	shares := make([]float64, classes) // Σ over rows of weight/|f|²
	means := make([]float64, n)        // Σ p cosine, 0 for Sigmoid
	curvatures := make([]float64, n)   // f̂ᵀ M f̂
	weights := mat.NewDense(n, classes, nil)
	for i := range n {
		row := weights.RawRowView(i)
		weigh(row, cosines.RawRowView(i), loss, logits)
		for c, w := range row {
			cosine := cosines.At(i, c)
			shares[c] += w / (lengths[i] * lengths[i])
			weighted.Set(i, c, w*cosine)
			curvatures[i] += w * cosine * cosine
			if loss == InfoNCE {
				means[i] += w * cosine
			}
		}
		curvatures[i] -= means[i] * means[i]
	}
	centers := mat.NewDense(n, width, nil) // Σ p y
	if loss == InfoNCE {
		centers.Mul(weights, y)
	}
	pulled := mat.NewDense(n, width, nil) // M f̂
	pulled.Mul(weighted, y)
	h := mat.NewDense(width, width, nil)
	shared := mat.NewDense(classes, width, nil)
	for c := range classes {
		for j, value := range y.RawRowView(c) {
			shared.Set(c, j, shares[c]*value)
		}
	}
	h.Mul(y.T(), shared)
	// M − f̂(Mf̂)ᵀ − (Mf̂)f̂ᵀ + (f̂ᵀMf̂) f̂f̂ᵀ = M − f̂gᵀ − gf̂ᵀ with g = Mf̂ − ½(f̂ᵀMf̂)f̂.
	for i := range n {
		square := lengths[i] * lengths[i]
		f, g, m := unit.RawRowView(i), pulled.RawRowView(i), centers.RawRowView(i)
		for j, value := range f {
			g[j] = (g[j] - means[i]*m[j] - curvatures[i]/2*value) / square
			m[j] /= lengths[i]
		}
	}
	var cross, center mat.Dense
	cross.Mul(unit.T(), pulled)
	center.Mul(centers.T(), centers)
	sum := mat.NewSymDense(width, nil)
	for i := range width {
		for j := i; j < width; j++ {
			value := (h.At(i, j)+h.At(j, i))/2 - center.At(i, j) - cross.At(i, j) - cross.At(j, i)
			sum.SetSym(i, j, logits.Scale*logits.Scale*value)
		}
	}
	return sum, nil
}

// weigh sets dst to p, or to s(1−s).
func weigh(dst, cosines []float64, loss Loss, logits Logits) {
	if loss == Sigmoid {
		for c, cosine := range cosines {
			logit := logits.Scale*cosine + logits.Bias
			dst[c] = special.Sigmoid(logit) * special.Sigmoid(-logit)
		}
		return
	}
	largest, sum := math.Inf(-1), 0.0
	for _, cosine := range cosines {
		largest = max(largest, logits.Scale*cosine)
	}
	for c, cosine := range cosines {
		dst[c] = math.Exp(logits.Scale*cosine - largest)
		sum += dst[c]
	}
	for c := range dst {
		dst[c] /= sum
	}
}

// normalized returns the unit rows and their norms.
func normalized(m *mat.Dense) (*mat.Dense, []float64, error) {
	unit := mat.DenseCopyOf(m)
	rows, _ := m.Dims()
	lengths := make([]float64, rows)
	for i := range rows {
		row := unit.RawRowView(i)
		sum := 0.0
		for _, value := range row {
			sum += value * value
		}
		lengths[i] = math.Sqrt(sum)
		if !(lengths[i] > 0) || math.IsInf(lengths[i], 1) {
			return nil, nil, fmt.Errorf("laplace: row %d has length %g", i, lengths[i])
		}
		for j := range row {
			row[j] /= lengths[i]
		}
	}
	return unit, lengths, nil
}
