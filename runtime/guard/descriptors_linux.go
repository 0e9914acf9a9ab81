package guard

import (
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// pollNow is poll without waiting, and so short that the scheduler need not hear of it.
func pollNow(files *[2]unix.PollFd) (ready int, err error) {
	var none unix.Timespec
	n, _, code := syscall.RawSyscall6(unix.SYS_PPOLL, uintptr(unsafe.Pointer(files)), uintptr(len(files)), uintptr(unsafe.Pointer(&none)), 0, 0, 0)
	if code != 0 {
		return 0, code
	}
	return int(n), nil
}

// widen gives a pipe the most room that needs no privilege. A dying process writes the
// stacks of its goroutines into a pipe that nobody reads any more, and must not stop there.
func widen(pipe int) { _, _ = unix.FcntlInt(uintptr(pipe), unix.F_SETPIPE_SZ, 1<<20) }
