package adapter

import (
	"errors"
	"fmt"

	"gosphere/asymvlm/device"
	"gosphere/asymvlm/embedding"
	"gosphere/asymvlm/nn"
)

// BayesVLM (Baumann and others 2025): a Laplace approximation of the encoders' last linear layers,
// e = Wφ + b (nn.bayes, with the mathematics in package laplace). Nothing is trained by descent.
// One pass over n pairs, in batches whose sides are each other's class sets, accumulates the
// Kronecker factors of the curvature of CLIP's loss with the scale t = 100,
//
//	A = Σ φφᵀ/√n (φ with a 1 at its end if there is a b),  B = Σ H/√n,  H = t² J (Σ p y yᵀ − (Σ p y)(Σ p y)ᵀ) J,  J = (I − f̂f̂ᵀ)/|f|
//
// for embeddings f and unit embeddings y of the other side. The covariance of W is the Kronecker
// product of (√ν A + √λ I)⁻¹ and (√ν B + √λ I)⁻¹ with the pseudo-count ν = 10. The precision λ of
// the prior starts at 300 and is optimized by 300 steps of Adam on the evidence −λ|W|²/2 + (PD/2)
// log λ − ½ log det. An embedding then has the mean m = e and the variances v_j = (φᵀ A′⁻¹
// φ)(B′⁻¹)_jj.
//
// If a data set contains φ and W (embedding.Layer) they are used; otherwise the layer is taken to
// be the identity on the embeddings, φ = e and W = I. Posterior selects this, and how the
// moments of a cosine are used, with N = Σ(m²+v), u = m/|m|, c = u₁·u₂:
//
//	E[cos] = m₁·m₂/√(N₁N₂)
//	Var[cos] official  Σ[(m₁²+v₁)v₂ + v₁m₂²]/(N₁N₂)
//	         delta     Σ[(u₂−cu₁)²v₁/|m₁|² + (u₁−cu₂)²v₂/|m₂|²], without the noise that normalization removes
//	prediction mean        E[cos]
//	           probit      t E[cos]/√(1 + π/8 t² Var[cos])
//	           montecarlo  the mean of softmax(t c) over samples c ~ N(E[cos], Var[cos]), over the candidates of a query
//
// Ranking: by the prediction, E[cos] by default. Uncertainty: Var[cos] of a query with the item it
// retrieves; the paper has no rule (its B.3 says that BayesVLM is not compared). Single texts have
// Σv/|m|².
//
//	bayesvlm        official: log det of the Kronecker product with the sizes exchanged and without ½, as in the authors' implementation
//	bayesvlm-exact  the evidence as defined
//
// Tables: 1, A.2 and A.3 of the AsymVLM paper contain the official form. The authors use 10 groups
// of 32,768 pairs of LAION; here the groups are the batches.
//
// Defaults: one pass in batches of 2048 pairs.
const (
	BayesVLM      = "bayesvlm"
	BayesVLMExact = "bayesvlm-exact"
)

// A Posterior determines how bayesvlm and bayesvlm-exact use their posterior. The zero value is the
// published form. All fields except Layers may be changed after training; see
// Adapter.SetPrediction.
type Posterior struct {
	Layers     string // LayersAuto, LayersFeatures or LayersIdentity
	Variance   string // VarianceOfficial (default if empty) or VarianceDelta
	Prediction string // PredictMean (default if empty), PredictProbit or PredictMonteCarlo
	Draws      int    // number of samples of PredictMonteCarlo; 0 means 100
}

// Values of Posterior.Layers.
const (
	LayersAuto     = ""         // the set's last layers if it has them, otherwise the identity
	LayersFeatures = "features" // the set's last layers; a set without them is an error
	LayersIdentity = "identity" // the identity on the embeddings, whatever the set has
)

// Forms of the variance of a cosine, and predictions.
const (
	VarianceOfficial = Official
	VarianceDelta    = "delta"

	PredictMean       = "mean"
	PredictProbit     = "probit"
	PredictMonteCarlo = "montecarlo"
)

// defaultDraws is the number of Monte Carlo samples if Posterior.Draws is 0.
const defaultDraws = 100

// ErrNoPosterior is returned if the moments of cosines are requested for a method other than
// bayesvlm.
var ErrNoPosterior = errors.New("adapter: only bayesvlm and bayesvlm-exact have a posterior")

// Check returns an error for the first option with an unknown value.
func (b Posterior) Check() error {
	for _, choice := range []struct {
		name, value string
		known       []string
	}{
		{"layers", b.Layers, []string{LayersAuto, LayersFeatures, LayersIdentity}},
		{"variance", b.Variance, []string{"", VarianceOfficial, VarianceDelta}},
		{"prediction", b.Prediction, []string{"", PredictMean, PredictProbit, PredictMonteCarlo}},
	} {
		known := false
		for _, value := range choice.known {
			known = known || value == choice.value
		}
		if !known {
			return fmt.Errorf("adapter: %s %q, want one of %q", choice.name, choice.value, choice.known)
		}
	}
	if b.Draws < 0 || b.Draws > 0 && b.Prediction != PredictMonteCarlo {
		return fmt.Errorf("adapter: %d draws with the prediction %q, want a number from 1 with %s, or 0", b.Draws, b.Prediction, PredictMonteCarlo)
	}
	return nil
}

// draws returns the number of Monte Carlo samples.
func (b Posterior) draws() int {
	if b.Draws == 0 {
		return defaultDraws
	}
	return b.Draws
}

// prediction returns the options that the learner uses.
func (b Posterior) prediction() nn.Prediction {
	return nn.Prediction{Delta: b.Variance == VarianceDelta, Probit: b.Prediction == PredictProbit}
}

// A bayes is a method that accumulates sums in one pass.
type bayes struct{ learned }

var _ = builtIn(100, bayes{learned{
	about:        About{ID: BayesVLM, Title: "BayesVLM", Paper: AsymVLMPaper, Tables: "1, A.2, A.3", Form: Official, First: "text.inputs", OnePass: true},
	architecture: nn.Architecture{Objective: nn.Laplace, Optimizer: nn.Accumulate},
}})

var _ = builtIn(110, bayes{learned{
	about:        About{ID: BayesVLMExact, Title: "BayesVLM, exact evidence", Form: Exact, First: "text.inputs", OnePass: true},
	architecture: nn.Architecture{Objective: nn.LaplaceExact, Optimizer: nn.Accumulate},
}})

// Published returns one pass. Learning rates are not used.
func (m bayes) Published() Options {
	o := m.learned.Published()
	o.Label, o.Epochs, o.Batch = "one pass in groups of 2048", 1, 2048
	return o
}

// Reduced returns Published, which cannot be shortened.
func (m bayes) Reduced() Options { return m.Published() }

// Check returns an error for the first option that the method does not support.
func (m bayes) Check(o Options) error {
	switch {
	case o.Optimizer != "" && o.Optimizer != nn.Accumulate:
		return fmt.Errorf("adapter: optimizer %q does not fit method %s (accumulate is for one-pass methods, and only for them)", o.Optimizer, o.Method)
	case o.Loss != nil:
		return fmt.Errorf("adapter: %s takes no loss, %q: it accumulates the curvature of the contrastive loss in one pass, "+
			"and a user-defined loss has no second derivatives; train asymvlm-vmf or determ-ft with it", o.Method, o.Loss.Name())
	}
	own := o
	own.Optimizer, own.Posterior = "", Posterior{}
	return errors.Join(m.learned.Check(own), o.Posterior.Check())
}

// Learner returns a learner whose sums are all 0.
func (m bayes) Learner(ops device.Device, o Options, shape Shape) (*nn.Learner, error) {
	a := m.architecture
	a.Dimension, a.Layers = shape.Dimension, shape.Layers
	l, err := nn.NewLearner(ops, a, shape.Batch)
	if err != nil {
		return nil, err
	}
	return l, l.Predict(o.Posterior.prediction())
}

// layersOf reports whether training on a set uses its last layers.
func (m bayes) layersOf(o Options, set *embedding.Set) (bool, error) {
	there := set.TextLayer != nil && set.ImageLayer != nil
	switch {
	case o.Posterior.Layers == LayersIdentity || o.Posterior.Layers == LayersAuto && !there:
		return false, nil
	case !there:
		return false, fmt.Errorf("adapter: %s on last layers needs their inputs and weights, which the set %q has not; see embedding.ReadSet for the files, "+
			"or take the layers %q", o.Method, set.Name, LayersIdentity)
	case o.TextLength != 0 || o.MatchLengths:
		return false, fmt.Errorf("adapter: %s on last layers takes their outputs as they are; texts and images are not made longer, so leave text length and match lengths, "+
			"or take the layers %q", o.Method, LayersIdentity)
	}
	return true, nil
}
