package spelling

import "testing"

func TestDistanceCountsChangedAddedDroppedAndSwappedLetters(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want int
	}{
		{"", "", 0}, {"", "abc", 3}, {"abc", "abc", 0}, {"abc", "abd", 1}, {"abc", "ab", 1}, {"abc", "xabc", 1},
		{"Pritnln", "Println", 1}, {"tiem", "time", 1}, {"kitten", "sitting", 3}, {"größe", "grösse", 2}, {"ca", "abc", 3},
	} {
		if got := Distance(c.a, c.b); got != c.want {
			t.Errorf("%q, %q: %d, want %d", c.a, c.b, got, c.want)
		}
	}
}

func FuzzDistanceIsAMetricUpToSwaps(f *testing.F) {
	f.Add("tiem", "time", "item")
	f.Fuzz(func(t *testing.T, a, b, c string) {
		if max(len(a), len(b), len(c)) > 40 {
			return
		}
		ab := Distance(a, b)
		if ab != Distance(b, a) {
			t.Errorf("%q, %q: another distance back", a, b)
		}
		if (ab == 0) != (string([]rune(a)) == string([]rune(b))) {
			t.Errorf("%q, %q: distance %d", a, b, ab)
		}
		// A swap is at most two changes, and without swaps the triangle inequality holds.
		if ab > 2*(Distance(a, c)+Distance(c, b)) {
			t.Errorf("%q, %q: %d, far longer than by way of %q", a, b, ab, c)
		}
	})
}
