package magic

import (
	"errors"

	offered "gosphere/internal/host"
	"gosphere/kernel/protocol"
	"gosphere/runtime/display"
)

// A follower knows which cells of the session are stale.
type follower interface {
	// Stale returns the text of %stale.
	Stale(arguments string) (string, error)
	// Picture returns the graph of the cells as SVG and as text.
	Picture() (svg, text string)
}

// errUnfollowed is the error of magics in sessions whose cells are not followed.
var errUnfollowed = errors.New("works in the cells of a notebook only")

// listStale implements %stale.
func listStale(i invocation) error {
	f, ok := offered.Of[follower]()
	if !ok {
		return errUnfollowed
	}
	text, err := f.Stale(i.arguments)
	if err != nil || text == "" {
		return err
	}
	say(text)
	return nil
}

// drawFlow implements %flow.
func drawFlow(invocation) error {
	f, ok := offered.Of[follower]()
	if !ok {
		return errUnfollowed
	}
	svg, text := f.Picture()
	if svg == "" {
		say(text)
		return nil
	}
	display.Publish(protocol.DisplayData{Data: protocol.MimeBundle{"text/plain": text, "text/html": svg}, Metadata: map[string]any{}})
	return nil
}

// rerunStale is reached by %rerun in a cell with other lines, and without its argument.
func rerunStale(invocation) error {
	return errors.New("write %rerun stale as the only line of a cell")
}
