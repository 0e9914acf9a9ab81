package custom

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
)

// drawn returns a batch with random values of the size in training.
func drawn(pairs, dimension int, numbers ...float64) *Batch {
	r := rand.New(rand.NewPCG(1, 2))
	b := NewBatch(pairs, dimension, len(numbers))
	for _, rows := range [][][]float64{b.LogLikelihoods, b.Natural, b.Images} {
		for _, row := range rows {
			for j := range row {
				row[j] = 2 * r.NormFloat64()
			}
		}
	}
	copy(b.Numbers, numbers)
	return b
}

// smooth is a loss that uses all inputs; damage introduces mistakes into its derivatives.
func smooth(damage func(b *Batch)) Func {
	return Func{Label: "smooth", Parameters: []Number{{"tau", 1}, {"bias", -2}}, Loss: func(b *Batch) float64 {
		loss, n := 0.0, float64(b.Pairs())
		for s, row := range b.LogLikelihoods {
			for r, ell := range row {
				h := b.Numbers[0]*ell + b.Numbers[1]
				loss += math.Log1p(math.Exp(h)) / n
				slope := 1 / (1 + math.Exp(-h)) / n
				b.DLogLikelihoods[s][r] += b.Numbers[0] * slope
				b.DNumbers[0] += slope * ell
				b.DNumbers[1] += slope
			}
		}
		for r, row := range b.Natural {
			for j, eta := range row {
				loss += eta * eta * b.Images[r][j] / n
				b.DNatural[r][j] += 2 * eta * b.Images[r][j] / n
			}
		}
		if damage != nil {
			damage(b)
		}
		return loss
	}}
}

func TestRightDerivativesPass(t *testing.T) {
	for _, pairs := range []int{1, 2, 7, 60} {
		b := drawn(pairs, 5, 1.3, -0.4)
		before := fmt.Sprint(b.LogLikelihoods, b.Natural, b.Numbers)
		if err := Check(smooth(nil), b); err != nil {
			t.Errorf("%d pairs: %v", pairs, err)
		}
		if after := fmt.Sprint(b.LogLikelihoods, b.Natural, b.Numbers); after != before {
			t.Errorf("%d pairs: the check changed the batch", pairs)
		}
	}
}

func TestBatchesHoldWhatTheirMethodsGive(t *testing.T) {
	variances, cosines := NewVarianceBatch(3, 4, 1), NewCosineBatch(5, 2)
	if variances.Pairs() != 3 || cosines.Pairs() != 5 || len(variances.LogLikelihoods) != 0 || len(cosines.Natural) != 0 || len(cosines.Numbers) != 2 {
		t.Errorf("%+v, %+v", variances, cosines)
	}
	for side := range variances.DLogVariances {
		variances.DLogVariances[side][2][3] = 1
	}
	variances.ClearDerivatives()
	if variances.DLogVariances[Texts][2][3] != 0 || variances.DLogVariances[Images][2][3] != 0 {
		t.Error("derivatives of variances are left")
	}
	changes := Func{Label: "changes", Parameters: []Number{{"tau", 1}}, Loss: func(b *Batch) float64 { b.Means[Images][1][2] = 5; return 1 }}
	if err := Check(changes, variances); err == nil || !strings.Contains(err.Error(), "changes Means[Images][1][2] from 0 to 5") {
		t.Errorf("error %v", err)
	}
}

func TestWrongDerivativesAreNamed(t *testing.T) {
	cases := map[string]func(b *Batch){
		"LogLikelihoods[3][4]": func(b *Batch) { b.DLogLikelihoods[3][4] *= 1.01 },
		"LogLikelihoods[0][0]": func(b *Batch) { b.DLogLikelihoods[0][0] = 0 },
		"Natural[6][2]":        func(b *Batch) { b.DNatural[6][2] *= -1 },
		`the number "bias"`:    func(b *Batch) { b.DNumbers[1] += 0.01 },
		`the number "tau"`:     func(b *Batch) { b.DNumbers[0] *= 2 },
	}
	for name, damage := range cases {
		err := Check(smooth(damage), drawn(8, 5, 1.3, -0.4))
		var wrong *GradientError
		if !errors.As(err, &wrong) {
			t.Errorf("%s: error %v", name, err)
			continue
		}
		if wrong.Entry != name || wrong.Loss != "smooth" || wrong.Derivative == wrong.Difference {
			t.Errorf("%s: %+v", name, wrong)
		}
		if !strings.Contains(err.Error(), name) || !strings.Contains(err.Error(), fmt.Sprintf("%.6g", wrong.Difference)) {
			t.Errorf("%s: the text is %q", name, err)
		}
	}
}

// TestMistakesEverywhereAreSeen tests common mistakes: a factor, a sign, a forgotten mean.
func TestMistakesEverywhereAreSeen(t *testing.T) {
	for name, factor := range map[string]float64{"forgotten half": 2, "sign": -1, "nothing": 0, "mean over another batch": 8. / 512} {
		err := Check(smooth(func(b *Batch) {
			for _, row := range b.DLogLikelihoods {
				for r := range row {
					row[r] *= factor
				}
			}
		}), drawn(8, 3, 1, 0))
		if wrong := (*GradientError)(nil); !errors.As(err, &wrong) || !strings.HasPrefix(wrong.Entry, "LogLikelihoods[") {
			t.Errorf("%s: error %v", name, err)
		}
	}
}

func TestSingleWrongEntryOfManyIsFound(t *testing.T) {
	err := Check(smooth(func(b *Batch) { b.DLogLikelihoods[17][31] *= 1.2 }), drawn(64, 2, 1, 0))
	var wrong *GradientError
	if !errors.As(err, &wrong) || wrong.Entry != "LogLikelihoods[17][31]" {
		t.Errorf("error %v", err)
	}
}

func TestKinksAreForgiven(t *testing.T) {
	hinge := Func{Label: "hinge", Loss: func(b *Batch) (loss float64) {
		for s, row := range b.LogLikelihoods {
			for r, ell := range row {
				if lack := 1 + ell - row[s]; r != s && lack > 0 {
					loss += lack
					b.DLogLikelihoods[s][r]++
					b.DLogLikelihoods[s][s]--
				}
			}
		}
		return loss
	}}
	b := drawn(6, 2)
	b.LogLikelihoods[2][3] = b.LogLikelihoods[2][2] - 1 // exactly at the kink
	if err := Check(hinge, b); err != nil {
		t.Error(err)
	}
	b.LogLikelihoods[2][3] = b.LogLikelihoods[2][2] + 1
	hinge.Loss = func(b *Batch) (loss float64) { // without the derivative of the true pair
		for s, row := range b.LogLikelihoods {
			for r, ell := range row {
				if lack := 1 + ell - row[s]; r != s && lack > 0 {
					loss += lack
					b.DLogLikelihoods[s][r]++
				}
			}
		}
		return loss
	}
	if err := Check(hinge, b); err == nil {
		t.Error("a hinge without half of its derivative passes")
	}
}

func TestLossesThatCannotBeCheckedAreErrors(t *testing.T) {
	calls := 0.0
	for want, loss := range map[string]func(*Batch) float64{
		`loss "odd" is NaN`:  func(*Batch) float64 { return math.NaN() },
		`loss "odd" is +Inf`: func(*Batch) float64 { return math.Inf(1) },
		"for the same batch": func(*Batch) float64 { calls++; return calls },
		"has no function":    nil,
	} {
		if err := Check(Func{Label: "odd", Loss: loss}, drawn(3, 2)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}

func TestDescriptionsAreValidated(t *testing.T) {
	for want, loss := range map[string]Func{
		"needs a name":                         {},
		`number 0 of loss "a" is called ""`:    {Label: "a", Parameters: []Number{{}}},
		`number 1 of loss "a" is called "b c"`: {Label: "a", Parameters: []Number{{"b", 1}, {"b c", 1}}},
		`two numbers called "b"`:               {Label: "a", Parameters: []Number{{"b", 1}, {"b", 2}}},
		`"b" of loss "a" begins at NaN`:        {Label: "a", Parameters: []Number{{"b", math.NaN()}}},
	} {
		if err := Validate(loss); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
	if err := Validate(smooth(nil)); err != nil {
		t.Error(err)
	}
}

func ExampleCheck() {
	square := Func{Label: "square", Loss: func(b *Batch) (loss float64) {
		for i, row := range b.LogLikelihoods {
			loss += row[i] * row[i]
			b.DLogLikelihoods[i][i] += row[i] // forgets the factor 2
		}
		return loss
	}}
	b := NewBatch(2, 3, 0)
	b.LogLikelihoods[1][1] = 5
	fmt.Println(Check(square, b))
	// Output:
	// custom: loss "square": its derivative with respect to LogLikelihoods[1][1] is 5, but differences of the loss give 10
}
