package slices

import (
	stdcmp "cmp"
	"fmt"
	"iter"
	"math"
	"math/rand/v2"
	standard "slices"
	"testing"
)

// rounds is the number of random inputs for each function.
const rounds = 400

// random returns a slice of small numbers, so that elements repeat, with some unused capacity.
// Sometimes it is nil or empty.
func random(r *rand.Rand) []int {
	switch r.IntN(12) {
	case 0:
		return nil
	case 1:
		return []int{}
	}
	n := r.IntN(40)
	if r.IntN(10) == 0 {
		n = r.IntN(600)
	}
	s := make([]int, n, n+r.IntN(10))
	for i := range s {
		s[i] = r.IntN(20)
	}
	return s
}

func floats(r *rand.Rand) []float64 {
	s := make([]float64, r.IntN(60))
	for i := range s {
		s[i] = []float64{math.NaN(), math.Inf(1), math.Inf(-1), 0, 1, -1, r.Float64()}[r.IntN(7)]
	}
	return s
}

// whole copies a slice including the elements between its length and capacity.
func whole(s []int) []int {
	if s == nil {
		return nil
	}
	return append(make([]int, 0, cap(s)), s[:cap(s)]...)[:len(s)]
}

// outcome describes everything that a caller can observe after an edit of s: the result, whether it
// is nil, the contents of s, and whether the two share memory.
func outcome(s []int, edit func(s []int) []int) (text string) {
	defer func() {
		if p := recover(); p != nil {
			text = fmt.Sprint("panic: ", p)
		}
	}()
	r := edit(s)
	shared := false
	if len(r) > 0 && cap(s) > 0 {
		all := s[:cap(s)]
		before := r[0]
		r[0] = 1 << 40
		shared = len(all) > 0 && all[0] == 1<<40
		r[0] = before
	}
	return fmt.Sprint(r, r == nil, len(r), s[:cap(s)], shared)
}

func same(t *testing.T, what string, got, want any) {
	t.Helper()
	if g, w := fmt.Sprint(got), fmt.Sprint(want); g != w {
		t.Errorf("%s: got %s, want %s", what, g, w)
	}
}

func sameEdit(t *testing.T, what string, s []int, own, std func(s []int) []int) {
	t.Helper()
	input := fmt.Sprint(s, cap(s))
	same(t, what+" of "+input, outcome(whole(s), own), outcome(whole(s), std))
}

func TestSearchAgrees(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	even := func(v int) bool { return v%2 == 0 }
	near := func(a, b int) bool { return a/2 == b/2 }
	backward := func(a, b int) int { return b - a }
	for range rounds {
		a, b, v := random(r), random(r), r.IntN(22)
		if r.IntN(2) == 0 {
			b = whole(a)
			if len(b) > 0 && r.IntN(2) == 0 {
				b[r.IntN(len(b))]++
			}
		}
		same(t, "Equal", Equal(a, b), standard.Equal(a, b))
		same(t, "EqualFunc", EqualFunc(a, b, near), standard.EqualFunc(a, b, near))
		same(t, "Compare", Compare(a, b), standard.Compare(a, b))
		same(t, "CompareFunc", CompareFunc(a, b, backward), standard.CompareFunc(a, b, backward))
		same(t, "Index", Index(a, v), standard.Index(a, v))
		same(t, "IndexFunc", IndexFunc(a, even), standard.IndexFunc(a, even))
		same(t, "Contains", Contains(a, v), standard.Contains(a, v))
		same(t, "ContainsFunc", ContainsFunc(a, even), standard.ContainsFunc(a, even))
		same(t, "IsSorted", IsSorted(a), standard.IsSorted(a))
		same(t, "IsSortedFunc", IsSortedFunc(a, backward), standard.IsSortedFunc(a, backward))
		if len(a) > 0 {
			same(t, "Min", Min(a), standard.Min(a))
			same(t, "Max", Max(a), standard.Max(a))
			byHalf := func(x, y int) int { return x/2 - y/2 }
			same(t, "MinFunc", MinFunc(a, byHalf), standard.MinFunc(a, byHalf))
			same(t, "MaxFunc", MaxFunc(a, byHalf), standard.MaxFunc(a, byHalf))
		}
		Sort(a)
		i, ok := BinarySearch(a, v)
		j, found := standard.BinarySearch(a, v)
		same(t, "BinarySearch", fmt.Sprint(i, ok), fmt.Sprint(j, found))
		digits := func(e int, target string) int { return stdcmp.Compare(fmt.Sprintf("%02d", e), target) }
		i, ok = BinarySearchFunc(a, fmt.Sprintf("%02d", v), digits)
		j, found = standard.BinarySearchFunc(a, fmt.Sprintf("%02d", v), digits)
		same(t, "BinarySearchFunc", fmt.Sprint(i, ok), fmt.Sprint(j, found))
	}
}

func TestFloatsWithNaNAgree(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range rounds {
		a, b := floats(r), floats(r)
		same(t, "Compare", Compare(a, b), standard.Compare(a, b))
		same(t, "Equal", Equal(a, a), standard.Equal(a, a))
		same(t, "Index", Index(a, math.NaN()), standard.Index(a, math.NaN()))
		same(t, "IsSorted", IsSorted(a), standard.IsSorted(a))
		if len(a) > 0 {
			same(t, "Min", Min(a), standard.Min(a))
			same(t, "Max", Max(a), standard.Max(a))
		}
		sorted := append([]float64(nil), a...)
		standard.Sort(sorted)
		Sort(a)
		same(t, "Sort", a, sorted)
		for _, v := range []float64{math.NaN(), 0, 2} {
			i, ok := BinarySearch(a, v)
			j, found := standard.BinarySearch(a, v)
			same(t, "BinarySearch", fmt.Sprint(i, ok), fmt.Sprint(j, found))
		}
	}
	zero := math.Copysign(0, -1)
	same(t, "Max of zeros", math.Signbit(Max([]float64{zero, 0})), math.Signbit(standard.Max([]float64{zero, 0})))
	same(t, "Min of zeros", math.Signbit(Min([]float64{0, zero})), math.Signbit(standard.Min([]float64{0, zero})))
}

func TestEditsAgreeInEverythingACallerCanSee(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for range rounds {
		s, v := random(r), random(r)
		i, j := r.IntN(len(s)+1), r.IntN(len(s)+1)
		if i > j {
			i, j = j, i
		}
		sameEdit(t, "Insert", s, func(s []int) []int { return Insert(s, i, v...) }, func(s []int) []int { return standard.Insert(s, i, v...) })
		sameEdit(t, "Insert of itself", s, func(s []int) []int { return Insert(s, i, s[i:j]...) }, func(s []int) []int { return standard.Insert(s, i, s[i:j]...) })
		sameEdit(t, "Delete", s, func(s []int) []int { return Delete(s, i, j) }, func(s []int) []int { return standard.Delete(s, i, j) })
		sameEdit(t, "Replace", s, func(s []int) []int { return Replace(s, i, j, v...) }, func(s []int) []int { return standard.Replace(s, i, j, v...) })
		sameEdit(t, "Replace by itself", s, func(s []int) []int { return Replace(s, i, j, s[j:]...) }, func(s []int) []int { return standard.Replace(s, i, j, s[j:]...) })
		odd := func(v int) bool { return v%2 == 1 }
		sameEdit(t, "DeleteFunc", s, func(s []int) []int { return DeleteFunc(s, odd) }, func(s []int) []int { return standard.DeleteFunc(s, odd) })
		sameEdit(t, "Compact", s, Compact[[]int], standard.Compact[[]int])
		near := func(a, b int) bool { return a/2 == b/2 }
		sameEdit(t, "CompactFunc", s, func(s []int) []int { return CompactFunc(s, near) }, func(s []int) []int { return standard.CompactFunc(s, near) })
		uneven := func(a, b int) bool { return a-b == 1 || a == b }
		sameEdit(t, "CompactFunc of no equivalence", s, func(s []int) []int { return CompactFunc(s, uneven) }, func(s []int) []int { return standard.CompactFunc(s, uneven) })
		sameEdit(t, "Clone", s, Clone[[]int], standard.Clone[[]int])
		sameEdit(t, "Clip", s, Clip[[]int], standard.Clip[[]int])
		sameEdit(t, "Reverse", s, func(s []int) []int { Reverse(s); return s }, func(s []int) []int { standard.Reverse(s); return s })
		sameEdit(t, "Concat", s, func(s []int) []int { return Concat(s, v, nil, s) }, func(s []int) []int { return standard.Concat(s, v, nil, s) })
		n := r.IntN(20)
		sameEdit(t, "Repeat", s, func(s []int) []int { return Repeat(s, n%4) }, func(s []int) []int { return standard.Repeat(s, n%4) })
		sameEdit(t, "Grow", s, func(s []int) []int { return Grow(s, n) }, func(s []int) []int { return standard.Grow(s, n) })
		if g := Grow(s, n); cap(g)-len(g) < n {
			t.Errorf("Grow by %d left room for %d", n, cap(g)-len(g))
		}
		if c := Clip(s); cap(c) != len(c) {
			t.Errorf("Clip left a capacity of %d for %d", cap(c), len(c))
		}
	}
}

func TestPanicsHaveTheSameText(t *testing.T) {
	s := []int{1, 2, 3}
	for _, c := range []struct {
		name     string
		own, std func([]int) []int
	}{
		{"Insert", func(s []int) []int { return Insert(s, 4, 1) }, func(s []int) []int { return standard.Insert(s, 4, 1) }},
		{"Insert nothing", func(s []int) []int { return Insert(s, 4) }, func(s []int) []int { return standard.Insert(s, 4) }},
		{"Insert before", func(s []int) []int { return Insert(s, -1+len(s)-3, 1) }, func(s []int) []int { return standard.Insert(s, -1+len(s)-3, 1) }},
		{"Delete", func(s []int) []int { return Delete(s, 2, 1) }, func(s []int) []int { return standard.Delete(s, 2, 1) }},
		{"Delete beyond", func(s []int) []int { return Delete(s, 0, 4) }, func(s []int) []int { return standard.Delete(s, 0, 4) }},
		{"Replace", func(s []int) []int { return Replace(s, 2, 1) }, func(s []int) []int { return standard.Replace(s, 2, 1) }},
		{"Grow", func(s []int) []int { return Grow(s, -1) }, func(s []int) []int { return standard.Grow(s, -1) }},
		{"Repeat", func(s []int) []int { return Repeat(s, -1) }, func(s []int) []int { return standard.Repeat(s, -1) }},
		{"Repeat too often", func(s []int) []int { return Repeat(s, math.MaxInt) }, func(s []int) []int { return standard.Repeat(s, math.MaxInt) }},
		{"Min", func(s []int) []int { _ = Min(s[:0]); return s }, func(s []int) []int { _ = standard.Min(s[:0]); return s }},
		{"Max", func(s []int) []int { _ = Max(s[:0]); return s }, func(s []int) []int { _ = standard.Max(s[:0]); return s }},
		{"MinFunc", func(s []int) []int { _ = MinFunc(s[:0], nil); return s }, func(s []int) []int { _ = standard.MinFunc(s[:0], nil); return s }},
		{"MaxFunc", func(s []int) []int { _ = MaxFunc(s[:0], nil); return s }, func(s []int) []int { _ = standard.MaxFunc(s[:0], nil); return s }},
		{"Chunk", func(s []int) []int { _ = Chunk(s, 0); return s }, func(s []int) []int { _ = standard.Chunk(s, 0); return s }},
	} {
		sameEdit(t, c.name, s, c.own, c.std)
	}
}

// card is ordered only by rank, so that equal cards can be distinguished.
type card struct{ rank, place int }

func TestSortingAgrees(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	byRank := func(a, b card) int { return a.rank - b.rank }
	for range rounds {
		a := random(r)
		b := whole(a)
		Sort(a)
		standard.Sort(b)
		same(t, "Sort", a, b)

		hand := make([]card, len(a))
		for i := range hand {
			hand[i] = card{r.IntN(5), i}
		}
		stable, any := append([]card(nil), hand...), append([]card(nil), hand...)
		want := append([]card(nil), hand...)
		standard.SortStableFunc(want, byRank)
		SortStableFunc(stable, byRank)
		same(t, "SortStableFunc", stable, want)
		SortFunc(any, byRank)
		same(t, "SortFunc", standard.IsSortedFunc(any, byRank), true)
		if len(hand) <= insertionRun {
			standard.SortFunc(hand, byRank)
			same(t, "SortFunc of few", any, hand)
		}
	}
}

// pairs returns the pairs that an iterator yields, and ends the iteration after a number of steps.
func pairs[K, V any](seq iter.Seq2[K, V], steps int) (list []any) {
	for k, v := range seq {
		if steps--; steps < 0 {
			break
		}
		list = append(list, k, v)
	}
	return list
}

func values[V any](seq iter.Seq[V], steps int) (list []any) {
	for v := range seq {
		if steps--; steps < 0 {
			break
		}
		list = append(list, v)
	}
	return list
}

func TestSequencesAgree(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 10))
	backward := func(a, b int) int { return b - a }
	for range rounds {
		s, steps, n := random(r), r.IntN(60), 1+r.IntN(9)
		same(t, "All", pairs(All(s), steps), pairs(standard.All(s), steps))
		same(t, "Backward", pairs(Backward(s), steps), pairs(standard.Backward(s), steps))
		same(t, "Values", values(Values(s), steps), values(standard.Values(s), steps))
		same(t, "Chunk", values(Chunk(s, n), steps), values(standard.Chunk(s, n), steps))
		for piece := range Chunk(s, n) {
			same(t, "capacity of a chunk", cap(piece), len(piece))
		}
		same(t, "Chunk of all", values(Chunk(s, math.MaxInt), 9), values(standard.Chunk(s, math.MaxInt), 9))
		seq := standard.Values(s)
		own, std := Collect(seq), standard.Collect(seq)
		same(t, "Collect", fmt.Sprint(own, own == nil), fmt.Sprint(std, std == nil))
		same(t, "AppendSeq", AppendSeq([]int{7}, seq), standard.AppendSeq([]int{7}, seq))
		same(t, "Sorted", Sorted(seq), standard.Sorted(seq))
		same(t, "SortedFunc", SortedFunc(seq, backward), standard.SortedFunc(seq, backward))
		same(t, "SortedStableFunc", SortedStableFunc(seq, backward), standard.SortedStableFunc(seq, backward))
	}
}

// names is a named slice type, which results must preserve.
type names []string

func TestResultsKeepTheSliceType(t *testing.T) {
	s := names{"b", "a"}
	for _, r := range []any{
		Insert(s, 0, "x"), Delete(s, 0, 0), Replace(s, 0, 1, "y"), Clone(s), Compact(s), Grow(s, 1), Clip(s), Concat(s, s), Repeat(s, 2), AppendSeq(s, Values(s)),
	} {
		if _, ok := r.(names); !ok {
			t.Errorf("%T", r)
		}
	}
}
