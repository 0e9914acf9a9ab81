package socket

import (
	"context"
	"strings"
	"testing"

	"github.com/go-zeromq/zmq4"
)

// Another implementation of ZMTP communicates with ours, over tcp and ipc.

func TestZmq4ClientsAreServed(t *testing.T) {
	for _, m := range modes[:2] {
		t.Run(m.name, func(t *testing.T) {
			kernel, _ := m.open(t)
			defer kernel.Close()
			kernel.Authenticate(nil)
			kernel.Subscribed(func(s Subscription) { s.Accept(frames("", "welcome")) })
			ctx, cancel := context.WithCancel(context.Background())
			defer cancel()
			dial := func(socket zmq4.Socket, endpoint string) zmq4.Socket {
				t.Helper()
				if err := socket.Dial(endpoint); err != nil {
					t.Fatal(err)
				}
				t.Cleanup(func() { socket.Close() })
				return socket
			}
			b := &kernel.Bound
			dealer := dial(zmq4.NewDealer(ctx, zmq4.WithID(zmq4.SocketIdentity("foreign"))), b.Endpoint(b.ShellPort))
			long := strings.Repeat("long", 5000)
			if err := dealer.SendMulti(zmq4.NewMsgFrom(frames("", "hello", long)...)); err != nil {
				t.Fatal(err)
			}
			wantFrames(t, receive(t, kernel.Shell), "foreign", "", "hello", long)
			kernel.Shell.Send(frames("foreign", "answer", long, ""))
			wantFrames(t, receive(t, zmq4Socket{dealer}), "answer", long, "")

			subscriber := dial(zmq4.NewSub(ctx), b.Endpoint(b.IopubPort))
			if err := subscriber.SetOption(zmq4.OptionSubscribe, ""); err != nil {
				t.Fatal(err)
			}
			wantFrames(t, receive(t, zmq4Socket{subscriber}), "", "welcome")
			kernel.IOPub.Send(frames("topic", "text"))
			wantFrames(t, receive(t, zmq4Socket{subscriber}), "topic", "text")

			request := dial(zmq4.NewReq(ctx), b.Endpoint(b.HbPort))
			if err := request.Send(zmq4.NewMsgFrom([]byte("ping"))); err != nil {
				t.Fatal(err)
			}
			beat := receive(t, kernel.Heartbeat)
			kernel.Heartbeat.Send(beat)
			wantFrames(t, receive(t, zmq4Socket{request}), "ping")
		})
	}
}

// zmq4Socket reads from a socket of the library.
type zmq4Socket struct{ zmq4.Socket }

func (s zmq4Socket) Send(frames [][]byte) error { return s.SendMulti(zmq4.NewMsgFrom(frames...)) }

func (s zmq4Socket) Receive() ([][]byte, error) {
	m, err := s.Recv()
	return m.Frames, err
}
