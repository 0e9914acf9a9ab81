package cmp

import (
	standard "cmp"
	"math"
	"testing"
)

func TestOrderAgreesForFloats(t *testing.T) {
	numbers := []float64{math.NaN(), math.Inf(-1), -1, math.Copysign(0, -1), 0, 1.5, math.Inf(1), math.Float64frombits(0x7ff8000000000123)}
	for _, a := range numbers {
		for _, b := range numbers {
			if Less(a, b) != standard.Less(a, b) || Compare(a, b) != standard.Compare(a, b) {
				t.Errorf("%v and %v: Less %v, Compare %d", a, b, Less(a, b), Compare(a, b))
			}
		}
	}
}

type word string

func TestOrderAgreesForOtherTypes(t *testing.T) {
	for _, a := range []word{"", "a", "ab", "b"} {
		for _, b := range []word{"", "a", "ab", "b"} {
			if Less(a, b) != standard.Less(a, b) || Compare(a, b) != standard.Compare(a, b) {
				t.Errorf("%q and %q", a, b)
			}
		}
	}
	for a := uint8(0); a < 4; a++ {
		for b := uint8(0); b < 4; b++ {
			if Less(a, b) != standard.Less(a, b) || Compare(a, b) != standard.Compare(a, b) {
				t.Errorf("%d and %d", a, b)
			}
		}
	}
}

func TestOrReturnsTheFirstThatIsNotZero(t *testing.T) {
	for _, list := range [][]int{nil, {0}, {0, 2, 3}, {1, 0}} {
		if Or(list...) != standard.Or(list...) {
			t.Errorf("Or(%v) = %d", list, Or(list...))
		}
	}
	if Or(word(""), "default") != "default" {
		t.Error("no default")
	}
}
