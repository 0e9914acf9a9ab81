// Package hashing numbers keys in order of first appearance.
package hashing

import (
	"math/bits"
	"math/rand/v2"
)

// A Table is a hash table of numbers with open addressing. The seed differs between tables; the
// numbers do not depend on it.
type Table struct {
	last  *uint32
	slots []slot
	used  int
	shift uint
	seed  uint64
}

// A slot is free if its number is 0.
type slot struct {
	key    uint64
	number uint32
}

// New returns a table without keys. The numbers follow last, which is the greatest number after
// each call of Number.
func New(last *uint32) *Table { return Sized(last, 0) }

// Sized returns a table with memory for so many keys.
func Sized(last *uint32, keys int) *Table {
	h := &Table{last: last, seed: rand.Uint64()}
	h.resize(uint(max(10, bits.Len(uint(keys))+1)))
	return h
}

func (h *Table) resize(log uint) {
	old := h.slots
	h.slots, h.shift = make([]slot, 1<<log), 64-log
	for _, s := range old {
		if s.number != 0 {
			*h.slot(s.key) = s
		}
	}
}

// slot returns the slot of a key, or the free one where it belongs.
func (h *Table) slot(key uint64) *slot {
	mixed := key ^ h.seed
	mixed ^= mixed >> 32
	mixed *= 0x9e3779b97f4a7c15
	mixed ^= mixed >> 29
	mixed *= 0xbf58476d1ce4e5b9
	at, mask := mixed>>h.shift, uint64(len(h.slots)-1)
	for {
		s := &h.slots[at]
		if s.number == 0 || s.key == key {
			return s
		}
		at = (at + 1) & mask
	}
}

// Number returns the number of a key, which is a new one for a new key.
func (h *Table) Number(key uint64) uint32 {
	s := h.slot(key)
	if s.number != 0 {
		return s.number
	}
	*h.last++
	s.key, s.number = key, *h.last
	h.used++
	if h.used*3 > len(h.slots)*2 {
		h.resize(64 - h.shift + 1)
	}
	return *h.last
}
