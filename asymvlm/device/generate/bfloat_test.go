package main

import "testing"

// The expected encodings were produced by other assemblers.
func TestDotPairsIsEncodedAsOtherAssemblersDo(t *testing.T) {
	for registers, want := range map[[3]int]uint64{
		{0, 1, 2}:    0xc2_52_48_76_f2_62,
		{6, 5, 4}:    0xf4_52_48_56_f2_62,
		{30, 29, 28}: 0xf4_52_40_16_02_62,
	} {
		if got := dotPairsCode(registers[0], registers[1], registers[2]); got != want {
			t.Errorf("registers %v: %x, want %x", registers, got, want)
		}
	}
}
