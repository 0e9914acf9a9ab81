package session

import (
	"gosphere/kernel/protocol"
	"gosphere/runtime/check"
	"gosphere/runtime/internal/assist"
	inner "gosphere/runtime/internal/session"
)

// An Assistant completes and describes names in cells that are being written, for editors. It runs
// nothing, and its methods may be called from any goroutine.
type Assistant struct{ inner *assist.Assistant }

// NewAssistant returns an assistant for cells below those that a checker has accepted.
func NewAssistant(checker *check.Session, packages Library) *Assistant {
	return &Assistant{assist.New(checker, packages)}
}

// Complete completes the name before the cursor.
func (a *Assistant) Complete(request protocol.CompleteRequest) protocol.CompleteReply {
	return inner.CompleteWith(a.inner, request)
}

// Inspect describes the name at the cursor or, if there is none, the function in whose call the
// cursor is.
func (a *Assistant) Inspect(request protocol.InspectRequest) protocol.InspectReply {
	return inner.InspectWith(a.inner, request)
}
