//go:build race

package exec

import "sync/atomic"

// moves is the counter of moves.go for the race detector.
type moves uint64

func (m *moves) add() { atomic.AddUint64((*uint64)(m), 1) }
