package streams

import (
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// pollNow is like poll without waiting. It is a raw system call because it never blocks, so the
// scheduler need not be informed.
func pollNow(files *[2]unix.PollFd) (ready int, err error) {
	var none unix.Timespec
	n, _, code := syscall.RawSyscall6(unix.SYS_PPOLL, uintptr(unsafe.Pointer(files)), uintptr(len(files)), uintptr(unsafe.Pointer(&none)), 0, 0, 0)
	if code != 0 {
		return 0, code
	}
	return int(n), nil
}

// widen increases the capacity of a pipe to the largest size available without privileges. A dying
// process writes the stacks of its goroutines to a pipe that is no longer read, and would block if
// the pipe were full.
func widen(pipe int) { _, _ = unix.FcntlInt(uintptr(pipe), unix.F_SETPIPE_SZ, 1<<20) }
