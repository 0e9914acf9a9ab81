package server

import (
	"testing"
	"time"
)

// BenchmarkInterruptWhilePrinting measures the time from an interrupt of a cell that floods iopub
// to the reply of the cell, over tcp, with a client that reads as fast as it can.
func BenchmarkInterruptWhilePrinting(b *testing.B) {
	k := start(b, "tcp", testKey)
	c := k.dial("me", testKey)
	var total time.Duration
	for range b.N {
		id := c.cell("lines 1000000000", "")
		for seen := 0; seen < 50; seen++ {
			c.next()
		}
		began := time.Now()
		k.server.Interrupt()
		c.done(id)
		total += time.Since(began)
		c.all = nil
	}
	b.ReportMetric(float64(total.Milliseconds())/float64(b.N), "ms/interrupt")
}

// BenchmarkCell measures the round trip of an empty cell from the client to the language.
func BenchmarkCell(b *testing.B) {
	for _, transport := range transports {
		b.Run(transport, func(b *testing.B) {
			c := start(b, transport, testKey).dial("me", testKey)
			for b.Loop() {
				c.done(c.cell("nothing", ""))
				c.all = c.all[:0]
			}
		})
	}
}
