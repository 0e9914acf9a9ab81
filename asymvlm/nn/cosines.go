package nn

//lint:file-ignore U1000 staticcheck does not see that these methods satisfy an interface with a type parameter

import (
	"fmt"
	"math"

	"gosphere/asymvlm/device"
)

// A Prediction selects how scores and uncertainties are computed from the posterior of bayes. It
// does not affect the accumulated sums. The zero Prediction is the one of AsymVLM's tables, as far
// as the paper describes it.
type Prediction struct {
	// Delta computes variances of cosines to first order in the noise, Σ[(u₂−cu₁)²v₁/|m₁|² +
	// (u₁−cu₂)²v₂/|m₂|²] with u = m/|m| and c = u₁·u₂, instead of BayesVLM's Σ[(m₁²+v₁)v₂ +
	// v₁m₂²]/(N₁N₂). See gaussian.CosineMoments for the accuracy of both.
	Delta bool
	// Probit uses the logits t E[cos]/√(1 + π/8 t² Var[cos]) as scores, with CLIP's scale t = 100,
	// instead of E[cos].
	Probit bool
}

// Predict sets the prediction for later scores and uncertainties. It returns an error for
// objectives without a posterior.
func (l *learner[F]) Predict(p Prediction) error {
	n, ok := l.objective.(*bayes[F])
	if !ok {
		return fmt.Errorf("nn: objective %q has no posterior to predict with", l.architecture.objective())
	}
	n.prediction = p
	return nil
}

// CosineMoments sets mean and variance, N×M, to those of the cosines of N images and M texts, in
// the form selected by Predict, and returns the scale t of the logits. It returns an error for
// objectives without a posterior.
func (l *learner[F]) CosineMoments(mean, variance device.Matrix[F], images, texts representation[F]) (scale float64, err error) {
	n, ok := l.objective.(*bayes[F])
	if !ok {
		return 0, fmt.Errorf("nn: objective %q has no posterior and no moments of cosines", l.architecture.objective())
	}
	n.means(mean, images.Rows, texts.Rows)
	n.variances(variance, images.Rows, texts.Rows)
	return n.scale, nil
}

// DrawnProbabilities sets dst, N×M, to the probability of each of M candidates for each of N
// queries, given their representations: the mean over samples of the softmax over candidates of t
// times the cosines, which are modeled as independent and normal with the moments of CosineMoments.
// Either side may be the queries, because the moments of a cosine are symmetric. The random numbers
// begin at an origin. It returns an error for objectives without a posterior, and if the device
// fails.
func (l *learner[F]) DrawnProbabilities(dst device.Matrix[F], queries, candidates representation[F], draws int, from device.Origin) error {
	mean, deviation := device.NewMatrix[F](dst.Rows, dst.Columns), device.NewMatrix[F](dst.Rows, dst.Columns)
	scale, err := l.CosineMoments(mean, deviation, queries, candidates)
	if err != nil {
		return err
	}
	for i, variance := range deviation.Values {
		deviation.Values[i] = F(math.Sqrt(float64(variance)))
	}
	logits := device.UncertainLogits[F]{Means: mean, Deviations: deviation, Scale: F(scale)}
	return l.ops.MeanSoftmax(dst, logits, draws, from)
}

// score sets dst to the means of the cosines, or to their probit logits.
func (n *bayes[F]) score(dst, images, texts device.Matrix[F]) {
	n.means(dst, images, texts)
	if !n.prediction.Probit {
		return
	}
	variance := device.NewMatrix[F](dst.Rows, dst.Columns)
	n.variances(variance, images, texts)
	for i, mean := range dst.Values {
		t := n.scale
		dst.Values[i] = F(t * float64(mean) / math.Sqrt(1+math.Pi/8*t*t*float64(variance.Values[i])))
	}
}

// means sets dst to E[cos] = m₁·m₂/√(N₁N₂).
func (n *bayes[F]) means(dst, images, texts device.Matrix[F]) {
	n.ops.ProductRightTransposed(dst, n.mapped(images, 1, meansOf), n.mapped(texts, 1, meansOf))
}

func meansOf(dst [][]float64, m, _ []float64) { copy(dst[0], m) }

// variances sets dst to Var[cos].
func (n *bayes[F]) variances(dst, images, texts device.Matrix[F]) {
	if !n.prediction.Delta {
		n.ops.ProductRightTransposed(dst,
			n.mapped(images, 2, func(dst [][]float64, m, v []float64) {
				for j := range m {
					dst[0][j], dst[1][j] = m[j]*m[j]+v[j], v[j]
				}
			}),
			n.mapped(texts, 2, func(dst [][]float64, m, v []float64) {
				for j := range m {
					dst[0][j], dst[1][j] = v[j], m[j]*m[j]
				}
			}))
		return
	}
	n.deltaVariances(dst, images, texts)
}

// deltaVariances expands the squares of the delta form into inner products of rows: with w =
// v/|m|²,
//
//	Σ w₁u₂² + u₁²w₂ − 2c Σ (w₁u₁u₂ + u₁u₂w₂) + c² (Σ w₁u₁² + Σ w₂u₂²)
func (n *bayes[F]) deltaVariances(dst, images, texts device.Matrix[F]) {
	cosines, mixed := device.NewMatrix[F](dst.Rows, dst.Columns), device.NewMatrix[F](dst.Rows, dst.Columns)
	direction := func(dst [][]float64, m, v []float64) { unitsOf(dst[0], nil, m, v) }
	n.ops.ProductRightTransposed(cosines, n.mapped(images, 1, direction), n.mapped(texts, 1, direction))
	n.ops.ProductRightTransposed(dst,
		n.mapped(images, 2, func(dst [][]float64, m, v []float64) {
			unitsOf(dst[1], dst[0], m, v)
			squares(dst[1])
		}),
		n.mapped(texts, 2, func(dst [][]float64, m, v []float64) {
			unitsOf(dst[0], dst[1], m, v)
			squares(dst[0])
		}))
	n.ops.ProductRightTransposed(mixed,
		n.mapped(images, 2, func(dst [][]float64, m, v []float64) {
			unitsOf(dst[1], dst[0], m, v)
			for j, u := range dst[1] {
				dst[0][j] *= u
			}
		}),
		n.mapped(texts, 2, func(dst [][]float64, m, v []float64) {
			unitsOf(dst[0], dst[1], m, v)
			for j, u := range dst[0] {
				dst[1][j] *= u
			}
		}))
	along := [2][]float64{n.along(texts), n.along(images)}
	for i := range dst.Rows {
		for j, square := range dst.Row(i) {
			c := float64(cosines.Row(i)[j])
			v := float64(square) - 2*c*float64(mixed.Row(i)[j]) + c*c*(along[Images][i]+along[Texts][j])
			dst.Row(i)[j] = F(math.Max(v, 0)) // rounding can make it negative
		}
	}
}

// unitsOf sets u to m/|m| and w, unless nil, to v/|m|².
func unitsOf(u, w, m, v []float64) {
	length := norm(m)
	for j, value := range m {
		u[j] = value / length
		if w != nil {
			w[j] = v[j] / (length * length)
		}
	}
}

func squares(values []float64) {
	for j, value := range values {
		values[j] = value * value
	}
}

// along returns Σ w u² of every row: the noise along the mean, which normalization removes.
func (n *bayes[F]) along(rows device.Matrix[F]) []float64 {
	sums := make([]float64, rows.Rows)
	u, w := make([]float64, n.columns), make([]float64, n.columns)
	for r := range sums {
		m, v := n.moments(rows.Row(r))
		unitsOf(u, w, m, v)
		for j, value := range u {
			sums[r] += w[j] * value * value
		}
	}
	return sums
}

// moments returns m/√N and v/N of a representation.
func (n *bayes[F]) moments(row []F) (m, v []float64) {
	both := doubles(row)
	return both[:n.columns], both[n.columns:]
}

// mapped returns rows that consist of the given number of parts, each as wide as an embedding,
// computed from the moments of representations.
func (n *bayes[F]) mapped(rows device.Matrix[F], parts int, fill func(dst [][]float64, m, v []float64)) device.Matrix[F] {
	made := device.NewMatrix[F](rows.Rows, parts*n.columns)
	whole := make([]float64, parts*n.columns)
	dst := make([][]float64, parts)
	for i := range dst {
		dst[i] = whole[i*n.columns : (i+1)*n.columns]
	}
	for r := range rows.Rows {
		m, v := n.moments(rows.Row(r))
		fill(dst, m, v)
		narrow(made.Row(r), whole)
	}
	return made
}

// queries returns the variance of the cosine of every query with the item it retrieves.
func (n *bayes[F]) queries(best Retrieved, images, texts representation[F]) (ofTexts, ofImages []float64) {
	for text, image := range best.ImageOfText {
		ofTexts = append(ofTexts, n.variance(images.Rows.Row(image), texts.Rows.Row(text)))
	}
	for image, text := range best.TextOfImage {
		ofImages = append(ofImages, n.variance(images.Rows.Row(image), texts.Rows.Row(text)))
	}
	return ofTexts, ofImages
}

// variance returns the variance of one cosine, in the form of the prediction.
func (n *bayes[F]) variance(one, two []F) float64 {
	m1, v1 := n.moments(one)
	m2, v2 := n.moments(two)
	sum := 0.0
	if !n.prediction.Delta {
		for j := range m1 {
			sum += (m1[j]*m1[j]+v1[j])*v2[j] + v1[j]*m2[j]*m2[j]
		}
		return sum
	}
	length1, length2 := norm(m1), norm(m2)
	c := inner(m1, m2) / (length1 * length2)
	for j := range m1 {
		u1, u2 := m1[j]/length1, m2[j]/length2
		across1, across2 := (u2-c*u1)/length1, (u1-c*u2)/length2
		sum += across1*across1*v1[j] + across2*across2*v2[j]
	}
	return sum
}
