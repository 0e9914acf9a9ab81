package adapter

import (
	"fmt"
	"slices"
	"strings"

	"gosphere/asymvlm/device"
	"gosphere/asymvlm/nn"
)

// A field describes an option to the functions that treat all options alike.
type field struct {
	name  string // of the field of Options
	value func(o *Options) any
	unset func(o *Options) bool // the zero value
	equal func(a, b *Options) bool
}

// option returns the description of a field.
func option[T comparable](name string, of func(o *Options) *T) field {
	return field{
		name:  name,
		value: func(o *Options) any { return *of(o) },
		unset: func(o *Options) bool { return *of(o) == *new(T) },
		equal: func(a, b *Options) bool { return *of(a) == *of(b) },
	}
}

// fields lists the options in the order of the structs.
var fields = []field{
	option("Method", func(o *Options) *string { return &o.Method }),
	option("Seed", func(o *Options) *uint64 { return &o.Seed }),
	option("Label", func(o *Options) *string { return &o.Label }),

	option("Steps", func(o *Options) *int { return &o.Steps }),
	option("Epochs", func(o *Options) *int { return &o.Epochs }),
	option("Batch", func(o *Options) *int { return &o.Batch }),
	option("LearningRate", func(o *Options) *float64 { return &o.LearningRate }),
	option("FinalRate", func(o *Options) *float64 { return &o.FinalRate }),
	option("Momentum", func(o *Options) *float64 { return &o.Momentum }),
	option("WeightDecay", func(o *Options) *float64 { return &o.WeightDecay }),
	option("Optimizer", func(o *Options) *nn.Optimizer { return &o.Optimizer }),
	option("WarmUp", func(o *Options) *int { return &o.WarmUp }),
	option("MaskSameImage", func(o *Options) *bool { return &o.MaskSameImage }),

	option("Hidden", func(o *Options) *int { return &o.Hidden }),
	option("HiddenLayers", func(o *Options) *int { return &o.HiddenLayers }),
	option("MatchLengths", func(o *Options) *bool { return &o.MatchLengths }),
	option("TextLength", func(o *Options) *float64 { return &o.TextLength }),
	option("ScaledStart", func(o *Options) *bool { return &o.ScaledStart }),
	option("FirstTemperature", func(o *Options) *float64 { return &o.FirstTemperature }),
	option("FixedTemperature", func(o *Options) *bool { return &o.FixedTemperature }),
	option("LogTemperature", func(o *Options) *bool { return &o.LogTemperature }),

	{ // a Go value, which need not be comparable
		name:  "Loss",
		value: func(o *Options) any { return lossName(o) },
		unset: func(o *Options) bool { return o.Loss == nil },
		equal: func(a, b *Options) bool { return a.Loss == nil && b.Loss == nil },
	},
	{
		name:  "Pairs",
		value: func(o *Options) any { return recordPairs(o.Pairs) },
		unset: func(o *Options) bool { return o.Pairs == nil },
		equal: func(a, b *Options) bool { return recordPairs(a.Pairs) == recordPairs(b.Pairs) },
	},
	{
		name:  "KLWeight",
		value: func(o *Options) any { return recordKL(o.KLWeight) },
		unset: func(o *Options) bool { return o.KLWeight == nil },
		equal: func(a, b *Options) bool { return recordKL(a.KLWeight) == recordKL(b.KLWeight) },
	},
	option("Posterior", func(o *Options) *Posterior { return &o.Posterior }),
	option("Ranking", func(o *Options) *string { return &o.Ranking }),
	option("Validation", func(o *Options) **Validation { return &o.Validation }),
	option("HeldOut", func(o *Options) *bool { return &o.HeldOut }),

	option("Checkpoint", func(o *Options) *string { return &o.Checkpoint }),
	option("CheckpointEvery", func(o *Options) *int { return &o.CheckpointEvery }),
	option("Resume", func(o *Options) *bool { return &o.Resume }),
	option("Overwrite", func(o *Options) *bool { return &o.Overwrite }),
	option("Curves", func(o *Options) *string { return &o.Curves }),
	option("Events", func(o *Options) *string { return &o.Events }),

	option("Threads", func(o *Options) *int { return &o.Threads }),
	option("Precision", func(o *Options) *device.Precision { return &o.Precision }),
	{ // a Go value
		name:  "Progress",
		value: func(o *Options) any { return o.Progress },
		unset: func(o *Options) bool { return o.Progress == nil },
		equal: func(a, b *Options) bool { return a.Progress == nil && b.Progress == nil },
	},
}

// lossName returns the name of a user-defined loss, or "" for none.
func lossName(o *Options) string {
	if o.Loss == nil {
		return ""
	}
	return o.Loss.Name()
}

// fieldOf returns the description of an option, and panics if Options has no such field.
func fieldOf(name string) field {
	i := slices.IndexFunc(fields, func(f field) bool { return f.name == name })
	if i < 0 {
		panic(fmt.Sprintf("adapter: Options has no field %q", name))
	}
	return fields[i]
}

// OptionNames returns the names of all fields of Options, those of the embedded structs included.
func OptionNames() []string {
	names := make([]string, len(fields))
	for i, f := range fields {
		names[i] = f.name
	}
	return names
}

// sections divides the options in Options.String by their first fields.
var sections = map[string]string{"Steps": "schedule", "Hidden": "network", "Loss": "method", "Validation": "validation", "Checkpoint": "files", "Threads": "computation"}

// String lists the options that the method reads and that are set, by sections.
func (o Options) String() string {
	var text strings.Builder
	fmt.Fprintf(&text, "%s, seed %d: %s", o.Method, o.Seed, o.Label)
	unused := map[string]bool{}
	for _, idle := range o.UnusedOptions() {
		unused[idle.Option] = true
	}
	title := ""
	for _, f := range fields[3:] {
		if next := sections[f.name]; next != "" {
			title = next
		}
		if unused[f.name] || f.unset(&o) && f.name != "HiddenLayers" {
			continue
		}
		value := fmt.Sprintf("%v", f.value(&o))
		switch f.name {
		case "Progress":
			continue
		case "Validation":
			value = o.Validation.String()
		}
		if title != "" {
			fmt.Fprintf(&text, "\n  %-12s", title)
			title = ""
		} else {
			text.WriteString(",")
		}
		fmt.Fprintf(&text, " %s %s", f.name, value)
	}
	return text.String()
}

// A recordField describes a field of a record.
type recordField struct {
	label  string
	option string // the field of Options that it records; "" for facts about the data
	value  func(r *record) any
	clear  func(r *record)
}

// recordedAs returns the description of a field of a record.
func recordedAs[T any](label, option string, in func(r *record) *T) recordField {
	return recordField{
		label: label, option: option,
		value: func(r *record) any { return *in(r) },
		clear: func(r *record) { *in(r) = *new(T) },
	}
}

// recordFields lists the fields of a record in its order.
var recordFields = []recordField{
	recordedAs("method", "Method", func(r *record) *string { return &r.Method }),
	recordedAs("revision", "", func(r *record) *int { return &r.Revision }),
	recordedAs("seed", "Seed", func(r *record) *uint64 { return &r.Seed }),
	recordedAs("schedule", "Label", func(r *record) *string { return &r.Schedule }),
	recordedAs("epochs", "Epochs", func(r *record) *int { return &r.Epochs }),
	recordedAs("steps", "Steps", func(r *record) *int { return &r.Steps }),
	recordedAs("batch", "Batch", func(r *record) *int { return &r.Batch }),
	recordedAs("learning rate", "LearningRate", func(r *record) *float64 { return &r.LearningRate }),
	recordedAs("final rate", "FinalRate", func(r *record) *float64 { return &r.FinalRate }),
	recordedAs("momentum", "Momentum", func(r *record) *float64 { return &r.Momentum }),
	recordedAs("weight decay", "WeightDecay", func(r *record) *float64 { return &r.WeightDecay }),
	recordedAs("optimizer", "Optimizer", func(r *record) *string { return &r.Optimizer }),
	recordedAs("warm up", "WarmUp", func(r *record) *int { return &r.WarmUp }),
	recordedAs("loss", "Loss", func(r *record) *string { return &r.Loss }),
	recordedAs("loss numbers", "", func(r *record) *string { return &r.Numbers }),
	recordedAs("hidden", "Hidden", func(r *record) *int { return &r.Hidden }),
	recordedAs("hidden layers", "HiddenLayers", func(r *record) *int { return &r.HiddenLayers }),
	recordedAs("dimension", "", func(r *record) *int { return &r.Dimension }),
	recordedAs("steps per epoch", "", func(r *record) *int { return &r.PerEpoch }),
	recordedAs("training set sha256", "", func(r *record) *string { return &r.Checksum }),
	recordedAs("mask same image", "MaskSameImage", func(r *record) *bool { return &r.MaskSameImage }),
	recordedAs("match lengths", "MatchLengths", func(r *record) *bool { return &r.MatchLengths }),
	recordedAs("text length", "TextLength", func(r *record) *float64 { return &r.TextLength }),
	recordedAs("image factor", "", func(r *record) *float32 { return &r.ImageFactor }),
	recordedAs("text factor", "", func(r *record) *float32 { return &r.TextFactor }),
	recordedAs("scaled start", "ScaledStart", func(r *record) *bool { return &r.ScaledStart }),
	recordedAs("first temperature", "FirstTemperature", func(r *record) *float64 { return &r.FirstTemperature }),
	recordedAs("fixed temperature", "FixedTemperature", func(r *record) *bool { return &r.FixedTemperature }),
	recordedAs("log temperature", "LogTemperature", func(r *record) *bool { return &r.LogTemperature }),
	recordedAs("prolip weights", "Pairs", func(r *record) *pairRecord { return &r.Pairs }),
	recordedAs("kl weight", "KLWeight", func(r *record) *klRecord { return &r.KL }),
	recordedAs("layers", "", func(r *record) *string { return &r.Layers }),
	recordedAs("variance", "", func(r *record) *string { return &r.Variance }),
	recordedAs("prediction", "", func(r *record) *string { return &r.Prediction }),
	recordedAs("draws", "", func(r *record) *int { return &r.Draws }),
	recordedAs("ranking", "Ranking", func(r *record) *string { return &r.Ranking }),
	recordedAs("precision", "Precision", func(r *record) *device.Precision { return &r.Precision }),
	recordedAs("validation", "Validation", func(r *record) *validationRecord { return &r.Validation }),
}
