package adapter

import (
	"errors"
	"fmt"

	"gosphere/asymvlm/device"
	"gosphere/asymvlm/embedding"
	"gosphere/asymvlm/nn"
)

// BayesVLM (Baumann and others 2025): a Laplace approximation of the encoders' last linear layers, e = Wφ + b (nn.bayes, with the
// mathematics in package laplace). Nothing is trained: one pass over n pairs, in batches of which each side is the class set of
// the other, gathers the Kronecker factors of the curvature of CLIP's loss with the scale t = 100,
//
//	A = Σ φφᵀ/√n (φ with a 1 at its end where there is a b),  B = Σ H/√n,  H = t² J (Σ p y yᵀ − (Σ p y)(Σ p y)ᵀ) J,  J = (I − f̂f̂ᵀ)/|f|
//
// for embeddings f and unit embeddings y of the other side. The covariance of W is the Kronecker product of (√ν A + √λ I)⁻¹ and
// (√ν B + √λ I)⁻¹ with the pseudo-count ν = 10; the precision λ of the prior is raised from 300 by 300 steps of Adam on the
// evidence −λ|W|²/2 + (PD/2) log λ − ½ log det. An embedding then has the mean m = e and the variances
// v_j = (φᵀ A′⁻¹ φ)(B′⁻¹)_jj.
//
// Where a data set keeps φ and W (embedding.Layer) they are used; otherwise the layer is taken for the identity on the embeddings,
// φ = e and W = I. BayesOptions chooses, and how the moments of a cosine are used, with N = Σ(m²+v), u = m/|m|, c = u₁·u₂:
//
//	E[cos] = m₁·m₂/√(N₁N₂)
//	Var[cos] official  Σ[(m₁²+v₁)v₂ + v₁m₂²]/(N₁N₂)
//	         delta     Σ[(u₂−cu₁)²v₁/|m₁|² + (u₁−cu₂)²v₂/|m₂|²], without the noise that normalizing takes away
//	prediction mean        E[cos]
//	           probit      t E[cos]/√(1 + π/8 t² Var[cos])
//	           montecarlo  the mean of softmax(t c) over draws c ~ N(E[cos], Var[cos]), over the candidates of a query
//
// Ranking: by the prediction, E[cos] unless chosen otherwise. Uncertainty: Var[cos] of a query with what it retrieves; the paper
// has no rule (its B.3 says that BayesVLM is not compared). Texts by themselves have Σv/|m|².
//
//	bayesvlm        official: log det of the Kronecker product with the sizes exchanged and without ½, as in the authors' program
//	bayesvlm-exact  the evidence as it is
//
// Tables: 1, A.2 and A.3 of AsymVLM's paper have the official form. The authors take 10 groups of 32,768 pairs of LAION; here
// groups are the batches, 2048 pairs unless chosen otherwise.
const (
	BayesVLM      = "bayesvlm"
	BayesVLMExact = "bayesvlm-exact"
)

// BayesOptions are what bayesvlm and bayesvlm-exact take besides the other options; the zero value is the published form. All but
// Layers may be changed after the training, see Adapter.SetPrediction.
type BayesOptions struct {
	Layers     string // LayersAuto, LayersFeatures or LayersIdentity
	Variance   string // VarianceOfficial, also where empty, or VarianceDelta
	Prediction string // PredictMean, also where empty, PredictProbit or PredictMonteCarlo
	Draws      int    // of PredictMonteCarlo; 0 for 100
}

// What the layers of BayesVLM are.
const (
	LayersAuto     = ""         // the set's last layers where it has them, otherwise the identity
	LayersFeatures = "features" // the set's last layers; a set without them is an error
	LayersIdentity = "identity" // the identity on the embeddings, whatever the set has
)

// The forms of the variance of a cosine, and the predictions.
const (
	VarianceOfficial = Official
	VarianceDelta    = "delta"

	PredictMean       = "mean"
	PredictProbit     = "probit"
	PredictMonteCarlo = "montecarlo"
)

// defaultDraws is the number of draws where none is given.
const defaultDraws = 100

// ErrNoPosterior is returned where a method other than bayesvlm is asked for the moments of cosines.
var ErrNoPosterior = errors.New("adapter: only bayesvlm and bayesvlm-exact have a posterior")

// Check reports the first option that does not exist.
func (b BayesOptions) Check() error {
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

// draws returns the number of draws.
func (b BayesOptions) draws() int {
	if b.Draws == 0 {
		return defaultDraws
	}
	return b.Draws
}

// prediction is the part that the learner knows.
func (b BayesOptions) prediction() nn.Prediction {
	return nn.Prediction{Delta: b.Variance == VarianceDelta, Probit: b.Prediction == PredictProbit}
}

// A bayes is a method that gathers sums in one pass.
type bayes struct{ learned }

var bayesVLM = bayes{learned{
	about:        About{ID: BayesVLM, Title: "BayesVLM", Paper: AsymVLMPaper, Tables: "1, A.2, A.3", Form: Official, First: "text.inputs", OnePass: true},
	architecture: nn.Architecture{Objective: nn.Laplace, Optimizer: nn.Accumulate},
}}

var bayesVLMExact = bayes{learned{
	about:        About{ID: BayesVLMExact, Title: "BayesVLM, exact evidence", Form: Exact, First: "text.inputs", OnePass: true},
	architecture: nn.Architecture{Objective: nn.LaplaceExact, Optimizer: nn.Accumulate},
}}

// Published returns one pass. Rates have no part in it.
func (m bayes) Published() Options {
	o := m.learned.Published()
	o.Schedule, o.Epochs, o.Batch = "one pass in groups of 2048", 1, 2048
	return o
}

// Reduced is Published: it is as short as it can be.
func (m bayes) Reduced() Options { return m.Published() }

// Check reports the first option that the method cannot take.
func (m bayes) Check(o Options) error {
	switch {
	case o.Optimizer != "" && o.Optimizer != nn.Accumulate:
		return fmt.Errorf("adapter: optimizer %q for %s, which sums up and does not descend, or the other way round", o.Optimizer, o.Method)
	case o.Loss != nil:
		return fmt.Errorf("adapter: %s takes no loss, %q: it descends none, but sums up the curvature of the contrastive loss in one pass, "+
			"and a loss of one's own gives no second derivatives; train asymvlm-vmf or determ-ft with it", o.Method, o.Loss.Name())
	}
	own := o
	own.Optimizer, own.Bayes = "", BayesOptions{}
	return errors.Join(m.learned.Check(own), o.Bayes.Check())
}

// Learner makes the sums, all 0.
func (m bayes) Learner(ops device.Device, o Options, shape Shape) (*nn.Learner, error) {
	a := m.architecture
	a.Dimension, a.Layers = shape.Dimension, shape.Layers
	l, err := nn.NewLearner(ops, a, shape.Batch)
	if err != nil {
		return nil, err
	}
	return l, l.Predict(o.Bayes.prediction())
}

// layersOf returns whether a training on a set is one of its last layers.
func (m bayes) layersOf(o Options, set *embedding.Set) (bool, error) {
	there := set.TextLayer != nil && set.ImageLayer != nil
	switch {
	case o.Bayes.Layers == LayersIdentity || o.Bayes.Layers == LayersAuto && !there:
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
