//go:build !unix

package userfile

// wait is 0: the system has no such flag.
const wait = 0
