package socket

import (
	"errors"
	"fmt"
	"net"
	"os"
	"slices"
	"strconv"
	"sync"
	"syscall"
	"time"

	"gosphere/kernel/internal/connection"
)

// maxPeers is the maximum number of connections of one socket; a kernel has a handful of clients.
// Each costs two goroutines, a file descriptor and a buffer of 4 KB.
const maxPeers = 200

// A listener accepts the connections of one socket. Each handshake runs on its own goroutine, so
// that a silent peer blocks no other. The embedding socket, a router or a publisher, has a lock of
// its own. Neither lock is held while the other is taken.
type listener struct {
	net.Listener
	kind   string     // our socket type
	wanted []string   // compatible types of peers
	limits limitation // of each peer

	// signs reports whether every client of this socket begins with a signed message.
	signs bool

	// serve reads from a peer until its connection ends.
	serve func(*peer)

	mu       sync.Mutex // guards the fields below
	closed   bool
	peers    map[*peer]bool
	accepted int // connections so far
	patience time.Duration
}

// newListener returns a listener whose field serve has yet to be set.
func newListener(network net.Listener, limits limitation, kind string, wanted ...string) *listener {
	return &listener{Listener: network, limits: limits, kind: kind, wanted: wanted, peers: map[*peer]bool{}, patience: patience}
}

// accept serves connections until the listener is closed. Each connection gets two goroutines: the
// writer that newPeer starts, and one here that does the handshake and then reads.
func (l *listener) accept() {
	for {
		conn, err := l.Accept()
		if err != nil {
			if l.isClosed() || errors.Is(err, net.ErrClosed) {
				return
			}
			// For instance, the process is out of file descriptors, and others may be freed
			// meanwhile.
			time.Sleep(10 * time.Millisecond)
			continue
		}
		p := newPeer(conn)
		if !l.add(p) {
			p.close()
			continue
		}
		// This goroutine owns the receiving side of the connection and ends with it.
		go func() {
			defer l.remove(p)
			if p.handshake(l.kind, l.wanted...) == nil {
				l.serve(p)
			}
		}()
	}
}

func (l *listener) isClosed() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.closed
}

// add keeps a connection. It numbers the connections in the order of acceptance, which route uses.
// If there are too many, another one makes room; if all have sent a valid signature, the new one is
// refused. A connection that is accepted while close runs is refused here, because close has
// already listed the peers.
func (l *listener) add(p *peer) bool {
	l.mu.Lock()
	if l.closed {
		l.mu.Unlock()
		return false
	}
	var victim *peer
	if len(l.peers) >= maxPeers {
		if victim = l.victim(); victim == nil {
			l.mu.Unlock()
			return false
		}
		delete(l.peers, victim)
	}
	l.accepted++
	p.patience, p.number, p.limits = l.patience, l.accepted, l.limits
	l.peers[p] = true
	l.mu.Unlock()
	if victim != nil {
		victim.close()
	}
	return true
}

// victim returns the connection that makes room for a new one, or nil. The caller holds the lock.
//
// It is the oldest one that has not even begun as clients of the socket do. Where clients begin
// with a signed message, that is all. Subscribers and the clients of stdin and heartbeat cannot be
// distinguished from a process without the key. The oldest of their younger half makes room:
// connections that existed before an attack stay, and a new one stays until half as many others
// have followed.
func (l *listener) victim() *peer {
	var idle, settled []*peer
	for p := range l.peers {
		switch {
		case p.trusted.Load():
		case p.settled.Load() && !l.signs:
			settled = append(settled, p)
		default:
			idle = append(idle, p)
		}
	}
	byAge := func(a, b *peer) int { return a.number - b.number }
	if len(idle) > 0 {
		return slices.MinFunc(idle, byAge)
	}
	if len(settled) == 0 {
		return nil
	}
	slices.SortFunc(settled, byAge)
	return settled[len(settled)/2]
}

// remove ends a connection. It is called by the goroutine that reads from it.
func (l *listener) remove(p *peer) {
	p.close()
	l.limits.budget.release(p)
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.peers, p)
}

// close stops accepting, lets every peer receive its queued messages, and closes the connections.
// All peers begin to finish before the first is waited for, so that one stalled peer costs the
// others nothing, and the whole takes no longer than farewell.
func (l *listener) close() {
	l.mu.Lock()
	l.closed = true
	var open []*peer
	for p := range l.peers {
		open = append(open, p)
	}
	l.mu.Unlock()
	l.Listener.Close()
	for _, p := range open {
		p.finish()
	}
	for _, p := range open {
		<-p.ended
		p.close()
	}
}

// listenOn opens a port of a connection file. Port 0 lets the system choose.
//
// If the port is taken and a process accepts connections on it, that is another program, for
// instance a kernel whose launcher has chosen the same port at the same moment. Its messages would
// reach the clients of this kernel, and waiting would hide that, so listenOn fails at once and the
// launcher can choose other ports. If no process accepts, a launcher has restarted a kernel with
// the same connection file and the old process has not quite exited. That is waited for, for at
// most a second.
func listenOn(c *connection.Connection, port connection.Port) (net.Listener, connection.Port, error) {
	if c.Transport == "ipc" {
		return listenNumber(c.IP, port)
	}
	address := net.JoinHostPort(c.IP, strconv.Itoa(int(port)))
	l, err := net.Listen("tcp", address)
	for try := 0; try < 20 && errors.Is(err, syscall.EADDRINUSE); try++ {
		if accepts(address) {
			return nil, 0, fmt.Errorf("%w: another process accepts connections there; start the kernel with other ports", err)
		}
		time.Sleep(50 * time.Millisecond)
		l, err = net.Listen("tcp", address)
	}
	if err != nil {
		return nil, 0, err
	}
	return l, connection.Port(l.Addr().(*net.TCPAddr).Port), nil
}

// accepts reports whether a process accepts connections at an address of this machine. The system
// may connect a socket to itself, which is no other process.
func accepts(address string) bool {
	probe, err := net.DialTimeout("tcp", address, time.Second)
	if err != nil {
		return false
	}
	defer probe.Close()
	return probe.LocalAddr().String() != probe.RemoteAddr().String()
}

// mostNumbers is the maximum number of files of one prefix that are tried.
const mostNumbers = 10_000

// listenNumber listens on the file with a path prefix and a number. For 0 it takes the first number
// whose file no process listens on. Jupyter names the sockets of the transport ipc PREFIX-NUMBER,
// where the number takes the place of the port.
func listenNumber(prefix string, number connection.Port) (net.Listener, connection.Port, error) {
	if number != 0 {
		l, err := listenPath(fmt.Sprintf("%s-%d", prefix, number))
		return l, number, err
	}
	for number = 1; number < mostNumbers; number++ {
		l, err := listenPath(fmt.Sprintf("%s-%d", prefix, number))
		if !errors.Is(err, syscall.EADDRINUSE) {
			return l, number, err
		}
	}
	return nil, 0, fmt.Errorf("no free number from 1 to %d", mostNumbers)
}

// listenPath listens on a file. It replaces a file left by a killed kernel, but not one that a
// process listens on. Only the current user may connect. A file of a socket survives its process,
// and listening on it then fails as on one that is in use. Connecting distinguishes the two: no
// process accepts on the former.
func listenPath(path string) (net.Listener, error) {
	l, err := listenPrivately(path)
	if errors.Is(err, syscall.EADDRINUSE) {
		if probe, dialErr := net.Dial("unix", path); dialErr == nil {
			probe.Close()
			return nil, err
		}
		os.Remove(path)
		l, err = listenPrivately(path)
	}
	if err != nil {
		return nil, err
	}
	if err := os.Chmod(path, 0o600); err != nil {
		l.Close()
		return nil, err
	}
	return l, nil
}
