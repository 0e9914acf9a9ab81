package adapter

import (
	"fmt"
	"slices"
	"strings"

	"gosphere/asymvlm/device"
	"gosphere/asymvlm/embedding"
	"gosphere/asymvlm/nn"
)

// A Method is one of the papers' ways to make a frozen vision-language model tell how certain it is. Every method has a
// file of its own in this package, which holds its variants too, and whose comments give formulas, tables and errata.
// Methods are values without state: what a training changes is in the nn.Learner.
type Method interface {
	// About tells the id and where the method comes from.
	About() About
	// Published returns how the method's program trains it, or its paper where no program was released.
	Published() Options
	// Reduced returns the short schedule of DefaultOptions.
	Reduced() Options
	// SmallRate returns the learning rate of SmallOptions, 0 where nothing is descended.
	SmallRate() float64
	// Check reports the first option that the method cannot take.
	Check(o Options) error
	// Idle lists the options that the method does not read, see Options.Idle.
	Idle(o Options) []Idle

	// Learner makes what is learned, all parameters 0; nil where nothing is.
	Learner(ops device.Device, o Options, shape Shape) (*nn.Learner, error)
	// Represent takes raw embeddings of one side to what scores and uncertainties are made of. No row is 0.
	Represent(l *nn.Learner, side nn.Side, raw nn.Matrix) nn.Representation
	// Score sets dst, N×M, to what N images and M texts retrieve each other by: larger is better.
	Score(dst nn.Matrix, l *nn.Learner, images, texts nn.Representation)
	// Queries returns the uncertainty by which every text and every image, as a query, is put into a level; nil where the
	// method has none.
	Queries(l *nn.Learner, best nn.Retrieved, images, texts nn.Representation) (ofTexts, ofImages []float64)
	// Uncertainty returns that of texts by themselves, from their raw embeddings and representations.
	Uncertainty(raw embedding.Matrix, texts nn.Representation) ([]float64, error)
}

// An About tells what a method is.
type About struct {
	ID    string // the value of Options.Method and of --method, and the name of checkpoints and results
	Title string // what the paper calls it
	Paper string // whose tables have it: AsymVLM or ELIP; "" for none
	// Tables are the paper's tables (or figures) that were made with this form, "" for none.
	Tables string
	// Form is Official for what the published tables were made with where that and the mathematics differ, Exact for the
	// mathematics, and "" where the two are the same.
	Form string
	// First is a tensor that every checkpoint of the method has, "" where there is nothing to store.
	First string

	Trained      bool // something is learned, by descent or in one pass
	OnePass      bool // sums are gathered in one pass over the pairs, and no loss is descended
	Concentrated bool // texts get a concentration κ: a distribution on the sphere
	Gaussian     bool // embeddings get a variance in every coordinate
}

// The forms of methods whose program and mathematics differ.
const (
	Official = "official"
	Exact    = "exact"
)

// The papers that the methods' tables are from.
const (
	AsymVLMPaper = "AsymVLM"
	ELIPPaper    = "ELIP"
)

// A Shape is the sizes that a learner is made for.
type Shape struct {
	Dimension int             // of the embeddings
	Batch     int             // the largest number of pairs in a step, and of rows represented at once
	Layers    [2]nn.LastLayer // the encoders' last layers, by nn.Side; zero for rows that are embeddings
}

// methods are all methods, those of the paper's first table first.
var methods = []Method{
	asymVLMVonMisesFisher, asymVLMPowerSpherical, deterministicFineTuning, clip{}, asymVLMVonMisesFisherExact,
	pfe, pcmepp, proLIP, probVLM, bayesVLM, bayesVLMExact, proLIPExact, proLIPFull, proLIPFullOfficial, probVLMExact,
	asymVLMImage, symVLM, symVLMMutual, asymVLMGaussian,
	sigLIPVonMisesFisher, sigLIPPowerSpherical, sigLIPVonMisesFisherLog, elip, elipITC, clipEnsemble,
	residualVonMisesFisher, residualPowerSpherical, residualCosine,
}

// Methods returns the ids of all methods, those of the paper's first table first and those of Register last.
func Methods() []string {
	list := all()
	ids := make([]string, len(list))
	for i, m := range list {
		ids[i] = m.About().ID
	}
	return ids
}

// Lookup returns the method with an id. Where a method has an official and an exact form, its own id is that of the official one,
// which may be named in full, too: probvlm and probvlm-official are the same. An unknown id is an error that lists the known ones.
func Lookup(id string) (Method, error) {
	if m := find(id); m != nil {
		return m, nil
	}
	if short, named := strings.CutSuffix(id, "-"+Official); named {
		if m := find(short); m != nil && m.About().Form == Official {
			return m, nil
		}
	}
	return nil, fmt.Errorf("adapter: method %q, want one of %s", id, strings.Join(Methods(), ", "))
}

// find returns the method with exactly an id, nil where there is none.
func find(id string) Method {
	list := all()
	if i := slices.IndexFunc(list, func(m Method) bool { return m.About().ID == id }); i >= 0 {
		return list[i]
	}
	return nil
}

// aboutOf returns what is known of a method, nothing of an unknown one.
func aboutOf(id string) About {
	m, err := Lookup(id)
	if err != nil {
		return About{}
	}
	return m.About()
}

// IsOnePass reports whether a method gathers sums in one pass over the pairs, instead of descending a loss: bayesvlm.
func IsOnePass(method string) bool { return aboutOf(method).OnePass }

// IsProbabilistic reports whether a method gives texts a concentration.
func IsProbabilistic(method string) bool { return aboutOf(method).Concentrated }

// A learned is a method whose networks, loss, scores and uncertainties are those of an objective of package nn. It is a
// Method; the files of methods fill it in, and where a method differs in more than numbers its file embeds it.
type learned struct {
	about About
	// network and loss, without the sizes; the optimizer is gradient descent where it is empty
	architecture nn.Architecture

	rate, decay float64 // the published learning rate and weight decay
	reducedRate float64 // the learning rate of DefaultOptions
	smallRate   float64 // and that of SmallOptions
	// reduce changes what besides rates a method needs to leave chance in a few hundred steps; nil for nothing. All of it
	// was found on the built-in scenes, whose images have length 1 (November 2026).
	reduce func(o *Options)
	// start returns the first temperature and the factor on the network's outputs of Options.ScaledStart; nil where the
	// program's start is as good.
	start func(dimension int) (temperature, factor float64)
}

// About tells the id and where the method comes from.
func (m learned) About() About {
	about := m.about
	about.Trained = true
	return about
}

// Published returns the schedule of AsymVLM's program with the method's rate and decay.
func (m learned) Published() Options {
	o := paperSchedule(m.about.ID)
	o.LearningRate, o.WeightDecay = m.rate, m.decay
	return o
}

// Reduced returns 320 steps on the built-in scenes.
func (m learned) Reduced() Options { return m.shortened(m.Published(), 20, 512, m.reducedRate) }

// shortened changes published options to some epochs with batches and a first rate.
func (m learned) shortened(o Options, epochs, batch int, rate float64) Options {
	if m.reduce != nil {
		m.reduce(&o)
	}
	o.Epochs, o.Batch, o.LearningRate = epochs, batch, rate
	o.Schedule = fmt.Sprintf("reduced: %d epochs, batch %d, learning rate %g", o.Epochs, o.Batch, o.LearningRate)
	return o
}

// SmallRate returns the learning rate of SmallOptions.
func (m learned) SmallRate() float64 { return m.smallRate }

// Check reports the first option that the method cannot take.
func (m learned) Check(o Options) error {
	if err := o.checkNumbers(); err != nil {
		return err
	}
	if m.about.OnePass && o.Epochs != 1 {
		return fmt.Errorf("adapter: %d epochs of %s, which passes over the pairs once and would count them as often; want 1", o.Epochs, o.Method)
	}
	if o.MaskSameImage && !m.architecture.Maskable() {
		return fmt.Errorf("adapter: %s has no wrong pairs, so captions of the same image cannot be masked", o.Method)
	}
	if o.ScaledStart && m.start == nil {
		return fmt.Errorf("adapter: %s has no other start than that of its program", o.Method)
	}
	if err := m.checkChoices(o); err != nil {
		return err
	}
	if err := m.checkBatch(o); err != nil {
		return err
	}
	return o.checkFiles()
}

// checkBatch reports batches in which a loss finds nothing that it could tell the right pair from.
func (m learned) checkBatch(o Options) error {
	if o.Batch != 1 || !m.with(o).NeedsWrongPairs() {
		return nil
	}
	return fmt.Errorf("adapter: batches of 1 pair for %s: its loss tells right pairs from wrong ones, and a pair alone has no wrong one; want at least 2", o.Method)
}

// checkChoices reports a loss, an optimizer or a warm-up that the method cannot have.
func (m learned) checkChoices(o Options) error {
	switch {
	case o.Optimizer == nn.Accumulate:
		return fmt.Errorf("adapter: optimizer %q for %s, which sums up and does not descend, or the other way round", o.Optimizer, o.Method)
	case o.Loss != nil && o.MaskSameImage:
		return fmt.Errorf("adapter: loss %q sees all pairs of a batch; captions of the same image are masked in the methods' own losses only", o.Loss.Name())
	case o.WarmUp < 0:
		return fmt.Errorf("adapter: warm-up of %d steps, want a number from 0", o.WarmUp)
	case o.Bayes != BayesOptions{}:
		return fmt.Errorf("adapter: %s has no posterior; layers, variance, prediction and draws are options of %s and %s", o.Method, BayesVLM, BayesVLMExact)
	}
	a := m.with(o)
	a.Dimension = 2 // the sizes are checked when they are known
	if err := a.Check(); err != nil {
		return fmt.Errorf("adapter: %s: %w", o.Method, err)
	}
	return nil
}

// with returns the architecture with the loss and the optimizer of the options, without the sizes.
func (m learned) with(o Options) nn.Architecture {
	a := m.architecture
	a.Loss, a.Pairs = o.Loss, o.Pairs
	if o.Optimizer != "" {
		a.Optimizer = o.Optimizer
	}
	return a
}

// Learner makes what is learned, all parameters 0.
func (m learned) Learner(ops device.Device, o Options, shape Shape) (*nn.Learner, error) {
	a := m.with(o)
	a.Dimension, a.Hidden, a.HiddenLayers = shape.Dimension, o.Hidden, o.HiddenLayers
	if o.ScaledStart {
		a.FirstTemperature, a.OutputFactor = m.start(shape.Dimension)
	}
	if o.FirstTemperature != 0 {
		a.FirstTemperature = o.FirstTemperature
	}
	a.FixedTemperature = o.FixedTemperature
	return nn.NewLearner(ops, a, shape.Batch)
}

// Represent is that of the learner.
func (m learned) Represent(l *nn.Learner, side nn.Side, raw nn.Matrix) nn.Representation {
	return l.Represent(side, raw)
}

// Score is that of the learner: without the temperature.
func (m learned) Score(dst nn.Matrix, l *nn.Learner, images, texts nn.Representation) {
	l.Score(dst, images, texts)
}

// Queries is that of the learner: texts come first, see nn.Learner.QueryUncertainty.
func (m learned) Queries(l *nn.Learner, best nn.Retrieved, images, texts nn.Representation) (ofTexts, ofImages []float64) {
	return l.QueryUncertainty(best, images, texts)
}

// Uncertainty is that of the representations, minus the length of the raw embedding where they have none.
func (m learned) Uncertainty(raw embedding.Matrix, texts nn.Representation) ([]float64, error) {
	if texts.Uncertainty == nil {
		return shortness(raw), nil
	}
	return texts.Uncertainty, nil
}

// shortness returns minus the lengths of the rows: encoders give vague texts shorter embeddings.
func shortness(m embedding.Matrix) []float64 {
	lengths := m.Norms()
	for i, length := range lengths {
		lengths[i] = -length
	}
	return lengths
}

// matchLengths gives images the length of the texts, where a network sees the images or their values are targets.
func matchLengths(o *Options) { o.MatchLengths = true }

// descendWithAdam takes AdamW in place of gradient descent.
func descendWithAdam(o *Options) { o.Optimizer = nn.AdamW }
