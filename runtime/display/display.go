// Package display is what the code of a cell calls to show values, to change what it
// has shown and to clear it, and what a session calls to turn a value into its
// Jupyter forms.
//
// Every output carries text/plain, so that a console, a diff and a page without
// pictures still have something to show. Richer forms come from the value itself: a
// type that wants to look good in a notebook has one or more of the methods
//
//	HTML() string
//	Markdown() string
//	LaTeX() string
//	SVG() string
//	PNG() ([]byte, error)         with DisplaySize() (width, height int) for sharp screens
//	JPEG() ([]byte, error)
//	MimeBundle() map[string]any   any mime types at once
//
// and images, gonum plots, gonum matrices and slices of structs are known without a
// method. The package knows neither sessions nor sockets: a session tells it with
// [Bind] where the output of the running cell goes. Without a session, in a compiled
// program, outputs appear as text on standard output, and their pictures as files in the
// folder that the environment variable GOSPHERE_FIGURES names.
//
// Read bundle.go first, then plain.go and rich.go, table.go, place.go and progress.go.
//
//	display.Markdown("## Results")
//	place := display.New("training ...")
//	place.Update("done")
package display

import (
	"fmt"
	"io"
	"os"
	"sync"
	"sync/atomic"

	"gosphere/internal/kernel/protocol"
	"gosphere/internal/runtime/printer"
)

// sessions holds the functions given to Bind, the newest last.
var sessions struct {
	mu      sync.RWMutex // guards finders
	finders []*finder
}

type finder struct {
	find func() func(protocol.Content)
}

// fallback receives the text form of outputs of goroutines that belong to no cell.
// Standard output is looked up at each use, since programs redirect it.
var fallback = func() io.Writer { return os.Stdout }

// holder is what HoldBy has set; a func(any) func().
var holder atomic.Value

// HoldBy sets what keeps a value still while it is looked through: other goroutines may
// write to maps in it.
func HoldBy(hold func(value any) (release func())) { holder.Store(hold) }

func hold(value any) (release func()) {
	if hold, ok := holder.Load().(func(any) func()); ok {
		return hold(value)
	}
	return func() {}
}

// Bind tells the package how to find the publish function of the calling goroutine's
// cell; find returns nil where the goroutine is not known to the session. Several
// sessions may be bound, the newest is asked first. The function that Bind returns
// takes the binding back. Bind and every other function of this package may be called
// from any goroutine.
func Bind(find func() func(protocol.Content)) (unbind func()) {
	f := &finder{find}
	sessions.mu.Lock()
	defer sessions.mu.Unlock()
	sessions.finders = append(sessions.finders, f)
	return func() {
		sessions.mu.Lock()
		defer sessions.mu.Unlock()
		for i, known := range sessions.finders {
			if known == f {
				// A new slice, because publisher may be walking the old one.
				sessions.finders = append(append([]*finder(nil), sessions.finders[:i]...), sessions.finders[i+1:]...)
				return
			}
		}
	}
}

// publisher returns the publish function of the calling goroutine's cell, or nil.
func publisher() func(protocol.Content) {
	sessions.mu.RLock()
	finders := sessions.finders
	sessions.mu.RUnlock()
	for i := len(finders) - 1; i >= 0; i-- {
		if publish := finders[i].find(); publish != nil {
			return publish
		}
	}
	return nil
}

// publish sends one message to the cell of the calling goroutine.
func publish(content protocol.Content) {
	publishTo(publisher(), content)
}

// Publish sends a message on behalf of the calling goroutine's cell, as a program does that keeps outputs and shows them later.
func Publish(content protocol.Content) { publish(content) }

// publishTo sends one message, or prints its text form where there is no cell.
func publishTo(send func(protocol.Content), content protocol.Content) {
	if send != nil {
		send(content)
		return
	}
	switch content := content.(type) { // nobody is told that standard output is closed
	case protocol.DisplayData:
		_ = fallbackPrinter().Display(content.Transient.DisplayID, content.Transient.Stage, fmt.Sprint(content.Data[textPlain])+savePicture(content.Data))
	case protocol.UpdateDisplayData:
		_ = fallbackPrinter().Display(content.Transient.DisplayID, content.Transient.Stage, fmt.Sprint(content.Data[textPlain]))
	}
}

// printing is what writes to the fallback.
var printing struct {
	mu sync.Mutex // guards what follows
	to io.Writer
	by *printer.Printer
}

// fallbackPrinter returns the one for where the fallback is now.
func fallbackPrinter() *printer.Printer {
	printing.mu.Lock()
	defer printing.mu.Unlock()
	if to := fallback(); printing.by == nil || printing.to != to {
		printing.to, printing.by = to, printer.New(to)
	}
	return printing.by
}

// Show shows each value in its richest form, one output per value.
func Show(values ...any) {
	for _, value := range values {
		data, metadata := Bundle(value)
		publish(protocol.DisplayData{Data: data, Metadata: metadata})
	}
}

// Clear removes the output of the cell so far. With wait, the removal happens when
// the next output comes, which avoids flicker.
func Clear(wait bool) {
	publish(protocol.ClearOutput{Wait: wait})
}
