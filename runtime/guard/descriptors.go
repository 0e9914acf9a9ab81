//go:build linux || darwin

package guard

import (
	"fmt"
	"os"
	"runtime/debug"
	"sync"
	"syscall"

	"golang.org/x/sys/unix"
)

// Descriptors are the process's streams 1 and 2 while cells have them. Whatever writes to
// a descriptor and not through a Writer, such as a child process or a copy of os.Stdout in a
// variable, writes into a pipe, and the text goes to the cell that runs, or to the latest.
type Descriptors struct {
	// Log is the process's own stderr.
	Log *os.File

	guard    *Guard
	captures []*capture
}

// A capture is the pipe in the place of one descriptor.
type capture struct {
	guard  *Guard
	name   string   // of the stream
	number int      // of the descriptor
	own    *os.File // what the descriptor was before

	// mu is held while text is on its way from the pipe to a cell, so that whoever finds
	// the pipe empty under it knows that everything written before has arrived.
	mu     sync.Mutex
	reader *os.File // does not block
	pipe   int      // descriptor of reader
	buffer []byte
	stream stream
}

// CaptureDescriptors puts pipes in the place of the descriptors 1 and 2. It is for a process
// that serves one session and has no other use for them: the kernel.
func (g *Guard) CaptureDescriptors() (*Descriptors, error) {
	d := &Descriptors{guard: g}
	for number, name := range map[int]string{1: "stdout", 2: "stderr"} {
		c, err := newCapture(g, number, name)
		if err != nil {
			d.Release()
			return nil, fmt.Errorf("guard: capturing %s: %w", name, err)
		}
		d.captures = append(d.captures, c)
		if number == 2 {
			d.Log = c.own
		}
	}
	// The last words of a dying process have no reader here any more.
	if err := debug.SetCrashOutput(d.Log, debug.CrashOptions{}); err != nil {
		d.Release()
		return nil, fmt.Errorf("guard: keeping the crash output: %w", err)
	}
	g.captured.Store(d)
	for _, c := range d.captures {
		go c.read() // ends when the last writer has closed the pipe
	}
	return d, nil
}

// Release gives the descriptors back.
func (d *Descriptors) Release() {
	_ = debug.SetCrashOutput(nil, debug.CrashOptions{})
	for _, c := range d.captures {
		_ = unix.Dup2(int(c.own.Fd()), c.number)
		c.drain()
	}
	d.guard.captured.Store(nil)
}

func newCapture(g *Guard, number int, name string) (*capture, error) {
	// Not os.Pipe: its writing end does not block, which child processes would inherit.
	var ends [2]int
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	if err := unix.Pipe(ends[:]); err != nil {
		return nil, err
	}
	defer unix.Close(ends[1])
	unix.CloseOnExec(ends[0])
	widen(ends[1])
	own, err := unix.FcntlInt(uintptr(number), unix.F_DUPFD_CLOEXEC, 3)
	if err == nil {
		err = unix.SetNonblock(ends[0], true)
	}
	if err == nil {
		err = unix.Dup2(ends[1], number)
	}
	if err != nil {
		unix.Close(ends[0])
		return nil, err
	}
	return &capture{
		guard: g, name: name, number: number, own: os.NewFile(uintptr(own), name),
		reader: os.NewFile(uintptr(ends[0]), name+" pipe"), pipe: ends[0], buffer: make([]byte, 64<<10),
	}, nil
}

// read forwards what arrives while nobody drains.
func (c *capture) read() {
	defer c.reader.Close()
	connection, err := c.reader.SyscallConn()
	if err != nil {
		return
	}
	_ = connection.Read(func(uintptr) (ended bool) {
		for { // until the pipe is empty: the poller tells only once
			n, ended := c.step()
			if n == 0 {
				return ended
			}
		}
	})
}

// step forwards what one read gives. At the end of the pipe it tells so.
func (c *capture) step() (n int, ended bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for {
		n, err := unix.Read(c.pipe, c.buffer)
		switch {
		case err == unix.EINTR:
			continue
		case err == unix.EAGAIN:
			return 0, false
		case err != nil || n == 0:
			return 0, true
		}
		if cell := c.guard.latest.Load(); cell != nil {
			c.stream.send(cell, c.name, string(c.buffer[:n]))
		} else {
			_, _ = c.own.Write(c.buffer[:n])
		}
		return n, false
	}
}

// drain forwards what was written before. The bound is more than a pipe holds, so that a
// child process which goes on writing does not hold up the cell.
func (c *capture) drain() {
	const turns = 32
	for range turns {
		if n, _ := c.step(); n == 0 {
			return
		}
	}
}

// drain forwards what was written to the descriptors before.
func (g *Guard) drain() {
	d := g.captured.Load()
	if d == nil {
		return
	}
	if !d.written() {
		return
	}
	for _, c := range d.captures {
		c.drain()
	}
}

// written reports whether there is text in the pipes. When there is none, all has arrived: what a
// capture has taken from its pipe travels under its lock.
func (d *Descriptors) written() bool {
	var pipes [2]unix.PollFd
	for i, c := range d.captures {
		c.mu.Lock()
		defer c.mu.Unlock()
		pipes[i] = unix.PollFd{Fd: int32(c.pipe), Events: unix.POLLIN}
	}
	n, err := pollNow(&pipes)
	return n != 0 || err != nil
}

// flushCaptures sends what is left of unfinished characters.
func (g *Guard) flushCaptures(cell *Cell) {
	if d := g.captured.Load(); d != nil {
		for _, c := range d.captures {
			c.drain()
			c.stream.flush(cell, c.name)
		}
	}
}
