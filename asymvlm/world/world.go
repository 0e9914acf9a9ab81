package world

import (
	"fmt"
	"math"
	"math/rand/v2"

	"gosphere/asymvlm/embedding"
)

// Options describe a world. A field that is 0 takes its default.
type Options struct {
	Scenes           int // training scenes, 2000
	TestScenes       int // scenes of the test set, other ones than for training, 500
	CaptionsPerScene int // captions of every scene, 4
	Dimension        int // D, width of the embeddings, 64
	SceneDimension   int // dimension of the subspace that holds all scenes, Dimension/4
	// The concentrations of captions are log-uniform between MinKappa and MaxKappa: log κ is uniform between their
	// logarithms. The defaults D/8 and 2D reach from captions at a mean cosine of 0.12 with their scene to 0.78.
	MinKappa, MaxKappa float64
	// Lengths of texts and images are normal with these means and a standard deviation of 0.5, cut off at half the
	// mean. The defaults, 9 and 10, are those of CLIP ViT-B/32.
	TextLength, ImageLength float64
	// Noise is how captions are drawn around their scene; VonMisesFisher where empty.
	Noise Noise
	Seed  uint64 // any number; equal options give equal worlds
}

// lengthSD is the standard deviation of vectors' lengths; encoders were measured between 0.4 and 0.6.
const lengthSD = 0.5

// A Set is a set of embeddings with the concentration that each text was drawn with. The embedded Set has everything
// else: &set.Set is what adapters train on.
type Set struct {
	embedding.Set
	Kappas []float64 // one per text
}

// TrueUncertainty returns 1/κ of every text, the best that an uncertainty can be here.
func (s *Set) TrueUncertainty() []float64 {
	values := make([]float64, len(s.Kappas))
	for text, kappa := range s.Kappas {
		values[text] = 1 / kappa
	}
	return values
}

// New makes a world: scenes uniform on the unit sphere of a random subspace, captions drawn around them. Training and
// test scenes come from separate streams of random numbers, so that a larger training set leaves the test set as it
// is.
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

// withDefaults fills in the fields that are 0.
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

// check reports options outside their domain.
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

// draw makes one set.
func (o Options) draw(split string, scenes int, axes [][]float64, src rand.Source) (*Set, error) {
	return o.drawWith(axes, src, scenesWanted{name: o.name() + "/" + split, scenes: scenes,
		part: func(_ int, share float64) float64 { return share }})
}

// scenesWanted says what drawWith is to draw: part gives the place of a caption's log κ in the interval, from 0 to 1, given
// the caption's number in its scene and a number that is uniform from 0 to 1.
type scenesWanted struct {
	name   string
	scenes int
	part   func(caption int, share float64) float64
}

// drawWith makes a set of the wanted scenes.
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

// drawLength draws the length of a vector.
func drawLength(mean float64, random *rand.Rand) float64 {
	return max(mean+lengthSD*random.NormFloat64(), mean/2)
}

// store writes a unit vector, made longer, to a row.
func store(row []float32, unit []float64, length float64) {
	for i, value := range unit {
		row[i] = float32(length * value)
	}
}

// subspace returns k orthonormal vectors in d dimensions that span a uniformly random subspace, by the method of Gram
// and Schmidt. Each vector is cleared of the earlier ones twice, which keeps them orthogonal to rounding.
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

// uniformWithin fills dst with a unit vector, uniform on the sphere of the subspace of the given axes.
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

// normalize divides x by its length, in place.
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
