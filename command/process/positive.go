package process

import (
	"fmt"
	"strconv"
)

// A Positive is a whole number from 1; 0 where the flag was not given.
type Positive int

// UnmarshalText reads the number.
func (p *Positive) UnmarshalText(text []byte) error {
	n, err := strconv.Atoi(string(text))
	if err != nil || n < 1 {
		return fmt.Errorf("%s, want a whole number from 1", text)
	}
	*p = Positive(n)
	return nil
}
