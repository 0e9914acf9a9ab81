package laboratory

import (
	"fmt"
	"io"
	"os"

	"gosphere/asymvlm/adapter"
	"gosphere/internal/command/process"
	"gosphere/internal/host"
	"gosphere/kernel/protocol"
	"gosphere/runtime/display"
	"gosphere/runtime/printer"
)

// progressOn returns the progress bar of cells if w is a terminal. Otherwise it returns lines for
// logs, one for each tenth of the steps. The label is "[3/120] " for the third of several
// trainings, else empty.
func progressOn(w io.Writer, label string) adapter.Progress {
	if file, ok := w.(*os.File); ok && process.IsTerminal(file) {
		return adapter.ShowOn(&terminalBar{printer: printer.New(w), label: label})
	}
	return &logLines{writer: w, label: label}
}

// terminalBar shows a training in a terminal with the progress bar of cells.
type terminalBar struct {
	display.Progress
	printer *printer.Printer
	label   string
}

// Begin shows the empty bar.
func (b *terminalBar) Begin(task string, steps int) {
	b.shown(func() { b.Progress.Begin(b.label+task, steps) })
}

// Step advances the bar.
func (b *terminalBar) Step(done int, note string) {
	b.shown(func() { b.Progress.Step(done, note) })
}

// Note writes a line below the bar and then shows the bar again.
func (b *terminalBar) Note(text string) {
	_ = b.printer.Break()
	_ = b.printer.Text(b.label + text + "\n")
}

// End leaves the bar as it is, on a line of its own. The command reports the error.
func (b *terminalBar) End(error) { b.shown(func() { b.Progress.End(nil) }) }

// shown passes what show displays to the printer.
func (b *terminalBar) shown(show func()) {
	defer host.Enter(b)()
	show()
}

// Publisher returns the function that prints what shown displays. Package display asks for it.
func (b *terminalBar) Publisher() func(protocol.Content) { return b.print }

// print writes the text of an output. Write errors are ignored: there is nowhere to report them.
func (b *terminalBar) print(content protocol.Content) {
	switch content := content.(type) {
	case protocol.DisplayData:
		_ = b.printer.Display(content.Transient.DisplayID, content.Transient.Stage, process.PlainText(content.Data))
	case protocol.UpdateDisplayData:
		_ = b.printer.Display(content.Transient.DisplayID, content.Transient.Stage, process.PlainText(content.Data))
	}
}

// logLines writes a line after every tenth of the epochs. For one of several trainings it writes
// only the last.
type logLines struct {
	writer io.Writer
	label  string
	tenth  int
}

// Begin writes the name of the task.
func (l *logLines) Begin(task string, steps int) {
	l.tenth = 0 // the same value may follow one fold after another
	fmt.Fprintf(l.writer, "%s%s, %d steps\n", l.label, task, steps)
}

// Note writes a line.
func (l *logLines) Note(text string) { fmt.Fprintln(l.writer, l.label+text) }

// Advance writes a line when a tenth is completed. The last step belongs to the last tenth.
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

// End does nothing: the command reports the error.
func (l *logLines) End(error) {}
