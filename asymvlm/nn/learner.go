package nn

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"gosphere/asymvlm/device"
)

// Matrix is a float32 matrix of a device.
type Matrix = device.Matrix[float32]

// A Parameter is a named part of the trained vector. Values shares the learner's memory.
type Parameter = parameter[float32]

type parameter[F device.Float] struct {
	Name   string // as in PyTorch: text.0.weight, text.0.bias, text.2.weight, …, tau
	Shape  []int
	Values []F
}

// A StepResult holds the values of one step, computed before its update.
type StepResult struct {
	Loss        float64
	Temperature float64
	// MeanConcentration is the mean κ of the batch, or for methods with variances the reciprocal of
	// the texts' mean variance. It is 0 for methods with neither.
	MeanConcentration float64
}

// A NotFiniteError reports a quantity that became NaN or infinite.
type NotFiniteError struct {
	Term  string
	Value float64
}

// Error returns a message that names the quantity and its value.
func (e *NotFiniteError) Error() string { return fmt.Sprintf("nn: %s is %g", e.Term, e.Value) }

// A Side is one of the two modalities.
type Side int

// The two sides. Texts comes first in stored data.
const (
	Texts Side = iota
	Images
)

// name returns the prefix of a side's parameters.
func (s Side) name() string { return [...]string{"text", "image"}[s] }

// A Learner is an objective with its parameters and optimizer state. It is not safe for concurrent
// use.
type Learner = learner[float32]

type learner[F device.Float] struct {
	architecture Architecture
	ops          device.Operations[F]
	objective    objective[F]
	batch        int
	tensors      tensors[F]
	mask         mask
	steps        int

	// The vectors share one layout, in the order of the tensors.
	parameters, gradient []F
	fixed                []*tensor[F] // parameters that steps do not change; nil for none
	memory               [][]F        // optimizer state: the velocity, or AdamW's two moments
}

// NewLearner returns a learner with all parameters 0 for batches of at most batch pairs.
func NewLearner(ops device.Device, architecture Architecture, batch int) (*Learner, error) {
	return newLearner(ops, architecture, batch)
}

func newLearner[F device.Float](ops device.Operations[F], architecture Architecture, batch int) (*learner[F], error) {
	if err := architecture.Check(); err != nil {
		return nil, err
	}
	if batch < 1 {
		return nil, fmt.Errorf("nn: batch of %d pairs, want at least 1", batch)
	}
	l := &learner[F]{architecture: architecture, ops: ops, batch: batch}
	var err error
	l.objective, err = newObjective(&builder[F]{architecture, ops, batch, &l.tensors, &l.mask})
	if err != nil {
		return nil, err
	}
	l.parameters, l.gradient = l.tensors.allocate()
	if architecture.FixedTemperature {
		l.fixed = l.objective.(tempered[F]).temperatureTensors()
	}
	if of, able := l.objective.(interface{ fixedTensors() []*tensor[F] }); able {
		l.fixed = append(l.fixed, of.fixedTensors()...)
	}
	for range architecture.Optimizer.memory() {
		l.memory = append(l.memory, make([]F, len(l.parameters)))
	}
	return l, nil
}

// Initialize draws new parameters, resets temperatures to their first values and clears the
// optimizer state.
func (l *learner[F]) Initialize(source *rand.Rand) {
	l.objective.initialize(source)
	for _, memory := range l.memory {
		clear(memory)
	}
	l.steps = 0
}

// CenterNorms tells a learner the norms of all training rows on the side of its network, after
// Initialize. Only residual adapters that learn concentrations use them.
func (l *learner[F]) CenterNorms(norms []float64) {
	if of, able := l.objective.(interface{ centerNorms(norms []float64) }); able {
		of.centerNorms(norms)
	}
}

// IsResidual reports whether the outputs of the network are added to the raw embeddings; see
// Architecture.Residual.
func (l *learner[F]) IsResidual() bool { return l.architecture.Residual }

// Temperature returns τ, which multiplies the similarities in the loss but is not used in
// retrieval. It is 1 for methods without a temperature.
func (l *learner[F]) Temperature() float64 { return l.objective.temperature() }

// Parameters returns the parameters by name. Writing to the values changes the learner.
func (l *learner[F]) Parameters() []parameter[F] { return l.tensors.named("", l.parameters) }

// Memory returns the optimizer state. Each vector is split, named and shaped like the parameters,
// with its own name as prefix. A learner that continues from stored state also needs SetSteps.
func (l *learner[F]) Memory() []parameter[F] {
	var all []parameter[F]
	for i, vector := range l.memory {
		all = append(all, l.tensors.named(l.architecture.Optimizer.names()[i]+"/", vector)...)
	}
	return all
}

// SetSteps sets the number of steps that the parameters have been trained for.
func (l *learner[F]) SetSteps(steps int) { l.steps = steps }

// SetEpoch sets the current epoch, from 1, for losses that depend on it.
func (l *learner[F]) SetEpoch(epoch int) {
	if o, ok := l.objective.(interface{ setEpoch(int) }); ok {
		o.setEpoch(epoch)
	}
}

// differentiate sets the gradient for a batch of pairs and returns its result.
func (l *learner[F]) differentiate(texts, images device.Matrix[F]) (StepResult, error) {
	if texts.Rows != images.Rows || texts.Rows < 1 || texts.Rows > l.batch {
		return StepResult{}, fmt.Errorf("nn: batch of %d texts and %d images, want as many of both, at most %d",
			texts.Rows, images.Rows, l.batch)
	}
	if err := l.mask.check(texts.Rows); err != nil {
		return StepResult{}, err
	}
	return l.objective.differentiate(texts, images)
}

// Step performs one optimizer step on a batch of pairs: row i of texts belongs to row i of images,
// both raw embeddings. If a quantity is not finite, the error is a *NotFiniteError and no parameter
// has changed.
func (l *learner[F]) Step(texts, images device.Matrix[F], rate device.Rate) (StepResult, error) {
	result, err := l.differentiate(texts, images)
	if err != nil {
		return result, err
	}
	l.steps++
	var fixed [][]F
	for _, t := range l.fixed {
		fixed = append(fixed, slices.Clone(t.values))
	}
	l.update(rate)
	for i, t := range l.fixed {
		copy(t.values, fixed[i])
	}
	return result, nil
}

// firstNotFinite returns an error for the first quantity that is NaN or infinite.
func firstNotFinite(checks ...NotFiniteError) error {
	for _, check := range checks {
		if math.IsNaN(check.Value) || math.IsInf(check.Value, 0) {
			return &NotFiniteError{check.Term, check.Value}
		}
	}
	return nil
}

// A Representation holds the rows that scores are computed from, for raw embeddings of one side,
// and an uncertainty of each row. Uncertainty is nil if the method has none for the side.
type Representation = representation[float32]

type representation[F device.Float] struct {
	Rows        device.Matrix[F]
	Uncertainty []float64
}

// Represent passes any number of raw embeddings of one side through the networks.
func (l *learner[F]) Represent(side Side, raw device.Matrix[F]) representation[F] {
	r := representation[F]{device.NewMatrix[F](raw.Rows, l.objective.width()), make([]float64, raw.Rows)}
	uncertain := true
	for from := 0; from < raw.Rows; from += l.batch {
		rows := min(l.batch, raw.Rows-from)
		uncertain = l.objective.represent(part(r.Rows, from, rows), r.Uncertainty[from:from+rows], side, part(raw, from, rows))
	}
	if !uncertain {
		r.Uncertainty = nil
	}
	return r
}

// Score sets dst, N×M, to the retrieval scores of N images and M texts. They do not include the
// temperature.
func (l *learner[F]) Score(dst device.Matrix[F], images, texts representation[F]) {
	l.objective.score(dst, images.Rows, texts.Rows)
}

// A Retrieved holds the best item for every query of a gallery.
type Retrieved struct {
	ImageOfText []int // the best image of every text
	TextOfImage []int // the best text of every image
}

// BestOf returns the best items for a matrix of scores, images × texts. The first of equal scores
// is the best.
func BestOf[F device.Float](scores device.Matrix[F]) Retrieved {
	return Retrieved{ImageOfText: bestInColumns(scores), TextOfImage: bestInRows(scores)}
}

// QueryUncertainty returns the uncertainty by which every text query and every image query is
// assigned to a level, for a gallery and its retrieval result; nil if the method has none. If texts
// have an uncertainty, an image query has that of the text it retrieves, even if images have one
// too; this is the rule of AsymVLM's reference implementation. Otherwise a text query has that of
// its image.
func (l *learner[F]) QueryUncertainty(best Retrieved, images, texts representation[F]) (ofTexts, ofImages []float64) {
	if o, ok := l.objective.(queried[F]); ok {
		return o.queries(best, images, texts)
	}
	switch {
	case texts.Uncertainty != nil:
		return texts.Uncertainty, chosen(texts.Uncertainty, best.TextOfImage)
	case images.Uncertainty != nil:
		return chosen(images.Uncertainty, best.ImageOfText), images.Uncertainty
	}
	return nil, nil
}

// ComparesRows reports whether QueryUncertainty reads the rows of representations in addition to
// their uncertainties.
func (l *learner[F]) ComparesRows() bool {
	_, ok := l.objective.(queried[F])
	return ok
}

// A queried is an objective with its own rule for the uncertainties of queries.
type queried[F device.Float] interface {
	queries(best Retrieved, images, texts representation[F]) (ofTexts, ofImages []float64)
}

// bestInRows returns the column of the largest value of every row, the first of equals.
func bestInRows[F device.Float](m device.Matrix[F]) []int {
	best := make([]int, m.Rows)
	for i := range best {
		row := m.Row(i)
		for j, value := range row {
			if value > row[best[i]] {
				best[i] = j
			}
		}
	}
	return best
}

// bestInColumns returns the row of the largest value of every column, the first of equals.
func bestInColumns[F device.Float](m device.Matrix[F]) []int {
	best := make([]int, m.Columns)
	for i := range m.Rows {
		for j, value := range m.Row(i) {
			if value > m.Values[best[j]*m.Columns+j] {
				best[j] = i
			}
		}
	}
	return best
}

// chosen returns the values at the given indices.
func chosen(values []float64, places []int) []float64 {
	list := make([]float64, len(places))
	for i, place := range places {
		list[i] = values[place]
	}
	return list
}

// part returns a view of some rows of a matrix.
func part[F device.Float](m device.Matrix[F], from, rows int) device.Matrix[F] {
	return device.Matrix[F]{Rows: rows, Columns: m.Columns, Values: m.Values[from*m.Columns : (from+rows)*m.Columns]}
}

func mean(values []float64) float64 {
	sum := 0.0
	for _, value := range values {
		sum += value
	}
	return sum / float64(len(values))
}
