package custom

// A Batch is what a loss sees: B pairs of an image and its own text, and the trained numbers. Each value that is trained has
// the place for its derivative beside it. What is there depends on the method; the other matrices have no rows.
//
//	asymvlm-*, siglip-*, determ-ft   LogLikelihoods, Natural, Images
//	symvlm, symvlm-mutual            LogLikelihoods, Natural, NaturalImages
//	pfe, pcmepp, prolip              Means, LogVariances
//	probvlm                          Targets, Means, LogScales, LogShapes
//	elip, elip-itc, clip-ensemble    LogLikelihoods, which are the cosines of the adapted embeddings
//
// A loss may use any of them, LogLikelihoods being a function of the next two: the training adds up what comes through each
// of them, so a loss sets the partial derivatives of its own formula only. Each member of clip-ensemble is trained with the
// loss by itself and has numbers of its own. clip is not trained, and bayesvlm, which sums up the curvature of the
// contrastive loss in one pass, would need second derivatives.
type Batch struct {
	// LogLikelihoods are ℓ, B×B, of image s under text r at [s][r]: with the zero-based normalizer and without a
	// temperature; of symvlm, the symmetrised or the mutual ones. The true pairs are on the diagonal.
	LogLikelihoods [][]float64
	// Natural are the outputs of the network, B×D, the natural parameters η = κμ of the texts.
	Natural [][]float64
	// NaturalImages are those of the images, B×D, where both sides have a network.
	NaturalImages [][]float64
	// Images are the images' embeddings, B×D, of length 1. They are not trained. (For asymvlm-image, whose network is on
	// the images, Natural belongs to the images, Images are the texts, and LogLikelihoods has the texts as rows.)
	Images [][]float64
	// Means and LogVariances, each by Side and B×D, are the normal densities of the texts and of the images, log σ² for every
	// coordinate. The means of pfe, pcmepp and prolip are the given embeddings, of length 1 but for pfe, and are not trained.
	// Those of probvlm are the outputs of a network and have derivatives.
	Means        [2][][]float64
	LogVariances [2][][]float64
	// Targets, LogScales and LogShapes, each by Side and B×D, belong to probvlm: the embeddings of the side, as they were given,
	// and log α and log β of the generalized Gaussians β/(2αΓ(1/β)) exp(−(|y−μ|/α)^β) for every coordinate.
	Targets   [2][][]float64
	LogScales [2][][]float64
	LogShapes [2][][]float64
	// Numbers are the values of the trained numbers, in their order.
	Numbers []float64

	DLogLikelihoods [][]float64    // B×B
	DNatural        [][]float64    // B×D
	DNaturalImages  [][]float64    // B×D
	DLogVariances   [2][][]float64 // by Side, B×D
	DMeans          [2][][]float64 // by Side, B×D; of probvlm only
	DLogScales      [2][][]float64 // by Side, B×D
	DLogShapes      [2][][]float64 // by Side, B×D
	DNumbers        []float64
}

// The two sides of a batch's matrices that are there for both.
const (
	Texts  = 0
	Images = 1
)

// A Part is one matrix of a batch.
type Part struct {
	Name        string      // such as LogLikelihoods or Means[Texts]
	Values      [][]float64 // no rows where the method does not give it
	Derivatives [][]float64 // no rows where it is not trained
}

// Parts returns all matrices, also those without rows, always in the same order.
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

// NewSymmetricBatch returns a batch of zeros for methods with a likelihood and networks on both sides.
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

// NewCosineBatch returns a batch of zeros for methods whose loss is one of cosines.
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

// square returns rows of one piece of memory.
func square(rows, columns int) [][]float64 {
	values, all := make([]float64, rows*columns), make([][]float64, rows)
	for i := range all {
		all[i] = values[i*columns : (i+1)*columns : (i+1)*columns]
	}
	return all
}
