package process

import (
	"fmt"
	"strconv"
)

// A Positive is an integer of at least 1. It is 0 if the flag was not given.
type Positive int

// UnmarshalText parses the number.
func (p *Positive) UnmarshalText(text []byte) error {
	n, err := strconv.Atoi(string(text))
	if err != nil || n < 1 {
		return fmt.Errorf("%s, want an integer of at least 1", text)
	}
	*p = Positive(n)
	return nil
}
