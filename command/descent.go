package command

import (
	"fmt"
	"strings"

	"gosphere/asymvlm/adapter"
)

// descent is the flags of a recipe that are about the optimiser, the depth and the temperature.
type descent struct {
	FinalRate        *amount `help:"Last learning rate, instead of the schedule's." placeholder:"RATE"`
	Momentum         *amount `help:"Momentum of gradient descent, instead of the schedule's." placeholder:"M"`
	WeightDecay      *amount `help:"Weight decay, instead of the schedule's." placeholder:"DECAY"`
	HiddenLayers     *count  `help:"Number of hidden layers, instead of the schedule's; 0 for a linear network." placeholder:"N"`
	FirstTemperature rate    `help:"Temperature before the first step, instead of the method's own." placeholder:"TAU"`
	FixedTemperature bool    `help:"Keep the temperature at its first value."`
}

// change sets the options that were given and that the method reads, and notes each in the schedule.
func (d descent) change(options *adapter.Options) {
	var notes []string
	number := func(given *amount, name string, option *float64, label string) {
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
	if len(notes) > 0 {
		options.Schedule += ", " + strings.Join(notes, ", ")
	}
}
