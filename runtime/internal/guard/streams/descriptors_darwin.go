package streams

import "golang.org/x/sys/unix"

// pollNow is like poll without waiting.
func pollNow(files *[2]unix.PollFd) (ready int, err error) { return unix.Poll(files[:], 0) }

// widen does nothing on this system, whose pipes grow as needed.
func widen(int) {}
