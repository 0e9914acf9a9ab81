//go:build unix

package userfile

import "syscall"

// wait is the flag with which opening a named pipe does not wait for its writer.
const wait = syscall.O_NONBLOCK
