package world

import (
	"fmt"
	"math/rand/v2"
)

// Random number streams of a world, in addition to those of New.
const (
	chainStream = 3
	taskStream  = 4
)

// NewChains draws scenes of the same world with one chain of captions each, from the most general
// to the most specific one, as in HierarCaps. The interval of log κ is divided into as many equal
// parts as there are levels, and the caption of level l, row scene·levels + l of the texts, has its
// log κ in part l. There are TestScenes scenes, none of which New draws. Options outside their
// domain and fewer than two levels are errors.
func NewChains(options Options, levels int) (*Set, error) {
	options = options.withDefaults()
	if err := options.check(); err != nil {
		return nil, err
	}
	if levels < 2 {
		return nil, fmt.Errorf("world: chains of %d levels, want at least 2", levels)
	}
	options.CaptionsPerScene = levels
	axes := subspace(options.Dimension, options.SceneDimension, rand.New(rand.NewPCG(options.Seed, 0)))
	return options.drawWith(axes, rand.NewPCG(options.Seed, chainStream), scenesWanted{
		name: options.name() + "/chains", scenes: options.TestScenes,
		part: func(caption int, share float64) float64 { return (float64(caption) + share) / float64(levels) },
	})
}
