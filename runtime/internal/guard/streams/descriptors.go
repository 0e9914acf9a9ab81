//go:build linux || darwin

package streams

import (
	"fmt"
	"os"
	"runtime/debug"
	"sync"
	"syscall"

	"golang.org/x/sys/unix"
)

// Descriptors are the process's file descriptors 1 and 2 while they are redirected to cells.
// Anything that writes to a descriptor without using a Writer, such as a child process or a copy of
// os.Stdout in a variable, writes to a pipe. The text goes to the running cell, or else to the
// latest one.
type Descriptors struct {
	// Log is the process's own stderr.
	Log *os.File

	process  *Process
	captures []*capture
}

// A capture is the pipe that replaces one descriptor.
type capture struct {
	process *Process
	name    string   // of the stream
	number  int      // of the descriptor
	own     *os.File // the previous file of the descriptor

	// mu is held while text moves from the pipe to a cell. A goroutine that holds mu and finds the
	// pipe empty therefore knows that everything written earlier has arrived.
	mu     sync.Mutex
	reader *os.File // nonblocking
	pipe   int      // descriptor of reader
	buffer []byte
	stream stream
}

// CaptureDescriptors replaces descriptors 1 and 2 with pipes. It is meant for the kernel, a process
// that serves one session and does not otherwise use these descriptors.
func (p *Process) CaptureDescriptors() (*Descriptors, error) {
	d := &Descriptors{process: p}
	for number, name := range map[int]string{1: "stdout", 2: "stderr"} {
		c, err := newCapture(p, number, name)
		if err != nil {
			d.Release()
			return nil, fmt.Errorf("streams: capturing %s: %w", name, err)
		}
		d.captures = append(d.captures, c)
		if number == 2 {
			d.Log = c.own
		}
	}
	// The pipe has no reader once the process is dying, so its crash output must go to the original
	// stderr.
	if err := debug.SetCrashOutput(d.Log, debug.CrashOptions{}); err != nil {
		d.Release()
		return nil, fmt.Errorf("streams: keeping the crash output: %w", err)
	}
	p.captured.Store(d)
	for _, c := range d.captures {
		go c.read() // ends when the last writer has closed the pipe
	}
	return d, nil
}

// Release restores the descriptors.
func (d *Descriptors) Release() {
	_ = debug.SetCrashOutput(nil, debug.CrashOptions{})
	for _, c := range d.captures {
		_ = unix.Dup2(int(c.own.Fd()), c.number)
		c.drain()
	}
	d.process.captured.Store(nil)
}

// newCapture redirects one descriptor to a pipe. It keeps a duplicate of the original descriptor,
// which Release restores.
func newCapture(p *Process, number int, name string) (*capture, error) {
	// os.Pipe is unsuitable: its write end is nonblocking, and child processes would inherit that.
	var ends [2]int
	// No child process may inherit the pipe before it is marked close-on-exec.
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
		process: p, name: name, number: number, own: os.NewFile(uintptr(own), name),
		reader: os.NewFile(uintptr(ends[0]), name+" pipe"), pipe: ends[0], buffer: make([]byte, 64<<10),
	}, nil
}

// read forwards text as it arrives, until the pipe is closed.
func (c *capture) read() {
	defer c.reader.Close()
	connection, err := c.reader.SyscallConn()
	if err != nil {
		return
	}
	_ = connection.Read(func(uintptr) (ended bool) {
		for { // until the pipe is empty: the poller is edge-triggered
			n, ended := c.step()
			if n == 0 {
				return ended
			}
		}
	})
}

// step forwards the text of a single read. ended reports whether the pipe has been closed.
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
		if s := c.process.latest.Load(); s != nil {
			c.stream.send(s, c.name, string(c.buffer[:n]))
		} else {
			_, _ = c.own.Write(c.buffer[:n])
		}
		return n, false
	}
}

// drain forwards text that has already been written. The number of reads is bounded by more than
// the capacity of a pipe, so that a child process that keeps writing cannot block the cell.
func (c *capture) drain() {
	const turns = 32
	for range turns {
		if n, _ := c.step(); n == 0 {
			return
		}
	}
}

// drain forwards text that has already been written to the descriptors. Writers call it first, so
// that output appears in the order in which it was written.
func (p *Process) drain() {
	d := p.captured.Load()
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

// written reports whether the pipes contain text. If they do not, all earlier text has arrived,
// because a capture holds its lock from reading the pipe until the cell has the text.
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

// flushCaptures sends the remaining bytes of incomplete characters.
func (p *Process) flushCaptures(s *Streams) {
	if d := p.captured.Load(); d != nil {
		for _, c := range d.captures {
			c.drain()
			c.stream.flush(s, c.name)
		}
	}
}
