package device

import (
	"fmt"
	"math"
)

// Samples are the operations that draw random numbers. A number depends only on the seed, its row,
// its sample index and its column (Philox4x32-10), not on the number of threads or on how a matrix
// is divided into blocks. Normal numbers have the same bits on CPUs and GPUs; values computed from
// them agree up to rounding. Unlike the other operations these check their arguments and return an
// error that names the value, or a *LostError if the device fails.
type Samples[F Float] interface {
	// DrawSphere sets the rows of dst, N·k × D, to unit vectors: row i·k+s is sample s around row i
	// of means, N×D, whose rows have norm 1 to 1e-5, D ≥ 2, with the concentration κ =
	// concentrations[i], finite and at least 0. For κ above about 1e12 float32 cannot represent the
	// noise.
	DrawSphere(dst Matrix[F], law Law, means Matrix[F], concentrations []F, from Origin) error
	// MeanSoftmax sets every row of dst to the mean over draws ≥ 1 samples of the softmax over its
	// columns of uncertain logits. The standard error of a probability p is at most √(p(1−p)/draws).
	MeanSoftmax(dst Matrix[F], logits UncertainLogits[F], draws int, from Origin) error
}

// A Law is a family of densities on the unit sphere; see package sphere.
type Law int

// The laws: exp(κ μ·x), sampled by rejection (Ulrich 1984, Wood 1994), and (1 + μ·x)^κ, sampled by
// the Beta law of its cosine (De Cao and Aziz 2020).
const (
	VonMisesFisher Law = iota
	PowerSpherical
)

// String returns the name of the law.
func (l Law) String() string {
	switch l {
	case VonMisesFisher:
		return "von Mises-Fisher"
	case PowerSpherical:
		return "power spherical"
	}
	return fmt.Sprintf("law %d", int(l))
}

// An Origin identifies the first random numbers of an operation: the seed, and the indices of the
// first row and the first sample. If rows 512 and up of a large matrix are processed separately,
// Row 512 selects the same numbers as for the whole matrix. Rows and samples are counted up to
// 2³²−1. Equal origins select equal numbers, for both laws.
type Origin struct {
	Seed      uint64
	Row, Draw int
}

// UncertainLogits are Scale·(Means[i,j] + Deviations[i,j]·N) with independent standard normal N;
// deviations are at least 0.
type UncertainLogits[F Float] struct {
	Means, Deviations Matrix[F]
	Scale             F
}

// largestNormal is a bound on the numbers of normals32: √(2·33·log 2) = 6.764.
const largestNormal = 6.8

// unitTolerance is the same as in package sphere.
const unitTolerance = 1e-5

// check returns an error for coordinates that exceed the counters.
func (o Origin) check(rows, draws int) error {
	if o.Row < 0 || o.Draw < 0 || uint64(o.Row)+uint64(rows) > math.MaxUint32 || uint64(o.Draw)+uint64(draws) > math.MaxUint32 {
		return fmt.Errorf("device: %d rows from row %d on with %d draws from draw %d on, want them within 0 and 2³²−1", rows, o.Row, draws, o.Draw)
	}
	return nil
}

// CheckSphere checks the arguments of DrawSphere, and returns the norms of the means and the number
// of samples around each. It is intended for implementations.
func CheckSphere[F Float](dst Matrix[F], law Law, means Matrix[F], concentrations []F, from Origin) (lengths []float64, draws int, err error) {
	if law != VonMisesFisher && law != PowerSpherical {
		return nil, 0, fmt.Errorf("device: %v, want %v (%d) or %v (%d)", law, VonMisesFisher, VonMisesFisher, PowerSpherical, PowerSpherical)
	}
	if means.Columns < 2 || dst.Columns != means.Columns || means.Rows == 0 && dst.Rows != 0 || means.Rows != 0 && dst.Rows%means.Rows != 0 {
		return nil, 0, fmt.Errorf("device: %d×%d draws around %d×%d mean directions, want as many columns, at least 2, and a multiple of the rows",
			dst.Rows, dst.Columns, means.Rows, means.Columns)
	}
	if len(concentrations) != means.Rows {
		return nil, 0, fmt.Errorf("device: %d concentrations for %d mean directions", len(concentrations), means.Rows)
	}
	lengths = make([]float64, means.Rows)
	for i, kappa := range concentrations {
		if k := float64(kappa); !(k >= 0) || math.IsInf(k, 1) {
			return nil, 0, fmt.Errorf("device: concentration %d is %.6g, want a finite value of at least 0", i, k)
		}
		if lengths[i] = math.Sqrt(dot(means.Row(i), means.Row(i))); !(math.Abs(lengths[i]-1) <= unitTolerance) {
			return nil, 0, fmt.Errorf("device: mean direction %d has length %.6g, want 1; Units makes rows of length 1", i, lengths[i])
		}
	}
	draws = dst.Rows / max(1, means.Rows)
	return lengths, draws, from.check(means.Rows, draws)
}

// CheckLogits checks the arguments of MeanSoftmax. It is intended for implementations.
func CheckLogits[F Float](dst Matrix[F], logits UncertainLogits[F], draws int, from Origin) error {
	for _, m := range []Matrix[F]{logits.Means, logits.Deviations} {
		if m.Rows != dst.Rows || m.Columns != dst.Columns {
			return fmt.Errorf("device: means of %d×%d, deviations of %d×%d and probabilities of %d×%d, want one shape", logits.Means.Rows,
				logits.Means.Columns, logits.Deviations.Rows, logits.Deviations.Columns, dst.Rows, dst.Columns)
		}
	}
	if draws < 1 {
		return fmt.Errorf("device: %d draws, want at least 1", draws)
	}
	scale := math.Abs(float64(logits.Scale))
	for i, mean := range logits.Means.Values[:dst.Rows*dst.Columns] {
		m, deviation := float64(mean), float64(logits.Deviations.Values[i])
		// This also rejects a scale, mean or deviation that is not finite.
		if !(deviation >= 0) || !(scale*(math.Abs(m)+largestNormal*deviation) < math.MaxFloat32/2) {
			return fmt.Errorf("device: row %d, column %d: mean %.6g, deviation %.6g, scale %.6g: want finite numbers, a deviation of at least 0, and logits below 1e38",
				i/dst.Columns, i%dst.Columns, m, deviation, float64(logits.Scale))
		}
	}
	return from.check(dst.Rows, draws)
}

// DrawSphere samples unit vectors in float64 and rounds them.
func (Reference[F]) DrawSphere(dst Matrix[F], law Law, means Matrix[F], concentrations []F, from Origin) error {
	lengths, draws, err := CheckSphere(dst, law, means, concentrations, from)
	if err != nil {
		return err
	}
	generator, y, mean := newPhilox(from.Seed), make([]float64, dst.Columns), make([]float64, dst.Columns)
	for r := range dst.Rows {
		i, row, draw := r/draws, uint32(from.Row+r/draws), uint32(from.Draw+r%draws)
		for j, value := range means.Row(i) {
			mean[j] = float64(value)
		}
		s := sequence{generator: generator, row: row, draw: draw}
		generator.fill64(y, row, draw, forDirections)
		around64(y, mean, lengths[i], s.cosine(law, dst.Columns, float64(concentrations[i])))
		for j, value := range y {
			dst.Row(r)[j] = F(value)
		}
	}
	return nil
}

// MeanSoftmax computes the mean over samples of the softmax of uncertain logits in float64 and
// rounds it.
func (Reference[F]) MeanSoftmax(dst Matrix[F], logits UncertainLogits[F], draws int, from Origin) error {
	if err := CheckLogits(dst, logits, draws, from); err != nil {
		return err
	}
	generator, drawn, means := newPhilox(from.Seed), make([]float64, dst.Columns), make([]float64, dst.Columns)
	for i := range dst.Rows {
		clear(means)
		for draw := range draws {
			generator.fill64(drawn, uint32(from.Row+i), uint32(from.Draw+draw), forLogits)
			top, sum := math.Inf(-1), 0.0
			for j, mean := range logits.Means.Row(i) {
				drawn[j] = float64(logits.Scale) * (float64(mean) + float64(logits.Deviations.Row(i)[j])*drawn[j])
				top = math.Max(top, drawn[j])
			}
			for j, logit := range drawn {
				drawn[j] = math.Exp(logit - top)
				sum += drawn[j]
			}
			for j, e := range drawn {
				means[j] += e / sum / float64(draws)
			}
		}
		for j, p := range means {
			dst.Row(i)[j] = F(p)
		}
	}
	return nil
}
