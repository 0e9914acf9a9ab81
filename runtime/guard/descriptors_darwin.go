package guard

import "golang.org/x/sys/unix"

// pollNow is poll without waiting.
func pollNow(files *[2]unix.PollFd) (ready int, err error) { return unix.Poll(files[:], 0) }

// widen does nothing: pipes grow by themselves here.
func widen(int) {}
