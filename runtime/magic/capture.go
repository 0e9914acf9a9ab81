package magic

import (
	"errors"
	"fmt"
	"strings"
	"sync"

	"gosphere/kernel/protocol"
	"gosphere/runtime/display"
	"gosphere/runtime/internal/guard"
)

// Captured holds the output that %%capture kept. Its methods may be called from any goroutine.
type Captured struct {
	mu   sync.Mutex // guards list
	list []protocol.Content
}

// A Capturer owns a cell and can keep its outputs instead of publishing them.
type Capturer interface {
	CaptureBy(keep func(protocol.Content))
}

// Capture implements %%capture: it keeps all further output of the cell.
func Capture() *Captured {
	kept := &Captured{}
	if c := guard.Current(); c != nil {
		if owner, ok := c.Attached.(Capturer); ok {
			owner.CaptureBy(kept.keep)
			return kept
		}
	}
	raise("%%capture", errors.New("works in cells only"))
	return nil
}

func (k *Captured) keep(content protocol.Content) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.list = append(k.list, content)
}

// Stdout returns the text printed to standard output.
func (k *Captured) Stdout() string { return k.stream("stdout") }

// Stderr returns what was printed to standard error.
func (k *Captured) Stderr() string { return k.stream("stderr") }

// String returns the text printed to both streams and the text forms of displayed values.
func (k *Captured) String() string { return k.stream("") }

func (k *Captured) stream(name string) string {
	k.mu.Lock()
	defer k.mu.Unlock()
	var text strings.Builder
	for _, content := range k.list {
		switch content := content.(type) {
		case protocol.Stream:
			if name == "" || content.Name == name {
				text.WriteString(content.Text)
			}
		case protocol.DisplayData:
			if name == "" {
				fmt.Fprintln(&text, content.Data["text/plain"])
			}
		}
	}
	return text.String()
}

// Show shows all outputs again.
func (k *Captured) Show() {
	k.mu.Lock()
	list := append([]protocol.Content(nil), k.list...)
	k.mu.Unlock()
	for _, content := range list {
		display.Publish(content)
	}
}

// showBody returns a command that shows the lines below a cell magic.
func showBody(show func(string)) func(invocation) error {
	return func(i invocation) error {
		if i.arguments != "" {
			return fmt.Errorf("unexpected argument %q: the text is in the lines below", i.arguments)
		}
		show(i.body)
		return nil
	}
}
