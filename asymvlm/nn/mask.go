package nn

import (
	"fmt"
	"math"

	"gosphere/asymvlm/device"
)

// A mask tells which wrong pairs of a batch are none: an image with another caption of its own. The papers' programs
// count them as wrong. The zero mask hides nothing.
type mask struct{ images []int } // the image of every pair of the batch, nil to hide nothing

// MaskSameImage names the image of every pair of the next batch. A caption that goes with the same image as another
// pair is then neither right nor wrong for it: InfoNCE leaves it out of the sums over candidates, SigLIP's loss and
// those of PCME++ and ProLIP out of the sum over pairs. Nil ends it. The papers' programs do not mask; objectives
// without wrong pairs return an error.
func (l *learner[F]) MaskSameImage(images []int) error {
	if images != nil && !l.architecture.Maskable() {
		return fmt.Errorf("nn: objective %q has no wrong pairs that could be masked", l.architecture.Objective)
	}
	l.mask.images = images
	return nil
}

// Maskable tells whether an objective has wrong pairs that MaskSameImage can take out: those with InfoNCE, with
// SigLIP's loss and with the pairwise losses of PCME++ and ProLIP.
func (a Architecture) Maskable() bool {
	switch a.Objective {
	case MutualLikelihood, Reconstruction, ReconstructionExact, Evidential, Laplace, LaplaceExact:
		return false
	}
	return true
}

// active tells whether pairs may be hidden. A nil mask hides none.
func (m *mask) active() bool { return m != nil && m.images != nil }

// check reports a mask of another batch.
func (m *mask) check(pairs int) error {
	if m.active() && len(m.images) != pairs {
		return fmt.Errorf("nn: the mask names the images of %d pairs, the batch has %d", len(m.images), pairs)
	}
	return nil
}

// hides tells whether the pair of image s and text r is neither right nor wrong.
func (m *mask) hides(s, r int) bool { return m.active() && s != r && m.images[s] == m.images[r] }

// maskedLoss is loss with the hidden pairs left out: the sums of exponentials run over the others, and hidden entries
// of g are 0. It is a plain loop, some times slower than loss.
func (c *contrastive[F]) maskedLoss(ell device.Matrix[F], tau float64) (loss float64, g device.Matrix[F], dTau float64) {
	batch := ell.Rows
	g = c.square(batch)
	rows, columns := make([]logSum, batch), make([]logSum, batch)
	for s := range batch {
		for r, value := range ell.Row(s) {
			if !c.mask.hides(s, r) {
				rows[s].add(tau * float64(value))
				columns[r].add(tau * float64(value))
			}
		}
	}
	share := 1 / float64(2*batch)
	for s := range batch {
		row := g.Row(s)
		for r, value := range ell.Row(s) {
			if c.mask.hides(s, r) {
				row[r] = 0
				continue
			}
			lambda := tau * float64(value)
			slope := share * (math.Exp(lambda-rows[s].value()) + math.Exp(lambda-columns[r].value()))
			if s == r {
				loss += share * ((rows[s].value() - lambda) + (columns[r].value() - lambda))
				slope -= 2 * share
			}
			row[r] = F(slope)
			dTau += slope * float64(value)
		}
	}
	return loss, g, dTau
}

// A logSum is the logarithm of a sum of exponentials, term by term. The zero value is the empty sum.
type logSum struct {
	largest, sum float64
	filled       bool
}

func (l *logSum) add(x float64) {
	if !l.filled || x > l.largest {
		if l.filled {
			l.sum *= math.Exp(l.largest - x)
		}
		l.largest, l.filled = x, true
		l.sum++
		return
	}
	l.sum += math.Exp(x - l.largest)
}

func (l *logSum) value() float64 { return l.largest + math.Log(l.sum) }
