//go:build !linux || !(amd64 || arm64)

package confine

import (
	"errors"
	"runtime"
)

// Apply returns an error unless there is nothing to limit: this system has no such limits.
func Apply(l Limits) error {
	if l.None() {
		return nil
	}
	return errors.New("confine: a process can be confined on Linux (amd64 and arm64) only, and this is " + runtime.GOOS + "/" + runtime.GOARCH)
}
