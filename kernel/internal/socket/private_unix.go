//go:build unix

package socket

import (
	"net"
	"sync"
	"syscall"
)

// masking is held while the file mode mask of the process is changed.
var masking sync.Mutex

// listenPrivately listens on a file that only the current user may use from the moment at which it
// exists. The mask belongs to the process, so a file that another goroutine creates meanwhile is
// private as well.
func listenPrivately(path string) (net.Listener, error) {
	masking.Lock()
	defer masking.Unlock()
	defer syscall.Umask(syscall.Umask(0o177))
	return net.Listen("unix", path)
}
