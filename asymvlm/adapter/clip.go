package adapter

import (
	"fmt"

	"gosphere/asymvlm/device"
	"gosphere/asymvlm/embedding"
	"gosphere/asymvlm/nn"
)

// CLIP is the zero-shot model without an adapter, whose embeddings need not be those of CLIP.
// Nothing is learned. Ranking: the cosine of the given embeddings.
//
// Uncertainty: none in the papers. Texts are binned by minus the norm of their raw embedding,
// images by that of the text they retrieve.
//
// Tables: 2, 3, A.4 and A.5 of the AsymVLM paper; 1 to 7 of the ELIP paper. In tables 1 and A.2 the
// row of PFE* has the same recall, because its means are frozen.
const CLIP = "clip"

// clip is the method without parameters; its learner is nil.
type clip struct{}

var _ = builtIn(40, clip{})

// About describes the method.
func (clip) About() About {
	return About{ID: CLIP, Title: "no adapter (CLIP in the papers)", Paper: AsymVLMPaper, Tables: "2, 3, A.4, A.5"}
}

// Published returns options of which only the method's name is used.
func (clip) Published() Options {
	o := paperSchedule(CLIP)
	o.Label, o.LearningRate, o.WeightDecay = "nothing is trained", asymVLMVonMisesFisher.rate, asymVLMVonMisesFisher.decay
	return o
}

// Reduced returns Published.
func (m clip) Reduced() Options { return m.Published() }

// SmallRate returns 0.
func (clip) SmallRate() float64 { return 0 }

// Check returns an error for a loss, options of bayesvlm or invalid file options. Idle lists the
// unused training options.
func (clip) Check(o Options) error {
	if o.Posterior != (Posterior{}) {
		return fmt.Errorf("%w, and clip has none", ErrNoPosterior)
	}
	if o.Loss != nil {
		return fmt.Errorf("adapter: clip is not trained and takes no loss, %q; determ-ft trains the same cosines with it", o.Loss.Name())
	}
	return o.checkFiles()
}

// untrained returns the adapter of a method without parameters, and writes it if a checkpoint is
// named.
func untrained(ops device.Device, train *embedding.Set, options Options) (*Adapter, error) {
	a, err := newAdapter(ops, options, Shape{Dimension: train.Images.Columns, Batch: 1, Revision: aboutOf(options.Method).Revision})
	if err != nil || options.Checkpoint == "" {
		return a, err
	}
	there, err := checkCheckpoint(options.Checkpoint)
	if err == nil && there && !options.Overwrite {
		_, err = a.spare(options.Checkpoint, 0)
	}
	if err == nil {
		err = a.write(options.Checkpoint, true)
	}
	if err != nil {
		return nil, err
	}
	return a, nil
}

// Learner returns nil.
func (clip) Learner(device.Device, Options, Shape) (*nn.Learner, error) { return nil, nil }

// Represent normalizes the rows.
func (clip) Represent(_ *nn.Learner, _ nn.Side, raw nn.Matrix) nn.Representation {
	unit, err := embedding.Matrix(raw).Normalized()
	if err != nil {
		panic(err) // cannot happen: represent rejects zero rows
	}
	return nn.Representation{Rows: nn.Matrix(unit)}
}

// Score sets dst to the cosines.
func (clip) Score(dst nn.Matrix, _ *nn.Learner, images, texts nn.Representation) {
	device.Shared().ProductRightTransposed(dst, images.Rows, texts.Rows)
}

// Queries returns nil, nil.
func (clip) Queries(*nn.Learner, nn.Retrieved, nn.Representation, nn.Representation) (ofTexts, ofImages []float64) {
	return nil, nil
}

// Uncertainty returns minus the norms of the raw embeddings.
func (clip) Uncertainty(raw embedding.Matrix, _ nn.Representation) ([]float64, error) {
	return shortness(raw), nil
}
