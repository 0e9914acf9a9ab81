// Package printer writes the outputs of cells as text where there is no page. In a terminal the line
// of a progress bar is written over again and again; in a file, a pipe or the log of a batch job it
// is there once in a while, and without carriage returns.
//
//	p := printer.New(os.Stdout)
//	p.Text("begins\n")
//	p.Display("bar", protocol.Passing, "[##··] training: 5 of 10")
//	p.Display("bar", protocol.Final, "[####] training: 10 of 10 in 3:07")
package printer

import (
	"io"
	"os"
	"strings"
	"sync"
	"unicode/utf8"

	"golang.org/x/term"

	"gosphere/internal/kernel/protocol"
)

// A Printer writes to one place. Its methods may be called from any goroutine.
type Printer struct {
	mu      sync.Mutex // guards all that follows
	w       io.Writer
	columns func() int // of the terminal; nil for what is none
	live    string     // the display behind whose line the cursor stands, "" for none
	length  int        // letters of that line
}

// New returns a printer. A file is a terminal if the system says so, other writers never are.
func New(w io.Writer) *Printer {
	p := &Printer{w: w}
	if file, ok := w.(*os.File); ok && term.IsTerminal(int(file.Fd())) {
		p.columns = func() int {
			columns, _, err := term.GetSize(int(file.Fd()))
			if err != nil {
				return fewColumns
			}
			return columns
		}
	}
	return p
}

// fewColumns has every terminal whose size is not known.
const fewColumns = 80

// Text writes text as it is, below the line of a progress bar.
func (p *Printer) Text(text string) error {
	if text == "" {
		return nil
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.write(p.below() + text)
}

// Break ends the line of a progress bar, before somebody else writes to the same terminal.
func (p *Printer) Break() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.write(p.below())
}

// Display writes the text of an output, on a line of its own or in place of its last one.
func (p *Printer) Display(id string, stage protocol.Stage, text string) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case stage == protocol.Still || p.columns == nil && stage != protocol.Passing:
		return p.write(p.below() + text + "\n")
	case p.columns == nil:
		return nil
	}
	line := oneLine(text, p.columns()-1) // a terminal goes to the next line when the last column is full
	length := utf8.RuneCountInString(line)
	begin := ""
	if p.live != id {
		begin = p.below()
	} else {
		// Blanks hide the rest of a longer line; not every terminal knows how to clear it.
		begin = "\r"
		line += strings.Repeat(" ", max(0, p.length-length))
	}
	p.live, p.length = id, length
	if stage == protocol.Final {
		p.live = ""
		line += "\n"
	}
	return p.write(begin + line)
}

// below ends the line of a progress bar unless the cursor stands at the beginning of one.
func (p *Printer) below() string {
	if p.live == "" {
		return ""
	}
	p.live = ""
	return "\n"
}

func (p *Printer) write(text string) error {
	if text == "" {
		return nil
	}
	_, err := io.WriteString(p.w, text)
	return err
}

// oneLine makes a text fit into one line.
func oneLine(text string, columns int) string {
	text = strings.Join(strings.FieldsFunc(text, func(r rune) bool { return r == '\n' || r == '\r' }), " ")
	text = narrow(text, columns)
	if letters := []rune(text); len(letters) > columns && columns > 0 {
		text = string(letters[:columns-1]) + "…"
	}
	return text
}
