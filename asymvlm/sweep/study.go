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

// An Axis is an option of trainings with the values that a study tries.
type Axis struct {
	Name   string
	Values []float64
	Set    func(o *adapter.Options, value float64)
}

// settable are the flags of gosphere train whose values are numbers, and what they set.
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

// weights returns weights of ProLIP's loss that are the options' own.
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

// Flag returns the axis of an option by its flag of gosphere train, such as lr or hidden-layers. Flags whose values are no numbers are an
// error that lists the others; a user-defined Axis sets any option.
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

// A Study is trainings with every combination of methods, seeds and values of some options, in this process. Methods of adapter.Register
// are trained like the program's own.
type Study struct {
	Train, Test *embedding.Set
	// Validation is what chooses: each training keeps the weights of its best measurement on it, and Result.Best compares those. nil for
	// none, as methods that descend no loss have; such trainings have no score to choose them by.
	Validation *embedding.Set
	By         adapter.Criterion // of Validation; adapter.ByRecall where empty

	Methods []string
	Seeds   []uint64 // 0 alone where empty
	Axes    []Axis
	// Options returns what the axes change; nil for adapter.AutoOptions with the number of training pairs.
	Options func(method string) (adapter.Options, error)

	Levels int // of uncertainty; 0 for 10
	// Folder keeps a checkpoint of each training, so that the same study continues where it was stopped; empty for none.
	Folder string
	Jobs   int // trainings at once; 0 for 1
	// Progress shows how far the study is; nil for the default, see SetDefaultProgress.
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

// check reports what no study can have.
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

// Tasks returns the trainings of the study: methods, then values with the last axis fastest, then seeds.
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

// options returns how a task is trained, without a progress.
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
		o.Schedule += ", " + strings.Join(changes, ", ")
	}
	if s.Validation != nil && o.Reads("Validation") {
		o.Validation = adapter.NewValidation(s.Validation)
		o.Validation.By = cmp.Or(s.By, adapter.ByRecall)
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

// checkpoint returns the file of a task.
func (s Study) checkpoint(t Task) string {
	var point Point
	for i, name := range t.names {
		point = append(point, Setting{name, strconv.FormatFloat(t.Values[i], 'g', -1, 64)})
	}
	return filepath.Join(s.Folder, point.Folder(), strconv.FormatUint(t.Seed, 10), t.Method+".safetensors")
}
