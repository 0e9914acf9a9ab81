//go:build unix

package modules

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// tryLock tries to lock a file in the same way as the go command. It reports whether it has
// succeeded.
func tryLock(f *os.File) (bool, error) {
	err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB)
	if errors.Is(err, unix.EWOULDBLOCK) || errors.Is(err, unix.EINTR) {
		return false, nil
	}
	return err == nil, err
}

// unlock releases the lock.
func unlock(f *os.File) { _ = unix.Flock(int(f.Fd()), unix.LOCK_UN) }
