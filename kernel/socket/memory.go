package socket

import "sync"

// memorySocket is one end of a channel inside the process.
type memorySocket struct {
	in, out chan [][]byte
	done    chan struct{}
}

// Send hands the frames to the other end.
func (s memorySocket) Send(frames [][]byte) error {
	select {
	case <-s.done:
		return ErrClosed
	case s.out <- frames:
		return nil
	}
}

// Receive waits for frames of the other end.
func (s memorySocket) Receive() ([][]byte, error) {
	select {
	case <-s.done:
		return nil, ErrClosed
	case frames := <-s.in:
		return frames, nil
	}
}

// Memory returns sockets without a network, and the ends that a client uses. There is one
// client; it puts its own routing identity in front of what it sends.
func Memory() (kernel, client *Sockets) {
	done := make(chan struct{})
	var once sync.Once
	end := func() error {
		once.Do(func() { close(done) })
		return nil
	}
	const depth = 1 << 10 // messages in flight; a test that lets more pile up waits
	pair := func() (Socket, Socket) {
		there, back := make(chan [][]byte, depth), make(chan [][]byte, depth)
		return memorySocket{there, back, done}, memorySocket{back, there, done}
	}
	kernel, client = &Sockets{close: end}, &Sockets{close: end}
	kernel.Shell, client.Shell = pair()
	kernel.Control, client.Control = pair()
	kernel.Stdin, client.Stdin = pair()
	kernel.IOPub, client.IOPub = pair()
	kernel.Heartbeat, client.Heartbeat = pair()
	return kernel, client
}
