package nn

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"gorgonia.org/gorgonia"

	"gosphere/asymvlm/device"
	"gosphere/asymvlm/evidence"
	"gosphere/asymvlm/graph"
)

// graphPairs and graphWidth are the sizes of the batch in these tests.
const (
	graphPairs = 5
	graphWidth = 8
	graphEpoch = 9
)

// A derived builds the loss of an objective independently, with its networks, as a graph whose
// inputs have the names of the parameters. Gorgonia differentiates it.
type derived struct {
	*graph.Builder
	texts, images *gorgonia.Node
	a             Architecture
}

// unit returns the normalized rows of a constant.
func (d derived) unit(x *gorgonia.Node) *gorgonia.Node { return d.Directions(x) }

// network returns the outputs of one side's network.
func (d derived) network(x *gorgonia.Node, name string) *gorgonia.Node {
	return d.Network(x, name, d.a.Hidden, d.a.Hidden, d.a.Dimension)
}

func (d derived) likelihood(eta, others *gorgonia.Node) *gorgonia.Node {
	switch d.a.Likelihood {
	case VonMisesFisher:
		return d.VonMisesFisher(eta, others, false)
	case VonMisesFisherExact:
		return d.VonMisesFisher(eta, others, true)
	case PowerSpherical:
		return d.PowerSpherical(eta, others)
	case Gaussian:
		return d.Gaussian(eta, others)
	}
	return d.Cosine(eta, others)
}

func (d derived) loss() *gorgonia.Node {
	switch d.a.Objective {
	case Contrastive, nil:
		return d.Contrastive(d.likelihood(d.network(d.texts, "text"), d.unit(d.images)), d.Number("tau"))
	case ContrastiveImages:
		return d.Contrastive(d.likelihood(d.network(d.images, "image"), d.unit(d.texts)), d.Number("tau"))
	case Sigmoid:
		return d.PairSigmoid(d.likelihood(d.network(d.texts, "text"), d.unit(d.images)), d.Number("tau"), d.Number("bias"))
	case SigmoidLog:
		ell := d.likelihood(d.network(d.texts, "text"), d.unit(d.images))
		return d.PairSigmoid(ell, d.Exp(d.Number("log_tau")), d.Number("bias"))
	case Symmetrized:
		return d.Contrastive(d.Symmetrized(d.network(d.images, "image"), d.network(d.texts, "text")), d.Number("tau"))
	case Mutual:
		return d.Contrastive(d.Mutual(d.network(d.images, "image"), d.network(d.texts, "text")), d.Number("tau"))
	case PFE:
		return d.MutualLikelihood(d.images, d.texts, d.network(d.images, "image"), d.network(d.texts, "text"))
	case PCMEPP:
		images, texts := d.gaussians()
		return d.MatchingProbability(images, texts, d.Number("a"), d.Number("b"))
	case ProLIP, ProLIPExact, ProLIPFull, ProLIPFullOfficial:
		return d.prolip()
	case ProbVLM, ProbVLMExact:
		return d.probvlm()
	case Ensemble:
		total := d.elip("member.0.")
		for i := 1; i < ensembleSize; i++ {
			total = d.Sum(total, d.elip(fmt.Sprintf("member.%d.", i)))
		}
		return total
	}
	return d.elip("")
}

// gaussians returns Gaussians with the unit embeddings as means and the networks' outputs as log
// variances.
func (d derived) gaussians() (images, texts graph.Gaussians) {
	x, e := d.unit(d.images), d.unit(d.texts)
	return graph.Gaussians{Means: x, LogVariances: d.network(x, "image")},
		graph.Gaussians{Means: e, LogVariances: d.network(e, "text")}
}

func (d derived) prolip() *gorgonia.Node {
	images, texts := d.gaussians()
	weights, scale, bias := adapterWeights, d.Constant("a", 1, 1, []float64{1}), d.Constant("b", 1, 1, []float64{0})
	if isFull(d.a.Objective) {
		weights, scale, bias = fullWeights, d.Exp(d.Number("log_a")), d.Number("b")
	}
	halved := isOfficial(d.a.Objective)
	bottlenecks := d.Sum(d.Bottleneck(images, halved), d.Bottleneck(texts, halved))
	loss := d.Sum(d.PairLoss(images, texts, scale, bias), d.Scaled(bottlenecks, weights.Bottleneck))
	if weights.Inclusion > 0 {
		build := d.InclusionLoss
		if halved {
			build = d.OfficialInclusionLoss
		}
		inclusion := build(images, texts, weights.Eps, weights.Sharpness)
		loss = d.Sum(loss, d.Scaled(inclusion, weights.Inclusion))
	}
	return loss
}

func (d derived) probvlm() *gorgonia.Node {
	side := func(raw, other *gorgonia.Node, name string) *gorgonia.Node {
		sum := d.Sum(d.Network(raw, name+".trunk", d.a.Hidden, d.a.Hidden, d.a.Dimension), raw)
		head := func(of string) *gorgonia.Node { return d.Network(sum, name+".head_"+of, d.a.Dimension, d.a.Dimension) }
		mu, q, beta := head("mu"), head("q"), head("beta")
		official := d.a.Objective == ProbVLM
		own := d.Reconstruction(mu, q, beta, raw, official)
		return d.Sum(own, d.Scaled(d.Reconstruction(mu, q, beta, other, official), crossWeight))
	}
	return d.Sum(side(d.images, d.texts, "image"), side(d.texts, d.images, "text"))
}

func (d derived) elip(prefix string) *gorgonia.Node {
	side := func(raw *gorgonia.Node, name string) *gorgonia.Node {
		adapted := d.Linear(d.Rectified(d.Linear(raw, name+".down", d.a.Dimension/2)), name+".up", d.a.Dimension)
		return d.Directions(d.Sum(raw, adapted))
	}
	cosines, iota := d.Inner(side(d.images, prefix+"image"), side(d.texts, prefix+"text")), d.Number(prefix+"iota")
	if d.a.Objective != Evidential {
		return d.Contrastive(cosines, iota)
	}
	return d.Evidential(d.Product(d.RepeatedLike(iota, cosines), cosines), evidence.KLWeight(graphEpoch))
}

// TestHandWrittenGradientsAgreeWithGraphs compares the derivative of every parameter of every
// objective.
func TestHandWrittenGradientsAgreeWithGraphs(t *testing.T) {
	architectures := append([]Architecture{
		{Likelihood: VonMisesFisher}, {Likelihood: VonMisesFisherExact}, {Likelihood: PowerSpherical}, {Likelihood: Cosine},
		{Objective: Sigmoid, Likelihood: PowerSpherical}, {Objective: SigmoidLog, Likelihood: VonMisesFisherExact},
	}, objectives...)
	for _, architecture := range architectures {
		t.Run(architecture.String(), func(t *testing.T) {
			a := small(architecture)
			l := testLearner(t, device.Reference[float64]{}, a, graphPairs)
			l.SetEpoch(graphEpoch)
			texts, images := pairs[float64](graphPairs, graphWidth, rand.New(rand.NewPCG(3, 4)))
			result, err := l.differentiate(texts, images)
			if err != nil {
				t.Fatal(err)
			}
			b := graph.NewBuilder()
			d := derived{b, b.Constant("texts", graphPairs, graphWidth, texts.Values), b.Constant("images", graphPairs, graphWidth, images.Values), a}
			program, err := b.NewProgram(d.loss())
			if err != nil {
				t.Fatal(err)
			}
			values := map[string][]float64{}
			for _, p := range l.Parameters() {
				values[p.Name] = p.Values
			}
			loss, derivatives, err := program.Run(values)
			if err != nil {
				t.Fatal(err)
			}
			if err := b.Err(); err != nil {
				t.Fatal(err)
			}
			if math.Abs(loss-result.Loss) > 1e-11*math.Abs(loss) {
				t.Errorf("loss %.15g, by the graph %.15g", result.Loss, loss)
			}
			for _, p := range l.tensors.named("", l.gradient) {
				if derivatives[p.Name] == nil {
					t.Errorf("the graph has no %s", p.Name)
					continue
				}
				near(t, p.Name, p.Values, derivatives[p.Name], 1e-9)
			}
		})
	}
}
