package device

import (
	"math"
	"slices"
	"testing"
)

// randomMachine prepares an emulator that generates normal numbers, and returns their buffer.
func randomMachine(eights int, p philox, rest [3]uint32) (*machine, *buffer) {
	m, words := newMachine("normalsAVX2"), make([]float32, 56)
	for i, word := range p.eight(rest) {
		words[i] = math.Float32frombits(word)
	}
	dst := m.give("dst+0", make([]float32, 32*eights))
	m.give("words+16", words)
	m.arguments["eights+8"] = uint64(eights)
	return m, dst
}

// The numbers of the assembly have the same bits as those of the loops, and each is written once.
func TestTheAssemblyDrawsTheNumbersOfTheLoops(t *testing.T) {
	for _, eights := range []int{0, 1, 3} {
		for seed := range uint64(20) {
			rest := [3]uint32{uint32(seed * 1e9), math.MaxUint32 - uint32(seed), forDirections}
			m, dst := randomMachine(eights, newPhilox(seed*0x9E3779B97F4A7C15), rest)
			runOrFail(t, m)
			want := make([]float32, 32*eights)
			newPhilox(seed*0x9E3779B97F4A7C15).fillFrom(want, 0, rest)
			if got := dst.values(); !slices.Equal(got, want) {
				t.Fatalf("%d eights of seed %d: %v, want %v", eights, seed, got, want)
			}
			if slices.ContainsFunc(dst.written, func(times int) bool { return times != 1 }) || m.jumps != max(0, eights-1) {
				t.Errorf("%d eights: %d jumps, bytes are written %v times", eights, m.jumps, dst.written)
			}
		}
	}
}

// The CPU produces the same bits for any length and writes nothing beyond it.
func TestTheProcessorDrawsTheNumbersOfTheLoops(t *testing.T) {
	for name, unit := range units() {
		for length := range 140 {
			p, rest := newPhilox(uint64(length)<<33+5), [3]uint32{uint32(length), 1 << 31, forLogits}
			want, got := make([]float32, length), make([]float32, length+40)
			for i := range got {
				got[i] = guard
			}
			p.fillFrom(want, 0, rest)
			unit.normals(got[:length:length], p, rest)
			if !slices.Equal(got[:length], want) {
				t.Fatalf("%s: %d numbers are %v, want %v", name, length, got[:length], want)
			}
			if slices.ContainsFunc(got[length:], func(value float32) bool { return value != guard }) {
				t.Errorf("%s: %d numbers are written beyond their end", name, length)
			}
		}
	}
}

// Many numbers include some at the boundaries of the quarters and of the logarithm's range.
func TestManyNumbersOfTheProcessorAreThoseOfTheLoops(t *testing.T) {
	const length = 1 << 16
	want, got := make([]float32, length), make([]float32, length)
	for seed := range uint64(8) {
		newPhilox(seed).fill(want, 1, 2, forLogits)
		processorUnit.normals(got, newPhilox(seed), [3]uint32{2, 1, forLogits})
		for i, value := range got {
			if bits(value) != bits(want[i]) {
				t.Fatalf("seed %d: number %d is %x, want %x", seed, i, bits(value), bits(want[i]))
			}
		}
	}
}
