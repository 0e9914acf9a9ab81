//go:build !unix

package socket

import "net"

// listenPrivately listens on a file.
func listenPrivately(path string) (net.Listener, error) { return net.Listen("unix", path) }
