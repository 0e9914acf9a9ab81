package nn

import (
	"math"

	"gosphere/asymvlm/device"
)

// A concentrationHead computes η of a residual adapter whose κ is learned apart from its direction,
// as a function of the direction u = x/‖x‖ and the norm of the raw rows x:
//
//	η = κ·μ,  log κ = log κ₀ + a + v·r + w·u + u·A·u,  r = (log ‖x‖ − m)/s
//
// where μ is the direction of the ranker, and m and s are mean and deviation of log ‖x‖ over the
// training rows. A and w, those of the network, and a and v begin at 0, so that κ is κ₀ for all
// rows. The penalty ½·λ·(‖A‖² + ‖w‖² + v²) keeps few pairs from fitting an uncertainty to noise.
type concentrationHead[F device.Float] struct {
	ops           device.Operations[F]
	decay         float64    // λ
	norm, bias    *tensor[F] // v and a
	scale         *tensor[F] // log κ₀, m and s, which steps do not change
	ranker        func(raw device.Matrix[F]) device.Matrix[F]
	inputs, means directions[F]
	kappa         []float64
	eta, dOutput  device.Matrix[F]
}

// HeadPrefix begins the names of the tensors of the concentrations of a residual adapter.
const HeadPrefix = "kappa."

// logKappaLimit bounds log κ, so that a row far from all of the training has a finite κ.
const logKappaLimit = 14

// newConcentrationHead returns a head for batches of rows with the given dimension.
func newConcentrationHead[F device.Float](b *builder[F], prefix string) *concentrationHead[F] {
	return &concentrationHead[F]{ops: b.ops, decay: b.ConcentrationDecay,
		norm: b.tensors.take(prefix + HeadPrefix + "norm"), bias: b.tensors.take(prefix + HeadPrefix + "bias"), scale: b.tensors.take(prefix+HeadPrefix+"scale", 3)}
}

// initialize sets κ to κ₀, and the scale of norms to none.
func (h *concentrationHead[F]) initialize(first float64) {
	h.norm.values[0], h.bias.values[0] = 0, 0
	h.scale.values[0], h.scale.values[1], h.scale.values[2] = F(math.Log(first)), 0, 1
}

// center sets m and s to those of the norms of the training rows. If all norms are the same, r is
// about 0.
func (h *concentrationHead[F]) center(norms []float64) {
	m, squares := 0.0, 0.0
	for _, n := range norms {
		m += math.Log(n) / float64(len(norms))
	}
	for _, n := range norms {
		squares += (math.Log(n) - m) * (math.Log(n) - m) / float64(len(norms))
	}
	s := math.Sqrt(squares)
	if s < 1e-3 { // the rows have been normalized, and their norms differ by rounding
		s = 1
	}
	h.scale.values[1], h.scale.values[2] = F(m), F(s)
}

// standing returns r of a row.
func (h *concentrationHead[F]) standing(row int) float64 {
	return (math.Log(math.Max(h.inputs.kappa[row], least)) - float64(h.scale.values[1])) / float64(h.scale.values[2])
}

// directions returns u of raw rows, the inputs of the network. The matrix is valid until the next
// call.
func (h *concentrationHead[F]) directions(raw device.Matrix[F]) device.Matrix[F] {
	h.inputs.set(h.ops, raw)
	return h.inputs.mu
}

// apply returns η for the outputs A·u + w of the network and the raw rows. The matrix belongs to
// the head and is valid until its next call.
func (h *concentrationHead[F]) apply(raw, outputs device.Matrix[F]) device.Matrix[F] {
	h.means.set(h.ops, h.ranker(raw))
	h.kappa = grow(h.kappa, raw.Rows)
	h.eta = device.Matrix[F]{Rows: raw.Rows, Columns: raw.Columns, Values: grow(h.eta.Values, raw.Rows*raw.Columns)}
	for i := range raw.Rows {
		logKappa := h.scale.number() + h.bias.number() + h.norm.number()*h.standing(i) + inner(outputs.Row(i), h.inputs.mu.Row(i))
		h.kappa[i] = math.Exp(min(max(logKappa, -logKappaLimit), logKappaLimit))
		row := h.eta.Row(i)
		for j, x := range h.means.mu.Row(i) {
			row[j] = F(h.kappa[i] * float64(x))
		}
	}
	return h.eta
}

// backward sets the gradients of a and v from those of η, and returns those of the network's
// outputs.
func (h *concentrationHead[F]) backward(dEta device.Matrix[F]) device.Matrix[F] {
	h.dOutput = device.Matrix[F]{Rows: dEta.Rows, Columns: dEta.Columns, Values: grow(h.dOutput.Values, dEta.Rows*dEta.Columns)}
	norm, bias := h.decay*h.norm.number(), 0.0
	for i := range dEta.Rows {
		slope := inner(dEta.Row(i), h.means.mu.Row(i)) * h.kappa[i] // with respect to log κ
		bias += slope
		norm += slope * h.standing(i)
		row := h.dOutput.Row(i)
		for j, u := range h.inputs.mu.Row(i) {
			row[j] = F(slope * float64(u))
		}
	}
	h.norm.gradient[0], h.bias.gradient[0] = F(norm), F(bias)
	clear(h.scale.gradient)
	return h.dOutput
}
