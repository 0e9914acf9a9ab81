package world

import (
	"fmt"
	"math"
	"math/rand/v2"

	"gosphere/asymvlm/embedding"
	"gosphere/asymvlm/zeroshot"
)

// TaskOptions describe images to classify. A zero field takes its default, which is 0 for Shift.
type TaskOptions struct {
	Classes   int // number of classes C; default 10
	PerClass  int // images per class; default 100
	Templates int // T, prompts per class; default 4
	Dummies   int // K, texts without a particular meaning; default 3
	// Spread is the norm of the vector that is added to the direction of a class for each of its
	// images before normalization; default 1.25. The mean cosine of an image with its class is
	// 1/√(1 + Spread²), 0.62 by default.
	Spread float64
	// Shift, between 0 and 1, is the fraction of the squared norm of all directions that lies
	// outside the subspace of the training scenes: 0 for classes like those of training, 1 for
	// classes that have nothing in common with them.
	Shift float64
	Seed  uint64 // other seeds draw other classes of the same world
}

// withDefaults returns the options with zero fields set to their defaults.
func (o TaskOptions) withDefaults() TaskOptions {
	for field, value := range map[*int]int{&o.Classes: 10, &o.PerClass: 100, &o.Templates: 4, &o.Dummies: 3} {
		if *field == 0 {
			*field = value
		}
	}
	if o.Spread == 0 {
		o.Spread = 1.25
	}
	return o
}

// check returns an error for options outside their domain.
func (o TaskOptions) check() error {
	switch {
	case o.Classes < 2 || o.PerClass < 1 || o.Templates < 1 || o.Dummies < 1:
		return fmt.Errorf("world: %d classes with %d images and %d prompts each and %d dummies, want 2, 1, 1, 1 or more",
			o.Classes, o.PerClass, o.Templates, o.Dummies)
	case !(o.Spread > 0) || math.IsInf(o.Spread, 1):
		return fmt.Errorf("world: images of a class spread by %g, want more than 0", o.Spread)
	case !(o.Shift >= 0 && o.Shift <= 1):
		return fmt.Errorf("world: shift %g, want 0 to 1", o.Shift)
	}
	return nil
}

// NewTask draws a task in the world with the given options. Prompts are precise captions of the
// direction of their class: log κ is uniform in the upper half of the world's interval. Dummies are
// texts with uniform directions, that is captions with κ = 0, which fit all scenes equally little.
// Options outside their domain are errors.
func NewTask(options Options, of TaskOptions) (*zeroshot.Task, error) {
	options, of = options.withDefaults(), of.withDefaults()
	if err := options.check(); err != nil {
		return nil, err
	}
	if err := of.check(); err != nil {
		return nil, err
	}
	axes := subspace(options.Dimension, options.SceneDimension, rand.New(rand.NewPCG(options.Seed, 0)))
	src := rand.NewPCG(options.Seed, taskStream+of.Seed)
	around, drawn := options.captions(src), make([]float64, options.Dimension)
	d := drawing{axes: axes, dimension: options.Dimension, shift: of.Shift, random: rand.New(src)}
	task := &zeroshot.Task{
		Name:      fmt.Sprintf("%s, shift %g", options.name(), of.Shift),
		Images:    embedding.NewMatrix(of.Classes*of.PerClass, options.Dimension),
		Prompts:   embedding.NewMatrix(of.Classes*of.Templates, options.Dimension),
		Dummies:   embedding.NewMatrix(of.Dummies, options.Dimension),
		Labels:    make([]int, of.Classes*of.PerClass),
		Templates: of.Templates,
	}
	for class := range of.Classes {
		mu := d.direction()
		for i := range of.PerClass {
			row, image := class*of.PerClass+i, d.direction()
			for j := range image {
				image[j] = mu[j] + of.Spread*image[j]
			}
			store(task.Images.Row(row), normalize(image), drawLength(options.ImageLength, d.random))
			task.Labels[row] = class
		}
		for i := range of.Templates {
			row, logRange := class*of.Templates+i, math.Log(options.MaxKappa/options.MinKappa)
			kappa := options.MinKappa * math.Exp(logRange*(1+d.random.Float64())/2)
			if err := around(drawn, mu, kappa); err != nil {
				return nil, err
			}
			store(task.Prompts.Row(row), drawn, drawLength(options.TextLength, d.random))
		}
	}
	for dummy := range of.Dummies {
		store(task.Dummies.Row(dummy), d.anywhere(), drawLength(options.TextLength, d.random))
	}
	return task, nil
}

// A drawing draws directions, part of which lie outside the subspace of the scenes.
type drawing struct {
	axes      [][]float64
	dimension int
	shift     float64
	random    *rand.Rand
}

// anywhere returns a unit vector that is uniform on the whole sphere.
func (d drawing) anywhere() []float64 {
	x := make([]float64, d.dimension)
	for i := range x {
		x[i] = d.random.NormFloat64()
	}
	return normalize(x)
}

// direction returns √(1 − shift)·a + √shift·b with unit vectors a, uniform in the subspace, and b,
// uniform in its orthogonal complement. If the subspace is the whole space, it returns a.
func (d drawing) direction() []float64 {
	inside := make([]float64, d.dimension)
	uniformWithin(inside, d.axes, d.random)
	if d.shift == 0 || len(d.axes) == d.dimension {
		return inside
	}
	outside := d.anywhere()
	for range 2 { // the second pass removes the rounding errors of the first
		for _, axis := range d.axes {
			product := 0.0
			for i, value := range axis {
				product += value * outside[i]
			}
			for i, value := range axis {
				outside[i] -= product * value
			}
		}
	}
	normalize(outside)
	for i := range inside {
		inside[i] = math.Sqrt(1-d.shift)*inside[i] + math.Sqrt(d.shift)*outside[i]
	}
	return inside
}
