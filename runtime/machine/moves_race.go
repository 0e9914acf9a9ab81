//go:build race

package machine

import "sync/atomic"

// moves is the counter of moves.go for the race detector.
type moves uint64

func (m *moves) Add() { atomic.AddUint64((*uint64)(m), 1) }
