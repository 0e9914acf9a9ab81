package laboratory

import (
	"fmt"
	"io"
	"os"

	"gosphere/asymvlm/adapter"
	"gosphere/command/process"
	"gosphere/kernel/protocol"
	"gosphere/runtime/display"
	"gosphere/runtime/printer"
)

// progressOn returns the bar of cells where a person watches a terminal, and lines for logs otherwise, one for each tenth of
// the steps, however fast they are. The label is "[3/120] " of the third of several trainings, else empty.
func progressOn(w io.Writer, label string) adapter.Progress {
	if file, ok := w.(*os.File); ok && process.IsTerminal(file) {
		return adapter.ShowOn(&terminalBar{printer: printer.New(w), label: label})
	}
	return &logLines{writer: w, label: label}
}

// terminalBar shows a training in a terminal, as a cell's would be shown there.
type terminalBar struct {
	display.Progress
	printer *printer.Printer
	label   string
}

// Begin shows the empty bar.
func (b *terminalBar) Begin(task string, steps int) {
	b.shown(func() { b.Progress.Begin(b.label+task, steps) })
}

// Step moves the bar.
func (b *terminalBar) Step(done int, note string) {
	b.shown(func() { b.Progress.Step(done, note) })
}

// Note writes a line below the bar, which is shown again below that.
func (b *terminalBar) Note(text string) {
	_ = b.printer.Break()
	_ = b.printer.Text(b.label + text + "\n")
}

// End leaves the bar as it is, on a line of its own. The command reports an error.
func (b *terminalBar) End(error) { b.shown(func() { b.Progress.End(nil) }) }

// shown lets what a function displays come to the printer.
func (b *terminalBar) shown(show func()) {
	defer display.Bind(func() func(protocol.Content) { return b.print })()
	show()
}

// print writes the text of an output. What cannot be written is lost: there is nobody to tell.
func (b *terminalBar) print(content protocol.Content) {
	switch content := content.(type) {
	case protocol.DisplayData:
		_ = b.printer.Display(content.Transient.DisplayID, content.Transient.Stage, process.PlainText(content.Data))
	case protocol.UpdateDisplayData:
		_ = b.printer.Display(content.Transient.DisplayID, content.Transient.Stage, process.PlainText(content.Data))
	}
}

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

// Note writes a line.
func (l *logLines) Note(text string) { fmt.Fprintln(l.writer, l.label+text) }

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
