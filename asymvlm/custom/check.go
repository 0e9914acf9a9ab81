package custom

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
)

// A GradientError reports a derivative that does not agree with differences of the loss.
type GradientError struct {
	Loss       string
	Entry      string  // the variable of the derivative
	Derivative float64 // as set by the loss
	Difference float64 // difference of the loss, divided by the change
}

// Error names the entry and both values.
func (e *GradientError) Error() string {
	return fmt.Sprintf("custom: loss %q: its derivative with respect to %s is %.6g, but differences of the loss give %.6g",
		e.Loss, e.Entry, e.Derivative, e.Difference)
}

// The size of differences, relative to values of 1, and the tolerance. The error of a central
// difference is the rounding error of the loss, 1e-16/step, and a third derivative times the square
// of the step.
const (
	step      = 1e-5
	agreement = 1e-5
	// directions is the number of times that each kind of entry is changed together, with different
	// signs. A single wrong entry is found the first time; two wrong entries that cancel are found
	// with probability 1−2⁻³.
	directions = 3
)

// Check compares the derivatives of a loss for a batch with its central differences. All entries of
// one kind are changed together, with random signs. If the loss does not change as the derivatives
// predict, the entries are halved until one is left, which the *GradientError names. A batch of any
// size therefore requires only some dozens of evaluations. Entries at a kink, where the one-sided
// differences disagree and the derivative lies between them, pass.
//
// Afterward the derivatives of the batch are those at its values. Check also returns the errors of
// the loss itself, and an error if the loss or a derivative is not finite, if the loss returns
// different values for the same batch, if it changes the values of the batch, or if the batch has
// another number of numbers.
func Check(loss Loss, batch *Batch) error {
	if declared := len(loss.Numbers()); declared != len(batch.Numbers) || declared != len(batch.DNumbers) {
		return fmt.Errorf("custom: loss %q has %d numbers, the batch places for %d and for %d derivatives",
			loss.Name(), declared, len(batch.Numbers), len(batch.DNumbers))
	}
	c := &checking{loss: loss, batch: batch, random: rand.New(rand.NewPCG(1, 1))}
	before := batch.values()
	value, err := c.evaluate()
	if err != nil {
		return err
	}
	if place := slices.IndexFunc(before, func(v batchValue) bool { return math.Float64bits(*v.at) != math.Float64bits(v.was) }); place >= 0 {
		changed := before[place]
		return fmt.Errorf("custom: loss %q changes %s from %g to %g; a loss may only add to derivatives", loss.Name(), changed.name(), changed.was, *changed.at)
	}
	if again, err := c.evaluate(); err != nil || again != value {
		if err == nil {
			err = fmt.Errorf("custom: loss %q is %.17g and then %.17g for the same batch; a loss must not draw or keep anything",
				loss.Name(), value, again)
		}
		return err
	}
	groups := c.groups()
	for _, g := range groups {
		for _, e := range g {
			// NaN would hide every other disagreement, because comparisons with it are false.
			if math.IsNaN(e.derivative) || math.IsInf(e.derivative, 0) {
				return fmt.Errorf("custom: loss %q: its derivative with respect to %s is %g", loss.Name(), e.name(), e.derivative)
			}
		}
		for range directions {
			if err := c.compare(g); err != nil {
				return err
			}
		}
	}
	_, err = c.evaluate()
	return err
}

// A checking is the evaluation of a loss at a batch.
type checking struct {
	loss   Loss
	batch  *Batch
	random *rand.Rand
}

// evaluate returns the loss and leaves its derivatives in the batch.
func (c *checking) evaluate() (float64, error) {
	c.batch.ClearDerivatives()
	value, err := c.loss.Differentiate(c.batch)
	if err != nil {
		return 0, fmt.Errorf("custom: loss %q: %w", c.loss.Name(), err)
	}
	if math.IsNaN(value) || math.IsInf(value, 0) {
		return 0, fmt.Errorf("custom: loss %q is %g", c.loss.Name(), value)
	}
	return value, nil
}

// An entry is a pointer to a value with its derivative at the batch.
type entry struct {
	value      *float64
	derivative float64
	sign       float64
	name       func() string
}

// A batchValue is a pointer to a value of a batch, with the original value.
type batchValue struct {
	at   *float64
	was  float64
	name func() string
}

// values returns pointers to all values of the batch.
func (b *Batch) values() (all []batchValue) {
	for _, part := range b.Parts() {
		for i, row := range part.Values {
			for j := range row {
				all = append(all, batchValue{&row[j], row[j], func() string { return fmt.Sprintf("%s[%d][%d]", part.Name, i, j) }})
			}
		}
	}
	for i := range b.Numbers {
		all = append(all, batchValue{&b.Numbers[i], b.Numbers[i], func() string { return fmt.Sprintf("Numbers[%d]", i) }})
	}
	return all
}

// groups returns the entries by kind, with copies of their derivatives.
func (c *checking) groups() [][]entry {
	b := c.batch
	var groups [][]entry
	for _, part := range b.Parts() {
		var group []entry
		for i, derivatives := range part.Derivatives {
			for j, derivative := range derivatives {
				group = append(group, entry{value: &part.Values[i][j], derivative: derivative,
					name: func() string { return fmt.Sprintf("%s[%d][%d]", part.Name, i, j) }})
			}
		}
		groups = append(groups, group)
	}
	var numbers []entry
	for i, number := range c.loss.Numbers() {
		numbers = append(numbers, entry{value: &b.Numbers[i], derivative: b.DNumbers[i],
			name: func() string { return fmt.Sprintf("the number %q", number.Name) }})
	}
	return append(groups, numbers)
}

// compare moves all entries of a group at once, each up or down at random, and compares the change
// of the loss with the one that the derivatives predict. If they disagree, it searches for the
// entry that causes this by halving the group.
func (c *checking) compare(group []entry) error {
	if len(group) == 0 {
		return nil
	}
	for i := range group {
		group[i].sign = float64(2*c.random.IntN(2) - 1)
	}
	apart, size, err := c.disagreement(group)
	if err != nil || math.Abs(apart) <= agreement*size {
		return err
	}
	for len(group) > 1 {
		middle := len(group) / 2
		left, leftSize, err := c.disagreement(group[:middle])
		if err != nil {
			return err
		}
		right, rightSize, err := c.disagreement(group[middle:])
		if err != nil {
			return err
		}
		// Compare relative to the expected sizes, because the rounding error of a large half would
		// hide a small one.
		if math.Abs(left)*rightSize >= math.Abs(right)*leftSize {
			group = group[:middle]
		} else {
			group = group[middle:]
		}
	}
	return c.judge(group[0])
}

// disagreement returns the central difference along a group's signs minus the change that the
// derivatives predict, and the size for comparison.
func (c *checking) disagreement(group []entry) (apart, size float64, err error) {
	up, err := c.moved(group, step)
	if err != nil {
		return 0, 0, err
	}
	down, err := c.moved(group, -step)
	if err != nil {
		return 0, 0, err
	}
	expected, sum := 0.0, 0.0
	for _, e := range group {
		expected += e.sign * e.derivative
		sum += math.Abs(e.derivative)
	}
	// The last term is a thousand times the rounding error of the loss in the difference.
	size = sum/math.Sqrt(float64(len(group))) + math.Abs(expected) + 1e-13/step/agreement*math.Abs(up)
	return (up-down)/(2*step) - expected, size + 1e-9, nil
}

// moved returns the loss with a group changed along its signs, and restores the values.
func (c *checking) moved(group []entry, by float64) (float64, error) {
	kept := make([]float64, len(group))
	for i, e := range group {
		kept[i] = *e.value
		*e.value += e.sign * by
	}
	value, err := c.evaluate()
	for i, e := range group {
		*e.value = kept[i]
	}
	return value, err
}

// judge compares a single entry. At a kink of the loss, where the one-sided differences are not the
// same, it accepts every derivative between them.
func (c *checking) judge(e entry) error {
	e.sign = 1
	apart, size, err := c.disagreement([]entry{e})
	if err != nil || math.Abs(apart) <= agreement*size {
		return err
	}
	here, err := c.evaluate()
	if err != nil {
		return err
	}
	up, err := c.moved([]entry{e}, step)
	if err != nil {
		return err
	}
	down, err := c.moved([]entry{e}, -step)
	if err != nil {
		return err
	}
	right, left := (up-here)/step, (here-down)/step
	low, high := min(left, right), max(left, right)
	// Over two steps a smooth loss bends by less than this unless its second derivative is above
	// 100 times its first.
	if bend := high - low; bend > 1e-3*(math.Abs(low)+math.Abs(high)) && e.derivative >= low-bend/100 && e.derivative <= high+bend/100 {
		return nil
	}
	return &GradientError{Loss: c.loss.Name(), Entry: e.name(), Derivative: e.derivative, Difference: (up - down) / (2 * step)}
}
