package laboratory

import (
	"testing"

	"github.com/alecthomas/kong"

	"gosphere/asymvlm/adapter"
)

// otherFlags lists the flags of train that set no field of adapter.Options by themselves: those of
// the data, and further flags of one option.
var otherFlags = map[string]string{
	"dataset": "data", "embeddings": "data", "split": "data", "help": "the command",
	"steps": "Epochs", "constant": "FinalRate",
	"inclusion": "Pairs", "inclusion-eps": "Pairs", "inclusion-scale": "Pairs",
	"layers": "Posterior", "predict": "Posterior", "draws": "Posterior",
	"validate-every": "Validation", "patience": "Validation", "best-by": "Validation",
}

// Options without a flag are Go values, and Precision, which is a flag of gosphere itself.
func TestEveryOptionIsAFlagAndEveryFlagAnOption(t *testing.T) {
	parser, err := kong.New(new(Train))
	if err != nil {
		t.Fatal(err)
	}
	flags := map[string]bool{}
	for _, f := range parser.Model.Flags {
		flags[f.Name] = true
	}
	options := adapter.OptionFlags()
	named := map[string]bool{}
	for option, flag := range options {
		named[flag] = true
		if !flags[flag] {
			t.Errorf("option %s: train has no flag --%s", option, flag)
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
		if _, there := options[option]; !there && option != "data" && option != "the command" {
			t.Errorf("--%s: there is no option %s", flag, option)
		}
	}
}
