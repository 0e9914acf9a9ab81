//go:build !linux && !darwin

package streams

import "os"

// Descriptors are the process's streams. On this system, text that is written to handles rather
// than through a Writer goes to the process's own streams instead of a cell.
type Descriptors struct {
	// Log is the process's own stderr.
	Log *os.File
}

// CaptureDescriptors redirects nothing on this system.
func (p *Process) CaptureDescriptors() (*Descriptors, error) {
	return &Descriptors{Log: os.Stderr}, nil
}

// Release does nothing on this system.
func (d *Descriptors) Release() {}

func (p *Process) drain() {}

func (p *Process) flushCaptures(*Streams) {}
