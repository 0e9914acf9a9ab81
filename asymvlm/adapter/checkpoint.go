package adapter

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"gosphere/asymvlm/custom"
	"gosphere/asymvlm/device"
	"gosphere/asymvlm/embedding"
	"gosphere/asymvlm/nn"
)

// A checkpoint is a safetensors file. It contains the parameters under PyTorch's names, the
// optimizer state under velocity/, or first_moment/ and second_moment/, the history under history/,
// and the record below as JSON in the metadata.

// checkpointFormat is the value of the metadata entry "format". Checkpoints of the format before it
// have no checksum.
const (
	checkpointFormat = "gosphere adapter 2"
	unsealedFormat   = "gosphere adapter 1"
)

// checksumEntry is the metadata entry in which package embedding stores the checksum of the file.
const checksumEntry = "gosphere.sha256"

// A record is the description of a training in a checkpoint. Resuming requires that all fields
// agree.
type record struct {
	Method       string  `json:"method"`
	Revision     int     `json:"revision,omitempty"` // of the method
	Seed         uint64  `json:"seed"`
	Schedule     string  `json:"schedule"`
	Epochs       int     `json:"epochs"`
	Steps        int     `json:"steps,omitempty"`
	Batch        int     `json:"batch"`
	LearningRate float64 `json:"learning_rate"`
	FinalRate    float64 `json:"final_rate"`
	Momentum     float64 `json:"momentum"`
	WeightDecay  float64 `json:"weight_decay"`
	Optimizer    string  `json:"optimizer,omitempty"` // if it is not the method's default
	WarmUp       int     `json:"warm_up,omitempty"`
	Loss         string  `json:"loss,omitempty"`         // name, if it is not the method's own loss
	Numbers      string  `json:"loss_numbers,omitempty"` // names of the loss's numbers
	Hidden       int     `json:"hidden"`
	HiddenLayers int     `json:"hidden_layers"`
	Dimension    int     `json:"dimension"`
	PerEpoch     int     `json:"steps_per_epoch"`
	Checksum     string  `json:"training_set_sha256"`

	MaskSameImage bool    `json:"mask_same_image,omitempty"`
	MatchLengths  bool    `json:"match_lengths,omitempty"`
	TextLength    float64 `json:"text_length,omitempty"`
	ImageFactor   float32 `json:"image_factor,omitempty"` // 0 means 1
	TextFactor    float32 `json:"text_factor,omitempty"`  // 0 means 1
	ScaledStart   bool    `json:"scaled_start,omitempty"`

	FirstTemperature float64 `json:"first_temperature,omitempty"`
	FixedTemperature bool    `json:"fixed_temperature,omitempty"`
	LogTemperature   bool    `json:"log_temperature,omitempty"`

	Pairs pairRecord `json:"prolip_weights,omitzero"`
	KL    klRecord   `json:"kl_weight,omitzero"`

	Layers     string `json:"layers,omitempty"` // of bayesvlm, like the next three
	Variance   string `json:"variance,omitempty"`
	Prediction string `json:"prediction,omitempty"`
	Draws      int    `json:"draws,omitempty"`

	Ranking string `json:"ranking,omitempty"`

	Precision device.Precision `json:"precision"`

	Validation validationRecord `json:"validation,omitzero"`
}

// A pairRecord holds the weights of ProLIP's loss if they are not the method's own.
type pairRecord struct {
	Given bool `json:"given"`
	nn.PairWeights
}

func recordPairs(w *nn.PairWeights) pairRecord {
	if w == nil {
		return pairRecord{}
	}
	return pairRecord{true, *w}
}

// A klRecord holds the weight of ELIP's divergence if it is not the paper's.
type klRecord struct {
	Given  bool    `json:"given"`
	Weight float64 `json:"weight"`
}

func recordKL(weight *float64) klRecord {
	if weight == nil {
		return klRecord{}
	}
	return klRecord{true, *weight}
}

// String describes the weight in a list of differences.
func (r klRecord) String() string {
	if !r.Given {
		return "1, the paper's"
	}
	return fmt.Sprint(r.Weight)
}

// weight returns the recorded option.
func (r klRecord) weight() *float64 {
	if !r.Given {
		return nil
	}
	return &r.Weight
}

// String describes the weights in a list of differences.
func (r pairRecord) String() string {
	if !r.Given {
		return "the method's own"
	}
	return fmt.Sprintf("bottleneck %g, inclusion %g, eps %g, sharpness %g", r.Bottleneck, r.Inclusion, r.Eps, r.Sharpness)
}

// weights returns the recorded option.
func (r pairRecord) weights() *nn.PairWeights {
	if !r.Given {
		return nil
	}
	return &r.PairWeights
}

// record returns the part of a record that options determine.
func (o Options) record() record {
	name, numbers := describeLoss(o.Loss)
	return record{
		Optimizer: string(o.Optimizer), Precision: cmp.Or(o.Precision, device.Float32), WarmUp: o.WarmUp, Loss: name, Numbers: numbers,
		Method: o.Method, Revision: aboutOf(o.Method).Revision, Seed: o.Seed, Schedule: o.Label, Epochs: o.Epochs, Steps: o.Steps, Batch: o.Batch,
		LearningRate: o.LearningRate, FinalRate: o.FinalRate, Momentum: o.Momentum, WeightDecay: o.WeightDecay,
		Hidden: o.Hidden, HiddenLayers: o.HiddenLayers, MaskSameImage: o.MaskSameImage, MatchLengths: o.MatchLengths, TextLength: o.TextLength,
		ScaledStart: o.ScaledStart, FirstTemperature: o.FirstTemperature, FixedTemperature: o.FixedTemperature, LogTemperature: o.LogTemperature,
		Validation: o.Validation.record(), Pairs: recordPairs(o.Pairs), KL: recordKL(o.KLWeight),
		Layers: o.Posterior.Layers, Variance: o.Posterior.Variance, Prediction: o.Posterior.Prediction, Draws: o.Posterior.Draws, Ranking: o.Ranking,
	}
}

func (a *Adapter) record() record {
	r := a.options.record()
	r.Revision, r.Dimension, r.PerEpoch, r.Checksum = a.revision, a.shape.Dimension, a.history.StepsPerEpoch, a.checksum
	if a.stretch[nn.Images] != 1 {
		r.ImageFactor = a.stretch[nn.Images]
	}
	if a.stretch[nn.Texts] != 1 {
		r.TextFactor = a.stretch[nn.Texts]
	}
	return r
}

func (r record) options() Options {
	return Options{
		Method: r.Method, Seed: r.Seed, Label: r.Schedule,
		Schedule: Schedule{
			Epochs: r.Epochs, Steps: r.Steps, Batch: r.Batch, LearningRate: r.LearningRate, FinalRate: r.FinalRate, Momentum: r.Momentum,
			WeightDecay: r.WeightDecay, Optimizer: nn.Optimizer(r.Optimizer), WarmUp: r.WarmUp, MaskSameImage: r.MaskSameImage,
		},
		Network: Network{
			Hidden: r.Hidden, HiddenLayers: r.HiddenLayers, MatchLengths: r.MatchLengths, TextLength: r.TextLength,
			ScaledStart: r.ScaledStart, FirstTemperature: r.FirstTemperature, FixedTemperature: r.FixedTemperature, LogTemperature: r.LogTemperature,
		},
		Loss: storedLoss(r.Loss, r.Numbers), Pairs: r.Pairs.weights(), KLWeight: r.KL.weight(), Ranking: r.Ranking,
		Posterior:  Posterior{Layers: r.Layers, Variance: r.Variance, Prediction: r.Prediction, Draws: r.Draws},
		Validation: r.Validation.validation(), Precision: r.Precision,
	}
}

// settled returns the record without the settings that the training does not read, for which older
// checkpoints contain arbitrary values.
func (r record) settled() record {
	for _, idle := range r.options().refused() {
		for _, f := range recordFields {
			if f.option == idle.Option {
				f.clear(&r)
			}
		}
	}
	return r
}

// isOf reports whether two records describe the same training. The schedule is ignored because it
// is only a label for the other settings.
func (r record) isOf(asked record) bool {
	a, b := r.settled(), asked.settled()
	a.Schedule = b.Schedule
	return a == b
}

// IsOf reports whether the adapter is the result, complete or partial, of training on a set with
// options. It returns false for a set whose files can no longer be read.
func (a *Adapter) IsOf(train *embedding.Set, options Options) bool {
	checksum := ""
	layers, err := onLayers(options, train)
	switch {
	case err != nil:
		return false
	case layers:
		options.Posterior.Layers = LayersFeatures
		checksum, err = layerChecksum(train)
	case a.learner != nil:
		checksum, err = ChecksumOf(train)
	}
	return err == nil && a.checksum == checksum && a.revision == aboutOf(options.Method).Revision && a.options.record().isOf(options.record())
}

// differences lists the settings in which asked differs from the checkpoint, one per line.
func (r record) differences(asked record) string {
	var lines strings.Builder
	stored, wanted := r.settled(), asked.settled()
	for _, f := range recordFields {
		if a, b := f.value(&stored), f.value(&wanted); a != b {
			fmt.Fprintf(&lines, "\n  %s: the checkpoint has %v, asked for is %v", f.label, a, b)
		}
	}
	return lines.String()
}

// Save writes the adapter to a file for Load. The file cannot be resumed from and is half the size
// of a checkpoint. If a value is not finite, nothing is written and the error names the first such
// value.
func (a *Adapter) Save(path string) error { return a.write(path, false) }

// checkpointBytes is the size of a checkpoint that can be resumed after a number of steps, without
// its metadata and measurements.
func (a *Adapter) checkpointBytes(steps int) int64 {
	bytes := 8 * int64(steps) * int64(len(partNames))
	if a.learner != nil {
		for _, p := range slices.Concat(a.learner.Parameters(), a.learner.Memory()) {
			bytes += 4 * int64(len(p.Values))
		}
	}
	return bytes
}

// write writes the adapter, with the optimizer state if resumable. The file is replaced atomically.
func (a *Adapter) write(path string, resumable bool) error {
	text, err := json.Marshal(a.record())
	if err != nil {
		return fmt.Errorf("adapter: %s: %w", path, err)
	}
	file := &embedding.Safetensors{
		Arrays:   map[string]*embedding.Array{},
		Metadata: map[string]string{"format": checkpointFormat, "training": string(text), checksumEntry: ""},
	}
	if a.learner != nil {
		for _, p := range a.learner.Parameters() {
			if i := slices.IndexFunc(p.Values, func(x float32) bool { return x-x != 0 }); i >= 0 {
				return fmt.Errorf("adapter: %s is not written: value %d of %s is %g", path, i, p.Name, p.Values[i])
			}
			file.Arrays[p.Name] = arrayOf(p)
		}
	}
	if resumable && a.learner != nil {
		for _, p := range a.learner.Memory() {
			file.Arrays[p.Name] = arrayOf(p)
		}
	}
	a.writeMeasurements(file, resumable)
	if a.heldOut != nil {
		text, err := json.Marshal(a.heldOut)
		if err != nil {
			return fmt.Errorf("adapter: %s: %w", path, err)
		}
		file.Metadata["held_out"] = string(text)
	}
	for i, values := range a.history.parts() {
		file.Arrays["history/"+partNames[i]] = embedding.Float64Array(*values)
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return fmt.Errorf("adapter: %w", err)
	}
	if err := embedding.WriteSafetensors(path, file); err != nil {
		return fmt.Errorf("adapter: %w", err)
	}
	return nil
}

// arrayOf copies a parameter. A scalar has an empty shape.
func arrayOf(p nn.Parameter) *embedding.Array {
	array := embedding.Float32Array(p.Values)
	array.Shape = slices.Clone(p.Shape)
	return array
}

// Load reads an adapter from a file written by Save or from a checkpoint. A file in another format,
// missing tensors, tensors of other shapes, and unknown methods are errors that name the file and
// the tensor.
func Load(path string) (*Adapter, error) {
	file, r, err := readCheckpoint(path)
	if err != nil {
		return nil, err
	}
	options := r.options()
	if err := options.Check(); err != nil {
		return nil, fmt.Errorf("adapter: %s: %w", path, err)
	}
	const widest = 1 << 20 // keeps a corrupt file from requesting all memory
	if r.Dimension < 1 || r.Dimension > widest || r.Hidden > widest || r.HiddenLayers > 100 {
		return nil, fmt.Errorf("adapter: %s: %d dimensions, %d hidden layers of %d", path, r.Dimension, r.HiddenLayers, r.Hidden)
	}
	if name := aboutOf(options.Method).First; name != "" && file.Arrays[name] == nil {
		return nil, fmt.Errorf("adapter: %s: no tensor %q", path, name)
	}
	ops, err := device.Default()
	if err != nil {
		return nil, fmt.Errorf("adapter: %w", err)
	}
	shape := Shape{Dimension: r.Dimension, Batch: inferenceBatch, Revision: r.Revision}
	if options.Posterior.Layers == LayersFeatures {
		if shape.Layers, err = storedLayers(file, widest); err != nil {
			return nil, fmt.Errorf("adapter: %s: %w", path, err)
		}
	}
	a, err := newAdapter(ops, options, shape)
	if err != nil {
		return nil, fmt.Errorf("adapter: %s: %w", path, err)
	}
	a.revision, a.checksum, a.history.StepsPerEpoch = r.Revision, r.Checksum, r.PerEpoch
	if r.TextFactor != 0 {
		a.stretch[nn.Texts] = r.TextFactor
	}
	if r.ImageFactor != 0 {
		a.stretch[nn.Images] = r.ImageFactor
	}
	return a, a.take(path, file, false)
}

// FromTensors returns an adapter with given parameters, as if a training with the options had ended
// with them. Tensor returns the values of a parameter by its name in checkpoints; its errors, those
// of Options.Check, and values of another number are returned.
func FromTensors(o Options, dimension int, tensor func(name string, shape []int) ([]float32, error)) (*Adapter, error) {
	if err := o.Check(); err != nil {
		return nil, err
	}
	ops, err := device.Default()
	if err != nil {
		return nil, fmt.Errorf("adapter: %w", err)
	}
	a, err := newAdapter(ops, o, Shape{Dimension: dimension, Batch: inferenceBatch, Revision: aboutOf(o.Method).Revision})
	if err != nil || a.learner == nil {
		return a, err
	}
	for _, p := range a.learner.Parameters() {
		values, err := tensor(p.Name, slices.Clone(p.Shape))
		if err == nil && len(values) != len(p.Values) {
			err = fmt.Errorf("%d values of %s, want %d", len(values), p.Name, len(p.Values))
		}
		if err != nil {
			return nil, fmt.Errorf("adapter: %w", err)
		}
		copy(p.Values, values)
	}
	return a, nil
}

// storedLayers returns the shapes of the last layers in a file.
func storedLayers(file *embedding.Safetensors, widest int) (layers [2]nn.LastLayer, err error) {
	for side, name := range sideNames {
		weights := file.Arrays[name+".weight"]
		if weights == nil || len(weights.Shape) != 2 || weights.Shape[1] < 1 || weights.Shape[1] > widest {
			return layers, fmt.Errorf("no tensor %q with the weights of a last layer", name+".weight")
		}
		layers[side] = nn.LastLayer{Inputs: weights.Shape[1], Bias: file.Arrays[name+".bias"] != nil}
	}
	return layers, nil
}

// resume restores the state from a checkpoint of the same training.
func (a *Adapter) resume(path string) error {
	file, r, err := readCheckpoint(path)
	if other := new(formatError); err != nil && !errors.As(err, &other) {
		return fmt.Errorf("%w; nothing can go on from it, and without Resume the training begins again", err)
	}
	if err != nil {
		return err
	}
	if want := a.record(); !r.isOf(want) {
		return fmt.Errorf("adapter: %s is of another training and cannot be resumed:%s", path, r.differences(want))
	}
	return a.take(path, file, true)
}

// spare returns an error if training from the first step would destroy the contents of the
// checkpoint file: another training, this training stopped early, or tensors that no adapter wrote.
// It reports whether the file holds this training complete, which training would reproduce exactly.
// A file that cannot be read may be replaced.
func (a *Adapter) spare(path string, steps int) (finished bool, err error) {
	file, r, err := readCheckpoint(path)
	var other *formatError
	switch {
	case errors.As(err, &other):
		return false, fmt.Errorf("%w: tensors of something else; name another file, or replace it with Overwrite", err)
	case err != nil:
		return false, nil
	}
	if want := a.record(); !r.isOf(want) {
		return false, fmt.Errorf("adapter: %s holds another training: name another file, or replace it with Overwrite:%s", path, r.differences(want))
	}
	done := 0
	if loss := file.Arrays["history/"+partNames[0]]; loss != nil && len(loss.Shape) == 1 {
		done = loss.Shape[0]
	}
	if done < steps && !r.ended(path, file) {
		return false, fmt.Errorf("adapter: %s holds %d of %d steps of this training: continue it with Resume, or start again with Overwrite", path, done, steps)
	}
	return true, nil
}

// ended reports whether the validation set ended the training in a file before its last step.
func (r record) ended(path string, file *embedding.Safetensors) bool {
	measured, err := readMeasurements(path, file)
	return err == nil && (&Adapter{options: r.options(), measured: measured}).impatient()
}

// A formatError reports a safetensors file that no adapter wrote.
type formatError struct{ path, format string }

func (e *formatError) Error() string {
	return fmt.Sprintf("adapter: %s: format %q, want %q", e.path, e.format, checkpointFormat)
}

func readCheckpoint(path string) (*embedding.Safetensors, record, error) {
	var r record
	file, err := embedding.ReadSafetensors(path)
	if err != nil {
		return nil, r, fmt.Errorf("adapter: %w", err)
	}
	_, sealed := file.Metadata[checksumEntry]
	switch format := file.Metadata["format"]; {
	case format == checkpointFormat && !sealed:
		return nil, r, fmt.Errorf("adapter: %s: no checksum: the file is damaged", path)
	case format != checkpointFormat && format != unsealedFormat:
		return nil, r, &formatError{path, format}
	}
	if err := json.Unmarshal([]byte(file.Metadata["training"]), &r); err != nil {
		return nil, r, fmt.Errorf("adapter: %s: metadata: %w", path, err)
	}
	r.Precision = cmp.Or(r.Precision, device.Float32) // the only precision before checkpoints recorded it
	return file, r, nil
}

// take copies the tensors of a file into the adapter.
func (a *Adapter) take(path string, file *embedding.Safetensors, resumable bool) error {
	var wanted []nn.Parameter
	if a.learner != nil {
		wanted = a.learner.Parameters()
	}
	if resumable {
		wanted = append(wanted, a.learner.Memory()...)
	}
	for _, p := range wanted {
		name := p.Name
		if file.Arrays[nn.RankerPrefix+"text.0.weight"] == nil && file.Arrays[nn.RankerPrefix+"text.0.bias"] == nil { // residual adapters once had one layer for both
			name = strings.Replace(name, nn.RankerPrefix, "", 1)
		}
		if err := takeTensor(path, file, name, p); err != nil {
			return err
		}
	}
	for i, part := range a.history.parts() {
		array := file.Arrays["history/"+partNames[i]]
		if array == nil {
			return fmt.Errorf("adapter: %s: no tensor %q", path, "history/"+partNames[i])
		}
		values, err := array.Float64s()
		if err != nil {
			return fmt.Errorf("adapter: %s: %w", path, err)
		}
		if *part = values; len(values) != len(a.history.Loss) {
			return fmt.Errorf("adapter: %s: histories of %d and %d steps", path, len(a.history.Loss), len(values))
		}
	}
	if resumable {
		a.learner.SetSteps(a.history.Steps())
	}
	if text, there := file.Metadata["held_out"]; there {
		if err := json.Unmarshal([]byte(text), &a.heldOut); err != nil {
			return fmt.Errorf("adapter: %s: metadata held_out: %w", path, err)
		}
	}
	return a.takeMeasurements(path, file, resumable)
}

// takeTensor copies a tensor of a file into a parameter.
func takeTensor(path string, file *embedding.Safetensors, name string, p nn.Parameter) error {
	array := file.Arrays[name]
	if array == nil {
		return fmt.Errorf("adapter: %s: no tensor %q", path, name)
	}
	if !slices.Equal(array.Shape, p.Shape) {
		return fmt.Errorf("adapter: %s: tensor %q has shape %v, want %v", path, name, array.Shape, p.Shape)
	}
	values, err := array.Float32s()
	if err != nil {
		return fmt.Errorf("adapter: %s: tensor %q: %w", path, name, err)
	}
	copy(p.Values, values)
	return nil
}

// on returns a copy of the adapter on another device.
func (a *Adapter) on(ops device.Device) (*Adapter, error) {
	shape := a.shape
	shape.Batch = inferenceBatch
	moved, err := newAdapter(ops, a.options, shape)
	if err != nil {
		return nil, err
	}
	moved.checksum, moved.history, moved.stretch, moved.measured, moved.best = a.checksum, a.history, a.stretch, a.measured, a.best
	moved.heldOut = a.heldOut
	from := a.learner.Parameters()
	for i, p := range moved.learner.Parameters() {
		copy(p.Values, from[i].Values)
	}
	return moved, nil
}

// describeLoss returns the name of a loss and the names of its numbers, as stored in checkpoints.
func describeLoss(loss custom.Loss) (name, numbers string) {
	if loss == nil {
		return "", ""
	}
	var names []string
	for _, n := range loss.Numbers() {
		names = append(names, n.Name)
	}
	return loss.Name(), strings.Join(names, " ")
}

// storedLoss returns a placeholder for the loss that a loaded adapter was trained with. The file
// contains its numbers but not the function.
func storedLoss(name, numbers string) custom.Loss {
	if name == "" {
		return nil
	}
	loss := custom.Func{Label: name}
	for _, n := range strings.Fields(numbers) {
		loss.Parameters = append(loss.Parameters, custom.Number{Name: n})
	}
	return loss
}
