// Package laboratory has the subcommands of the laboratory: train, eval, crossval, sweep, table, search, embed, embed-info
// and encoder, one file for each.
//
// recipe and validating are the flags of trainings, result is what result files hold, and grid lays out tables.
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
	"gosphere/command/process"
)

// Train is the subcommand that trains adapters.
type Train struct {
	selection
	layout
	Split string `help:"Split to train on; built-in data has train, and its parts fit and val." default:"train"`
	recipe
	validating
	Every     count `help:"Epochs between checkpoints; 0 for one at the end alone." default:"10" placeholder:"N"`
	Resume    bool  `help:"Continue from checkpoints where there are some; finished trainings are left as they are."`
	Overwrite bool  `help:"Replace checkpoints of other trainings, and of trainings that were stopped. One that is at its end needs no leave to be done again."`
}

// A recipe is the flags that change how a method is trained.
type recipe struct {
	Schedule  string           `help:"Schedule: auto (steps, rate and width for the number of pairs), paper, reduced, or small (for comparing many methods); without it reduced for built-in data and else paper." enum:",auto,paper,reduced,small" default:""`
	Epochs    epochs           `help:"Epochs, instead of the schedule's." placeholder:"N"`
	Steps     process.Positive `help:"Steps, instead of the schedule's epochs: as many whole epochs as make at least N on this data set." placeholder:"N"`
	Batch     process.Positive `help:"Pairs per step, instead of the schedule's; from 2 for losses with wrong pairs." placeholder:"N"`
	Lr        rate             `help:"First learning rate, instead of the schedule's." placeholder:"RATE"`
	Constant  bool             `help:"Keep the first learning rate instead of lowering it along a cosine."`
	Optimizer string           `help:"Optimizer, instead of the method's own: sgd (with momentum), adamw, or adamp." enum:",sgd,adamw,adamp" default:""`
	descent
	WarmUp        count  `placeholder:"N" help:"Steps in which the learning rate rises along a line before it falls; the papers' programs have none, but ProLIP's."`
	Hidden        width  `help:"Width of the hidden layers, instead of 1024." placeholder:"N"`
	MaskSameImage bool   `help:"Do not count other captions of the same image in a batch as wrong pairs; the paper's program does."`
	MatchLengths  bool   `help:"Give images that all have length 1 the mean length of the texts; reduced schedules do where a network sees the images."`
	TextLength    rate   `placeholder:"LENGTH" help:"Give texts that all have length 1 this length; 9 is that of CLIP's texts before they are normalized."`
	Threads       count  `help:"Threads; 0 for all cores." placeholder:"N"`
	Layers        string `help:"Of bayesvlm: what it is about: the encoders' last layers (features), the identity on the embeddings (identity), or auto (features where the data set has them)." enum:"auto,features,identity" default:"auto"`
	posterior

	pairs int `kong:"-"` // of the data set that is trained on, which --steps and --schedule auto want
}

// check reports flags that contradict each other or that no method of a list takes.
func (r recipe) check(methods []string) error {
	if r.Epochs != 0 && r.Steps != 0 {
		return fmt.Errorf("--epochs %d and --steps %d both say how long to train: give one of them", r.Epochs, r.Steps)
	}
	if r.Layers != "auto" && r.Layers != "" && !slices.ContainsFunc(methods, adapter.IsOnePass) {
		return fmt.Errorf("--layers is of bayesvlm, and not of %s", strings.Join(methods, ", "))
	}
	if r.Constant && r.FinalRate != nil {
		return fmt.Errorf("--constant and --final-rate %g both say what the last rate is: give one of them", *r.FinalRate)
	}
	if err := r.checkIdle(methods); err != nil {
		return err
	}
	return r.posterior.check(methods)
}

// bayes turns the flags into options of bayesvlm.
func (r recipe) bayes() adapter.BayesOptions {
	b := r.posterior.over(adapter.BayesOptions{})
	if r.Layers != "auto" {
		b.Layers = r.Layers
	}
	return b
}

// Run trains until the end or until Ctrl-C or a request to terminate, which keeps a checkpoint that --resume continues.
func (t Train) Run() error {
	// Schedulers of batch jobs send SIGTERM when the time is up.
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	return t.run(ctx, os.Stdout, os.Stderr)
}

// tellCard says in a line that a card which is there is not used, and why.
func tellCard(stderr io.Writer) {
	shared, err := device.Default() // whose error the training tells
	if why := device.CardNotUsed(); err == nil && why != "" {
		fmt.Fprintf(stderr, "the card is not used, all runs on %s: %s\n", shared.Name(), why)
	}
}

// run does one training after another. One that fails does not keep the others from being done, unless ctx has ended.
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
	for _, j := range jobs { // wrong flags are told before hours of work
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

// spare reports a checkpoint of another training, or of this one on its way, that would be replaced, perhaps the work of hours. A training at
// its end gives the same weights over again, and a file that cannot be read is no loss.
func (t Train) spare(set *embedding.Set, options adapter.Options) error {
	if t.Resume || t.Overwrite {
		return nil
	}
	old, err := adapter.Load(options.Checkpoint)
	if err != nil {
		return nil
	}
	if old.IsOf(set, options) {
		if done, all := old.History().Steps(), old.History().StepsPerEpoch*options.Epochs; !old.Complete() {
			return fmt.Errorf("%s holds %d of %d steps of this training: go on by --resume, or begin again by --overwrite", options.Checkpoint, done, all)
		}
		return nil
	}
	of := old.Options().Schedule
	if of == options.Schedule {
		of = "of other data or options"
	}
	return fmt.Errorf("%s holds another training (%s): name another folder by --checkpoints, or replace it by --overwrite", options.Checkpoint, of)
}

// train does one training.
func (t Train) train(ctx context.Context, set *embedding.Set, recall trainingRecall, j job, to streams) error {
	stdout, stderr := to.stdout, to.stderr
	options, err := t.options(j)
	if err != nil {
		return err
	}
	options.Progress = progressOn(stderr, j.label) // a bar, or lines where nobody watches
	fmt.Fprintf(stdout, "%s, %s\n", j, options.Schedule)
	trained, err := adapter.Train(ctx, set, options)
	if err != nil {
		return err
	}
	if loss := trained.History().Loss; len(loss) > 0 {
		fmt.Fprintf(stdout, "loss %s, temperature %.2f\n", retrieval.Decimal(loss[len(loss)-1], 4), trained.Temperature())
	}
	fmt.Fprint(stdout, bestLine(trained))
	if j.method != adapter.CLIP {
		recall.write(trained, j.String(), stdout, stderr)
	}
	fmt.Fprintln(stdout, options.Checkpoint)
	return nil
}

// options turns the flags into the options of one training.
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

// options turns the flags into the options of a training without checkpoints.
func (r recipe) options(dataset string, j job) (adapter.Options, error) {
	make := adapter.PaperOptions
	switch {
	case r.Schedule == "auto":
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
		return options, nil // nothing is trained
	}
	if options.Precision, err = device.DefaultPrecision(); err != nil {
		return options, err
	}
	if adapter.IsOnePass(j.method) {
		options.Bayes = r.bayes()
	}
	r.change(&options)
	options.MaskSameImage, options.MatchLengths, options.TextLength = r.MaskSameImage, options.MatchLengths || r.MatchLengths, float64(r.TextLength)
	if r.TextLength != 0 {
		options.Schedule += fmt.Sprintf(", texts of length %g", r.TextLength)
	}
	if r.MaskSameImage {
		options.Schedule += ", captions of the same image masked"
	}
	if options.Precision != device.Float32 {
		options.Schedule += ", products in " + string(options.Precision)
	}
	return options, nil
}

// change sets numbers that were given and that the method reads, and tells them in the schedule.
func (r recipe) change(options *adapter.Options) {
	descends, changed := options.Reads("Epochs"), false
	if r.Epochs != 0 && descends {
		options.Epochs, changed = int(r.Epochs), true
	}
	if r.Batch != 0 {
		options.Batch, changed = int(r.Batch), true
	}
	if r.Steps != 0 && descends {
		options.Epochs, changed = adapter.EpochsFor(int(r.Steps), r.pairs, options.Batch), true
	}
	if r.Lr != 0 && descends {
		options.LearningRate, changed = float64(r.Lr), true
	}
	switch width := options.Reads("Hidden"); {
	case changed && !descends:
		options.Schedule = fmt.Sprintf("one pass in groups of %d", options.Batch)
	case changed:
		options.Schedule = fmt.Sprintf("own: %d epochs, batch %d, learning rate %g", options.Epochs, options.Batch, options.LearningRate)
		if width && options.Hidden != 1024 && (r.Hidden == 0 || int(r.Hidden) == options.Hidden) {
			options.Schedule += fmt.Sprintf(", hidden layers of %d", options.Hidden)
		}
	}
	if r.Hidden != 0 && int(r.Hidden) != options.Hidden && options.Reads("Hidden") {
		options.Hidden = int(r.Hidden)
		options.Schedule += fmt.Sprintf(", hidden layers of %d", r.Hidden)
	}
	if r.Constant && descends {
		options.FinalRate = options.LearningRate
		options.Schedule += ", constant rate"
	}
	if r.Optimizer != "" && descends {
		options.Optimizer = nn.Optimizer(r.Optimizer)
		options.Schedule += ", " + r.Optimizer
	}
	if r.WarmUp != 0 && descends {
		options.WarmUp = int(r.WarmUp)
		options.Schedule += fmt.Sprintf(", warm-up of %d steps", r.WarmUp)
	}
	r.descent.change(options)
}
