package retrieval_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gosphere/asymvlm/embedding"
	"gosphere/asymvlm/retrieval"
)

// wholeRows returns rows of small integers, so that many products are equal.
func wholeRows(rows, columns int, seed uint64) embedding.Matrix {
	m, source := embedding.NewMatrix(rows, columns), rand.New(rand.NewPCG(seed, 9))
	for i := range m.Values {
		m.Values[i] = float32(source.IntN(7) - 3)
	}
	return m
}

// bySort returns the nearest rows of a query by sorting all scores in float64.
func bySort(query []float32, gallery embedding.Matrix, depth int, by retrieval.Measure) (items []int32, scores []float64) {
	all, order := make([]float64, gallery.Rows), make([]int32, gallery.Rows)
	for i := range all {
		order[i] = int32(i)
		var product, one, other float64
		for j, x := range gallery.Row(i) {
			product, one, other = product+float64(x*query[j]), one+float64(x*x), other+float64(query[j]*query[j])
		}
		if all[i] = product; by == retrieval.Cosine {
			all[i] /= math.Sqrt(one * other)
		}
	}
	slices.SortStableFunc(order, func(a, b int32) int {
		switch {
		case all[a] > all[b]:
			return -1
		case all[a] < all[b]:
			return 1
		}
		return 0
	})
	for _, item := range order[:min(depth, len(order))] {
		scores = append(scores, all[item])
	}
	return order[:min(depth, len(order))], scores
}

// Both the gallery and the queries are two blocks. Products of integers are exact, so equal scores
// are exactly equal.
func TestNearestRowsAreThoseOfSorting(t *testing.T) {
	gallery, queries := wholeRows(8192+300, 5, 1), wholeRows(512+40, 5, 2)
	for i := range gallery.Rows {
		gallery.Row(i)[0] = 1 // avoid rows of norm 0
	}
	for i := range queries.Rows {
		queries.Row(i)[0] = 2
	}
	for _, depth := range []int{1, 7} {
		found, err := retrieval.Nearest(queries, gallery, depth, retrieval.InnerProduct)
		if err != nil || found.Queries != queries.Rows || found.Depth != depth {
			t.Fatalf("%+v, %v", found, err)
		}
		for query := 0; query < queries.Rows; query += 37 {
			items, scores := bySort(queries.Row(query), gallery, depth, retrieval.InnerProduct)
			if got := found.Items[query*depth : (query+1)*depth]; !slices.Equal(got, items) || float64(found.Scores[query*depth]) != scores[0] {
				t.Errorf("query %d: rows %v, want %v", query, got, items)
			}
		}
	}
	found, err := retrieval.Nearest(queries, gallery, 4, retrieval.Cosine)
	if err != nil {
		t.Fatal(err)
	}
	for query := 0; query < queries.Rows; query += 37 {
		_, scores := bySort(queries.Row(query), gallery, 4, retrieval.Cosine)
		for place, want := range scores {
			if got := float64(found.Scores[query*4+place]); math.Abs(got-want) > 1e-6 {
				t.Errorf("query %d, place %d: cosine %g, want %g", query, place, got, want)
			}
		}
	}
}

func TestSmallGalleriesGiveShortLists(t *testing.T) {
	found, err := retrieval.Nearest(wholeRows(2, 3, 1), wholeRows(4, 3, 2), 10, retrieval.InnerProduct)
	if err != nil || found.Depth != 4 || len(found.Items) != 8 {
		t.Errorf("%+v, %v", found, err)
	}
}

func TestSearchesThatCannotBeDoneAreRefused(t *testing.T) {
	gallery, queries := wholeRows(5, 3, 1), wholeRows(2, 3, 2)
	damaged, empty := gallery.Clone(), gallery.Clone()
	damaged.Values[3] = float32(math.NaN())
	clear(empty.Row(2))
	for want, of := range map[string]func() (*retrieval.Neighbors, error){
		"queries have 4 columns, the gallery 3": func() (*retrieval.Neighbors, error) {
			return retrieval.Nearest(wholeRows(2, 4, 1), gallery, 1, retrieval.Cosine)
		},
		"the nearest 0 of 5 rows": func() (*retrieval.Neighbors, error) { return retrieval.Nearest(queries, gallery, 0, retrieval.Cosine) },
		`by "euclid"`:             func() (*retrieval.Neighbors, error) { return retrieval.Nearest(queries, gallery, 1, "euclid") },
		"score of query 0 and row 1 is NaN": func() (*retrieval.Neighbors, error) {
			return retrieval.Nearest(queries, damaged, 1, retrieval.InnerProduct)
		},
		"row 2 is NaN": func() (*retrieval.Neighbors, error) { return retrieval.Nearest(queries, empty, 1, retrieval.Cosine) },
		"queries: ":    func() (*retrieval.Neighbors, error) { return retrieval.Nearest(empty, gallery, 1, retrieval.Cosine) },
		"for 0 queries, want": func() (*retrieval.Neighbors, error) {
			return retrieval.Nearest(embedding.NewMatrix(0, 3), gallery, 1, retrieval.InnerProduct)
		},
	} {
		if _, err := of(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q in it", err, want)
		}
	}
}
