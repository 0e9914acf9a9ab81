package nn

import (
	"fmt"

	"gosphere/asymvlm/device"
)

// A mask excludes wrong pairs of a batch that consist of an image and another of its captions. The
// reference implementations count them as wrong. The zero mask hides nothing.
type mask struct {
	images    []int      // the image of every pair of the batch, nil to hide nothing
	positives []positive // right pairs beside the diagonal; see SetPositives
}

// MaskSameImage sets the image of every pair of the next batch. A caption that belongs to the same
// image as another pair is then neither right nor wrong for it: InfoNCE omits it from the sums over
// candidates, and SigLIP's loss and those of PCME++ and ProLIP omit it from the sum over pairs. Nil
// disables masking. The reference implementations do not mask. Objectives without wrong pairs
// return an error.
func (l *learner[F]) MaskSameImage(images []int) error {
	if images != nil && !l.architecture.Maskable() {
		return fmt.Errorf("nn: objective %q has no wrong pairs that could be masked", l.architecture.objective())
	}
	l.mask.images = images
	return nil
}

// Maskable reports whether an objective has wrong pairs that MaskSameImage can exclude: those with
// InfoNCE, with SigLIP's loss and with the pairwise losses of PCME++ and ProLIP.
func (a Architecture) Maskable() bool { return !a.properties().unmaskable }

// NeedsWrongPairs reports whether the loss distinguishes right from wrong pairs, so that a batch of
// one pair has no useful gradient. It is true for all objectives except those of PFE and ProbVLM,
// which treat each pair separately, and for BayesVLM, whose curvature is 0 for a single pair. For a
// user-defined loss or model it is false, because its requirements are unknown.
func (a Architecture) NeedsWrongPairs() bool { return !a.properties().separate && a.Loss == nil }

// active reports whether pairs may be hidden. A nil mask hides none.
func (m *mask) active() bool { return m != nil && m.images != nil }

// several reports whether the batch has right pairs beside the diagonal.
func (m *mask) several() bool { return m != nil && len(m.positives) > 0 }

// check returns an error if the mask was set for another batch size.
func (m *mask) check(pairs int) error {
	if m.active() && len(m.images) != pairs {
		return fmt.Errorf("nn: the mask names the images of %d pairs, the batch has %d", len(m.images), pairs)
	}
	return nil
}

// groups returns the mask in the device's form.
func (m *mask) groups() device.Groups {
	if m == nil {
		return nil
	}
	return m.images
}
