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

// makers make methods from losses. Each file of a method adds its own with supports.
var makers []func(loss device.TrainingLoss) method

// supports adds a method for one type of loss. The method is nil for values that it does not
// support.
func supports[L device.TrainingLoss](newMethod func(loss L) method) bool {
	makers = append(makers, func(loss device.TrainingLoss) method {
		if loss, ok := loss.(L); ok {
			return newMethod(loss)
		}
		return nil
	})
	return true
}

// methodOf returns the method for a loss, or nil if there is none.
func methodOf(loss device.TrainingLoss) method {
	for _, newMethod := range makers {
		if m := newMethod(loss); m != nil {
			return m
		}
	}
	return nil
}

// number returns 1 for true, as kernels take flags.
func number(flag bool) int {
	if flag {
		return 1
	}
	return 0
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
