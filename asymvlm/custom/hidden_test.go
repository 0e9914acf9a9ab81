package custom

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
)

// TestNaNAmongDerivativesIsNamedWhereverItIs checks that NaN is found although comparisons with it
// are false.
func TestNaNAmongDerivativesIsNamedWhereverItIs(t *testing.T) {
	for _, value := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		cases := map[string]func(b *Batch){
			"LogLikelihoods[0][0]": func(b *Batch) { b.DLogLikelihoods[0][0] = value },
			"LogLikelihoods[7][7]": func(b *Batch) { b.DLogLikelihoods[7][7] = value },
			"Natural[3][1]":        func(b *Batch) { b.DNatural[3][1] = value },
			`the number "tau"`:     func(b *Batch) { b.DNumbers[0] = value },
		}
		for name, damage := range cases {
			err := Check(smooth(damage), drawn(8, 5, 1.3, -0.4))
			if want := fmt.Sprintf(`custom: loss "smooth": its derivative with respect to %s is %g`, name, value); err == nil || err.Error() != want {
				t.Errorf("error %v, want %q", err, want)
			}
		}
	}
}

// TestEveryWrongEntryOfABatchIsFound damages each derivative of a small batch in turn.
func TestEveryWrongEntryOfABatchIsFound(t *testing.T) {
	const pairs, dimension = 4, 3
	for i := range pairs * (pairs + dimension) {
		row, column := i/(pairs+dimension), i%(pairs+dimension)
		name := fmt.Sprintf("LogLikelihoods[%d][%d]", row, column)
		damage := func(b *Batch) { b.DLogLikelihoods[row][column] += 0.02 }
		if column >= pairs {
			name = fmt.Sprintf("Natural[%d][%d]", row, column-pairs)
			damage = func(b *Batch) { b.DNatural[row][column-pairs] += 0.02 }
		}
		var wrong *GradientError
		if err := Check(smooth(damage), drawn(pairs, dimension, 1, 0.5)); !errors.As(err, &wrong) || wrong.Entry != name {
			t.Errorf("%s: error %v", name, err)
			continue
		}
		if off := wrong.Derivative - wrong.Difference; math.Abs(off-0.02) > 1e-6 {
			t.Errorf("%s: off by %g, want 0.02", name, off)
		}
	}
}

// TestScalesOfLossesAreOfNoMatter multiplies a loss and its derivatives: correct ones pass and a
// mistake of 1 % is found.
func TestScalesOfLossesAreOfNoMatter(t *testing.T) {
	for _, scale := range []float64{1e-4, 1, 1e6, 1e12} {
		scaled := func(damage func(b *Batch)) Func {
			inner := smooth(nil)
			return Func{Label: "scaled", Parameters: inner.Parameters, Loss: func(b *Batch) float64 {
				loss := scale * inner.Loss(b)
				for _, rows := range [][][]float64{b.DLogLikelihoods, b.DNatural, {b.DNumbers}} {
					for _, row := range rows {
						for j := range row {
							row[j] *= scale
						}
					}
				}
				if damage != nil {
					damage(b)
				}
				return loss
			}}
		}
		if err := Check(scaled(nil), drawn(6, 4, 1.3, -0.4)); err != nil {
			t.Errorf("scale %g: %v", scale, err)
		}
		err := Check(scaled(func(b *Batch) { b.DNatural[2][1] *= 1.01 }), drawn(6, 4, 1.3, -0.4))
		if wrong := (*GradientError)(nil); !errors.As(err, &wrong) || wrong.Entry != "Natural[2][1]" {
			t.Errorf("scale %g: error %v", scale, err)
		}
	}
}

func TestLossesThatChangeTheBatchAreErrors(t *testing.T) {
	for want, change := range map[string]func(b *Batch){
		"changes LogLikelihoods[1][0] from": func(b *Batch) { b.LogLikelihoods[1][0] = 0 },
		"changes Natural[2][1] from":        func(b *Batch) { b.Natural[2][1] = math.NaN() },
		"changes Images[0][0] from":         func(b *Batch) { b.Images[0][0] /= 2 },
		"changes Numbers[1] from":           func(b *Batch) { b.Numbers[1]++ },
	} {
		err := Check(smooth(change), drawn(3, 2, 1, 0.5))
		if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), `loss "smooth"`) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}

func TestNumbersAndPlacesForThemAreAsMany(t *testing.T) {
	err := Check(smooth(nil), drawn(3, 2, 1))
	if err == nil || err.Error() != `custom: loss "smooth" has 2 numbers, the batch places for 1 and for 1 derivatives` {
		t.Errorf("error %v", err)
	}
}

// A failing loss returns an error at a given call.
type failing struct {
	Func
	at, calls int
}

func (f *failing) Differentiate(b *Batch) (float64, error) {
	if f.calls++; f.calls == f.at {
		return 0, errors.New("out of order")
	}
	return f.Func.Differentiate(b)
}

func TestErrorsOfALossCarryItsName(t *testing.T) {
	for at := 1; at < 10; at++ {
		loss := &failing{Func: smooth(nil), at: at}
		if err := Check(loss, drawn(3, 2, 1, 0)); err == nil || err.Error() != `custom: loss "smooth": out of order` {
			t.Errorf("call %d: error %v", at, err)
		}
	}
}

// TestTheCheckCostsDozensOfCalls checks that the cost does not grow with the batch if the loss is
// correct, and logarithmically otherwise.
func TestTheCheckCostsDozensOfCalls(t *testing.T) {
	for _, pairs := range []int{2, 50} {
		counted := &failing{Func: smooth(nil), at: -1}
		if err := Check(counted, drawn(pairs, 4, 1, 0)); err != nil {
			t.Fatal(err)
		}
		if counted.calls != 2+3*3*2+1 {
			t.Errorf("%d pairs: %d calls, want 21", pairs, counted.calls)
		}
	}
	wrong := &failing{Func: smooth(func(b *Batch) { b.DLogLikelihoods[40][41] *= 2 }), at: -1}
	if err := Check(wrong, drawn(50, 4, 1, 0)); err == nil || wrong.calls > 2+2+4*12+5 {
		t.Errorf("%d calls to find one entry of 2500 (error %v)", wrong.calls, err)
	}
}

func TestDerivativesAfterACheckAreThoseOfTheBatch(t *testing.T) {
	checked, fresh := drawn(5, 3, 0.7, -1), drawn(5, 3, 0.7, -1)
	if err := Check(smooth(nil), checked); err != nil {
		t.Fatal(err)
	}
	if _, err := smooth(nil).Differentiate(fresh); err != nil {
		t.Fatal(err)
	}
	if got, want := fmt.Sprint(checked), fmt.Sprint(fresh); got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// TestCrossEntropyOfTheBatchPasses tests the loss of the papers, InfoNCE with a temperature, in its
// plain form, and the same with the mean forgotten in one direction.
func TestCrossEntropyOfTheBatchPasses(t *testing.T) {
	infoNCE := func(factor float64) Func {
		return Func{Label: "infonce", Parameters: []Number{{"tau", 1}}, Loss: func(b *Batch) (loss float64) {
			n, tau := b.Pairs(), b.Numbers[0]
			for i := range n {
				for _, byRow := range []bool{true, false} {
					at := func(j int) (s, r int) {
						if byRow {
							return i, j
						}
						return j, i
					}
					total := 0.0
					for j := range n {
						s, r := at(j)
						total += math.Exp(tau * b.LogLikelihoods[s][r])
					}
					loss += (math.Log(total) - tau*b.LogLikelihoods[i][i]) / float64(2*n)
					for j := range n {
						s, r := at(j)
						g := math.Exp(tau*b.LogLikelihoods[s][r]) / total / float64(2*n)
						if j == i {
							g -= 1 / float64(2*n)
						}
						if !byRow {
							g *= factor
						}
						b.DLogLikelihoods[s][r] += tau * g
						b.DNumbers[0] += g * b.LogLikelihoods[s][r]
					}
				}
			}
			return loss
		}}
	}
	for _, pairs := range []int{1, 2, 9} {
		if err := Check(infoNCE(1), drawn(pairs, 2, 1.1)); err != nil {
			t.Errorf("%d pairs: %v", pairs, err)
		}
	}
	if err := Check(infoNCE(9), drawn(9, 2, 1.1)); err == nil {
		t.Error("a sum instead of a mean passes")
	}
}

// FuzzCheckFindsAFactor damages one derivative of random losses by a random factor.
func FuzzCheckFindsAFactor(f *testing.F) {
	f.Add(uint64(1), uint8(3), 1.5)
	f.Add(uint64(2), uint8(0), 0.0)
	f.Add(uint64(3), uint8(255), -1.0)
	f.Fuzz(func(t *testing.T, seed uint64, place uint8, factor float64) {
		r := rand.New(rand.NewPCG(seed, 1))
		b := NewBatch(4, 2, 0)
		weights := make([]float64, 16)
		for i := range weights {
			weights[i], b.LogLikelihoods[i/4][i%4] = 1+r.Float64(), 1+r.Float64()
		}
		wrong := int(place) % 16
		loss := Func{Label: "cubes", Loss: func(b *Batch) (loss float64) {
			for i, w := range weights {
				ell := b.LogLikelihoods[i/4][i%4]
				loss += w * ell * ell * ell
				slope := 3 * w * ell * ell
				if i == wrong {
					slope *= factor
				}
				b.DLogLikelihoods[i/4][i%4] += slope
			}
			return loss
		}}
		err := Check(loss, b)
		if factor == 1 && err != nil {
			t.Fatal(err)
		}
		if !(math.Abs(factor-1) < 1e-3) && (err == nil || !strings.Contains(err.Error(), fmt.Sprintf("LogLikelihoods[%d][%d]", wrong/4, wrong%4))) {
			t.Fatalf("factor %g at %d: error %v", factor, wrong, err)
		}
	})
}
