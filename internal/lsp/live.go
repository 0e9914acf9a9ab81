package lsp

import (
	"context"
	"slices"
	"time"

	"gosphere/internal/notebook/imports"
	"gosphere/kernel/client"
	"gosphere/kernel/protocol"
	"gosphere/runtime/check"
	"gosphere/runtime/session"
)

// A live is the session of a running kernel: the cells that it has executed, in their order. The
// server checks them again, so that it knows the types of what they declare.
type live struct {
	kernel  *client.Client
	entries []client.Entry
	state   *prefix
}

// asking bounds the time of a request to the kernel. While a cell runs, a kernel may not answer.
const asking = 300 * time.Millisecond

// prefix returns a checker with the cells that the kernel has executed.
func (l *live) prefix(packages *imports.Packages) *prefix {
	if l.state == nil {
		checker := check.NewSession(packages)
		l.state = &prefix{checker, 0, session.NewAssistant(checker, packages)}
		l.replay(packages, l.entries)
	}
	return l.state
}

// refresh reads the history of the kernel and reports whether it has grown.
func (l *live) refresh(packages *imports.Packages) bool {
	ctx, stop := context.WithTimeout(context.Background(), asking)
	defer stop()
	now, err := l.kernel.History(ctx)
	if err != nil || len(now) == len(l.entries) && slices.Equal(now, l.entries) {
		return false
	}
	if len(now) < len(l.entries) || !slices.Equal(now[:len(l.entries)], l.entries) { // a new session
		l.state, l.entries = nil, now
		return true
	}
	added := now[len(l.entries):]
	l.entries = now
	if l.state != nil {
		l.replay(packages, added)
	}
	return true
}

// replay checks cells that the kernel has executed. Those that did not compile have no effect.
func (l *live) replay(packages *imports.Packages, entries []client.Entry) {
	a := newAnalysis(packages, nil)
	for _, e := range entries {
		a.accept(l.state.checker, &cellText{text: e.Source, number: e.Count, isCode: true})
	}
}

// inspect describes the name at the cursor with its value, or returns "".
func (l *live) inspect(code string, cursor int) string {
	ctx, stop := context.WithTimeout(context.Background(), asking)
	defer stop()
	reply, err := l.kernel.Inspect(ctx, protocol.InspectRequest{Code: code, CursorPos: cursor})
	if err != nil || !reply.Found {
		return ""
	}
	text, _ := reply.Data["text/markdown"].(string)
	return text
}
