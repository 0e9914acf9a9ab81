package adapter

import (
	"fmt"
	"slices"
	"strings"

	"gosphere/asymvlm/device"
	"gosphere/asymvlm/embedding"
	"gosphere/asymvlm/nn"
)

// A Method is one of the papers' ways to estimate the uncertainty of a frozen vision-language
// model. Each method and its variants have one file in this package, whose comments contain
// formulas, tables and errata. Methods are stateless values; training changes only the nn.Learner.
type Method interface {
	// About describes the method.
	About() About
	// Published returns the training options of the method's reference implementation, or of its
	// paper if none was released.
	Published() Options
	// Reduced returns the short schedule of DefaultOptions.
	Reduced() Options
	// SmallRate returns the learning rate of SmallOptions, or 0 if no loss is minimized.
	SmallRate() float64
	// Check returns an error for the first option that the method does not support.
	Check(o Options) error
	// UnusedOptions lists the options that the method does not read; see Options.Idle.
	UnusedOptions(o Options) []UnusedOption

	// Learner returns a learner with all parameters 0, or nil if nothing is learned.
	Learner(ops device.Device, o Options, shape Shape) (*nn.Learner, error)
	// Represent maps raw embeddings of one side to the representation that scores and uncertainties
	// are computed from. No row is 0.
	Represent(l *nn.Learner, side nn.Side, raw nn.Matrix) nn.Representation
	// Score sets dst, N×M, to the retrieval scores of N images and M texts. Larger is better.
	Score(dst nn.Matrix, l *nn.Learner, images, texts nn.Representation)
	// Queries returns the uncertainty by which every text query and every image query is assigned
	// to a level, or nil if the method has none.
	Queries(l *nn.Learner, best nn.Retrieved, images, texts nn.Representation) (ofTexts, ofImages []float64)
	// Uncertainty returns the uncertainty of single texts, from their raw embeddings and
	// representations.
	Uncertainty(raw embedding.Matrix, texts nn.Representation) ([]float64, error)
}

// An About describes a method.
type About struct {
	ID    string // the value of Options.Method and of --method, and the name of checkpoints and results
	Title string // the paper's name for it
	Paper string // the paper whose tables contain it: AsymVLM or ELIP; "" for none
	// Tables are the paper's tables or figures that contain this form, "" for none.
	Tables string
	// Form distinguishes two forms of a method whose published tables do not follow its
	// mathematics: Official is the form of the tables, Exact the mathematical one. It is "" if the
	// two agree.
	Form string
	// First is the name of a tensor in every checkpoint of the method, "" if nothing is stored.
	First string
	// Revision counts the changes of what the method learns from the same options. A checkpoint of
	// another revision is read, but cannot be resumed.
	Revision int

	Trained      bool // something is learned, by minimizing a loss or in one pass
	OnePass      bool // sums are accumulated in one pass over the pairs, and no loss is minimized
	Concentrated bool // texts have a concentration κ: a distribution on the sphere
	Gaussian     bool // embeddings have a variance in every coordinate
}

// Forms of methods whose reference implementation and mathematics differ.
const (
	Official = "official"
	Exact    = "exact"
)

// The papers whose tables contain the methods.
const (
	AsymVLMPaper = "AsymVLM"
	ELIPPaper    = "ELIP"
)

// A Shape holds the sizes of a learner.
type Shape struct {
	Dimension int             // of the embeddings
	Pairs     int             // in the training set; 0 if nothing is trained
	Batch     int             // the largest number of pairs in a step, and of rows represented together
	Layers    [2]nn.LastLayer // the encoders' last layers, by nn.Side; zero for rows that are embeddings
	// Revision is that of the checkpoint that the learner is for, or the method's own.
	Revision int
}

// methods lists all methods: first the built-in ones by place, then those added by Register.
var (
	methods []Method
	places  []int // of the built-in methods
)

// builtIn adds a method to the list and returns it. The file of a method calls it for each of its
// forms. The first places are those of the paper's first table; places are multiples of 10 so that
// others fit between them.
func builtIn[M Method](place int, m M) M {
	at, taken := slices.BinarySearch(places, place)
	if taken {
		panic(fmt.Sprintf("adapter: %s and %s have the place %d", methods[at].About().ID, m.About().ID, place))
	}
	places, methods = slices.Insert(places, at, place), slices.Insert(methods, at, Method(m))
	return m
}

// Methods returns the ids of all methods: first those of the paper's first table, last those added
// by Register.
func Methods() []string {
	list := all()
	ids := make([]string, len(list))
	for i, m := range list {
		ids[i] = m.About().ID
	}
	return ids
}

// Lookup returns the method with an id. If a method has an official and an exact form, its plain id
// is the official form, which also has a full name: probvlm and probvlm-official are the same. An
// unknown id is an error that lists the known ones.
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

// find returns the method with exactly this id, or nil.
func find(id string) Method {
	list := all()
	if i := slices.IndexFunc(list, func(m Method) bool { return m.About().ID == id }); i >= 0 {
		return list[i]
	}
	return nil
}

// aboutOf returns the description of a method, or a zero About for an unknown one.
func aboutOf(id string) About {
	m, err := Lookup(id)
	if err != nil {
		return About{}
	}
	return m.About()
}

// IsOnePass reports whether a method accumulates sums in one pass over the pairs instead of
// minimizing a loss, as bayesvlm does.
func IsOnePass(method string) bool { return aboutOf(method).OnePass }

// IsProbabilistic reports whether a method computes a concentration for texts.
func IsProbabilistic(method string) bool { return aboutOf(method).Concentrated }

// A learned is a Method whose networks, loss, scores and uncertainties are those of an objective of
// package nn. Most method files fill in its fields; a method that needs other behavior embeds it.
type learned struct {
	about About
	// network and loss, without the sizes; an empty optimizer means gradient descent
	architecture nn.Architecture

	rate, decay float64 // the published learning rate and weight decay
	reducedRate float64 // the learning rate of DefaultOptions
	smallRate   float64 // the learning rate of SmallOptions
	// reduce changes the options, apart from rates, that a method needs to rise above chance in a
	// few hundred steps; nil changes nothing. The changes were found on the built-in scenes, whose
	// images have norm 1 (November 2026).
	reduce func(o *Options)
	// start returns the first temperature and the factor on the network's outputs for
	// Options.ScaledStart. It is nil if the start of the reference implementation is as good.
	start func(dimension int) (temperature, factor float64)
}

// About describes the method.
func (m learned) About() About {
	about := m.about
	about.Trained = true
	return about
}

// Published returns the schedule of AsymVLM's reference implementation with the method's rate and
// decay.
func (m learned) Published() Options {
	o := paperSchedule(m.about.ID)
	o.LearningRate, o.WeightDecay = m.rate, m.decay
	return o
}

// Reduced returns 320 steps on the built-in scenes.
func (m learned) Reduced() Options { return m.shortened(m.Published(), 20, 512, m.reducedRate) }

// shortened changes published options to the given epochs, batch size and first rate.
func (m learned) shortened(o Options, epochs, batch int, rate float64) Options {
	if m.reduce != nil {
		m.reduce(&o)
	}
	o.Epochs, o.Batch, o.LearningRate = epochs, batch, rate
	o.Label = fmt.Sprintf("reduced: %d epochs, batch %d, learning rate %g", o.Epochs, o.Batch, o.LearningRate)
	return o
}

// SmallRate returns the learning rate of SmallOptions.
func (m learned) SmallRate() float64 { return m.smallRate }

// Check returns an error for the first option that the method does not support.
func (m learned) Check(o Options) error {
	if err := o.checkNumbers(); err != nil {
		return err
	}
	if m.about.OnePass && o.Epochs != 1 {
		return fmt.Errorf("adapter: %d epochs of %s, which passes over the pairs once; want 1", o.Epochs, o.Method)
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

// checkBatch returns an error if the loss needs wrong pairs and batches hold one pair.
func (m learned) checkBatch(o Options) error {
	if o.Batch != 1 || !m.with(o).NeedsWrongPairs() {
		return nil
	}
	return fmt.Errorf("adapter: batches of 1 pair for %s: its loss compares matching pairs with others, and a single pair has no others; want at least 2", o.Method)
}

// checkChoices returns an error for a loss, an optimizer or a warm-up that the method does not
// support.
func (m learned) checkChoices(o Options) error {
	switch {
	case o.Optimizer == nn.Accumulate:
		return fmt.Errorf("adapter: optimizer %q does not fit method %s (accumulate is for one-pass methods, and only for them)", o.Optimizer, o.Method)
	case o.Loss != nil && o.MaskSameImage:
		return fmt.Errorf("adapter: loss %q sees all pairs of a batch; captions of the same image are masked in the methods' own losses only", o.Loss.Name())
	case o.WarmUp < 0:
		return fmt.Errorf("adapter: warm-up of %d steps, want a number from 0", o.WarmUp)
	case o.Posterior != Posterior{}:
		return fmt.Errorf("adapter: %s has no posterior; layers, variance, prediction and draws are options of %s and %s", o.Method, BayesVLM, BayesVLMExact)
	}
	a := m.with(o)
	a.Dimension = 2 // sizes are checked later, when they are known
	if err := a.Check(); err != nil {
		return fmt.Errorf("adapter: %s: %w", o.Method, err)
	}
	return nil
}

// with returns the architecture with the loss and the optimizer of the options, without the sizes.
func (m learned) with(o Options) nn.Architecture {
	a := m.architecture
	a.Loss, a.Pairs, a.KLWeight = o.Loss, o.Pairs, o.KLWeight
	if o.Optimizer != "" {
		a.Optimizer = o.Optimizer
	}
	return a
}

// Learner returns a learner with all parameters 0.
func (m learned) Learner(ops device.Device, o Options, shape Shape) (*nn.Learner, error) {
	a := m.with(o)
	a.Dimension, a.Hidden, a.HiddenLayers = shape.Dimension, o.Hidden, o.HiddenLayers
	if o.ScaledStart {
		a.FirstTemperature, a.OutputFactor = m.start(shape.Dimension)
	}
	if o.FirstTemperature != 0 {
		a.FirstTemperature = o.FirstTemperature
	}
	a.FixedTemperature, a.LogTemperature = o.FixedTemperature, o.LogTemperature
	if a.Residual && shape.Pairs > 0 {
		a.RankerDecay = rankerDecay(shape.Pairs)
		if headed(m, shape) {
			a.ConcentrationDecay = concentrationDecay(shape.Pairs)
		}
	}
	if headed(m, shape) {
		a.FirstConcentration = firstConcentration
	}
	return nn.NewLearner(ops, a, shape.Batch)
}

// keepsRanking reports whether the method learns variances around the given embeddings.
func (m learned) keepsRanking() bool { return m.architecture.KeepsMeans() }

// Represent calls the learner's Represent.
func (m learned) Represent(l *nn.Learner, side nn.Side, raw nn.Matrix) nn.Representation {
	return l.Represent(side, raw)
}

// Score calls the learner's Score, which omits the temperature.
func (m learned) Score(dst nn.Matrix, l *nn.Learner, images, texts nn.Representation) {
	l.Score(dst, images, texts)
}

// Queries calls nn.Learner.QueryUncertainty, which returns the texts first.
func (m learned) Queries(l *nn.Learner, best nn.Retrieved, images, texts nn.Representation) (ofTexts, ofImages []float64) {
	return l.QueryUncertainty(best, images, texts)
}

// Uncertainty returns the uncertainty of the representations, or minus the norms of the raw
// embeddings if they have none.
func (m learned) Uncertainty(raw embedding.Matrix, texts nn.Representation) ([]float64, error) {
	if texts.Uncertainty == nil {
		return shortness(raw), nil
	}
	return texts.Uncertainty, nil
}

// shortness returns minus the norms of the rows. Encoders map vague texts to embeddings with
// smaller norms.
func shortness(m embedding.Matrix) []float64 {
	lengths := m.Norms()
	for i, length := range lengths {
		lengths[i] = -length
	}
	return lengths
}

// matchLengths rescales images to the norm of the texts, for methods whose network reads the images
// or whose targets are their values.
func matchLengths(o *Options) { o.MatchLengths = true }

// descendWithAdam selects AdamW instead of gradient descent.
func descendWithAdam(o *Options) { o.Optimizer = nn.AdamW }
