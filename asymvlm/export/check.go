package export

import (
	"fmt"
	"math"

	"gosphere/asymvlm/embedding"
	"gosphere/asymvlm/sphere"
)

// A Report compares the order by exported rows with the order by log-likelihood.
type Report struct {
	Queries   int // in both directions together
	Different int // queries whose lists of best items differ by more than rounding explains
	Rounded   int // queries whose lists differ only in items with log-likelihoods that are equal up to rounding
	// LargestError is the largest difference between an exported inner product in float32 and ℓ in
	// float64.
	LargestError float64
}

// roundingPerTerm bounds the relative error of one float32 multiplication and its addition: three
// roundings of 2⁻²⁴.
const roundingPerTerm = 3. / (1 << 24)

// Check compares, by brute force over all pairs, the lists of the given length by exported rows
// with those by ℓ in float64, in both directions. If they differ only in items whose
// log-likelihoods rounding to float32 can exchange, the query counts as Rounded, otherwise as
// Different. A length below 1 or above the number of items is an error. Check also returns the
// errors of Texts and Images.
func Check(natural, images embedding.Matrix, normalizer sphere.Normalizer, length int) (*Report, error) {
	rows, err := Texts(natural, normalizer)
	if err != nil {
		return nil, err
	}
	queries, err := Images(images)
	if err != nil {
		return nil, err
	}
	if rows.Columns != queries.Columns {
		return nil, fmt.Errorf("export: images have %d columns, texts %d", images.Columns, natural.Columns)
	}
	if length < 1 || length > rows.Rows || length > queries.Rows {
		return nil, fmt.Errorf("export: lists of %d among %d images and %d texts", length, queries.Rows, rows.Rows)
	}
	exact, rounded := make([]float64, queries.Rows*rows.Rows), make([]float64, queries.Rows*rows.Rows)
	tolerance := 0.0
	report := &Report{Queries: queries.Rows + rows.Rows}
	norms := natural.Norms()
	for i := range queries.Rows {
		x := images.Row64(i)
		norm := math.Sqrt(dot64(x, x))
		query := queries.Row(i)
		for j := range rows.Rows {
			at := i*rows.Rows + j
			exact[at] = dot64(natural.Row64(j), x)/norm + normalizer.LogNormalizerShifted(norms[j])
			product, size := float32(0), 0.0
			for k, value := range rows.Row(j) {
				product += query[k] * value
				size += math.Abs(float64(query[k]) * float64(value))
			}
			rounded[at] = float64(product)
			tolerance = max(tolerance, size*roundingPerTerm*float64(rows.Columns))
			report.LargestError = max(report.LargestError, math.Abs(rounded[at]-exact[at]))
		}
	}
	for i := range queries.Rows {
		at := func(j int) int { return i*rows.Rows + j }
		report.add(rows.Rows, length, tolerance, func(j int) (float64, float64) { return exact[at(j)], rounded[at(j)] })
	}
	for j := range rows.Rows {
		at := func(i int) int { return i*rows.Rows + j }
		report.add(queries.Rows, length, tolerance, func(i int) (float64, float64) { return exact[at(i)], rounded[at(i)] })
	}
	return report, nil
}

// add compares the lists of one query.
func (r *Report) add(items, length int, tolerance float64, scores func(item int) (exact, rounded float64)) {
	byExact := best(items, length, func(i int) float64 { e, _ := scores(i); return e })
	byRounded := best(items, length, func(i int) float64 { _, v := scores(i); return v })
	differs := false
	for place, item := range byExact {
		if byRounded[place] == item {
			continue
		}
		differs = true
		wanted, _ := scores(item)
		got, _ := scores(byRounded[place])
		if math.Abs(wanted-got) > 2*tolerance {
			r.Different++
			return
		}
	}
	if differs {
		r.Rounded++
	}
}

// best returns the items with the largest scores in decreasing order; of equal scores the lowest
// index comes first.
func best(items, length int, score func(item int) float64) []int {
	list := make([]int, 0, length+1)
	for item := range items {
		value := score(item)
		place := len(list)
		for place > 0 && score(list[place-1]) < value {
			place--
		}
		if place == length {
			continue
		}
		list = append(list, 0)
		copy(list[place+1:], list[place:])
		list[place] = item
		list = list[:min(len(list), length)]
	}
	return list
}

// dot64 returns a·b.
func dot64(a, b []float64) float64 {
	sum := 0.0
	for i, value := range a {
		sum += value * b[i]
	}
	return sum
}
