package laboratory

import (
	"fmt"
	"slices"
	"strings"

	"gosphere/asymvlm/adapter"
)

// A trainingFlag is a flag of a recipe that some methods do not read.
type trainingFlag struct {
	name   string
	option string // field of adapter.Options
	given  bool
}

// checkIdle returns an error for a flag that has no effect on any method of a list. In a list of
// several methods, such as all, a flag applies to those that read it; the schedule printed for each
// training shows which ones do.
func (r recipe) checkIdle(methods []string) error {
	for _, flag := range []trainingFlag{
		{"--epochs", "Epochs", r.Epochs != 0 && !(r.Epochs == 1 && slices.ContainsFunc(methods, adapter.IsOnePass))},
		{"--steps", "Epochs", r.Steps != 0},
		{"--batch", "Batch", r.Batch != 0},
		{"--lr", "LearningRate", r.Lr != 0},
		{"--constant", "FinalRate", r.Constant},
		{"--optimizer", "Optimizer", r.Optimizer != ""},
		{"--warm-up", "WarmUp", r.WarmUp != 0},
		{"--hidden", "Hidden", r.Hidden != 0},
		{"--final-rate", "FinalRate", r.FinalRate != nil},
		{"--momentum", "Momentum", r.Momentum != nil},
		{"--weight-decay", "WeightDecay", r.WeightDecay != nil},
		{"--hidden-layers", "HiddenLayers", r.HiddenLayers != nil},
		{"--first-temperature", "FirstTemperature", r.FirstTemperature != 0},
		{"--fixed-temperature", "FixedTemperature", r.FixedTemperature},
		{"--log-temperature", "LogTemperature", r.LogTemperature},
		{"--scaled-start", "ScaledStart", r.ScaledStart},
		{"--bottleneck", "Pairs", r.Bottleneck != nil},
		{"--inclusion", "Pairs", r.Inclusion != nil},
		{"--inclusion-eps", "Pairs", r.InclusionEps != nil},
		{"--inclusion-scale", "Pairs", r.InclusionScale != nil},
		{"--kl-weight", "KLWeight", r.KLWeight != nil},
		{"--held-out", "HeldOut", r.HeldOut != nil && *r.HeldOut},
		{"--mask-same-image", "MaskSameImage", r.MaskSameImage},
		{"--match-lengths", "MatchLengths", r.MatchLengths},
		{"--text-length", "TextLength", r.TextLength != 0},
	} {
		if !flag.given {
			continue
		}
		if idle := flag.idleIn(methods); len(idle) == len(methods) {
			return fmt.Errorf("%s has no effect on %s: omit it", flag.name, strings.Join(idle, ", nor on "))
		}
	}
	return nil
}

// idleIn returns the methods that do not read the flag, with the reasons.
func (f trainingFlag) idleIn(methods []string) []string {
	var list []string
	for _, method := range methods {
		options, err := adapter.PaperOptions(method)
		if err != nil {
			continue
		}
		for _, idle := range options.UnusedOptions() {
			if idle.Option == f.option {
				list = append(list, method+", "+idle.Why)
			}
		}
	}
	return list
}
