package ir

import "testing"

// TestLevelsBoundTheNodesOfAFunction compares the number of levels of a function of some cost with
// some calls of itself.
func TestLevelsBoundTheNodesOfAFunction(t *testing.T) {
	for _, c := range []struct{ cost, calls, want int }{
		{10, 0, 0},
		{10, 1, mostLevels},
		{25, 1, 3}, // 25 + 25 + 25 + 25
		{26, 1, 2},
		{50, 1, 1},
		{51, 1, 0},
		{14, 2, 2}, // 14 + 28 + 56
		{15, 2, 1},
		{33, 2, 1},
		{34, 2, 0},
		{20, 4, 1},
		{20, 5, 0},
	} {
		if got := levels(c.cost, c.calls); got != c.want {
			t.Errorf("%d nodes with %d calls: %d levels, want %d", c.cost, c.calls, got, c.want)
		}
	}
}
