//go:build unix

package main

import (
	"fmt"
	"math"
	"slices"
	"testing"
	"time"

	"gosphere/internal/runtime/session"
	"gosphere/internal/testing/sessiontest"
)

const sessionLength = 200

// step returns cell n of a long session: functions that use earlier ones, variables, types with
// methods, statements.
func step(n int) string {
	switch n % 4 {
	case 0:
		return fmt.Sprintf("func f%d(x int) int {\n\tfor i := range 3 {\n\t\tx += f%d(i)\n\t}\n\treturn x\n}", n+4, n/8*4)
	case 1:
		return fmt.Sprintf("v%d := map[string][]int{\"a\": {f%d(%d)}}", n, n/8*4, n)
	case 2:
		return fmt.Sprintf("type T%d struct{ a, b int }\nfunc (t T%d) String() string { return fmt.Sprint(t.a, v%d[\"a\"][0]) }", n, n, n-1)
	}
	return fmt.Sprintf("t%d := T%d{%d, 2}\nfmt.Println(t%d, len(v%d))\nv%d", n, n-1, n, n, n-2, n-2)
}

// playSession runs a long session and returns the time of each cell, from request to reply.
func playSession() ([]time.Duration, error) {
	options, err := sessiontest.Options()
	if err != nil {
		return nil, err
	}
	s, err := session.New(options)
	if err != nil {
		return nil, err
	}
	defer s.Close()
	if _, err := sessiontest.Printed(s, "import \"fmt\"\nfunc f0(x int) int { return x + 1 }\nfunc f4(x int) int { return x }"); err != nil {
		return nil, err
	}
	var times []time.Duration
	for n := range sessionLength {
		begin := time.Now()
		if _, err := sessiontest.Printed(s, step(n)); err != nil {
			return nil, fmt.Errorf("cell %d: %w", n, err)
		}
		times = append(times, time.Since(begin))
	}
	return times, nil
}

// BenchmarkLatency measures cells from request to reply, without sockets, over a session of two
// hundred. Each cell counts with its best time over several sessions.
//
//	go test ./bench -run none -bench Latency -benchtime 1x
func BenchmarkLatency(b *testing.B) {
	for range b.N {
		best := slices.Repeat([]float64{math.Inf(1)}, sessionLength)
		for range rounds {
			times, err := playSession()
			if err != nil {
				b.Fatal(err)
			}
			for i, t := range times {
				best[i] = min(best[i], t.Seconds()*1e3)
			}
		}
		quarter := sessionLength / 4
		b.ReportMetric(median(best), "ms-p50")
		b.ReportMetric(slices.Sorted(slices.Values(best))[sessionLength*99/100], "ms-p99")
		b.ReportMetric(median(best[sessionLength-quarter:])/median(best[:quarter]), "last/first-quarter")
	}
}

func TestLongSessionPlays(t *testing.T) {
	times, err := playSession()
	if err != nil || len(times) != sessionLength {
		t.Errorf("%d cells, %v", len(times), err)
	}
}
