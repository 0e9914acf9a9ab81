package world

import (
	"fmt"
	"math"
	"math/rand/v2"

	"gosphere/asymvlm/embedding"
)

// Options describe a world. A zero field takes its default.
type Options struct {
	Scenes           int // training scenes; default 2000
	TestScenes       int // scenes of the test set, none of which are training scenes; default 500
	CaptionsPerScene int // captions per scene; default 4
	Dimension        int // D, width of the embeddings; default 64
	SceneDimension   int // dimension of the subspace of all scenes; default Dimension/4
	// The concentrations of captions are log-uniform between MinKappa and MaxKappa. The defaults
	// D/8 and 2D correspond to mean cosines between caption and scene from 0.12 to 0.78.
	MinKappa, MaxKappa float64
	// The norms of texts and images are normal with these means and a standard deviation of 0.5,
	// clamped below at half the mean. The defaults, 9 and 10, are those of CLIP ViT-B/32.
	TextLength, ImageLength float64
	// Noise is the distribution of captions around their scene; "" means VonMisesFisher.
	Noise Noise
	Seed  uint64 // any number; equal options produce equal worlds
}

// lengthSD is the standard deviation of the vectors' norms; for encoders it was measured between
// 0.4 and 0.6.
const lengthSD = 0.5

// A Set is a set of embeddings with the concentration of each text. The embedded Set holds
// everything else; adapters train on &set.Set.
type Set struct {
	embedding.Set
	Kappas []float64 // one per text
}

// TrueUncertainty returns 1/κ of each text, the best possible uncertainty.
func (s *Set) TrueUncertainty() []float64 {
	values := make([]float64, len(s.Kappas))
	for text, kappa := range s.Kappas {
		values[text] = 1 / kappa
	}
	return values
}

// New generates a world: scenes that are uniform on the unit sphere of a random subspace, and
// captions drawn around them. Training and test scenes come from separate random number streams, so
// that the test set does not depend on the size of the training set. Options outside their domain
// are errors.
func New(options Options) (train, test *Set, err error) {
	options = options.withDefaults()
	if err := options.check(); err != nil {
		return nil, nil, err
	}
	axes := subspace(options.Dimension, options.SceneDimension, rand.New(rand.NewPCG(options.Seed, 0)))
	if train, err = options.draw("train", options.Scenes, axes, rand.NewPCG(options.Seed, 1)); err != nil {
		return nil, nil, err
	}
	if test, err = options.draw("test", options.TestScenes, axes, rand.NewPCG(options.Seed, 2)); err != nil {
		return nil, nil, err
	}
	return train, test, nil
}

// withDefaults returns the options with zero fields set to their defaults.
func (o Options) withDefaults() Options {
	defaultInt := func(field *int, value int) {
		if *field == 0 {
			*field = value
		}
	}
	defaultFloat := func(field *float64, value float64) {
		if *field == 0 {
			*field = value
		}
	}
	defaultInt(&o.Scenes, 2000)
	defaultInt(&o.TestScenes, 500)
	defaultInt(&o.CaptionsPerScene, 4)
	defaultInt(&o.Dimension, 64)
	defaultInt(&o.SceneDimension, max(o.Dimension/4, 2))
	defaultFloat(&o.MinKappa, float64(o.Dimension)/8)
	defaultFloat(&o.MaxKappa, 2*float64(o.Dimension))
	if o.Noise == "" {
		o.Noise = VonMisesFisher
	}
	defaultFloat(&o.TextLength, 9)
	defaultFloat(&o.ImageLength, 10)
	return o
}

// check returns an error for options outside their domain.
func (o Options) check() error {
	switch {
	case o.Scenes < 2 || o.TestScenes < 2:
		return fmt.Errorf("world: %d training and %d test scenes, want at least 2 of each", o.Scenes, o.TestScenes)
	case o.CaptionsPerScene < 1:
		return fmt.Errorf("world: %d captions per scene, want at least 1", o.CaptionsPerScene)
	case o.SceneDimension < 2 || o.SceneDimension > o.Dimension:
		return fmt.Errorf("world: scenes in %d of %d dimensions, want 2 to %[2]d", o.SceneDimension, o.Dimension)
	case !(o.MinKappa > 0 && o.MinKappa <= o.MaxKappa) || math.IsInf(o.MaxKappa, 1):
		return fmt.Errorf("world: concentrations from %g to %g, want 0 < MinKappa ≤ MaxKappa < ∞", o.MinKappa, o.MaxKappa)
	case o.Noise != VonMisesFisher && o.Noise != Elliptical:
		return fmt.Errorf("world: noise %q, want %q or %q", o.Noise, VonMisesFisher, Elliptical)
	case !(o.TextLength > 0 && o.ImageLength > 0):
		return fmt.Errorf("world: texts of length %g and images of length %g, want more than 0", o.TextLength, o.ImageLength)
	}
	return nil
}

// draw returns one set.
func (o Options) draw(split string, scenes int, axes [][]float64, src rand.Source) (*Set, error) {
	return o.drawWith(axes, src, scenesWanted{name: o.name() + "/" + split, scenes: scenes,
		part: func(_ int, share float64) float64 { return share }})
}

// scenesWanted describes the scenes that drawWith draws. Part returns the position of a caption's
// log κ in the interval, from 0 to 1, given the caption's index in its scene and a uniform random
// number.
type scenesWanted struct {
	name   string
	scenes int
	part   func(caption int, share float64) float64
}

// drawWith returns a set of the wanted scenes.
func (o Options) drawWith(axes [][]float64, src rand.Source, wanted scenesWanted) (*Set, error) {
	random, scenes := rand.New(src), wanted.scenes
	texts := scenes * o.CaptionsPerScene
	set := &Set{
		Set: embedding.Set{
			Name:          wanted.name,
			Images:        embedding.NewMatrix(scenes, o.Dimension),
			Texts:         embedding.NewMatrix(texts, o.Dimension),
			CaptionImages: make([]int, texts),
		},
		Kappas: make([]float64, texts),
	}
	logMin, logRange := math.Log(o.MinKappa), math.Log(o.MaxKappa/o.MinKappa)
	mu, drawn, around := make([]float64, o.Dimension), make([]float64, o.Dimension), o.captions(src)
	for scene := range scenes {
		uniformWithin(mu, axes, random)
		store(set.Images.Row(scene), mu, drawLength(o.ImageLength, random))
		for caption := range o.CaptionsPerScene {
			text := scene*o.CaptionsPerScene + caption
			kappa := math.Exp(logMin + logRange*wanted.part(caption, random.Float64()))
			if err := around(drawn, mu, kappa); err != nil {
				return nil, err
			}
			store(set.Texts.Row(text), drawn, drawLength(o.TextLength, random))
			set.Kappas[text], set.CaptionImages[text] = kappa, scene
		}
	}
	return set, nil
}

// drawLength draws the norm of a vector.
func drawLength(mean float64, random *rand.Rand) float64 {
	return max(mean+lengthSD*random.NormFloat64(), mean/2)
}

// store writes a unit vector, multiplied by length, to a row.
func store(row []float32, unit []float64, length float64) {
	for i, value := range unit {
		row[i] = float32(length * value)
	}
}

// subspace returns k orthonormal vectors in d dimensions that span a uniformly random subspace, by
// the Gram–Schmidt method. Each vector is orthogonalized twice, which keeps the vectors orthogonal
// to rounding.
func subspace(d, k int, random *rand.Rand) [][]float64 {
	axes := make([][]float64, 0, k)
	for len(axes) < k {
		axis := make([]float64, d)
		for i := range axis {
			axis[i] = random.NormFloat64()
		}
		for range 2 {
			for _, earlier := range axes {
				product := 0.0
				for i, value := range earlier {
					product += value * axis[i]
				}
				for i, value := range earlier {
					axis[i] -= product * value
				}
			}
		}
		axes = append(axes, normalize(axis))
	}
	return axes
}

// uniformWithin sets dst to a unit vector that is uniform on the sphere in the span of the axes.
func uniformWithin(dst []float64, axes [][]float64, random *rand.Rand) {
	clear(dst)
	for _, axis := range axes {
		weight := random.NormFloat64()
		for i, value := range axis {
			dst[i] += weight * value
		}
	}
	normalize(dst)
}

// normalize divides x by its norm, in place.
func normalize(x []float64) []float64 {
	sum := 0.0
	for _, value := range x {
		sum += value * value
	}
	for i := range x {
		x[i] /= math.Sqrt(sum)
	}
	return x
}
