package laboratory

import (
	"fmt"
	"strings"

	"gosphere/asymvlm/adapter"
)

// descent holds the flags of a recipe that concern the optimizer, the depth and the temperature.
type descent struct {
	FinalRate        *nonNegativeFloat `help:"Final learning rate (default: the schedule's)." placeholder:"RATE"`
	Momentum         *nonNegativeFloat `help:"Momentum of gradient descent (default: the schedule's)." placeholder:"M"`
	WeightDecay      *nonNegativeFloat `help:"Weight decay (default: the schedule's)." placeholder:"DECAY"`
	HiddenLayers     *nonNegativeInt   `help:"Number of hidden layers; 0 for a linear network (default: the schedule's)." placeholder:"N"`
	FirstTemperature positiveFloat     `help:"Initial temperature (default: the method's)." placeholder:"TAU"`
	FixedTemperature bool              `help:"Keep the temperature at its initial value."`
	LogTemperature   bool              `help:"Train the logarithm of the temperature, which keeps the temperature positive."`
	ScaledStart      bool              `help:"symvlm-mutual, asymvlm-gauss: start with gradients as large as those of the other methods."`
	KLWeight         *nonNegativeFloat `name:"kl-weight" help:"elip: factor W on the Kullback-Leibler term, whose weight is W*min(1, t/15) in epoch t, from 1, so that a schedule of 5 epochs ends at W/3 (default: 1)." placeholder:"W"`
	Bottleneck       *nonNegativeFloat `help:"ProLIP: weight of the information bottleneck (default: the method's)." placeholder:"W"`
	Inclusion        *nonNegativeFloat `help:"ProLIP: weight alpha of the inclusion of images in texts." placeholder:"W"`
	InclusionEps     *signed           `name:"inclusion-eps" help:"ProLIP: eps of the inclusion loss." placeholder:"EPS"`
	InclusionScale   *nonNegativeFloat `name:"inclusion-scale" help:"ProLIP: sharpness c of the inclusion loss." placeholder:"C"`
}

// weighs reports whether a weight of ProLIP was given.
func (d descent) weighs() bool {
	return d.Bottleneck != nil || d.Inclusion != nil || d.InclusionEps != nil || d.InclusionScale != nil
}

// weigh sets the weights of ProLIP that were given and returns a note for each.
func (d descent) weigh(options *adapter.Options) (notes []string) {
	weights, err := adapter.PairWeightsOf(options.Method)
	if err != nil { // the method reads no weights
		return nil
	}
	if d.InclusionEps != nil {
		weights.Eps = float64(*d.InclusionEps)
		notes = append(notes, fmt.Sprintf("eps %g", weights.Eps))
	}
	for _, w := range []struct {
		given *nonNegativeFloat
		value *float64
		label string
	}{{d.Bottleneck, &weights.Bottleneck, "bottleneck"}, {d.Inclusion, &weights.Inclusion, "inclusion"}, {d.InclusionScale, &weights.Sharpness, "sharpness"}} {
		if w.given != nil {
			*w.value = float64(*w.given)
			notes = append(notes, fmt.Sprintf("%s %g", w.label, *w.value))
		}
	}
	options.Pairs = &weights
	return notes
}

// change sets the options that were given and that the method reads, and records each in the
// schedule.
func (d descent) change(options *adapter.Options) {
	var notes []string
	number := func(given *nonNegativeFloat, name string, option *float64, label string) {
		if given != nil && options.Reads(name) {
			*option = float64(*given)
			notes = append(notes, fmt.Sprintf("%s %g", label, *option))
		}
	}
	number(d.FinalRate, "FinalRate", &options.FinalRate, "last rate")
	number(d.Momentum, "Momentum", &options.Momentum, "momentum")
	number(d.WeightDecay, "WeightDecay", &options.WeightDecay, "weight decay")
	if d.HiddenLayers != nil && options.Reads("HiddenLayers") {
		options.HiddenLayers = int(*d.HiddenLayers)
		notes = append(notes, fmt.Sprintf("%d hidden layers", options.HiddenLayers))
	}
	if d.FirstTemperature != 0 && options.Reads("FirstTemperature") {
		options.FirstTemperature = float64(d.FirstTemperature)
		notes = append(notes, fmt.Sprintf("temperature from %g", options.FirstTemperature))
	}
	if d.FixedTemperature && options.Reads("FixedTemperature") {
		options.FixedTemperature = true
		notes = append(notes, "temperature fixed")
	}
	if d.LogTemperature && options.Reads("LogTemperature") {
		options.LogTemperature = true
		notes = append(notes, "log temperature")
	}
	if d.ScaledStart && options.Reads("ScaledStart") {
		options.ScaledStart = true
		notes = append(notes, "scaled start")
	}
	if d.KLWeight != nil && options.Reads("KLWeight") {
		weight := float64(*d.KLWeight)
		options.KLWeight = &weight
		notes = append(notes, fmt.Sprintf("divergence weighted by %g", weight))
	}
	if d.weighs() && options.Reads("Pairs") {
		notes = append(notes, d.weigh(options)...)
	}
	if len(notes) > 0 {
		options.Label += ", " + strings.Join(notes, ", ")
	}
}
