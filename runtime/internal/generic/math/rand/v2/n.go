// Package rand holds the generic function and the generic method of the standard package
// math/rand/v2.
package rand

import "math/rand/v2"

type intType interface {
	~int | ~int8 | ~int16 | ~int32 | ~int64 | ~uint | ~uint8 | ~uint16 | ~uint32 | ~uint64 | ~uintptr
}

// N returns a random number in the interval [0, n). It panics if n is not positive.
//
// The parameter is converted to uint64, which holds each positive value of every type of the
// constraint, so one function of the compiled package serves all of them with its generator.
func N[Int intType](n Int) Int {
	if n <= 0 {
		panic("invalid argument to N")
	}
	return Int(rand.Uint64N(uint64(n)))
}

// Rand_N is the method (*Rand).N, which returns a random number in the interval [0, n) from r. It
// panics if n is not positive.
func Rand_N[Int intType](r *rand.Rand, n Int) Int {
	if n <= 0 {
		panic("invalid argument to N")
	}
	return Int(r.Uint64N(uint64(n)))
}
