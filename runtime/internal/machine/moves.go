//go:build !race

package machine

// moves counts how often a goroutine has left code of cells and returned to it. It is odd while the
// goroutine is outside. Only the goroutine itself changes it. Other goroutines may read it at any
// time; they compare two values, so a stale one only delays a decision.
type moves uint64

// out makes the counter odd. The counter always grows.
func (m *moves) out() { *m = (*m + 1) | 1 }

// in makes the counter even. The counter always grows.
func (m *moves) in() { *m = (*m | 1) + 1 }
