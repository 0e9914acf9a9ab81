package notebook

import (
	"fmt"
	"io"
	"strings"
	"sync"

	"gosphere/command/process"
	"gosphere/kernel/protocol"
	"gosphere/notebooks/run"
	"gosphere/runtime/printer"
)

// outputs shows what cells give as text, in a terminal or wherever standard output and standard error go.
type outputs struct {
	stdout  *printer.Printer
	stderr  io.Writer
	results bool // values are announced by the number of their cell
	colors  bool // errors keep theirs

	images  bool   // pictures are drawn, or written to files
	way     string // in which the terminal draws, as imageProtocol returns it
	folder  string // of the files
	figures int    // that were shown
}

// picture shows the picture of an output in the terminal, if there is one.
func (o *outputs) picture(data protocol.MimeBundle) {
	content := picture(data)
	if !o.images || content == nil {
		return
	}
	o.figures++
	text, err := drawn(content, o.way, o.folder, o.figures)
	if err != nil {
		o.warn("the picture is not shown: " + err.Error() + "\n")
		return
	}
	_ = o.stdout.Text(text)
}

// newOutputs returns those of a terminal in which cells are typed.
func newOutputs(stdout, stderr io.Writer) *outputs {
	return &outputs{stdout: printer.New(stdout), stderr: stderr, results: true, colors: true}
}

// show shows one output. What cannot be written is lost: there is nobody to tell.
func (o *outputs) show(content protocol.Content) {
	switch content := content.(type) {
	case protocol.Stream:
		if content.Name == "stderr" {
			o.warn(content.Text)
			return
		}
		_ = o.stdout.Text(content.Text)
	case protocol.ExecuteResult:
		head := ""
		if o.results {
			head = fmt.Sprintf("Out[%d]: ", content.ExecutionCount)
		}
		_ = o.stdout.Text(head + process.PlainText(content.Data) + "\n")
		o.picture(content.Data)
	case protocol.DisplayData:
		_ = o.stdout.Display(content.Transient.DisplayID, content.Transient.Stage, process.PlainText(content.Data))
		o.picture(content.Data)
	case protocol.UpdateDisplayData:
		_ = o.stdout.Display(content.Transient.DisplayID, content.Transient.Stage, process.PlainText(content.Data))
	case protocol.Error:
		text := strings.Join(content.Traceback, "\n")
		if !o.colors {
			text = withoutColors(text)
		}
		o.warn(text + "\n")
	}
}

// warn writes to standard error, which may be the same terminal.
func (o *outputs) warn(text string) {
	_ = o.stdout.Break()
	_, _ = io.WriteString(o.stderr, text)
}

// steps tells on standard error how far a notebook is that runs without a page, with the progress bars of its cells.
type steps struct {
	stderr *printer.Printer

	mu     sync.Mutex // guards parted
	parted bool       // a bar stands below the line of the cell
}

func newSteps(stderr io.Writer) *steps { return &steps{stderr: printer.New(stderr)} }

// report tells on one line that a cell begins, and how long it took.
func (s *steps) report(step run.Step) {
	s.mu.Lock()
	defer s.mu.Unlock()
	number := fmt.Sprintf("[%d/%d]", step.Number, step.Total)
	switch {
	case !step.Done:
		s.parted = false
		_ = s.stderr.Text(number + " " + headline(step.Cell.Source))
	case s.parted:
		_ = s.stderr.Text(fmt.Sprintf("%s %.1f s\n", number, step.Elapsed.Seconds()))
	default:
		_ = s.stderr.Text(fmt.Sprintf(" %.1f s\n", step.Elapsed.Seconds()))
	}
}

// show shows a progress bar below the line of its cell; other outputs go into the notebook alone.
func (s *steps) show(content protocol.Content) {
	var transient protocol.Transient
	var data protocol.MimeBundle
	switch content := content.(type) {
	case protocol.DisplayData:
		transient, data = content.Transient, content.Data
	case protocol.UpdateDisplayData:
		transient, data = content.Transient, content.Data
	}
	if transient.Stage == protocol.Still {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.parted {
		s.parted = true
		_ = s.stderr.Text("\n")
	}
	_ = s.stderr.Display(transient.DisplayID, transient.Stage, process.PlainText(data))
}
