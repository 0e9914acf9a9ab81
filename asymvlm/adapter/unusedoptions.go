package adapter

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"gosphere/asymvlm/device"
	"gosphere/asymvlm/nn"
)

// An UnusedOption describes an option that a method does not read.
type UnusedOption struct {
	Option string // the name of the field of Options
	Why    string // a relative clause about the method, such as "which is not trained"
}

// UnusedOptions lists the options that a training with these options does not read, and whose
// values therefore do not affect the result. It returns nil for an unknown method, which Check
// reports.
func (o Options) UnusedOptions() []UnusedOption {
	m, err := Lookup(o.Method)
	if err != nil {
		return nil
	}
	return m.UnusedOptions(o)
}

// Reads reports whether a training with these options reads the option with the given field name.
// For example, Epochs is read by methods that minimize a loss, Hidden by methods whose hidden width
// is free, and Momentum if the optimizer is gradient descent. It panics if Options has no such
// field.
func (o Options) Reads(option string) bool {
	_ = fieldOf(option) // panics for another name
	return !slices.ContainsFunc(o.UnusedOptions(), func(i UnusedOption) bool { return i.Option == option })
}

// refused lists the idle options that must not be set. TextLength and MatchLengths may be set for
// methods that normalize anyway: they change only rounding, and existing results of several methods
// used them for all.
func (o Options) refused() []UnusedOption {
	return slices.DeleteFunc(o.UnusedOptions(), func(i UnusedOption) bool { return i.Option == "TextLength" || i.Option == "MatchLengths" })
}

// checkIdle returns an error for an option that was set but is not read. An option with its zero
// value or the value of one of the method's schedules counts as unset.
//
// It is called when a training begins and not by Check, because checkpoints of trainings that
// ignored such options must remain readable.
func (o Options) checkIdle(m Method) error {
	schedules := []Options{m.Published(), m.Reduced()}
	none := o.HiddenLayers == 0 && o.Reads("HiddenLayers") // the width may keep its value, so that a sweep over depths can begin at 0
	for _, idle := range o.refused() {
		if none && idle.Option == "Hidden" {
			continue
		}
		f := fieldOf(idle.Option)
		usual := f.unset(&o) || idle.Option == "Precision" && o.Precision == device.Float32 || idle.Option == "Optimizer" && m.About().OnePass && o.Optimizer == nn.Accumulate
		for _, s := range schedules {
			usual = usual || f.equal(&s, &o)
		}
		if !usual {
			return fmt.Errorf("adapter: %s %v changes nothing in %s, %s; leave it as adapter.PaperOptions gives it", idle.Option, f.value(&o), o.Method, idle.Why)
		}
	}
	return nil
}

// ofDescent lists the options that only methods that minimize a loss read.
var ofDescent = []string{
	"Epochs", "LearningRate", "FinalRate", "Momentum", "WeightDecay", "Optimizer", "WarmUp", "Hidden", "HiddenLayers", "MaskSameImage", "ScaledStart",
	"Steps", "FirstTemperature", "FixedTemperature", "LogTemperature", "Pairs", "KLWeight", "HeldOut",
	"Validation", "Curves", "Events",
}

// idleFor returns idle options with a common reason.
func idleFor(why string, options ...string) []UnusedOption {
	list := make([]UnusedOption, len(options))
	for i, option := range options {
		list[i] = UnusedOption{option, why}
	}
	return list
}

// idleRanking is for methods with neither Gaussian embeddings nor concentrations.
var idleRanking = UnusedOption{"Ranking", "which has one ranking, that of its own scores"}

// UnusedOptions lists the options that do not apply to the networks, the optimizer or the loss.
func (m learned) UnusedOptions(o Options) []UnusedOption {
	a := m.with(o)
	a.Hidden, a.HiddenLayers = o.Hidden, o.HiddenLayers
	var list []UnusedOption
	if optimizer := cmp.Or(a.Optimizer, nn.SGD); optimizer != nn.SGD {
		list = append(list, UnusedOption{"Momentum", fmt.Sprintf("whose optimizer %s has constants of its own", optimizer)})
	}
	switch width, depth := a.Free(); {
	case a.Residual:
		list = append(list, idleFor("whose residual network has no hidden layers", "Hidden", "HiddenLayers")...)
	case !depth && !width:
		list = append(list, idleFor("whose adapters are half as wide as the embeddings", "Hidden", "HiddenLayers")...)
	case !depth:
		list = append(list, UnusedOption{"HiddenLayers", "whose depth is fixed"})
	case o.HiddenLayers == 0:
		list = append(list, UnusedOption{"Hidden", "which is asked for no hidden layers"})
	}
	if !a.HasTemperature() {
		list = append(list, idleFor("whose loss has no temperature of that kind", "FirstTemperature", "FixedTemperature", "LogTemperature")...)
	}
	if a.TrainsLogarithm() {
		list = append(list, UnusedOption{"LogTemperature", "which always trains the logarithm"})
	}
	if _, has := a.OwnPairs(); !has {
		list = append(list, UnusedOption{"Pairs", "which has no weights of ProLIP"})
	}
	if !a.HasDivergence() {
		list = append(list, UnusedOption{"KLWeight", "whose loss has no divergence of ELIP"})
	}
	if !m.learnsConcentrations() {
		list = append(list, UnusedOption{"HeldOut", "which learns no concentration of texts by a likelihood of images"})
	}
	if !m.about.Gaussian && !m.about.Concentrated {
		list = append(list, idleRanking)
	}
	if !a.SeesLength(nn.Texts) {
		list = append(list, UnusedOption{"TextLength", "which gives texts length 1"})
	}
	if !a.SeesLength(nn.Images) {
		list = append(list, UnusedOption{"MatchLengths", "which gives images length 1"})
	}
	return list
}

// UnusedOptions lists the options of minimizing a loss.
func (m bayes) UnusedOptions(Options) []UnusedOption {
	return append(idleFor("which passes over the pairs once and descends no loss", ofDescent...), idleRanking)
}

// UnusedOptions lists all training options.
func (clip) UnusedOptions(Options) []UnusedOption {
	return append(idleFor("which is not trained", append([]string{"Batch", "MatchLengths", "TextLength", "Precision"}, ofDescent...)...), idleRanking)
}

// ineffective describes options that the method reads but that change nothing, or only rounding,
// for the set of this training.
func (t *training) ineffective() (texts []string) {
	set, o := t.gatherer.set, t.options
	for _, idle := range o.UnusedOptions() {
		if idle.Option == "TextLength" && o.TextLength != 0 || idle.Option == "MatchLengths" && o.MatchLengths {
			texts = append(texts, fmt.Sprintf("%s changes rounding alone in %s, %s", idle.Option, o.Method, idle.Why))
		}
	}
	automatic := o.TextLength == autoTextLength && isAutomatic(o.Label)
	if automatic && t.unit[nn.Texts] {
		texts = append(texts, fmt.Sprintf("the texts of %s have length 1 and are read at length %g", set.Name, o.TextLength))
	}
	if o.TextLength != 0 && o.Reads("TextLength") && !t.unit[nn.Texts] && !automatic {
		texts = append(texts, fmt.Sprintf("a text length of %g changes nothing in %s: its texts do not all have length 1", o.TextLength, set.Name))
	}
	// Reduced schedules match norms by default.
	if o.MatchLengths && o.Reads("MatchLengths") && !t.adapter.method.Reduced().MatchLengths && !t.unit[nn.Images] {
		texts = append(texts, fmt.Sprintf("matching lengths changes nothing in %s: its images do not all have length 1", set.Name))
	}
	if o.MaskSameImage {
		images := slices.Sorted(slices.Values(set.CaptionImages))
		if len(slices.Compact(images)) == len(set.CaptionImages) {
			texts = append(texts, fmt.Sprintf("masking captions of the same image changes nothing in %s: no image has two", set.Name))
		}
	}
	return texts
}

// isAutomatic reports whether a schedule is that of AutoOptions, or one whose numbers the command
// line changed, without a text length that was asked for.
func isAutomatic(label string) bool {
	return (strings.HasPrefix(label, "auto for ") || strings.HasPrefix(label, "own: ")) && !strings.Contains(label, ", texts of length ")
}
