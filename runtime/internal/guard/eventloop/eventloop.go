//go:build !js

// Package eventloop lets the browser deliver messages while code of cells runs. In other builds it
// does nothing.
package eventloop

// Turn does nothing: other goroutines run on other threads.
func Turn() {}
