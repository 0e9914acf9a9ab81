// Package laboratory implements the subcommands of the laboratory: train, eval, crossval, sweep,
// table, search, vectors, embed, embed-info and encoder, one file for each.
//
// Types recipe and validating hold the flags of trainings, result is the content of result files,
// and grid lays out tables.
package laboratory

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"gosphere/asymvlm/adapter"
	"gosphere/asymvlm/device"
	"gosphere/asymvlm/embedding"
	"gosphere/asymvlm/nn"
	"gosphere/asymvlm/retrieval"
	"gosphere/internal/command/process"
)

// Train is the subcommand that trains adapters.
type Train struct {
	selection
	layout
	Split string `help:"Split to train on. Built-in data has train and its parts fit and val." default:"train"`
	recipe
	validating
	Every     nonNegativeInt `help:"Epochs between checkpoints; 0 for a single checkpoint at the end." default:"10" placeholder:"N"`
	Resume    bool           `help:"Continue from existing checkpoints. Completed trainings are skipped."`
	Overwrite bool           `help:"Replace checkpoints of other or unfinished trainings. Completed trainings can be rerun without this flag."`

	process.Compute
}

// A recipe holds the flags that change how a method is trained.
type recipe struct {
	Schedule  string           `help:"Schedule: auto (steps, rate and width by the number of pairs), paper, reduced, or small (for comparing many methods) (default: reduced for built-in data, else auto)." enum:",auto,paper,reduced,small" default:""`
	Epochs    epochs           `help:"Number of epochs (default: the schedule's)." placeholder:"N"`
	Steps     process.Positive `help:"Number of steps; the last epoch is cut short (default: the schedule's epochs)." placeholder:"N"`
	Batch     process.Positive `help:"Pairs per step, at least 2 for contrastive losses (default: the schedule's)." placeholder:"N"`
	Lr        positiveFloat    `help:"Initial learning rate (default: the schedule's)." placeholder:"RATE"`
	Constant  bool             `help:"Keep the learning rate constant instead of lowering it along a cosine."`
	Optimizer string           `help:"Optimizer: sgd (with momentum), adamw or adamp (default: the method's)." enum:",sgd,adamw,adamp" default:""`
	descent
	WarmUp        nonNegativeInt `placeholder:"N" help:"Number of linear warm-up steps (default: 0; the reference implementation of ProLIP uses some)."`
	Hidden        width          `help:"Width of the hidden layers (default: 1024, or the schedule's)." placeholder:"N"`
	MaskSameImage bool           `help:"Do not treat other captions of the same image in a batch as negatives, as the reference implementation does."`
	MatchLengths  bool           `help:"Scale images of norm 1 to the mean norm of the texts. Reduced schedules do this if a network processes the images."`
	TextLength    positiveFloat  `placeholder:"NORM" help:"Scale texts of norm 1 to this norm; that of CLIP's texts is about 9 before normalization."`
	Threads       nonNegativeInt `help:"Number of CPU threads; 0 for all cores." placeholder:"N"`
	Layers        string         `help:"bayesvlm: posterior over the encoders' last layers (features), over the identity on the embeddings (identity), or auto for features if the data set has them." enum:"auto,features,identity" default:"auto"`
	HeldOut       *bool          `negatable:"" help:"Measure on held-out images whether the pairs suffice to learn an uncertainty, and say so if they do not, for methods that learn concentrations of texts by likelihood. Costs one to five more trainings (default: with the schedule auto, below the number of pairs from which it is the paper's)."`
	posterior
	ordering

	pairs int `kong:"-"` // size of the training set, needed by --steps and --schedule auto
}

// check returns an error for flags that contradict each other or that no method of a list reads.
func (r recipe) check(methods []string) error {
	if r.Epochs != 0 && r.Steps != 0 {
		return fmt.Errorf("--epochs %d and --steps %d both set the length of the training: omit one of them", r.Epochs, r.Steps)
	}
	if r.Layers != "auto" && r.Layers != "" && !slices.ContainsFunc(methods, adapter.IsOnePass) {
		return fmt.Errorf("--layers applies to bayesvlm, not to %s", strings.Join(methods, ", "))
	}
	if r.Constant && r.FinalRate != nil {
		return fmt.Errorf("--constant and --final-rate %g both set the final learning rate: omit one of them", *r.FinalRate)
	}
	if err := r.checkIdle(methods); err != nil {
		return err
	}
	return errors.Join(r.posterior.check(methods), r.ordering.check(methods))
}

// bayes converts the flags to options of bayesvlm.
func (r recipe) bayes() adapter.Posterior {
	b := r.posterior.over(adapter.Posterior{})
	if r.Layers != "auto" {
		b.Layers = r.Layers
	}
	return b
}

// Run trains until the end, or until Ctrl-C or SIGTERM; it then keeps a checkpoint, from which
// --resume continues.
func (t Train) Run() error {
	// Schedulers of batch jobs send SIGTERM at the time limit.
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	return t.run(ctx, os.Stdout, os.Stderr)
}

// tellCard writes a line with the reason if a GPU is present but not used.
func tellCard(stderr io.Writer) {
	shared, err := device.Default() // the training reports its error
	if why := device.GPUFallbackReason(); err == nil && why != "" {
		fmt.Fprintf(stderr, "GPU not used, running on %s: %s\n", shared.Name(), why)
	}
}

// run runs one training after another. A training that fails does not keep the others from running,
// unless ctx is done.
func (t Train) run(ctx context.Context, stdout, stderr io.Writer) error {
	set, err := readDataset(t.Embeddings, t.Dataset, t.Split)
	if err != nil {
		return err
	}
	if err := errors.Join(t.recipe.check(t.Method.methods), t.validating.check(t.Method.methods)); err != nil {
		return err
	}
	if set, err = t.validating.divide(t, set); err != nil {
		return err
	}
	t.recipe.pairs = set.Texts.Rows
	jobs := t.jobs()
	for _, j := range jobs { // invalid flags are reported before hours of work
		options, err := t.options(j)
		if err == nil {
			err = t.spare(set, options)
		}
		if err != nil {
			return err
		}
	}
	tellCard(stderr)
	fmt.Fprintln(stdout, set)
	if t.validating.set != nil {
		fmt.Fprintf(stdout, "validation on %v\n", t.validating.set)
	}
	if text := t.validating.note(t.Dataset); text != "" {
		fmt.Fprintln(stderr, text)
	}
	recall, err := newTrainingRecall(set)
	if err != nil {
		fmt.Fprintf(stderr, "recall will not be measured: %v\n", err)
		recall = trainingRecall{}
	}
	var failed []error
	for _, j := range jobs {
		err := t.train(ctx, set, recall, j, streams{stdout, stderr})
		if err != nil && len(jobs) > 1 {
			err = fmt.Errorf("%s: %w", j, err)
		}
		if err != nil {
			failed = append(failed, err)
		}
		if ctx.Err() != nil {
			break
		}
	}
	return errors.Join(failed...)
}

// spare returns an error if a checkpoint of another training, or of an unfinished one, would be
// replaced, which may lose hours of work. Rerunning a completed training reproduces its weights,
// and an unreadable file is no loss.
func (t Train) spare(set *embedding.Set, options adapter.Options) error {
	if t.Resume || t.Overwrite {
		return nil
	}
	old, err := adapter.Load(options.Checkpoint)
	if err != nil {
		return nil
	}
	if old.IsOf(set, options) {
		if done, all := old.History().Steps(), adapter.StepsOf(old); !old.Complete() {
			return fmt.Errorf("%s contains %d of %d steps of this training: set --resume to continue, or --overwrite to start over", options.Checkpoint, done, all)
		}
		return nil
	}
	of := old.Options().Label
	if of == options.Label {
		of = "with other data or options"
	}
	return fmt.Errorf("%s contains another training (%s): name another folder with --checkpoints, or replace it with --overwrite", options.Checkpoint, of)
}

// train runs one training.
func (t Train) train(ctx context.Context, set *embedding.Set, recall trainingRecall, j job, to streams) error {
	stdout, stderr := to.stdout, to.stderr
	options, err := t.options(j)
	if err != nil {
		return err
	}
	options.Progress = progressOn(stderr, j.label) // a bar on a terminal, else lines
	fmt.Fprintf(stdout, "%s, %s\n", j, options.Label)
	trained, err := adapter.Train(ctx, set, options)
	if errors.Is(err, adapter.ErrNotImproved) {
		fmt.Fprint(stdout, bestLine(trained))
	}
	if err != nil {
		return err
	}
	if loss := trained.History().Loss; len(loss) > 0 {
		fmt.Fprintf(stdout, "loss %s, temperature %.2f\n", retrieval.Decimal(loss[len(loss)-1], 4), trained.Temperature())
	}
	fmt.Fprint(stdout, bestLine(trained))
	if h := adapter.HeldOutIn(trained); h != nil {
		fmt.Fprintln(stdout, h)
	}
	if j.method != adapter.CLIP {
		recall.write(trained, j.String(), stdout, stderr)
	}
	fmt.Fprintln(stdout, options.Checkpoint)
	return nil
}

// options converts the flags to the options of one training.
func (t Train) options(j job) (adapter.Options, error) {
	options, err := t.recipe.options(t.Dataset, j)
	options.Resume, options.Overwrite, options.CheckpointEvery = t.Resume, t.Overwrite, int(t.Every)
	options.Checkpoint = t.checkpoint(t.Dataset, j.method, j.seed)
	events := filepath.Join(datasetName(t.Dataset), strconv.FormatUint(j.seed, 10), j.method)
	if err == nil {
		t.validating.over(&options, events)
	}
	return options, errors.Join(err, options.Check())
}

// options converts the flags to the options of a training without checkpoints.
func (r recipe) options(dataset string, j job) (adapter.Options, error) {
	make := adapter.PaperOptions
	switch {
	case r.Schedule == "auto" || r.Schedule == "" && !isBuiltIn(dataset) && r.pairs > 0:
		make = func(method string) (adapter.Options, error) { return adapter.AutoOptions(method, r.pairs) }
	case r.Schedule == "small":
		make = adapter.SmallOptions
	case r.Schedule == "reduced" || r.Schedule == "" && isBuiltIn(dataset):
		make = adapter.DefaultOptions
	}
	options, err := make(j.method)
	if err != nil {
		return options, err
	}
	options.Seed, options.Threads = j.seed, int(r.Threads)
	if j.method == adapter.CLIP {
		return options, nil // the method is not trained
	}
	if options.Precision, err = device.DefaultPrecision(); err != nil {
		return options, err
	}
	if adapter.IsOnePass(j.method) {
		options.Posterior = r.bayes()
	}
	if options.Reads("Ranking") {
		options.Ranking = r.Ranking
	}
	r.change(&options)
	options.MaskSameImage, options.MatchLengths = r.MaskSameImage, options.MatchLengths || r.MatchLengths
	if r.TextLength != 0 {
		options.TextLength = float64(r.TextLength)
		options.Label += fmt.Sprintf(", texts of length %g", r.TextLength)
	}
	if r.MaskSameImage {
		options.Label += ", captions of the same image masked"
	}
	if options.Precision != device.Float32 {
		options.Label += ", products in " + string(options.Precision)
	}
	return options, nil
}

// layers returns the words for the hidden layers of a training in its label.
func (r recipe) layers(o adapter.Options) string {
	n := o.HiddenLayers
	if r.HiddenLayers != nil {
		n = int(*r.HiddenLayers)
	}
	if o.Reads("HiddenLayers") && n == 1 {
		return "one hidden layer"
	}
	return "hidden layers"
}

// change sets the numbers that were given and that the method reads, and records them in the
// schedule.
func (r recipe) change(options *adapter.Options) {
	descends, changed := options.Reads("Epochs"), false
	if r.Epochs != 0 && descends {
		options.Epochs, changed = int(r.Epochs), true
	}
	if r.Batch != 0 {
		options.Batch, changed = int(r.Batch), true
	}
	if r.Steps != 0 && descends {
		options.Steps, options.Epochs, changed = int(r.Steps), adapter.EpochsFor(int(r.Steps), r.pairs, options.Batch), true
	}
	if r.Lr != 0 && descends {
		options.LearningRate, changed = float64(r.Lr), true
	}
	switch width := options.Reads("Hidden"); {
	case changed && !descends:
		options.Label = fmt.Sprintf("one pass in groups of %d", options.Batch)
	case changed:
		length := fmt.Sprintf("%d epochs", options.Epochs)
		if options.Steps != 0 {
			length = fmt.Sprintf("%d steps", options.Steps)
		}
		options.Label = fmt.Sprintf("own: %s, batch %d, learning rate %g", length, options.Batch, options.LearningRate)
		if width && options.Hidden != 1024 && (r.Hidden == 0 || int(r.Hidden) == options.Hidden) {
			options.Label += fmt.Sprintf(", %s of %d", r.layers(*options), options.Hidden)
		}
	}
	if r.Hidden != 0 && int(r.Hidden) != options.Hidden && options.Reads("Hidden") {
		options.Hidden = int(r.Hidden)
		options.Label += fmt.Sprintf(", %s of %d", r.layers(*options), r.Hidden)
	}
	if r.Constant && descends {
		options.FinalRate = options.LearningRate
		options.Label += ", constant rate"
	}
	if r.Optimizer != "" && descends {
		options.Optimizer = nn.Optimizer(r.Optimizer)
		options.Label += ", " + r.Optimizer
	}
	if r.WarmUp != 0 && descends {
		options.WarmUp = int(r.WarmUp)
		options.Label += fmt.Sprintf(", warm-up of %d steps", r.WarmUp)
	}
	if r.HeldOut != nil && options.Reads("HeldOut") {
		options.HeldOut = *r.HeldOut
	}
	r.descent.change(options)
}
