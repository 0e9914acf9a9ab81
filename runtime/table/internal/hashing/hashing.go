// Package hashing numbers keys in order of first appearance.
package hashing

import "math/rand/v2"

// A Table is a hash table of numbers with open addressing. The seed differs between tables; the
// numbers do not depend on it.
type Table struct {
	last    *uint32
	keys    []uint64
	numbers []uint32 // 0 at a free slot
	used    int
	shift   uint
	seed    uint64
}

// New returns a table without keys. The numbers follow last, which is the greatest number after
// each call of Number.
func New(last *uint32) *Table {
	h := &Table{last: last, seed: rand.Uint64()}
	h.resize(10)
	return h
}

func (h *Table) resize(log uint) {
	keys, numbers := h.keys, h.numbers
	h.keys, h.numbers, h.shift = make([]uint64, 1<<log), make([]uint32, 1<<log), 64-log
	for i, number := range numbers {
		if number != 0 {
			at := h.slot(keys[i])
			h.keys[at], h.numbers[at] = keys[i], number
		}
	}
}

// slot returns the slot of a key, or the free one where it belongs.
func (h *Table) slot(key uint64) uint64 {
	mixed := key ^ h.seed
	mixed ^= mixed >> 32
	mixed *= 0x9e3779b97f4a7c15
	mixed ^= mixed >> 29
	mixed *= 0xbf58476d1ce4e5b9
	at, mask := mixed>>h.shift, uint64(len(h.keys)-1)
	for h.numbers[at] != 0 && h.keys[at] != key {
		at = (at + 1) & mask
	}
	return at
}

// Number returns the number of a key, which is a new one for a new key.
func (h *Table) Number(key uint64) uint32 {
	at := h.slot(key)
	if h.numbers[at] != 0 {
		return h.numbers[at]
	}
	*h.last++
	h.keys[at], h.numbers[at] = key, *h.last
	number := h.numbers[at]
	h.used++
	if h.used*3 > len(h.keys)*2 {
		h.resize(64 - h.shift + 1)
	}
	return number
}
