package nn

import (
	"fmt"

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

// Maskable reports whether an objective has wrong pairs that MaskSameImage can take out: those with InfoNCE, with
// SigLIP's loss and with the pairwise losses of PCME++ and ProLIP.
func (a Architecture) Maskable() bool {
	if a.Own != nil {
		return false
	}
	switch a.Objective {
	case MutualLikelihood, Reconstruction, ReconstructionExact, Evidential, Laplace, LaplaceExact:
		return false
	}
	return true
}

// NeedsWrongPairs reports whether the loss tells the right pairs of a batch from its wrong ones, so that a batch of one pair teaches
// nothing, or only to call every pair right: all but those of PFE and ProbVLM, which see each pair by itself. Of a loss of one's
// own nothing is known, and none is asked for; nor of a model of one's own. The curvature that BayesVLM sums up is that of such a loss: 0 for a single pair.
func (a Architecture) NeedsWrongPairs() bool {
	switch a.Objective {
	case MutualLikelihood, Reconstruction, ReconstructionExact:
		return false
	}
	return a.Loss == nil && a.Own == nil
}

// active reports whether pairs may be hidden. A nil mask hides none.
func (m *mask) active() bool { return m != nil && m.images != nil }

// check reports a mask of another batch.
func (m *mask) check(pairs int) error {
	if m.active() && len(m.images) != pairs {
		return fmt.Errorf("nn: the mask names the images of %d pairs, the batch has %d", len(m.images), pairs)
	}
	return nil
}

// groups returns the mask as the device takes it.
func (m *mask) groups() device.Groups {
	if m == nil {
		return nil
	}
	return m.images
}
