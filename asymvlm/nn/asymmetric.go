package nn

//lint:file-ignore U1000 staticcheck does not see that these methods satisfy an interface with a type parameter

import (
	"math"
	"math/rand/v2"

	"gosphere/asymvlm/device"
)

// Objectives with a Likelihood and a network on one side.
var (
	// Contrastive is the symmetric InfoNCE loss with a network on the texts.
	Contrastive Objective = onOneSide{name: "contrastive"}
	// ContrastiveImages is the same with a network on the images.
	ContrastiveImages Objective = onOneSide{name: "contrastive-images", side: Images}
	// Sigmoid is SigLIP's loss, which treats each pair separately.
	Sigmoid Objective = onOneSide{name: "sigmoid", sigmoid: true}
	// SigmoidLog is the same with the logarithm of the temperature as parameter, as in SigLIP's
	// implementation.
	SigmoidLog Objective = onOneSide{name: "sigmoid-log", sigmoid: true, logarithmic: true}
)

type onOneSide struct {
	name                 string
	side                 Side // with the network
	sigmoid, logarithmic bool
}

func (o onOneSide) String() string { return o.name }

func (o onOneSide) properties() properties {
	p := properties{density: true, temperature: true, logTau: o.logarithmic}
	p.unit[1-o.side] = true
	if o.logarithmic {
		p.firstTau = firstTemperature
	}
	return p
}

func (o onOneSide) single(b *builder[float32]) (objective[float32], error) { return newOnOneSide(b, o) }
func (o onOneSide) double(b *builder[float64]) (objective[float64], error) { return newOnOneSide(b, o) }

func newOnOneSide[F device.Float](b *builder[F], o onOneSide) (objective[F], error) {
	if b.Residual {
		return newResidual(b, o)
	}
	return newAsymmetric(b, o, "")
}

// asymmetric has a network on one side, whose outputs are distributions on the sphere, and unit
// embeddings on the other. It is AsymVLM with the network on the texts, and its mirror image with
// the network on the images.
type asymmetric[F device.Float] struct {
	ops          device.Operations[F]
	of           onOneSide
	network      *network[F]
	likelihood   likelihood[F]
	concentrated bool
	side         Side // the side with the network
	contrastive  contrastive[F]
	sigmoid      sigmoid[F]
	tau, bias    *tensor[F] // bias is nil for the contrastive loss
	logarithmic  bool       // tau is the logarithm of the temperature
	residual     bool       // the raw embeddings are added to the network's outputs
	ridge        F          // factor on half the squared weights of the network, which is added to the loss
	firstTau     float64
	firstKappa   float64               // of head
	factor       F                     // on the network's outputs
	head         *concentrationHead[F] // of residual adapters that learn κ apart; nil if κ is the length of the outputs
	custom       *customLoss[F]        // replaces tau, bias and the losses above, or nil
	anchors      directions[F]
	ell, dEta    device.Matrix[F] // ell is other side × side with the network
}

// Initial values for the sigmoid loss: SigLIP's bias, and the temperature of its implementation,
// which trains the logarithm.
const (
	firstBias        = -10
	firstTemperature = 10
)

// newAsymmetric returns an adapter whose tensors have names with a prefix.
func newAsymmetric[F device.Float](b *builder[F], o onOneSide, prefix string) (*asymmetric[F], error) {
	a := &asymmetric[F]{
		ops: b.ops, of: o, side: o.side, contrastive: contrastive[F]{ops: b.ops, mask: b.mask}, sigmoid: sigmoid[F]{ops: b.ops, mask: b.mask},
		logarithmic: b.logTau(), firstTau: b.firstTau(), factor: 1, residual: b.Residual,
		ell: device.NewMatrix[F](b.batch, b.batch), dEta: device.NewMatrix[F](b.batch, b.Dimension),
	}
	if b.OutputFactor != 0 {
		a.factor = F(b.OutputFactor)
	}
	a.network = newNetwork(b, prefix+a.side.name(), b.sizes())
	if b.Loss != nil {
		a.custom = newCustomLoss(b, prefix)
	} else {
		a.takeNumbers(b, prefix)
	}
	var err error
	a.likelihood, err = newLikelihood(b)
	a.concentrated = err == nil && b.Likelihood.concentrated()
	if a.concentrated && b.FirstConcentration > 0 {
		a.head, a.firstKappa, a.ridge = newConcentrationHead(b, prefix), b.FirstConcentration, F(b.ConcentrationDecay)
	}
	return a, err
}

// takeNumbers allocates the scalars that are trained with the network.
func (a *asymmetric[F]) takeNumbers(b *builder[F], prefix string) {
	a.tau = takeTau(b, prefix)
	if a.of.sigmoid {
		a.bias = b.tensors.take(prefix + "bias")
	}
}

// takeTau allocates the temperature, or its logarithm.
func takeTau[F device.Float](b *builder[F], prefix string) *tensor[F] {
	if b.logTau() {
		return b.tensors.take(prefix + "log_tau")
	}
	return b.tensors.take(prefix + "tau")
}

func (a *asymmetric[F]) initialize(source *rand.Rand) {
	if a.residual {
		a.network.clear()
	} else {
		a.network.initialize(source)
	}
	if a.head != nil {
		a.head.initialize(a.firstKappa)
	}
	if a.custom != nil {
		a.custom.initialize()
		return
	}
	a.tau.values[0] = F(a.firstTau)
	if a.logarithmic {
		a.tau.values[0] = F(math.Log(a.firstTau))
	}
	if a.bias != nil {
		a.bias.values[0] = firstBias
	}
}

func (a *asymmetric[F]) temperatureTensors() []*tensor[F] { return []*tensor[F]{a.tau} }

func (a *asymmetric[F]) temperature() float64 {
	if a.custom != nil {
		return a.custom.temperature()
	}
	if a.logarithmic {
		return math.Exp(a.tau.number())
	}
	return a.tau.number()
}

func (a *asymmetric[F]) differentiate(texts, images device.Matrix[F]) (StepResult, error) {
	adapted, others := texts, images
	if a.side == Images {
		adapted, others = images, texts
	}
	a.anchors.set(a.ops, others)
	eta := a.outputs(adapted)
	a.likelihood.prepare(eta)
	result := StepResult{Temperature: a.temperature(), MeanConcentration: mean(a.likelihood.concentrations())}
	ell := device.Matrix[F]{Rows: eta.Rows, Columns: eta.Rows, Values: a.ell.Values[:eta.Rows*eta.Rows]}
	a.likelihood.fill(ell, a.anchors.mu)
	if a.custom != nil {
		return a.differentiateCustom(adapted, eta, ell, result)
	}
	tau := F(result.Temperature)
	slopes := a.pairs(ell, tau, &result)
	dEta := a.dEta.Top(eta.Rows)
	a.likelihood.gradient(dEta, slopes, a.anchors.mu, tau)
	if err := firstNotFinite(
		NotFiniteError{"the temperature", result.Temperature},
		NotFiniteError{"the mean concentration", result.MeanConcentration}, NotFiniteError{"the loss", result.Loss},
		NotFiniteError{"the gradient of the temperature", slopes.dScale},
		NotFiniteError{"the gradient of the outputs", a.ops.Dot(dEta, dEta)},
	); err != nil {
		return result, err
	}
	a.backward(adapted, dEta)
	return result, nil
}

// backward sets the gradients of the network from those of its outputs.
func (a *asymmetric[F]) backward(adapted, dEta device.Matrix[F]) {
	scale(dEta, a.factor)
	if a.head != nil {
		adapted, dEta = a.head.inputs.mu, a.head.backward(dEta)
	}
	a.network.backward(adapted, dEta)
	if a.ridge == 0 {
		return
	}
	for _, l := range a.network.layers {
		for _, t := range []*tensor[F]{l.weight, l.bias} {
			for i, w := range t.values {
				t.gradient[i] += a.ridge * w
			}
		}
	}
}

// outputs returns η for a batch. The matrix belongs to the network and is valid until its next
// call.
func (a *asymmetric[F]) outputs(raw device.Matrix[F]) device.Matrix[F] {
	if a.head != nil {
		return a.head.apply(raw, a.network.forward(a.head.directions(raw)))
	}
	eta := a.network.forward(raw)
	scale(eta, a.factor)
	if a.residual {
		for i, x := range raw.Values[:len(eta.Values)] {
			eta.Values[i] += x
		}
	}
	return eta
}

// scale multiplies all values by a factor.
func scale[F device.Float](m device.Matrix[F], factor F) {
	if factor == 1 {
		return
	}
	for i := range m.Values {
		m.Values[i] *= factor
	}
}

// pairs computes the loss and its gradient, and sets the gradients of the scalars.
func (a *asymmetric[F]) pairs(ell device.Matrix[F], tau F, result *StepResult) (s slopes[F]) {
	if a.bias == nil {
		result.Loss, s = a.contrastive.loss(ell, tau)
	} else {
		result.Loss, s = a.sigmoid.loss(ell, float64(tau), a.bias.number())
		a.bias.gradient[0] = F(s.dBias)
	}
	if a.logarithmic {
		s.dScale *= float64(tau)
	}
	a.tau.gradient[0] = F(s.dScale)
	return s
}

func (a *asymmetric[F]) width() int { return a.dEta.Columns }

// represent returns the natural parameters η with 1/κ on the side of the network, and unit
// embeddings on the other.
func (a *asymmetric[F]) represent(dst device.Matrix[F], u []float64, side Side, raw device.Matrix[F]) bool {
	if side != a.side {
		a.anchors.set(a.ops, raw)
		copy(dst.Values, a.anchors.mu.Values)
		return false
	}
	copy(dst.Values, a.outputs(raw).Values)
	for r := range u {
		u[r] = 1 / norm(dst.Row(r))
	}
	return a.concentrated
}

// score sets dst to the log-likelihoods with the normalizer and without the temperature.
func (a *asymmetric[F]) score(dst, images, texts device.Matrix[F]) {
	if a.side == Texts {
		a.likelihood.prepare(texts)
		a.likelihood.fill(dst, images)
		return
	}
	a.likelihood.prepare(images)
	turned := device.NewMatrix[F](dst.Columns, dst.Rows)
	a.likelihood.fill(turned, texts)
	for t := range turned.Rows {
		for i, value := range turned.Row(t) {
			dst.Values[i*dst.Columns+t] = value
		}
	}
}

// work describes the training to a device.
func (a *asymmetric[F]) work(plan *device.TrainingPlan, of Architecture) (side Side, ok bool) {
	plan.Loss = device.ContrastiveLoss{Density: of.Likelihood.density(), Sigmoid: a.of.sigmoid, LogTemperature: a.of.logarithmic}
	plan.Factor = float32(a.factor)
	return a.side, a.custom == nil
}

func (a *asymmetric[F]) seen(s device.SeenStep) (StepResult, error) { return seenContrastive(s) }

// seenContrastive converts the values of a step with a temperature and concentrations.
func seenContrastive(s device.SeenStep) (StepResult, error) {
	return StepResult{Loss: s.Loss, Temperature: s.Temperature, MeanConcentration: s.Concentration}, firstNotFinite(
		NotFiniteError{"the temperature", s.Temperature}, NotFiniteError{"the mean concentration", s.Concentration}, NotFiniteError{"the loss", s.Loss},
		NotFiniteError{"the gradient of the temperature", s.Slope}, NotFiniteError{"the gradient of the outputs", s.Gradient})
}
