// Package printer writes the outputs of cells as text where there is no front end. In a terminal it
// overwrites the line of a progress bar; in a file, a pipe or the log of a batch job it writes the
// line occasionally, without carriage returns.
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

	"gosphere/kernel/protocol"
)

// A Printer writes to one destination. Its methods may be called from any goroutine.
type Printer struct {
	mu      sync.Mutex // guards the fields below
	w       io.Writer
	columns func() int // width of the terminal; nil if the destination is not one
	live    string     // the display whose line the cursor is on, "" for none
	length  int        // number of characters of that line
}

// New returns a printer. A file is treated as a terminal if the system reports it as one, any other
// writer is not.
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

// fewColumns is the width assumed for a terminal of unknown size.
const fewColumns = 80

// Text writes text unchanged, below the line of a progress bar.
func (p *Printer) Text(text string) error {
	if text == "" {
		return nil
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.write(p.below() + text)
}

// Break ends the line of a progress bar, so that another writer can use the same terminal.
func (p *Printer) Break() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.write(p.below())
}

// Display writes the text of an output, on a new line or in place of its previous text.
func (p *Printer) Display(id string, stage protocol.Stage, text string) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case stage == protocol.Still || p.columns == nil && stage != protocol.Passing:
		return p.write(p.below() + text + "\n")
	case p.columns == nil:
		return nil
	}
	line := oneLine(text, p.columns()-1) // terminals wrap when the last column is filled
	length := utf8.RuneCountInString(line)
	begin := ""
	if p.live != id {
		begin = p.below()
	} else {
		// Blanks overwrite the rest of a longer line, because not every terminal can clear it.
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

// below returns the end of the line of a progress bar, or "" if the cursor is at the beginning of a
// line.
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

// oneLine shortens a text to fit into one line.
func oneLine(text string, columns int) string {
	text = strings.Join(strings.FieldsFunc(text, func(r rune) bool { return r == '\n' || r == '\r' }), " ")
	text = narrow(text, columns)
	if letters := []rune(text); len(letters) > columns && columns > 0 {
		text = string(letters[:columns-1]) + "…"
	}
	return text
}
