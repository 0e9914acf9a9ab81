package kernel

import (
	"context"

	"gosphere/kernel/internal/server"
	"gosphere/kernel/internal/socket"
	"gosphere/kernel/internal/wire"
)

// A Local is a kernel whose only client is in the same program, such as the page that runs it in a
// browser. Messages are lists of frames without a signature, in the order of the wire protocol.
type Local struct {
	page   *socket.Page
	server *server.Server
}

// NewLocal returns a kernel that passes its messages to send, with the name of the channel: shell,
// control, stdin, iopub or hb. send must not block.
func NewLocal(i Interpreter, send func(channel string, frames [][]byte), o ...Option) (*Local, error) {
	l, options, err := prepare(i, o)
	if err != nil {
		return nil, err
	}
	codec, err := wire.NewCodec("", "")
	if err != nil {
		return nil, err
	}
	sockets, page := socket.NewPage(send)
	return &Local{page, newServer(l, options, sockets, codec)}, nil
}

// Deliver passes a message of the client to the kernel. It does not wait for the answer. It is an
// error if there is no such channel or if too many messages are waiting.
func (l *Local) Deliver(channel string, frames [][]byte) error {
	return l.page.Deliver(channel, frames)
}

// Interrupt interrupts all running cells.
func (l *Local) Interrupt() { l.server.Interrupt() }

// Serve serves the client until it requests a shutdown or ctx is done.
func (l *Local) Serve(ctx context.Context) { l.server.Serve(ctx) }
