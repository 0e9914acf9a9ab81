//go:build !race

package machine

// moves is a counter that only its own goroutine changes. Other goroutines may read it at any time;
// they compare two values, so a stale one only delays a decision.
type moves uint64

func (m *moves) Add() { *m++ }
