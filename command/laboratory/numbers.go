package laboratory

import (
	"fmt"
	"math"
	"strconv"

	"gosphere/command/process"
)

// The types of number flags know their domain, so that a wrong one is told with the flag's name before anything is read. Their
// zero value says that the flag was not given, which only an impossible number can stand for.

// A count is a whole number from 0, where 0 has a meaning that the flag's help tells.
type count int

// UnmarshalText reads the number.
func (c *count) UnmarshalText(text []byte) error {
	n, err := strconv.Atoi(string(text))
	if err != nil || n < 0 {
		return fmt.Errorf("%s, want a whole number from 0", text)
	}
	*c = count(n)
	return nil
}

// A several is a whole number from 2: of folds and levels one alone says nothing.
type several int

// UnmarshalText reads the number.
func (s *several) UnmarshalText(text []byte) error {
	n, err := strconv.Atoi(string(text))
	if err != nil || n < 2 {
		return fmt.Errorf("%s, want a whole number from 2", text)
	}
	*s = several(n)
	return nil
}

// A rate is a number above 0; 0 where the flag was not given.
type rate float64

// UnmarshalText reads the number.
func (r *rate) UnmarshalText(text []byte) error {
	x, err := strconv.ParseFloat(string(text), 64)
	if err == nil && x == 0 {
		return fmt.Errorf("%s, want a number above 0: with 0 nothing would change", text)
	}
	if err != nil || !(x > 0) || math.IsInf(x, 1) {
		return fmt.Errorf("%s, want a number above 0", text)
	}
	*r = rate(x)
	return nil
}

// An amount is a number from 0. Flags have a pointer to one, nil where they were not given.
type amount float64

// UnmarshalText reads the number.
func (a *amount) UnmarshalText(text []byte) error {
	x, err := strconv.ParseFloat(string(text), 64)
	if err != nil || !(x >= 0) || math.IsInf(x, 1) {
		return fmt.Errorf("%s, want a number from 0", text)
	}
	*a = amount(x)
	return nil
}

// A signed is any number. Flags have a pointer to one, nil where they were not given.
type signed float64

// UnmarshalText reads the number.
func (s *signed) UnmarshalText(text []byte) error {
	x, err := strconv.ParseFloat(string(text), 64)
	if err != nil || math.IsNaN(x) || math.IsInf(x, 0) {
		return fmt.Errorf("%s, want a number", text)
	}
	*s = signed(x)
	return nil
}

// An epochs is a positive of which 0 would be no training.
type epochs int

// UnmarshalText reads the number.
func (e *epochs) UnmarshalText(text []byte) error {
	return positiveOr((*process.Positive)(e), text, "nothing would be trained; --method clip is retrieval without training")
}

// A width is a positive of which 0 would be a network without units.
type width int

// UnmarshalText reads the number.
func (w *width) UnmarshalText(text []byte) error {
	return positiveOr((*process.Positive)(w), text, "a hidden layer without units passes nothing on")
}

// positiveOr reads a whole number from 1, and gives the reason against 0.
func positiveOr(p *process.Positive, text []byte, reason string) error {
	err := p.UnmarshalText(text)
	if n, wrong := strconv.Atoi(string(text)); err != nil && wrong == nil && n == 0 {
		return fmt.Errorf("%w: %s", err, reason)
	}
	return err
}
