package nn

//lint:file-ignore U1000 staticcheck does not see that these methods satisfy an interface with a type parameter

import (
	"fmt"
	"math"
	"math/rand/v2"

	"gosphere/asymvlm/custom"
	"gosphere/asymvlm/device"
)

// Own returns the objective of a user-defined model, which has networks, a loss and initial values
// of its own. Of the other fields of an Architecture it accepts Dimension and Optimizer. Objectives
// of the same model are equal.
func Own(model *custom.Model) Objective { return ofModel{model} }

type ofModel struct{ model *custom.Model }

func (ofModel) String() string { return "user-defined" }

func (ofModel) properties() properties {
	return properties{fixedWidth: true, fixedDepth: true, unmaskable: true, separate: true}
}

// check returns an error for fields that are invalid with a user-defined model.
func (o ofModel) check(a Architecture) error {
	if a.Loss != nil {
		return fmt.Errorf("nn: a user-defined model has its own loss and does not accept %q", a.Loss.Name())
	}
	if a.Likelihood != nil || a.FirstTemperature != 0 || a.FixedTemperature || a.LogTemperature || a.Pairs != nil || a.KLWeight != nil || a.OutputFactor != 0 || a.Residual || a.Layers != [2]LastLayer{} {
		return fmt.Errorf("nn: a user-defined model sets its own initial values; remove likelihood, temperatures, factors, Residual and Layers")
	}
	if err := a.Optimizer.Check(); err != nil {
		return err
	}
	return o.model.Check(a.Dimension)
}

func (o ofModel) single(b *builder[float32]) (objective[float32], error) {
	return newOwn(b, o.model), nil
}
func (o ofModel) double(b *builder[float64]) (objective[float64], error) {
	return newOwn(b, o.model), nil
}

// own is the objective of a user-defined model, which computes in float64.
type own[F device.Float] struct {
	model   *custom.Model
	tensors []*tensor[F]
	columns int
	checked bool // the gradient has been compared with finite differences
}

func newOwn[F device.Float](b *builder[F], model *custom.Model) *own[F] {
	o := &own[F]{model: model, columns: model.Columns(b.Dimension)}
	for _, t := range model.Tensors(b.Dimension) {
		o.tensors = append(o.tensors, b.tensors.take(t.Name, t.Shape...))
	}
	return o
}

// values returns the parameters in float64.
func (o *own[F]) values() custom.Values {
	all := custom.Values{}
	for _, t := range o.tensors {
		all[t.name] = wide(t.values)
	}
	return all
}

func (o *own[F]) initialize(source *rand.Rand) {
	values := o.values()
	for _, all := range values {
		clear(all)
	}
	if o.model.Initialize != nil {
		o.model.Initialize(values, source)
	}
	for _, t := range o.tensors {
		for i, value := range values[t.name] {
			t.values[i] = F(value)
		}
	}
	o.checked = false
}

func (o *own[F]) differentiate(texts, images device.Matrix[F]) (StepResult, error) {
	values, gradient := o.values(), custom.Values{}
	for _, t := range o.tensors {
		gradient[t.name] = make([]float64, t.length())
	}
	wideTexts, wideImages := wideRows(texts), wideRows(images)
	if !o.checked {
		n := min(texts.Rows, checkedPairs)
		if err := custom.CheckModel(o.model, values, wideTexts[:n], wideImages[:n]); err != nil {
			return StepResult{}, err
		}
		o.checked = true
	}
	result := StepResult{Temperature: o.temperature()}
	result.Loss = o.model.Differentiate(values, wideTexts, wideImages, gradient)
	squares := 0.0
	for _, t := range o.tensors {
		for i, value := range gradient[t.name] {
			t.gradient[i], squares = F(value), squares+value*value
		}
	}
	return result, firstNotFinite(NotFiniteError{"the loss", result.Loss}, NotFiniteError{"the gradient", math.Sqrt(squares)})
}

func (o *own[F]) width() int { return o.columns }

func (o *own[F]) represent(dst device.Matrix[F], u []float64, side Side, raw device.Matrix[F]) bool {
	rows := wideRows(dst)
	for _, row := range rows {
		clear(row)
	}
	uncertain := o.model.Represent(o.values(), int(side), wideRows(raw), rows, u)
	narrowRows(dst, rows)
	return uncertain
}

func (o *own[F]) score(dst, images, texts device.Matrix[F]) {
	rows, wideImages, wideTexts := wideRows(dst), wideRows(images), wideRows(texts)
	if o.model.Score != nil {
		o.model.Score(o.values(), rows, wideImages, wideTexts)
	} else {
		for i, image := range wideImages {
			for j, text := range wideTexts {
				rows[i][j] = 0
				for k, x := range image {
					rows[i][j] += x * text[k]
				}
			}
		}
	}
	narrowRows(dst, rows)
}

func (o *own[F]) temperature() float64 {
	for _, t := range o.tensors {
		if t.name == custom.Temperature && len(t.shape) == 0 {
			return t.number()
		}
	}
	return 1
}

// wide converts values to float64.
func wide[F device.Float](values []F) []float64 {
	all := make([]float64, len(values))
	for i, value := range values {
		all[i] = float64(value)
	}
	return all
}

// wideRows returns the rows of a matrix in float64.
func wideRows[F device.Float](m device.Matrix[F]) [][]float64 {
	values, rows := wide(m.Values[:m.Rows*m.Columns]), make([][]float64, m.Rows)
	for i := range rows {
		rows[i] = values[i*m.Columns : (i+1)*m.Columns : (i+1)*m.Columns]
	}
	return rows
}

// narrowRows sets a matrix to rows in float64.
func narrowRows[F device.Float](dst device.Matrix[F], rows [][]float64) {
	for i, row := range rows {
		for j, value := range row {
			dst.Values[i*dst.Columns+j] = F(value)
		}
	}
}
