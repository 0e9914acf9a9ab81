//go:build !race

package machine

// moves is a counter that only its own goroutine changes. Others may read it at any time.
type moves uint64

func (m *moves) Add() { *m++ }
