// Package ordering sorts long lists of numbers by their digits.
package ordering

import (
	"math"
)

// Float returns a key whose order is that of numbers. NaN has no key. Both zeros have one.
func Float(x float64) uint64 {
	bits := math.Float64bits(x + 0) // -0 + 0 is 0
	if bits>>63 != 0 {
		return ^bits
	}
	return bits | 1<<63
}

// Int returns a key whose order is that of integers.
func Int(n int64) uint64 { return uint64(n) ^ 1<<63 }

// digit is the number of bits by which one pass sorts: the counts of all its values fit the fastest
// cache.
const digit = 11

const passes = (64 + digit - 1) / digit

// Stable returns the positions of keys in their order. Equal keys keep theirs. It changes keys,
// of which there are fewer than 1<<32.
func Stable(keys []uint64) []uint32 {
	var counts [passes][1 << digit]uint32
	for _, key := range keys {
		for p := range passes {
			counts[p][key>>(p*digit)&(1<<digit-1)]++
		}
	}
	order, next := make([]uint32, len(keys)), make([]uint32, len(keys))
	moved := make([]uint64, len(keys))
	for i := range order {
		order[i] = uint32(i)
	}
	for p := range passes {
		count := &counts[p]
		if len(keys) == 0 || count[keys[0]>>(p*digit)&(1<<digit-1)] == uint32(len(keys)) {
			continue // all keys have the same digit
		}
		at := uint32(0)
		for n, c := range count {
			count[n], at = at, at+c
		}
		for i, key := range keys {
			to := &count[key>>(p*digit)&(1<<digit-1)]
			moved[*to], next[*to] = key, order[i]
			*to++
		}
		keys, moved, order, next = moved, keys, next, order
	}
	return order
}
