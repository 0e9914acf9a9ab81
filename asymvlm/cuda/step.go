package cuda

import (
	"fmt"
	"math"

	"gosphere/asymvlm/device"
)

// A method is a training objective: its networks and scalars among the parameters, its buffers, and
// the work of a step up to the gradient of all parameters.
type method interface {
	// lay assigns positions to networks and scalars among a training's parameters, in the learner's
	// order.
	lay(t *training)
	// take allocates the buffers.
	take(take taker)
	// differentiate adds the work of a step to a script, from gathering a batch to the gradient of
	// all parameters.
	differentiate(s *script, rows int)
}

// A masker is a method with wrong pairs, which groups can mask.
type masker interface{ masks() }

// A taker allocates memory of the given number of words.
type taker func(into *Address, words int)

// all allocates several buffers of one size.
func (take taker) all(words int, into ...*Address) {
	for _, one := range into {
		take(one, words)
	}
}

// methodOf returns the method of a work, or nil if there is none. The names are those of package
// nn.
func methodOf(work device.TrainingPlan) method {
	switch work.Objective {
	case "contrastive":
		return contrastiveOf(work, contrastive{})
	case "sigmoid":
		return contrastiveOf(work, contrastive{sigmoid: true})
	case "sigmoid-log":
		return contrastiveOf(work, contrastive{sigmoid: true, logarithmic: true})
	case "symmetrized":
		return &symmetric{}
	case "mutual":
		return &symmetric{mutual: 1}
	case "matching-probability":
		return &pairwise{trained: true}
	case "probabilistic-pairs":
		return &pairwise{share: 0.5}
	case "probabilistic-pairs-exact":
		return &pairwise{share: 1}
	case "probabilistic-pairs-full":
		return &pairwise{share: 1, scaled: true}
	case "probabilistic-pairs-full-official":
		return &pairwise{share: 0.5, scaled: true, official: 1}
	case "mutual-likelihood":
		return &matched{}
	case "reconstruction":
		return &reconstruction{}
	case "reconstruction-exact":
		return &reconstruction{exact: 1}
	case "evidential-itc":
		return &elip{members: make([]adapters, 1)}
	case "evidential":
		return &evidential{elip: elip{members: make([]adapters, 1)}}
	case "ensemble":
		return &elip{members: make([]adapters, ensembleSize)}
	}
	return nil
}

// contrastiveOf returns a method if its likelihood is supported.
func contrastiveOf(work device.TrainingPlan, c contrastive) method {
	if _, known := likelihoods[work.Likelihood]; known || work.Likelihood == exactNormalizer {
		return &c
	}
	return nil
}

// step returns the parts of a step with the given number of pairs. It reads its plan at the index
// in the control words, so that replaying its recording performs successive steps.
func (t *training) step(rows int) []Part {
	s := &script{}
	t.method.differentiate(s, rows)
	t.update(s)
	return s.parts
}

// A script lists the work of a step.
type script struct{ parts []Part }

// run adds a kernel launch. Arguments are addresses, int and float32.
func (s *script) run(kernel string, grid, block Size, arguments ...any) {
	l := launch(kernel, grid, block, arguments)
	s.parts = append(s.parts, Part{Launch: &l})
}

func launch(kernel string, grid, block Size, arguments []any) Launch {
	l := Launch{Kernel: kernel, Grid: grid, Block: block, Arguments: make([]uint64, len(arguments))}
	for i, argument := range arguments {
		switch value := argument.(type) {
		case Address:
			l.Arguments[i] = uint64(value)
		case int:
			l.Arguments[i] = uint64(uint32(value))
		case float32:
			l.Arguments[i] = uint64(math.Float32bits(value))
		default:
			panic(fmt.Sprintf("cuda: argument %d of kernel %s is a %T, want an Address, an int or a float32", i, kernel, argument))
		}
	}
	return l
}

// pairs adds a launch of a kernel on pairs, or of its masked variant with the groups if pairs are
// masked.
func (s *script) pairs(t *training, kernel string, grid, block Size, arguments ...any) {
	if t.groups != 0 {
		kernel, arguments = kernel+"_masked", append(arguments, t.groups)
	}
	s.run(kernel, grid, block, arguments...)
}

// gatherGroups gathers the groups of a batch, if there are any.
func (t *training) gatherGroups(s *script, rows int) {
	if t.groups != 0 {
		s.run("gather_groups", Size{tiles(rows, rowThreads), 1}, Size{rowThreads, 1}, t.groups, t.groupOf, t.order, t.plans, t.control, rows)
	}
}

// rows adds a launch with a block for each row.
func (s *script) rows(kernel string, rows int, arguments ...any) {
	s.run(kernel, Size{rows, 1}, Size{rowThreads, 1}, arguments...)
}

// report adds a launch of one block that reports the results of a step.
func (s *script) report(kernel string, arguments ...any) {
	s.run(kernel, Size{1, 1}, Size{1024, 1}, arguments...)
}

func (s *script) multiply(p Product) { s.parts = append(s.parts, Part{Product: &p}) }

// update adds the optimizer's update and ends the step.
func (t *training) update(s *script) {
	grid, block := Size{min(tiles(t.count, updateThreads), updateBlocks), 1}, Size{updateThreads, 1}
	switch t.work.Optimizer {
	case "adamw":
		s.run("adam", grid, block, t.parameters, t.memory[0], t.memory[1], t.gradient, t.plans, t.control, t.count)
	case "adamp":
		t.updateAdamP(s, grid, block)
	default:
		s.run("descend", grid, block, t.parameters, t.memory[0], t.gradient, t.plans, t.control, t.count)
	}
	s.run("advance", Size{1, 1}, Size{1, 1}, t.control)
}
