package guard

import "golang.org/x/sys/unix"

// widen gives a pipe the most room that needs no privilege. A dying process writes the
// stacks of its goroutines into a pipe that nobody reads any more, and must not stop there.
func widen(pipe int) { _, _ = unix.FcntlInt(uintptr(pipe), unix.F_SETPIPE_SZ, 1<<20) }
