package adapter

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"gosphere/asymvlm/embedding"
	"gosphere/asymvlm/nn"
	"gosphere/asymvlm/retrieval"
)

// A Criterion selects the best measurement of a validation set.
type Criterion string

// The criteria. Each is a mean over both directions of retrieval; larger is better.
const (
	// ByAURC is minus AURC, which counts wrong answers and their order, so that neither recall nor
	// uncertainty can be bought with the other.
	ByAURC     Criterion = "aurc"
	ByRecall   Criterion = "recall"     // Recall@1
	ByMinusSR2 Criterion = "minus-s-r2" // −S·R², ProbVLM's measure of uncertainties; 0 if all levels have the same recall
	ByBoth     Criterion = "both"       // Recall@1 − S·R², which selected the rates of SmallOptions
)

// Criteria returns all criteria.
func Criteria() []Criterion { return []Criterion{ByAURC, ByRecall, ByMinusSR2, ByBoth} }

// blind says why a criterion cannot see what a method learns, or returns "" if it can.
func (c Criterion) blind(method string) string {
	frozen := keepsRanking(method)
	switch {
	case c == ByRecall && frozen:
		return "it learns an uncertainty and keeps the ranking of the embeddings, which recall alone measures"
	case c == ByRecall && (method == ResidualVonMisesFisher || method == ResidualPowerSpherical):
		return "recall does not depend on its concentrations"
	case c == ByMinusSR2 && !frozen:
		return "it learns the ranking, too, and −S·R² does not see recall: that of a random start can be the largest"
	}
	return ""
}

// keepsRanking reports whether a method ranks as the embeddings do, whatever it learns.
func keepsRanking(method string) bool {
	m, ok := find(method).(interface{ keepsRanking() bool })
	return ok && m.keepsRanking()
}

// CriteriaOf returns the criteria that can see what a method learns. The first is that of
// NewValidation.
func CriteriaOf(method string) []Criterion {
	return slices.DeleteFunc(Criteria(), func(c Criterion) bool { return c.blind(method) != "" })
}

// A Validation configures measurements on a second set before the first training step, after
// epochs, and at the end. The returned adapter and its last checkpoint have the weights of the best
// measurement, or of the first among equals. Use NewValidation to create one. The measurements
// change nothing else in the result.
type Validation struct {
	Set      *embedding.Set // other pairs than the training set
	Every    int            // epochs between measurements, at least 1
	Levels   int            // number of uncertainty levels, at least 2
	Patience int            // number of measurements without improvement after which training ends; 0 disables early stopping
	By       Criterion

	checksum string         // of the field of; loaded adapters have only the checksum
	of       *embedding.Set // the set that has the checksum
}

// NewValidation returns a validation after every epoch, with 10 levels, by AURC and without early
// stopping.
func NewValidation(set *embedding.Set) *Validation {
	return &Validation{Set: set, Every: 1, Levels: 10, By: ByAURC}
}

// ErrNotImproved reports that no measurement on the validation set was better than that before the
// first step, so that the adapter has the weights of its start. Train returns the adapter with this
// error.
var ErrNotImproved = errors.New("adapter: no measurement on the validation set is better than that before the first step, so that nothing was learned")

// notImproved returns ErrNotImproved for a finished training that kept the weights of its start.
func notImproved(a *Adapter) error {
	kept, ok := a.Best()
	if !ok || kept.Step > 0 || a.history.Steps() == 0 {
		return nil
	}
	by := a.options.Validation.By
	return fmt.Errorf("%w: %s is %s before the first step and at most that in %d measurements after it; more pairs, another learning rate, or clip without training help",
		ErrNotImproved, by, retrieval.Decimal(kept.Score(by), 4), len(a.measured)-1)
}

// String describes the validation in one line.
func (v Validation) String() string {
	text := fmt.Sprintf("validation every %d epochs by %s", v.Every, v.By)
	if v.Every == 1 {
		text = fmt.Sprintf("validation every epoch by %s", v.By)
	}
	if v.Patience > 0 {
		text += fmt.Sprintf(", patience %d", v.Patience)
	}
	return text
}

// check returns an error for the first field that is invalid for a method. A nil Validation is
// valid.
func (v *Validation) check(method string) error {
	switch {
	case v == nil:
		return nil
	case v.Set == nil && v.checksum == "":
		return fmt.Errorf("adapter: a validation without a set; NewValidation makes one")
	case v.Every < 1 || v.Levels < 2 || v.Patience < 0:
		return fmt.Errorf("adapter: validation every %d epochs, %d levels, patience %d; want at least 1, 2 and 0", v.Every, v.Levels, v.Patience)
	case !slices.Contains(Criteria(), v.By):
		return fmt.Errorf("adapter: validation by %q, want one of %q", v.By, Criteria())
	}
	if reason := v.By.blind(aboutOf(method).ID); reason != "" && v.Set != nil { // checkpoints of earlier versions stay readable
		return fmt.Errorf("adapter: validation by %q of %s: %s; want one of %q", v.By, method, reason, CriteriaOf(aboutOf(method).ID))
	}
	return nil
}

// on returns a copy for training on a set with the given checksum.
func (v *Validation) on(train *embedding.Set, checksum string) (*Validation, error) {
	switch {
	case v == nil:
		return nil, nil
	case v.Set == nil:
		return nil, fmt.Errorf("adapter: the validation of a loaded adapter has no set; name the one that it was measured on")
	}
	if err := v.Set.Check(); err != nil {
		return nil, fmt.Errorf("adapter: validation: %w", err)
	}
	if v.Set.Images.Columns != train.Images.Columns || v.Set.Texts.Columns != train.Texts.Columns {
		return nil, fmt.Errorf("adapter: the validation set has %d columns of images and %d of texts, the training set %d and %d",
			v.Set.Images.Columns, v.Set.Texts.Columns, train.Images.Columns, train.Texts.Columns)
	}
	own := *v
	var err error
	if own.checksum, err = ChecksumOf(v.Set); err != nil {
		return nil, err
	}
	if own.of = v.Set; own.checksum == checksum {
		return nil, fmt.Errorf("adapter: the validation set is the training set, on which the last step is the best; name other pairs")
	}
	return &own, nil
}

// A Measurement is one measurement on the validation set.
type Measurement struct {
	Epoch, Step int     // completed; 0 before the first
	Loss        float64 // mean training loss of the epoch; NaN before the first step
	TextToImage Measures
	ImageToText Measures
}

// Measures are the measures of one direction, see retrieval.Direction.
type Measures struct{ Recall1, Recall5, Recall10, S, R2, MinusSR2, AURC float64 }

func measuresOf(d retrieval.Direction) Measures {
	return Measures{d.Recall1, d.Recall5, d.Recall10, d.S, d.R2, d.MinusSR2, d.AURC}
}

// String formats the epoch and Recall@1 in both directions.
func (m Measurement) String() string {
	return fmt.Sprintf("validation recall@1 %s and %s after epoch %d", retrieval.Decimal(m.TextToImage.Recall1, 3), retrieval.Decimal(m.ImageToText.Recall1, 3), m.Epoch)
}

// Score returns the value that a criterion compares, or NaN for an unknown criterion.
func (m Measurement) Score(by Criterion) float64 {
	recall := (m.TextToImage.Recall1 + m.ImageToText.Recall1) / 2
	shape := (orZero(m.TextToImage.MinusSR2) + orZero(m.ImageToText.MinusSR2)) / 2
	switch by {
	case ByAURC:
		return -(m.TextToImage.AURC + m.ImageToText.AURC) / 2
	case ByRecall:
		return recall
	case ByMinusSR2:
		return shape
	case ByBoth:
		return recall + shape
	}
	return math.NaN()
}

// orZero returns 0 for NaN.
func orZero(x float64) float64 {
	if math.IsNaN(x) {
		return 0
	}
	return x
}

// best returns the index of the first of the best measurements, or -1 if there are none.
func best(measured []Measurement, by Criterion) int {
	at := -1
	for i, m := range measured {
		if at < 0 || m.Score(by) > measured[at].Score(by) {
			at = i
		}
	}
	return at
}

// Measurements returns the measurements on the validation set, in the order of the epochs. It is
// empty without a validation set.
func (a *Adapter) Measurements() []Measurement { return slices.Clone(a.measured) }

// Best returns the measurement whose weights a finished training with a validation set kept. It
// reports false if there is none.
func (a *Adapter) Best() (Measurement, bool) {
	if len(a.measured) == 0 || a.options.Validation == nil {
		return Measurement{}, false
	}
	return a.measured[best(a.measured, a.options.Validation.By)], true
}

// Complete reports whether the training has ended: all steps have run, or the validation ended it
// early. A method without training is complete.
func (a *Adapter) Complete() bool {
	return a.learner == nil || a.history.Steps() >= StepsOf(a) || a.impatient()
}

// impatient reports whether the last Patience measurements brought no improvement.
func (a *Adapter) impatient() bool {
	v := a.options.Validation
	return v != nil && v.Patience > 0 && len(a.measured)-1-best(a.measured, v.By) >= v.Patience
}

// measurementDue reports whether the validation set must be measured now: before the first step,
// after every Every epochs, and at the end.
func (t *training) measurementDue() bool {
	v, steps := t.options.Validation, t.adapter.history.Steps()
	if v == nil || steps%t.perEpoch != 0 && steps != t.steps {
		return false
	}
	if n := len(t.adapter.measured); n > 0 && t.adapter.measured[n-1].Step == steps {
		return false // already measured by the checkpoint that is resumed
	}
	return steps/t.perEpoch%v.Every == 0 || steps == t.steps
}

// measure measures the validation set if that is due, and keeps the weights if they are the best so
// far.
func (t *training) measure() error {
	if !t.measurementDue() {
		return nil
	}
	if err := t.fetch(); err != nil {
		return err
	}
	a, v := t.adapter, t.options.Validation
	report, err := a.Evaluate(v.Set, v.Levels)
	if err != nil {
		return fmt.Errorf("adapter: validation after step %d of %d: %w; %s", a.history.Steps(), t.steps, err, t.kept())
	}
	m := Measurement{Epoch: (a.history.Steps() + t.perEpoch - 1) / t.perEpoch, Step: a.history.Steps(), Loss: math.NaN(),
		TextToImage: measuresOf(report.TextToImage), ImageToText: measuresOf(report.ImageToText)}
	if means := a.history.Epochs(a.history.Loss); len(means) > 0 {
		m.Loss = means[len(means)-1]
	}
	a.measured = append(a.measured, m)
	if m.Step == 0 {
		if err := t.curves.Write(a.point(0)); err != nil {
			return err
		}
	}
	if best(a.measured, v.By) == len(a.measured)-1 {
		a.keepWeights()
	}
	return nil
}

// keepWeights copies the parameters to a.best.
func (a *Adapter) keepWeights() {
	a.best = nil
	for _, p := range a.learner.Parameters() {
		a.best = append(a.best, nn.Parameter{Name: p.Name, Shape: p.Shape, Values: slices.Clone(p.Values)})
	}
}

// end finishes a complete training. With a validation set it restores and writes the weights of the
// best measurement.
func (t *training) end() (*Adapter, error) {
	if err := t.fetch(); err != nil {
		return nil, err
	}
	a := t.adapter
	if a.best == nil {
		return a, nil
	}
	for i, p := range a.learner.Parameters() {
		copy(p.Values, a.best[i].Values)
	}
	a.best = nil
	if t.options.Checkpoint == "" {
		return a, nil
	}
	if err := a.write(t.options.Checkpoint, true); err != nil {
		return nil, err
	}
	return a, nil
}

// A validationRecord is the description of a validation in a checkpoint. Its field names appear in
// the message about another training.
type validationRecord struct {
	Checksum string    `json:"set_sha256"`
	Every    int       `json:"every"`
	Levels   int       `json:"levels"`
	Patience int       `json:"patience"`
	By       Criterion `json:"by"`
}

func (v *Validation) record() validationRecord {
	if v == nil {
		return validationRecord{}
	}
	checksum := v.checksum
	if v.Set != v.of {
		var err error
		if checksum, err = ChecksumOf(v.Set); err != nil {
			checksum = err.Error() // differs from the checksum of every training
		}
	}
	return validationRecord{checksum, v.Every, v.Levels, v.Patience, v.By}
}

// validation returns the recorded options, without the set.
func (r validationRecord) validation() *Validation {
	if r == (validationRecord{}) {
		return nil
	}
	return &Validation{Every: r.Every, Levels: r.Levels, Patience: r.Patience, By: r.By, checksum: r.Checksum}
}

// String describes a validation from a checkpoint.
func (r validationRecord) String() string {
	if v := r.validation(); v != nil {
		return fmt.Sprintf("%v on a set with checksum %.8s", *v, r.Checksum)
	}
	return "no validation"
}

// Prefixes of tensors in a checkpoint of a training with a validation set: the weights of the best
// measurement during training, and the columns of the measurements.
const (
	bestPrefix       = "best/"
	validationPrefix = "validation/"
)

// columns returns pointers to the numbers of a measurement by column name.
func (m *Measurement) columns() map[string]*float64 {
	all := map[string]*float64{"loss": &m.Loss}
	for name, d := range map[string]*Measures{"t2i_": &m.TextToImage, "i2t_": &m.ImageToText} {
		all[name+"recall_1"], all[name+"recall_5"], all[name+"recall_10"] = &d.Recall1, &d.Recall5, &d.Recall10
		all[name+"s"], all[name+"r2"], all[name+"minus_s_r2"], all[name+"aurc"] = &d.S, &d.R2, &d.MinusSR2, &d.AURC
	}
	return all
}

// writeMeasurements adds the measurements to a checkpoint and, during training, the best weights.
func (a *Adapter) writeMeasurements(file *embedding.Safetensors, resumable bool) {
	if len(a.measured) == 0 {
		return
	}
	columns := map[string][]float64{}
	for _, m := range a.measured {
		columns["epoch"], columns["step"] = append(columns["epoch"], float64(m.Epoch)), append(columns["step"], float64(m.Step))
		for name, value := range m.columns() {
			columns[name] = append(columns[name], *value)
		}
	}
	for name, values := range columns {
		file.Arrays[validationPrefix+name] = embedding.Float64Array(values)
	}
	if resumable {
		for _, p := range a.best {
			file.Arrays[bestPrefix+p.Name] = arrayOf(p)
		}
	}
}

// readMeasurements reads the measurements of a checkpoint. They are nil if there was no validation
// set.
func readMeasurements(path string, file *embedding.Safetensors) ([]Measurement, error) {
	epochs := file.Arrays[validationPrefix+"epoch"]
	if epochs == nil {
		return nil, nil
	}
	column := func(name string, rows int) ([]float64, error) {
		array := file.Arrays[validationPrefix+name]
		if array == nil && strings.HasSuffix(name, "aurc") { // checkpoints of earlier versions
			return slices.Repeat([]float64{math.NaN()}, rows), nil
		}
		if array == nil {
			return nil, fmt.Errorf("adapter: %s: no tensor %q", path, validationPrefix+name)
		}
		values, err := array.Float64s()
		if err == nil && rows >= 0 && len(values) != rows {
			err = fmt.Errorf("%d measurements of %s, want %d", len(values), name, rows)
		}
		if err != nil {
			return nil, fmt.Errorf("adapter: %s: %w", path, err)
		}
		return values, nil
	}
	numbers, err := column("epoch", -1)
	if err != nil {
		return nil, err
	}
	steps, err := column("step", len(numbers))
	if err != nil {
		return nil, err
	}
	measured := make([]Measurement, len(numbers))
	for i := range measured {
		measured[i].Epoch, measured[i].Step = int(numbers[i]), int(steps[i])
	}
	for name := range new(Measurement).columns() {
		values, err := column(name, len(numbers))
		if err != nil {
			return nil, err
		}
		for i := range measured {
			*measured[i].columns()[name] = values[i]
		}
	}
	return measured, nil
}

// takeMeasurements reads the measurements of a checkpoint and, to resume training, the best
// weights.
func (a *Adapter) takeMeasurements(path string, file *embedding.Safetensors, resumable bool) (err error) {
	if a.measured, err = readMeasurements(path, file); err != nil || !resumable || len(a.measured) == 0 {
		return err
	}
	if file.Arrays[bestPrefix+a.learner.Parameters()[0].Name] == nil {
		return nil // complete: the parameters themselves are the best weights
	}
	a.keepWeights()
	for _, p := range a.best {
		if err := takeTensor(path, file, bestPrefix+p.Name, p); err != nil {
			return err
		}
	}
	return nil
}
