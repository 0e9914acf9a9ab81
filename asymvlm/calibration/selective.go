package calibration

import (
	"fmt"
	"math"
	"slices"
)

// A Coverage is the curve of selective retrieval. If the k most certain of n queries are answered,
// the coverage is k/n and the risk is the fraction of the answers that are wrong.
type Coverage struct {
	Coverage []float64 // k/n for k = 1 … n
	Risk     []float64
	AURC     float64 // mean of Risk, 0 if no answer is wrong; smaller is better
	// Excess is AURC minus the smallest AURC of any order of the same answers, which puts all right
	// ones first.
	Excess float64
}

// RiskCoverage returns the curve for queries with the given hits and uncertainties. Equal
// uncertainties have no order: the risk is then the expectation over all their orders, so that the
// result does not depend on the order of the queries. Image queries that retrieve the same caption
// tie often. Lists of different lengths, no queries and NaN are errors; infinite uncertainties sort
// first or last.
//
// Source: Geifman, Uziel and El-Yaniv, Bias-reduced uncertainty estimation for deep neural
// classifiers (2019). Excess is their E-AURC, with the smallest area computed as a sum instead of
// approximated by r + (1−r) log(1−r).
func RiskCoverage(hits []bool, uncertainty []float64) (*Coverage, error) {
	if len(hits) == 0 || len(hits) != len(uncertainty) {
		return nil, fmt.Errorf("calibration: %d uncertainties for %d queries, want one of each and some", len(uncertainty), len(hits))
	}
	order := make([]int, len(hits))
	wrong := 0
	for query, u := range uncertainty {
		if math.IsNaN(u) {
			return nil, fmt.Errorf("calibration: uncertainty of query %d is NaN", query)
		}
		order[query] = query
		if !hits[query] {
			wrong++
		}
	}
	slices.SortStableFunc(order, func(a, b int) int {
		switch {
		case uncertainty[a] < uncertainty[b]:
			return -1
		case uncertainty[a] > uncertainty[b]:
			return 1
		}
		return 0
	})
	n := float64(len(hits))
	c := &Coverage{}
	errors := 0.0
	for from := 0; from < len(order); {
		to, inside := from, 0.0
		for ; to < len(order) && uncertainty[order[to]] == uncertainty[order[from]]; to++ {
			if !hits[order[to]] {
				inside++
			}
		}
		for k := from + 1; k <= to; k++ {
			risk := (errors + inside*float64(k-from)/float64(to-from)) / float64(k)
			c.Coverage, c.Risk = append(c.Coverage, float64(k)/n), append(c.Risk, risk)
			c.AURC += risk / n
		}
		errors += inside
		from = to
	}
	best := 0.0
	for k := len(hits) - wrong + 1; k <= len(hits); k++ {
		best += float64(k-(len(hits)-wrong)) / float64(k) / n
	}
	c.Excess = max(c.AURC-best, 0)
	return c, nil
}

// AtRisk returns the largest coverage whose risk is at most the given one, or 0 if there is none.
func (c *Coverage) AtRisk(risk float64) float64 {
	for k := len(c.Risk) - 1; k >= 0; k-- {
		if c.Risk[k] <= risk {
			return c.Coverage[k]
		}
	}
	return 0
}
