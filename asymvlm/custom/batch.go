package custom

// A Batch holds the inputs of a loss: B pairs of an image and its own text, and the trained
// numbers. Every trained value has a corresponding field for its derivative. The available inputs
// depend on the method; the other matrices have no rows.
//
//	asymvlm-*, siglip-*, determ-ft   LogLikelihoods, Natural, Images
//	symvlm, symvlm-mutual            LogLikelihoods, Natural, NaturalImages
//	pfe, pcmepp, prolip              Means, LogVariances
//	probvlm                          Targets, Means, LogScales, LogShapes
//	elip, elip-itc, clip-ensemble    LogLikelihoods, which are the cosines of the adapted embeddings
//
// A loss may use any of them, although LogLikelihoods is a function of the following two: training
// adds the contributions of each, so a loss sets only the partial derivatives of its own formula.
// Each member of clip-ensemble is trained separately, with its own numbers. The method clip is not
// trained, and bayesvlm, which accumulates the curvature of the contrastive loss in one pass, would
// need second derivatives.
type Batch struct {
	// LogLikelihoods holds ℓ, B×B, of image s under text r at [s][r], with the normalizer shifted
	// to be 0 at κ = 0 and without a temperature; for symvlm, the symmetrized or the mutual
	// likelihoods. The true pairs are on the diagonal.
	LogLikelihoods [][]float64
	// Natural holds the outputs of the network, B×D: the natural parameters η = κμ of the texts.
	Natural [][]float64
	// NaturalImages holds those of the images, B×D, if both sides have a network.
	NaturalImages [][]float64
	// Images holds the unit embeddings of the images, B×D. They are not trained. (For
	// asymvlm-image, whose network is on the images, Natural belongs to the images, Images holds
	// the texts, and LogLikelihoods has the texts as rows.)
	Images [][]float64
	// Means and LogVariances, each by side and B×D, describe the normal densities of the texts and
	// of the images, with log σ² for every coordinate. The means of pfe, pcmepp and prolip are the
	// given embeddings (normalized, except for pfe) and are not trained. Those of probvlm are the
	// outputs of a network and have derivatives.
	Means        [2][][]float64
	LogVariances [2][][]float64
	// Targets, LogScales and LogShapes, each by side and B×D, are for probvlm: the given embeddings
	// of the side, and log α and log β of the generalized Gaussians β/(2αΓ(1/β)) exp(−(|y−μ|/α)^β)
	// for every coordinate.
	Targets   [2][][]float64
	LogScales [2][][]float64
	LogShapes [2][][]float64
	// Numbers holds the values of the trained numbers, in the order of Loss.Numbers.
	Numbers []float64

	DLogLikelihoods [][]float64    // B×B
	DNatural        [][]float64    // B×D
	DNaturalImages  [][]float64    // B×D
	DLogVariances   [2][][]float64 // by Side, B×D
	DMeans          [2][][]float64 // by Side, B×D; of probvlm only
	DLogScales      [2][][]float64 // by side, B×D; only for probvlm
	DLogShapes      [2][][]float64 // by Side, B×D
	DNumbers        []float64
}

// Indices of the two sides in a batch's arrays.
const (
	Texts  = 0
	Images = 1
)

// A Part is one matrix of a batch.
type Part struct {
	Name        string      // no rows if the method does not provide it
	Values      [][]float64 // no rows if it is not trained
	Derivatives [][]float64 // no rows where it is not trained
}

// Parts returns all matrices, including those without rows, in a fixed order.
func (b *Batch) Parts() []Part {
	parts := []Part{
		{"LogLikelihoods", b.LogLikelihoods, b.DLogLikelihoods}, {"Natural", b.Natural, b.DNatural},
		{"NaturalImages", b.NaturalImages, b.DNaturalImages}, {"Images", b.Images, nil},
	}
	for side, of := range [2]string{Texts: "[Texts]", Images: "[Images]"} {
		parts = append(parts, Part{"Targets" + of, b.Targets[side], nil}, Part{"Means" + of, b.Means[side], b.DMeans[side]},
			Part{"LogVariances" + of, b.LogVariances[side], b.DLogVariances[side]},
			Part{"LogScales" + of, b.LogScales[side], b.DLogScales[side]}, Part{"LogShapes" + of, b.LogShapes[side], b.DLogShapes[side]})
	}
	return parts
}

// NewBatch returns a batch of zeros for methods with a likelihood and a network on one side.
func NewBatch(pairs, dimension, numbers int) *Batch {
	b := NewCosineBatch(pairs, numbers)
	b.Natural, b.Images, b.DNatural = square(pairs, dimension), square(pairs, dimension), square(pairs, dimension)
	return b
}

// NewSymmetricBatch returns a batch of zeros for methods with a likelihood and networks on both
// sides.
func NewSymmetricBatch(pairs, dimension, numbers int) *Batch {
	b := NewCosineBatch(pairs, numbers)
	b.Natural, b.DNatural = square(pairs, dimension), square(pairs, dimension)
	b.NaturalImages, b.DNaturalImages = square(pairs, dimension), square(pairs, dimension)
	return b
}

// NewVarianceBatch returns a batch of zeros for methods that learn variances.
func NewVarianceBatch(pairs, dimension, numbers int) *Batch {
	b := newNumbers(numbers)
	for side := range b.Means {
		b.Means[side], b.LogVariances[side], b.DLogVariances[side] = square(pairs, dimension), square(pairs, dimension), square(pairs, dimension)
	}
	return b
}

// NewGeneralizedBatch returns a batch of zeros for methods that learn generalized Gaussians.
func NewGeneralizedBatch(pairs, dimension, numbers int) *Batch {
	b := newNumbers(numbers)
	for side := range b.Means {
		b.Targets[side] = square(pairs, dimension)
		b.Means[side], b.DMeans[side] = square(pairs, dimension), square(pairs, dimension)
		b.LogScales[side], b.DLogScales[side] = square(pairs, dimension), square(pairs, dimension)
		b.LogShapes[side], b.DLogShapes[side] = square(pairs, dimension), square(pairs, dimension)
	}
	return b
}

// NewCosineBatch returns a batch of zeros for methods whose loss depends on cosines.
func NewCosineBatch(pairs, numbers int) *Batch {
	b := newNumbers(numbers)
	b.LogLikelihoods, b.DLogLikelihoods = square(pairs, pairs), square(pairs, pairs)
	return b
}

// newNumbers returns a batch without matrices.
func newNumbers(numbers int) *Batch {
	return &Batch{Numbers: make([]float64, numbers), DNumbers: make([]float64, numbers)}
}

// Pairs returns B.
func (b *Batch) Pairs() int {
	return max(len(b.LogLikelihoods), len(b.LogVariances[Texts]), len(b.LogScales[Texts]))
}

// ClearDerivatives sets all derivatives to 0.
func (b *Batch) ClearDerivatives() {
	for _, part := range b.Parts() {
		for _, row := range part.Derivatives {
			clear(row)
		}
	}
	clear(b.DNumbers)
}

// square returns rows that share one allocation.
func square(rows, columns int) [][]float64 {
	values, all := make([]float64, rows*columns), make([][]float64, rows)
	for i := range all {
		all[i] = values[i*columns : (i+1)*columns : (i+1)*columns]
	}
	return all
}
