package laboratory

import (
	"testing"

	"github.com/alecthomas/kong"

	"gosphere/asymvlm/adapter"
)

// optionFlags lists the flag of train for each option that has one. The others are Go values.
var optionFlags = map[string]string{
	"Method":           "method",
	"Seed":             "seeds",
	"Label":            "schedule",
	"Epochs":           "epochs",
	"Steps":            "steps",
	"KLWeight":         "kl-weight",
	"HeldOut":          "held-out",
	"Batch":            "batch",
	"LearningRate":     "lr",
	"FinalRate":        "final-rate",
	"Momentum":         "momentum",
	"WeightDecay":      "weight-decay",
	"WarmUp":           "warm-up",
	"MaskSameImage":    "mask-same-image",
	"Hidden":           "hidden",
	"HiddenLayers":     "hidden-layers",
	"MatchLengths":     "match-lengths",
	"TextLength":       "text-length",
	"ScaledStart":      "scaled-start",
	"FirstTemperature": "first-temperature",
	"FixedTemperature": "fixed-temperature",
	"LogTemperature":   "log-temperature",
	"Posterior":        "variance",
	"Ranking":          "ranking",
	"Validation":       "validation",
	"Checkpoint":       "checkpoints",
	"CheckpointEvery":  "every",
	"Resume":           "resume",
	"Overwrite":        "overwrite",
	"Curves":           "curves",
	"Events":           "tensorboard",
	"Threads":          "threads",
	"Optimizer":        "optimizer",
	"Precision":        "precision",
	"Pairs":            "bottleneck",
}

// otherFlags lists the flags of train that set no field of adapter.Options by themselves: those of
// the data, and further flags of one option.
var otherFlags = map[string]string{
	"dataset": "data", "embeddings": "data", "split": "data", "help": "the command", "device": "the command",
	"constant":  "FinalRate",
	"inclusion": "Pairs", "inclusion-eps": "Pairs", "inclusion-scale": "Pairs",
	"layers": "Posterior", "predict": "Posterior", "draws": "Posterior",
	"validate-every": "Validation", "patience": "Validation", "best-by": "Validation",
}

func TestEveryOptionIsAFlagAndEveryFlagAnOption(t *testing.T) {
	parser, err := kong.New(new(Train))
	if err != nil {
		t.Fatal(err)
	}
	flags := map[string]bool{}
	for _, f := range parser.Model.Flags {
		flags[f.Name] = true
	}
	named, options := map[string]bool{}, map[string]bool{}
	for _, option := range adapter.OptionNames() {
		options[option] = true
		flag := optionFlags[option]
		named[flag] = true
		if !flags[flag] && option != "Loss" && option != "Progress" {
			t.Errorf("option %s: train has no flag %q", option, flag)
		}
	}
	for flag := range flags {
		if !named[flag] && otherFlags[flag] == "" {
			t.Errorf("--%s sets no option", flag)
		}
	}
	for flag, option := range otherFlags {
		if !flags[flag] {
			t.Errorf("train has no flag --%s", flag)
		}
		if !options[option] && option != "data" && option != "the command" {
			t.Errorf("--%s: there is no option %s", flag, option)
		}
	}
}
