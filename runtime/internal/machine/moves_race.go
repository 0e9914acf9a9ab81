//go:build race

package machine

import "sync/atomic"

// moves is the counter of moves.go in builds with the race detector, which requires atomic
// operations.
type moves uint64

func (m *moves) out() { atomic.StoreUint64((*uint64)(m), uint64(*m+1)|1) }

func (m *moves) in() { atomic.StoreUint64((*uint64)(m), uint64(*m|1)+1) }
