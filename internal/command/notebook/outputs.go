package notebook

import (
	"fmt"
	"io"
	"os"
	"strings"
	"sync"

	"gosphere/internal/command/process"
	"gosphere/internal/notebook/run"
	"gosphere/kernel/protocol"
	"gosphere/runtime/printer"
)

// outputs prints the outputs of cells as text, to a terminal or to any standard output and standard
// error.
type outputs struct {
	stdout  *printer.Printer
	stderr  io.Writer
	results bool // values are labeled with the number of their cell
	colors  bool // tracebacks keep their colors

	images  bool     // pictures are drawn, or written to files
	way     string   // image protocol of the terminal, as returned by imageProtocol
	viewer  []string // command that opens picture files, as returned by viewer
	folder  string   // folder for picture files, made for the first one
	figures int      // number of figures shown
}

// picture shows the picture of an output in the terminal, if there is one.
func (o *outputs) picture(data protocol.MimeBundle) {
	content := picture(data)
	if !o.images || content == nil {
		return
	}
	o.figures++
	if o.way == "" && o.folder == "" {
		// A folder of a name that others can guess could be theirs, and could link to files of the
		// user.
		folder, err := os.MkdirTemp("", "gosphere-figures-")
		if err != nil {
			o.warn("cannot show the picture: " + err.Error() + "\n")
			return
		}
		o.folder = folder
	}
	text, err := drawn(content, o.way, o.folder, o.figures)
	if err != nil {
		o.warn("cannot show the picture: " + err.Error() + "\n")
		return
	}
	_ = o.stdout.Text(text)
	if o.way == "" {
		view(o.viewer, pictureFile(o.folder, o.figures))
	}
}

// newOutputs returns the outputs of a terminal in which cells are typed.
func newOutputs(stdout, stderr io.Writer) *outputs {
	return &outputs{stdout: printer.New(stdout), stderr: stderr, results: true, colors: true}
}

// show prints one output. Write errors are ignored: there is nowhere to report them.
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
		text := traceback(content.Ename, content.Traceback)
		if o.results && content.Ename == interrupted {
			text = "\n" + text // the terminal has written ^C
		}
		if !o.colors {
			text = withoutColors(text)
		}
		o.warn(text + "\n")
	}
}

// interrupted is the name that Jupyter's clients expect of the error of an interrupted cell. It is
// Python's, so terminals do not show it.
const interrupted = "KeyboardInterrupt"

// traceback returns the lines of an error as a terminal shows them.
func traceback(ename string, lines []string) string {
	text := strings.Join(lines, "\n")
	if ename == interrupted {
		text = strings.Replace(text, interrupted+": ", "", 1)
	}
	return text
}

// warn writes to standard error, which may be the same terminal.
func (o *outputs) warn(text string) {
	_ = o.stdout.Break()
	_, _ = io.WriteString(o.stderr, text)
}

// steps reports on standard error the progress of a notebook that runs without a front end,
// including the progress bars of its cells.
type steps struct {
	stderr *printer.Printer

	mu     sync.Mutex // guards parted
	parted bool       // a bar is shown below the line of the cell
}

func newSteps(stderr io.Writer) *steps { return &steps{stderr: printer.New(stderr)} }

// report prints on one line that a cell has begun, and later how long it took.
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

// show shows progress bars below the line of their cell; other outputs only go into the notebook.
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
