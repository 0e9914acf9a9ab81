//go:build !js

package gotest

import "os"

// A pipe is the reading end of a pipe.
type pipe struct{ *os.File }

// newPipe returns the ends of a pipe.
func newPipe() (pipe, *os.File, error) {
	reader, writer, err := os.Pipe()
	return pipe{reader}, writer, err
}

// finish does nothing, because a pipe ends when its writing end is closed.
func (pipe) finish() {}
