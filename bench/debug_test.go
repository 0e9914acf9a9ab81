//go:build unix

package main

import (
	"fmt"
	"math"
	"testing"

	"gosphere/internal/testing/sessiontest"
	"gosphere/kernel/protocol"
)

// BenchmarkDebugged prints the slowdown of whole programs in cells while a debugger is attached,
// without breakpoints and with one in another cell. The times are CPU times, the best of rounds
// that alternate between the sides.
//
//	go test ./bench -run none -bench Debugged -benchtime 1x
func BenchmarkDebugged(b *testing.B) {
	for range b.N {
		var sides []*cellSide
		for _, prepare := range []func(*cellSide){func(*cellSide) {}, attach, breakElsewhere} {
			c := &cellSide{list: programs}
			for range programs {
				c.sessions = append(c.sessions, sessiontest.New(b))
			}
			defer c.close()
			prepare(c)
			for i, p := range programs {
				if _, err := sessiontest.Printed(c.sessions[i], p.source()); err != nil {
					b.Fatalf("%s: %v", p.name, err)
				}
			}
			sides = append(sides, c)
		}
		attached, stopping := 0.0, 0.0
		for i, p := range programs {
			best := []float64{math.Inf(1), math.Inf(1), math.Inf(1)}
			for range 5 {
				for k, side := range sides {
					took, err := side.run(i)
					if err != nil {
						b.Fatalf("%s: %v", p.name, err)
					}
					best[k] = min(best[k], took)
				}
			}
			fmt.Printf("%-24s attached ×%.2f, with a breakpoint in another cell ×%.1f\n", p.name, best[1]/best[0], best[2]/best[0])
			attached += math.Log(best[1] / best[0])
			stopping += math.Log(best[2] / best[0])
		}
		b.ReportMetric(math.Exp(attached/float64(len(programs))), "attached/plain")
		b.ReportMetric(math.Exp(stopping/float64(len(programs))), "breakpoint/plain")
	}
}

// attach attaches a debugger to all sessions of a side.
func attach(c *cellSide) {
	for _, s := range c.sessions {
		s.Debuggee().BindDebugger(func(string) string { return "this cell" }, func(protocol.DebugNotice) {})
		s.Debuggee().Attach()
	}
}

// breakElsewhere also sets a breakpoint in a cell that never runs.
func breakElsewhere(c *cellSide) {
	attach(c)
	for _, s := range c.sessions {
		s.Debuggee().SetBreakpoints("another cell", "_ = 1", []protocol.DebugBreakpoint{{Line: 1}})
	}
}
