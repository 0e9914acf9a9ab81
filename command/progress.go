package command

import (
	"fmt"
	"io"
	"os"
	"time"

	"github.com/schollz/progressbar/v3"

	"gosphere/asymvlm/adapter"
)

// progressOn returns a bar where a person watches a terminal, and lines for logs otherwise. The label is "[3/120] " of
// the third of several trainings, else empty.
func progressOn(w io.Writer, label string) adapter.Progress {
	if file, ok := w.(*os.File); ok && isTerminal(file) {
		return adapter.ShowOn(&terminalBar{writer: w, label: label})
	}
	return &logLines{writer: w, label: label}
}

// terminalBar shows a training in a terminal.
type terminalBar struct {
	writer io.Writer
	label  string
	bar    *progressbar.ProgressBar
}

// Begin shows the empty bar.
func (b *terminalBar) Begin(task string, steps int) {
	b.bar = progressbar.NewOptions(steps,
		progressbar.OptionSetWriter(b.writer), progressbar.OptionSetDescription(b.label+task), progressbar.OptionShowCount(),
		progressbar.OptionSetWidth(24), progressbar.OptionThrottle(100*time.Millisecond))
}

// Step moves the bar.
func (b *terminalBar) Step(done int, note string) {
	b.bar.Describe(b.label + note)
	b.bar.Set(done)
}

// End leaves the bar as it is, on a line of its own.
func (b *terminalBar) End(error) { fmt.Fprintln(b.writer) }

// logLines writes a line at the end of every tenth of the epochs; of one of several trainings only the last.
type logLines struct {
	writer io.Writer
	label  string
	tenth  int
}

// Begin names the task.
func (l *logLines) Begin(task string, steps int) {
	l.tenth = 0 // the same lines may watch one fold after another
	fmt.Fprintf(l.writer, "%s%s, %d steps\n", l.label, task, steps)
}

// Advance writes a line when a tenth is reached. The last step belongs to the tenth.
func (l *logLines) Advance(update adapter.Update) error {
	if l.label != "" && update.Step < update.Steps {
		return nil
	}
	if tenth := 10 * update.Step / update.Steps; tenth > l.tenth {
		l.tenth = tenth
		fmt.Fprintf(l.writer, "%sstep %d of %d, %s\n", l.label, update.Step, update.Steps, update)
	}
	return nil
}

// End writes nothing: an error is reported by the command.
func (l *logLines) End(error) {}
