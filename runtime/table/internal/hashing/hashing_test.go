package hashing

import (
	"math/rand/v2"
	"testing"
)

// The numbers are those of a map, also after the table has grown and with keys that differ little.
func TestNumbersAreInOrderOfFirstAppearance(t *testing.T) {
	draw := rand.New(rand.NewPCG(3, 4))
	for _, key := range []func(i int) uint64{
		func(i int) uint64 { return uint64(i) },
		func(i int) uint64 { return uint64(i) << 48 },
		func(i int) uint64 { return ^uint64(i % 5) },
		func(int) uint64 { return draw.Uint64() % 3000 },
		func(int) uint64 { return draw.Uint64() },
		func(int) uint64 { return 0 },
	} {
		last := uint32(7)
		table, want, next := New(&last), map[uint64]uint32{}, uint32(7)
		for i := range 5000 {
			k := key(i)
			if want[k] == 0 {
				next++
				want[k] = next
			}
			if got := table.Number(k); got != want[k] || last != next {
				t.Fatalf("key %d, the %dth: number %d of %d, want %d of %d", k, i, got, last, want[k], next)
			}
		}
	}
}
