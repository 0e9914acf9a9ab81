package nn

import (
	"fmt"

	"gosphere/asymvlm/device"
)

// A positive is a right pair of a batch beside the diagonal: text r describes the image of pair s.
type positive struct{ image, text int }

// SetPositives sets the right pairs of the next batch beside the diagonal, each as the rows of its
// image and of its text. InfoNCE then compares the softmax of a text with the uniform distribution
// over its right images, and that of an image with its right texts, each weighted by one over its
// number of right images: a text that describes everything says little about one image. The losses
// of separate pairs (SigLIP, PCME++, ProLIP) count the pair as right. Nil restores the diagonal.
// Objectives that treat each pair separately have no wrong pairs, and BayesVLM's curvature does not
// depend on which candidates are right, so these ignore it. The evidential loss of ELIP has one
// right candidate for each query and returns an error for others, as do user-defined losses.
func (l *learner[F]) SetPositives(pairs [][2]int) error {
	l.mask.positives = l.mask.positives[:0]
	if p := l.architecture.properties(); len(pairs) == 0 || p.separate || p.sums {
		return nil
	}
	if !l.architecture.ManyPositives() {
		return fmt.Errorf("nn: objective %q knows one right candidate for each query", l.architecture.objective())
	}
	for _, p := range pairs {
		l.mask.positives = append(l.mask.positives, positive{p[0], p[1]})
	}
	return nil
}

// ManyPositives reports whether the objective can be trained on texts that describe several images
// of a batch: it treats each pair separately, sums a curvature that does not depend on which
// candidates are right, or counts all right pairs of a batch as right.
func (a Architecture) ManyPositives() bool {
	p := a.properties()
	return a.Loss == nil && (p.separate || p.sums || !p.unmaskable)
}

// targets returns the shares of InfoNCE's targets. Each text is one draw: its image is any of its n
// right images of the batch, so its share of a column is 1/n for each of them, and in the row of an
// image the texts that describe it have shares proportional to 1/n. OfText holds 1/n, ofImage the
// sum of 1/n over the texts of each image.
func (m *mask) targets(pairs int) (ofImage, ofText []float64) {
	ofImage, ofText = make([]float64, pairs), make([]float64, pairs)
	for i := range pairs {
		ofText[i] = 1
	}
	for _, p := range m.positives {
		ofText[p.text]++
	}
	for i := range pairs {
		ofText[i] = 1 / ofText[i]
		ofImage[i] += ofText[i]
	}
	for _, p := range m.positives {
		ofImage[p.image] += ofText[p.text]
	}
	return ofImage, ofText
}

// spread changes the target of InfoNCE from the diagonal to the shares of all right candidates of
// each row and column. Ell holds the log-likelihoods before the loss replaced them by its gradient
// g, for the diagonal and then for the positives.
func (m *mask) spread(g device64, ell []float64, tau float64, columns []float64) (loss, dTau float64) {
	pairs := len(columns)
	ofImage, ofText := m.targets(pairs)
	move := func(image, text int, share, value float64) {
		g.add(image, text, -share)
		columns[text] -= share
		loss -= share * tau * value
		dTau -= share * value
	}
	for i := range pairs {
		move(i, i, (ofText[i]/ofImage[i]+ofText[i]-2)/float64(2*pairs), ell[i])
	}
	for i, p := range m.positives {
		move(p.image, p.text, (ofText[p.text]/ofImage[p.image]+ofText[p.text])/float64(2*pairs), ell[pairs+i])
	}
	return loss, dTau
}

// A device64 is a matrix whose entries can be changed in double precision.
type device64 interface {
	add(row, column int, value float64)
}

// A matrixOf is a device64 of a matrix.
type matrixOf[F device.Float] struct{ device.Matrix[F] }

func (m matrixOf[F]) add(row, column int, value float64) {
	at := &m.Row(row)[column]
	*at = F(float64(*at) + value)
}

// kept returns the entries of the diagonal and of the positives.
func kept[F device.Float](m *mask, ell device.Matrix[F]) []float64 {
	values := make([]float64, 0, ell.Rows+len(m.positives))
	for i := range ell.Rows {
		values = append(values, float64(ell.Row(i)[i]))
	}
	for _, p := range m.positives {
		values = append(values, float64(ell.Row(p.image)[p.text]))
	}
	return values
}

// right turns the positives of a loss of separate pairs from wrong to right: with the logit h, the
// loss −log sigmoid(−h) becomes −log sigmoid(h), which is smaller by h, and its derivative is
// smaller by 1. Cosines are those before the loss replaced them by its gradient g.
func right[F device.Float](m *mask, g device.Matrix[F], kept []float64, logits device.Logits[F], margins device.Margins) (loss, dScale float64) {
	weight := float64(logits.Weight)
	for i, p := range m.positives {
		cosine := kept[g.Rows+i]
		loss -= weight * (float64(logits.Scale)*cosine + float64(logits.Rows[p.image]) + float64(logits.Columns[p.text]))
		dScale -= weight * cosine
		margins.Rows[p.image] -= weight
		margins.Columns[p.text] -= weight
		matrixOf[F]{g}.add(p.image, p.text, -weight)
	}
	return loss, dScale
}
