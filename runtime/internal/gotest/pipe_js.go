package gotest

import (
	"io"
	"os"
	"time"
)

// A pipe is the reading end of a file in memory. It stands for a pipe, which browsers lack.
type pipe struct {
	*os.File
	finished chan struct{} // closed when nothing more is written
}

// newPipe returns the ends of a pipe. Read waits at the end of the file until finish is called.
func newPipe() (pipe, *os.File, error) {
	writer, err := os.CreateTemp("", "tests-")
	if err != nil {
		return pipe{}, nil, err
	}
	reader, err := os.Open(writer.Name())
	if err != nil {
		_ = writer.Close()
		return pipe{}, nil, err
	}
	return pipe{reader, make(chan struct{})}, writer, nil
}

func (p pipe) finish() { close(p.finished) }

func (p pipe) Read(data []byte) (int, error) {
	for {
		n, err := p.File.Read(data)
		if n > 0 || err != io.EOF {
			return n, err
		}
		select {
		case <-p.finished:
			return p.File.Read(data) // what was written since
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// Close removes the file.
func (p pipe) Close() error {
	err := p.File.Close()
	if removed := os.Remove(p.Name()); err == nil {
		err = removed
	}
	return err
}
