package command

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/schollz/progressbar/v3"

	"gosphere/asymvlm/adapter"
)

// Train is the subcommand that trains an adapter.
type Train struct {
	Dataset string `help:"Data set: scenes_minilm and world are built in, others are folders of embeddings." default:"scenes_minilm"`
	Method  string `help:"Method: asymvlm-vmf, asymvlm-psd, determ-ft, clip, …; a wrong name lists all." default:"asymvlm-vmf"`
	Seed    uint64 `help:"Seed of the weights and of the order of the pairs." default:"0"`
	layout
	Schedule string  `help:"Schedule: paper, reduced, or auto (reduced for built-in data)." enum:"auto,paper,reduced" default:"auto"`
	Split    string  `help:"Split to train on." default:"train"`
	Epochs   int     `help:"Epochs, instead of the schedule's."`
	Batch    int     `help:"Pairs per step, instead of the schedule's."`
	Lr       float64 `help:"First learning rate, instead of the schedule's."`
	Every    int     `help:"Epochs between checkpoints." default:"10"`
	Threads  int     `help:"Threads; 0 for all cores."`
	Resume   bool    `help:"Continue from the checkpoint when there is one."`
}

// Run trains until the end or until Ctrl-C or a request to terminate, which keeps a checkpoint that --resume continues.
func (t Train) Run() error {
	// Schedulers of batch jobs send SIGTERM when the time is up.
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	return t.run(ctx, os.Stdout, os.Stderr)
}

func (t Train) run(ctx context.Context, stdout, stderr io.Writer) error {
	options, err := t.options()
	if err != nil {
		return err
	}
	options.Progress = progressOn(stderr) // a bar, or lines where nobody watches
	set, err := readDataset(t.Embeddings, t.Dataset, t.Split)
	if err != nil {
		return err
	}
	fmt.Fprintf(stdout, "%s\n%s, seed %d, %s\n", set, options.Method, options.Seed, options.Schedule)
	trained, err := adapter.Train(ctx, set, options)
	if err != nil {
		return err
	}
	if options.Method == adapter.CLIP {
		// Nothing was trained, and so no checkpoint written; eval expects a file all the same.
		if err := trained.Save(options.Checkpoint); err != nil {
			return err
		}
	}
	if loss := trained.History().Loss; len(loss) > 0 {
		fmt.Fprintf(stdout, "loss %.4f, temperature %.2f\n", loss[len(loss)-1], trained.Temperature())
	}
	fmt.Fprintln(stdout, options.Checkpoint)
	return nil
}

// options turns the flags into the options of a training.
func (t Train) options() (adapter.Options, error) {
	make := adapter.PaperOptions
	if t.Schedule == "reduced" || t.Schedule == "auto" && isBuiltIn(t.Dataset) {
		make = adapter.DefaultOptions
	}
	options, err := make(t.Method)
	if err != nil {
		return options, err
	}
	changed := false
	if t.Epochs != 0 {
		options.Epochs, changed = t.Epochs, true
	}
	if t.Batch != 0 {
		options.Batch, changed = t.Batch, true
	}
	if t.Lr != 0 {
		options.LearningRate, changed = t.Lr, true
	}
	if changed {
		options.Schedule = fmt.Sprintf("own: %d epochs, batch %d, learning rate %g", options.Epochs, options.Batch, options.LearningRate)
	}
	options.Seed, options.Threads, options.Resume, options.CheckpointEvery = t.Seed, t.Threads, t.Resume, t.Every
	options.Checkpoint = t.checkpoint(t.Dataset, t.Method, t.Seed)
	return options, options.Check()
}

// progressOn returns a bar where a person watches a terminal, and lines for logs otherwise.
func progressOn(w io.Writer) adapter.Progress {
	if file, ok := w.(*os.File); ok && isTerminal(file) {
		return adapter.ShowOn(&terminalBar{writer: w})
	}
	return &logLines{writer: w}
}

// terminalBar shows a training in a terminal.
type terminalBar struct {
	writer io.Writer
	bar    *progressbar.ProgressBar
}

// Begin shows the empty bar.
func (b *terminalBar) Begin(task string, steps int) {
	b.bar = progressbar.NewOptions(steps,
		progressbar.OptionSetWriter(b.writer), progressbar.OptionSetDescription(task), progressbar.OptionShowCount(),
		progressbar.OptionSetWidth(24), progressbar.OptionThrottle(100*time.Millisecond))
}

// Step moves the bar.
func (b *terminalBar) Step(done int, note string) {
	b.bar.Describe(note)
	b.bar.Set(done)
}

// End leaves the bar as it is, on a line of its own.
func (b *terminalBar) End(error) { fmt.Fprintln(b.writer) }

// logLines writes a line at the end of every tenth of the epochs.
type logLines struct {
	writer io.Writer
	tenth  int
}

// Begin names the task.
func (l *logLines) Begin(task string, steps int) {
	fmt.Fprintf(l.writer, "%s, %d steps\n", task, steps)
}

// Advance writes a line when a tenth is reached. The last step belongs to the tenth.
func (l *logLines) Advance(update adapter.Update) error {
	if tenth := 10 * update.Step / update.Steps; tenth > l.tenth {
		l.tenth = tenth
		fmt.Fprintf(l.writer, "step %d of %d, %s\n", update.Step, update.Steps, update)
	}
	return nil
}

// End writes nothing: an error is reported by the command.
func (l *logLines) End(error) {}
