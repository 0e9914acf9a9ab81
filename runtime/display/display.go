// Package display lets the code of a cell show values, update what it has shown and clear it.
// Sessions use it to convert a value to its Jupyter forms.
//
// Every output has the form text/plain, so that consoles, diffs and front ends without pictures can
// show it. Richer forms come from the value itself: a type with a rich display has one or more of
// the methods
//
//	HTML() string
//	Markdown() string
//	LaTeX() string
//	SVG() string
//	PNG() ([]byte, error)         with DisplaySize() (width, height int) for sharp screens
//	JPEG() ([]byte, error)
//	MimeBundle() map[string]any   any mime types at once; it may return an error, too
//
// Images, gonum plots, gonum matrices and slices of structs need no method. The package does not
// depend on sessions or sockets: outputs go to the host of the calling goroutine, which is that of
// the running cell. Without a host, in a compiled program, outputs are printed as text on standard
// output, and pictures are written to the folder named by the environment variable
// GOSPHERE_FIGURES.
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

	"gosphere/internal/host"
	"gosphere/kernel/protocol"
	"gosphere/runtime/printer"
)

// fallback receives the text form of outputs of goroutines that belong to no cell. It looks up
// standard output at each use, because programs redirect it.
var fallback = func() io.Writer { return os.Stdout }

// hold protects a value while it is traversed, because other goroutines of the cell may write to
// maps in it.
func hold(value any) (release func()) {
	if h, ok := host.Of[interface{ Hold(value any) func() }](); ok {
		return h.Hold(value)
	}
	return func() {}
}

// publisher returns the publish function of the calling goroutine's cell, or nil.
func publisher() func(protocol.Content) {
	if h, ok := host.Of[interface {
		Publisher() func(protocol.Content)
	}](); ok {
		return h.Publisher()
	}
	return nil
}

// publish sends a message to the cell of the calling goroutine.
func publish(content protocol.Content) {
	publishTo(publisher(), content)
}

// Publish sends a message on behalf of the calling goroutine's cell. Programs use it to show
// outputs that they have stored.
func Publish(content protocol.Content) { publish(content) }

// publishTo sends a message. If send is nil, it prints the text form instead.
func publishTo(send func(protocol.Content), content protocol.Content) {
	if send != nil {
		send(content)
		return
	}
	switch content := content.(type) { // errors are ignored: there is nowhere to report a closed standard output
	case protocol.DisplayData:
		_ = fallbackPrinter().Display(content.Transient.DisplayID, content.Transient.Stage, fmt.Sprint(content.Data[textPlain])+savePicture(content.Data))
	case protocol.UpdateDisplayData:
		_ = fallbackPrinter().Display(content.Transient.DisplayID, content.Transient.Stage, fmt.Sprint(content.Data[textPlain]))
	}
}

// printing holds the printer that writes to the fallback.
var printing struct {
	mu sync.Mutex // guards the fields below
	to io.Writer
	by *printer.Printer
}

// fallbackPrinter returns the printer for the current fallback.
func fallbackPrinter() *printer.Printer {
	printing.mu.Lock()
	defer printing.mu.Unlock()
	if to := fallback(); printing.by == nil || printing.to != to {
		printing.to, printing.by = to, printer.New(to)
	}
	return printing.by
}

// Show shows each value in its richest form, as one output per value. It panics with a *Failure if
// a value cannot be displayed, such as a figure that cannot be drawn.
func Show(values ...any) {
	for _, value := range values {
		data, metadata, err := Forms(value)
		if err != nil {
			panic(err)
		}
		publish(protocol.DisplayData{Data: data, Metadata: metadata})
	}
}

// Clear removes the output of the cell so far. If wait is set, the removal is delayed until the
// next output, which avoids flicker.
func Clear(wait bool) {
	publish(protocol.ClearOutput{Wait: wait})
}
