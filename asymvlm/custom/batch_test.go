package custom

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// kinds are batches of every kind with the parts that they contain, the trained ones first.
var kinds = map[string]struct {
	batch          func(pairs, dimension, numbers int) *Batch
	trained, fixed []string
}{
	"one network":  {NewBatch, []string{"LogLikelihoods", "Natural"}, []string{"Images"}},
	"two networks": {NewSymmetricBatch, []string{"LogLikelihoods", "Natural", "NaturalImages"}, nil},
	"variances":    {NewVarianceBatch, []string{"LogVariances[Texts]", "LogVariances[Images]"}, []string{"Means[Texts]", "Means[Images]"}},
	"generalized": {NewGeneralizedBatch, []string{"Means[Texts]", "LogScales[Texts]", "LogShapes[Texts]", "Means[Images]", "LogScales[Images]", "LogShapes[Images]"},
		[]string{"Targets[Texts]", "Targets[Images]"}},
	"cosines": {func(pairs, _, numbers int) *Batch { return NewCosineBatch(pairs, numbers) }, []string{"LogLikelihoods"}, nil},
}

func TestEveryKindOfBatchHasItsParts(t *testing.T) {
	for name, kind := range kinds {
		b := kind.batch(3, 4, 2)
		var trained, fixed []string
		for _, part := range b.Parts() {
			columns := 4
			if part.Name == "LogLikelihoods" {
				columns = 3
			}
			for _, rows := range [][][]float64{part.Values, part.Derivatives} {
				if len(rows) != 0 && (len(rows) != 3 || len(rows[2]) != columns || cap(rows[0]) != columns) {
					t.Errorf("%s: %s has %d rows of %d", name, part.Name, len(rows), len(rows[0]))
				}
			}
			switch {
			case len(part.Derivatives) > 0:
				trained = append(trained, part.Name)
			case len(part.Values) > 0:
				fixed = append(fixed, part.Name)
			}
		}
		if !slices.Equal(trained, kind.trained) || !slices.Equal(fixed, kind.fixed) || b.Pairs() != 3 || len(b.Numbers) != 2 || len(b.DNumbers) != 2 {
			t.Errorf("%s: %d pairs, trained %q, fixed %q", name, b.Pairs(), trained, fixed)
		}
	}
}

func TestClearedDerivativesAreAllZeroAndValuesStay(t *testing.T) {
	for name, kind := range kinds {
		b := kind.batch(2, 3, 1)
		b.Numbers[0], b.DNumbers[0] = 5, 6
		for _, part := range b.Parts() {
			for _, rows := range [][][]float64{part.Values, part.Derivatives} {
				for _, row := range rows {
					row[len(row)-1] = 7
				}
			}
		}
		b.ClearDerivatives()
		for _, part := range b.Parts() {
			for i := range part.Values {
				if part.Values[i][len(part.Values[i])-1] != 7 {
					t.Errorf("%s: %s lost its values", name, part.Name)
				}
			}
			for _, row := range part.Derivatives {
				if row[len(row)-1] != 0 {
					t.Errorf("%s: derivatives of %s are left", name, part.Name)
				}
			}
		}
		if b.Numbers[0] != 5 || b.DNumbers[0] != 0 {
			t.Errorf("%s: numbers %v, derivatives %v", name, b.Numbers, b.DNumbers)
		}
	}
}

// products is a loss of every trained value, each with its own factor, and of its square, with one
// mistake.
func products(wrong string) Func {
	return Func{Label: "products", Loss: func(b *Batch) (loss float64) {
		factor := 0.0
		for _, part := range b.Parts() {
			for i, row := range part.Derivatives {
				for j := range row {
					factor++
					value := part.Values[i][j]
					loss += factor * (value + value*value)
					row[j] += factor * (1 + 2*value)
					if fmt.Sprintf("%s[%d][%d]", part.Name, i, j) == wrong {
						row[j] *= 1.01
					}
				}
			}
		}
		return loss
	}}
}

// TestEveryTrainedPartIsChecked damages the last derivative of each part of each kind in turn.
func TestEveryTrainedPartIsChecked(t *testing.T) {
	for name, kind := range kinds {
		fill := func() *Batch {
			r, b := rand.New(rand.NewPCG(3, 4)), kind.batch(3, 4, 0)
			for _, part := range b.Parts() {
				for _, row := range part.Values {
					for j := range row {
						row[j] = 1 + r.Float64()
					}
				}
			}
			return b
		}
		if err := Check(products(""), fill()); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		for _, part := range kind.trained {
			entry := part + "[2][3]"
			if part == "LogLikelihoods" {
				entry = part + "[2][2]"
			}
			var wrong *GradientError
			if err := Check(products(entry), fill()); !errors.As(err, &wrong) || wrong.Entry != entry {
				t.Errorf("%s: error %v, want one of %s", name, err, entry)
			}
		}
		for _, part := range kind.fixed {
			changes := products("")
			changes.Loss = func(b *Batch) float64 {
				for _, p := range b.Parts() {
					if p.Name == part {
						p.Values[1][2] = 9
					}
				}
				return 1
			}
			if err := Check(changes, fill()); err == nil || !strings.Contains(err.Error(), "changes "+part+"[1][2] from") {
				t.Errorf("%s: error %v", name, err)
			}
		}
	}
}
