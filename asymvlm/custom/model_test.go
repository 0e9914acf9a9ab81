package custom

import (
	"errors"
	"math"
	"strings"
	"testing"
)

// squares is a model of one tensor w, D, with the loss ½ Σ_i |t_i·w − i_i·w|², or with |·| instead
// of ½|·|² if kink is set.
func squares(scale float64, kink bool) *Model {
	return &Model{
		Tensors: func(d int) []Tensor { return []Tensor{{"w", []int{d}}} },
		Differentiate: func(v Values, texts, images [][]float64, g Values) (loss float64) {
			for r := range texts {
				lack := 0.0
				for i, w := range v["w"] {
					lack += w * (texts[r][i] - images[r][i])
				}
				slope := lack
				if kink {
					loss += math.Abs(lack)
					slope = math.Copysign(1, lack)
				} else {
					loss += lack * lack / 2
				}
				for i := range v["w"] {
					g["w"][i] += scale * slope * (texts[r][i] - images[r][i])
				}
			}
			return loss
		},
		Represent: func(Values, int, [][]float64, [][]float64, []float64) bool { return false },
	}
}

func TestGradientsOfModelsAreHeldAgainstDifferences(t *testing.T) {
	texts, images := [][]float64{{1, 2, 3}, {0.5, -1, 4}}, [][]float64{{2, 0, 1}, {1, 1, 1}}
	values := Values{"w": {0.3, -2, 1.5}}
	if err := CheckModel(squares(1, false), values, texts, images); err != nil {
		t.Error(err)
	}
	if values["w"][1] != -2 {
		t.Errorf("values are left at %v", values)
	}
	var wrong *GradientError
	if err := CheckModel(squares(1.001, false), values, texts, images); !errors.As(err, &wrong) || !strings.HasPrefix(wrong.Entry, "w,") {
		t.Errorf("a gradient that is wrong by a thousandth: %v", err)
	}
	if err := CheckModel(squares(1, true), Values{"w": {0, 0, 0}}, texts, images); err != nil {
		t.Errorf("at a kink: %v", err)
	}
	missing := squares(1, false)
	missing.Differentiate = func(_ Values, _, _ [][]float64, g Values) float64 { delete(g, "w"); return 0 }
	if err := CheckModel(missing, values, texts, images); err == nil || !strings.Contains(err.Error(), "leaves 0 derivatives of tensor w, want 3") {
		t.Errorf("a gradient that was thrown away: %v", err)
	}
}

func TestModelsWithoutAFunctionAreRefused(t *testing.T) {
	for want, change := range map[string]func(m *Model){
		"without Tensors":              func(m *Model) { m.Tensors = nil },
		"without Differentiate":        func(m *Model) { m.Differentiate = nil },
		"without Represent":            func(m *Model) { m.Represent = nil },
		"without a tensor":             func(m *Model) { m.Tensors = func(int) []Tensor { return nil } },
		`tensor "" of shape []`:        func(m *Model) { m.Tensors = func(int) []Tensor { return []Tensor{{}} } },
		`tensor "a" of shape [0]`:      func(m *Model) { m.Tensors = func(int) []Tensor { return []Tensor{{"a", []int{0}}} } },
		"representations of 0 columns": func(m *Model) { m.Width = func(int) int { return 0 } },
	} {
		m := squares(1, false)
		change(m)
		if err := m.Check(4); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q in it", err, want)
		}
	}
	if m := squares(1, false); m.Check(4) != nil || m.Columns(4) != 4 {
		t.Error("a complete model is refused")
	}
	if v := NewValues([]Tensor{{"a", []int{2, 3}}, {"b", nil}}); len(v["a"]) != 6 || len(v["b"]) != 1 {
		t.Errorf("values %v", v)
	}
}
