package adapter

import (
	"errors"

	"gosphere/asymvlm/device"
	"gosphere/asymvlm/embedding"
	"gosphere/asymvlm/gaussian"
	"gosphere/asymvlm/nn"
)

// ErrNoGaussian is returned for methods that do not model the variance of every coordinate.
var ErrNoGaussian = errors.New("adapter: only pfe, pcmepp and prolip with its variants make an embedding a Gaussian")

// TextGaussians returns the diagonal Gaussian of every raw text, for inclusion, traversal, prompts
// and filters. The methods pfe, pcmepp and prolip with its variants keep the given embedding as the
// mean (normalized, except for pfe) and learn the variances, whose mean is Uncertainty. Other
// methods return ErrNoGaussian.
func (a *Adapter) TextGaussians(texts embedding.Matrix) ([]gaussian.Diagonal, error) {
	return a.gaussians(nn.Texts, texts)
}

// ImageGaussians is like TextGaussians for raw images.
func (a *Adapter) ImageGaussians(images embedding.Matrix) ([]gaussian.Diagonal, error) {
	return a.gaussians(nn.Images, images)
}

// gaussians returns the Gaussians of one side.
func (a *Adapter) gaussians(side nn.Side, m embedding.Matrix) (list []gaussian.Diagonal, err error) {
	defer device.CatchDeviceError(&err)
	if !a.method.About().Gaussian {
		return nil, ErrNoGaussian
	}
	if _, err := a.represent(side, m); err != nil { // checks the rows
		return nil, err
	}
	means, logVariances, ok := a.learner.Gaussians(side, nn.Matrix(stretched(m, a.stretch[side])))
	if !ok {
		return nil, ErrNoGaussian
	}
	list = make([]gaussian.Diagonal, m.Rows)
	for i := range list {
		list[i] = gaussian.Diagonal{Mean: embedding.Matrix(means).Row64(i), LogVariance: embedding.Matrix(logVariances).Row64(i)}
	}
	return list, nil
}
