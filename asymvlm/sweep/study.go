package sweep

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"gosphere/asymvlm/adapter"
	"gosphere/asymvlm/embedding"
	"gosphere/asymvlm/nn"
)

// An Axis is an option of trainings with the values to try.
type Axis struct {
	Name   string
	Values []float64
	Set    func(o *adapter.Options, value float64)
}

// settable maps the numeric flags of gosphere train to functions that set the option.
var settable = map[string]func(o *adapter.Options, value float64){
	"lr":                func(o *adapter.Options, x float64) { o.LearningRate = x },
	"final-rate":        func(o *adapter.Options, x float64) { o.FinalRate = x },
	"momentum":          func(o *adapter.Options, x float64) { o.Momentum = x },
	"weight-decay":      func(o *adapter.Options, x float64) { o.WeightDecay = x },
	"first-temperature": func(o *adapter.Options, x float64) { o.FirstTemperature = x },
	"text-length":       func(o *adapter.Options, x float64) { o.TextLength = x },
	"epochs":            func(o *adapter.Options, x float64) { o.Epochs = int(x) },
	"batch":             func(o *adapter.Options, x float64) { o.Batch = int(x) },
	"hidden":            func(o *adapter.Options, x float64) { o.Hidden = int(x) },
	"hidden-layers":     func(o *adapter.Options, x float64) { o.HiddenLayers = int(x) },
	"warm-up":           func(o *adapter.Options, x float64) { o.WarmUp = int(x) },
	"bottleneck":        func(o *adapter.Options, x float64) { weights(o).Bottleneck = x },
	"inclusion":         func(o *adapter.Options, x float64) { weights(o).Inclusion = x },
	"inclusion-eps":     func(o *adapter.Options, x float64) { weights(o).Eps = x },
	"inclusion-scale":   func(o *adapter.Options, x float64) { weights(o).Sharpness = x },
}

// weights returns the weights of ProLIP's loss in the options, which it copies so that tasks do
// not share them.
func weights(o *adapter.Options) *nn.PairWeights {
	var own nn.PairWeights
	if o.Pairs != nil {
		own = *o.Pairs
	} else if usual, err := adapter.PairWeightsOf(o.Method); err == nil {
		own = usual
	}
	o.Pairs = &own
	return o.Pairs
}

// Flag returns the axis of an option named by its flag of gosphere train, such as lr or
// hidden-layers. It returns an error that lists the numeric flags for any other flag. A
// user-defined Axis can set any option.
func Flag(name string, values ...float64) (Axis, error) {
	set, there := settable[name]
	if !there {
		var names []string
		for known := range settable {
			names = append(names, known)
		}
		slices.Sort(names)
		return Axis{}, fmt.Errorf("sweep: no flag %q with numbers; there are %s", name, strings.Join(names, ", "))
	}
	return Axis{Name: name, Values: values, Set: set}, nil
}

// A Study describes trainings with every combination of methods, seeds and values of some options,
// in this process. Methods registered with adapter.Register are trained like built-in ones.
type Study struct {
	Train, Test *embedding.Set
	// Validation is the set by which weights and runs are chosen: each training keeps the weights
	// of its best measurement on it, and Result.Best compares these. It is nil for none, as for
	// methods without a loss; their runs have no score.
	Validation *embedding.Set
	By         adapter.Criterion // of Validation; adapter.ByAURC where empty

	Methods []string
	Seeds   []uint64 // 0 alone where empty
	Axes    []Axis
	// Options returns the options that the axes modify. The default is adapter.AutoOptions with the
	// number of training pairs.
	Options func(method string) (adapter.Options, error)

	Levels int // of uncertainty; 0 for 10
	// Folder stores a checkpoint of each training, so that the same study resumes where it was
	// stopped. It is empty for none.
	Folder string
	Jobs   int // trainings at once; 0 for 1
	// Progress displays the progress of the study. The default is that of the cell, or none.
	Progress adapter.Bar
}

// A Task is one training of a study.
type Task struct {
	Method string
	Seed   uint64
	Values []float64 // by axis
	names  []string
}

// String names the task, such as "asymvlm-vmf, seed 0, lr 0.01".
func (t Task) String() string {
	text := fmt.Sprintf("%s, seed %d", t.Method, t.Seed)
	for i, name := range t.names {
		text += fmt.Sprintf(", %s %g", name, t.Values[i])
	}
	return text
}

// check returns an error if the study is invalid.
func (s Study) check() error {
	switch {
	case s.Train == nil || s.Test == nil:
		return errors.New("sweep: a study wants a training set and a test set")
	case len(s.Methods) == 0:
		return errors.New("sweep: a study without methods")
	case s.Jobs < 0 || s.Levels < 0:
		return fmt.Errorf("sweep: %d jobs and %d levels, want numbers from 0", s.Jobs, s.Levels)
	}
	for i, axis := range s.Axes {
		if axis.Name == "" || axis.Set == nil || len(axis.Values) == 0 {
			return fmt.Errorf("sweep: axis %d, %q, wants a name, values and a function that sets them", i, axis.Name)
		}
		for j, value := range axis.Values {
			if math.IsNaN(value) || math.IsInf(value, 0) || slices.Contains(axis.Values[:j], value) {
				return fmt.Errorf("sweep: axis %s has the value %g, want finite numbers that differ", axis.Name, value)
			}
		}
		if slices.ContainsFunc(s.Axes[:i], func(other Axis) bool { return other.Name == axis.Name }) {
			return fmt.Errorf("sweep: two axes named %s", axis.Name)
		}
	}
	return nil
}

// Tasks returns the trainings of the study, ordered by method, by values with the last axis
// varying fastest, and by seed.
func (s Study) Tasks() []Task {
	points, names := [][]float64{nil}, make([]string, len(s.Axes))
	for i, axis := range s.Axes {
		names[i] = axis.Name
		var longer [][]float64
		for _, p := range points {
			for _, value := range axis.Values {
				longer = append(longer, append(slices.Clone(p), value))
			}
		}
		points = longer
	}
	seeds := s.Seeds
	if len(seeds) == 0 {
		seeds = []uint64{0}
	}
	var list []Task
	for _, method := range s.Methods {
		for _, p := range points {
			for _, seed := range seeds {
				list = append(list, Task{method, seed, p, names})
			}
		}
	}
	return list
}

// options returns the options of a task, without Progress.
func (s Study) options(t Task) (adapter.Options, error) {
	make := s.Options
	if make == nil {
		make = func(method string) (adapter.Options, error) { return adapter.AutoOptions(method, s.Train.Texts.Rows) }
	}
	o, err := make(t.Method)
	if err != nil {
		return o, err
	}
	o.Method, o.Seed = t.Method, t.Seed
	var changes []string
	for i, axis := range s.Axes {
		axis.Set(&o, t.Values[i])
		changes = append(changes, fmt.Sprintf("%s %g", axis.Name, t.Values[i]))
	}
	if len(changes) > 0 {
		o.Label += ", " + strings.Join(changes, ", ")
	}
	if s.Validation != nil && o.Reads("Validation") {
		o.Validation = adapter.NewValidation(s.Validation)
		o.Validation.By = cmp.Or(s.By, adapter.ByAURC)
	}
	if jobs := max(1, s.Jobs); jobs > 1 && o.Threads == 0 {
		o.Threads = max(1, runtime.GOMAXPROCS(0)/jobs)
	}
	if s.Folder != "" {
		o.Checkpoint, o.Resume = s.checkpoint(t), true
	}
	if err := o.Check(); err != nil {
		return o, fmt.Errorf("%s: %w", t, err)
	}
	return o, nil
}

// checkpoint returns the checkpoint file of a task.
func (s Study) checkpoint(t Task) string {
	var point Point
	for i, name := range t.names {
		point = append(point, Setting{name, strconv.FormatFloat(t.Values[i], 'g', -1, 64)})
	}
	return filepath.Join(s.Folder, point.Folder(), strconv.FormatUint(t.Seed, 10), t.Method+".safetensors")
}
