package laboratory

import (
	"fmt"
	"math"
	"strconv"

	"gosphere/internal/command/process"
)

// The types of numeric flags know their domain, so that an invalid value is reported with the
// flag's name before any file is read. The zero value means that the flag was not given; it is
// never a valid value.

// A nonNegativeInt is an integer of at least 0. The help text of the flag explains 0.
type nonNegativeInt int

// UnmarshalText parses the number.
func (c *nonNegativeInt) UnmarshalText(text []byte) error {
	n, err := strconv.Atoi(string(text))
	if err != nil || n < 0 {
		return fmt.Errorf("%s, want an integer of at least 0", text)
	}
	*c = nonNegativeInt(n)
	return nil
}

// An atLeastTwo is an integer of at least 2, because a single fold or level is meaningless.
type atLeastTwo int

// UnmarshalText parses the number.
func (s *atLeastTwo) UnmarshalText(text []byte) error {
	n, err := strconv.Atoi(string(text))
	if err != nil || n < 2 {
		return fmt.Errorf("%s, want an integer of at least 2", text)
	}
	*s = atLeastTwo(n)
	return nil
}

// A positiveFloat is a positive number. It is 0 if the flag was not given.
type positiveFloat float64

// UnmarshalText parses the number.
func (r *positiveFloat) UnmarshalText(text []byte) error {
	x, err := strconv.ParseFloat(string(text), 64)
	if err == nil && x == 0 {
		return fmt.Errorf("%s, want a number above 0: a rate of 0 has no effect", text)
	}
	if err != nil || !(x > 0) || math.IsInf(x, 1) {
		return fmt.Errorf("%s, want a number above 0", text)
	}
	*r = positiveFloat(x)
	return nil
}

// A nonNegativeFloat is a number of at least 0. Flags hold a pointer, which is nil if the flag was
// not given.
type nonNegativeFloat float64

// UnmarshalText parses the number.
func (a *nonNegativeFloat) UnmarshalText(text []byte) error {
	x, err := strconv.ParseFloat(string(text), 64)
	if err != nil || !(x >= 0) || math.IsInf(x, 1) {
		return fmt.Errorf("%s, want a number from 0", text)
	}
	*a = nonNegativeFloat(x)
	return nil
}

// A signed is any finite number. Flags hold a pointer, which is nil if the flag was not given.
type signed float64

// UnmarshalText parses the number.
func (s *signed) UnmarshalText(text []byte) error {
	x, err := strconv.ParseFloat(string(text), 64)
	if err != nil || math.IsNaN(x) || math.IsInf(x, 0) {
		return fmt.Errorf("%s, want a number", text)
	}
	*s = signed(x)
	return nil
}

// An epochs is a Positive whose error explains why 0 is invalid: there would be no training.
type epochs int

// UnmarshalText parses the number.
func (e *epochs) UnmarshalText(text []byte) error {
	return positiveOr((*process.Positive)(e), text, "nothing would be trained; --method clip is retrieval without training")
}

// A width is a Positive whose error explains why 0 is invalid: the network would have no units.
type width int

// UnmarshalText parses the number.
func (w *width) UnmarshalText(text []byte) error {
	return positiveOr((*process.Positive)(w), text, "a hidden layer needs at least one unit")
}

// positiveOr parses an integer of at least 1. Its error for 0 contains the reason.
func positiveOr(p *process.Positive, text []byte, reason string) error {
	err := p.UnmarshalText(text)
	if n, wrong := strconv.Atoi(string(text)); err != nil && wrong == nil && n == 0 {
		return fmt.Errorf("%w: %s", err, reason)
	}
	return err
}
