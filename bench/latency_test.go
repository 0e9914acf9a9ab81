//go:build unix

package main

import (
	"context"
	"fmt"
	"math"
	"slices"
	"testing"
	"time"

	"gosphere/internal/testing/sessiontest"
	"gosphere/kernel/protocol"
	"gosphere/runtime/session"
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

// newSession returns a session that does not verify programs, as in use.
func newSession() (*session.Session, error) {
	options := sessiontest.Options()
	options.Verify = false
	return session.New(options)
}

// playSession runs a long session and returns the time of each cell, from request to reply.
func playSession() ([]time.Duration, error) {
	s, err := newSession()
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
		for range *rounds {
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

// playFollowed runs a long session twice, the second time as a client that runs the cells of a
// notebook again. It returns the time of each cell from request to reply, and until the next cell
// can begin.
func playFollowed(unfollowed bool) (replies, ends []time.Duration, err error) {
	options := sessiontest.Options()
	options.Verify, options.Unfollowed = false, unfollowed
	s, err := session.New(options)
	if err != nil {
		return nil, nil, err
	}
	defer s.Close()
	if _, err := sessiontest.Printed(s, "import \"fmt\"\nfunc f0(x int) int { return x + 1 }\nfunc f4(x int) int { return x }"); err != nil {
		return nil, nil, err
	}
	for n := range 2 * sessionLength {
		request := protocol.ExecuteRequest{Code: step(n % sessionLength), StoreHistory: true, Cell: fmt.Sprint("cell", n%sessionLength)}
		begin := time.Now()
		reply := s.Reply(context.Background(), request, func(protocol.Content) {})
		replies = append(replies, time.Since(begin))
		s.Settle()
		ends = append(ends, time.Since(begin))
		if reply.Status == protocol.Failed {
			return nil, nil, fmt.Errorf("cell %d: %s", n, reply.Evalue)
		}
	}
	return replies, ends, nil
}

// BenchmarkFollowing measures what it costs that a session knows which cells are stale: sessions
// with and without it take turns, and each cell counts with its best time. The ratios are those of
// the medians and of the sums, of cells that run for the first time and of cells that run again,
// from request to reply. The last ones are those of cells that are sent at once, which wait for the
// work that follows the reply of the one before.
//
//	go test ./bench -run none -bench Following -benchtime 1x
func BenchmarkFollowing(b *testing.B) {
	for range b.N {
		var best [2][2][]float64 // followed or not, to the reply or to the end
		for i := range best {
			for j := range best[i] {
				best[i][j] = slices.Repeat([]float64{math.Inf(1)}, 2*sessionLength)
			}
		}
		later := slices.Repeat([]float64{math.Inf(1)}, 2*sessionLength)
		for round := range 2 * *rounds {
			replies, ends, err := playFollowed(round%2 == 0)
			if err != nil {
				b.Fatal(err)
			}
			for i := range later {
				if round%2 == 1 {
					later[i] = min(later[i], (ends[i]-replies[i]).Seconds()*1e3)
				}
			}
			for j, times := range [][]time.Duration{replies, ends} {
				for i, t := range times {
					best[round%2][j][i] = min(best[round%2][j][i], t.Seconds()*1e3)
				}
			}
		}
		b.ReportMetric(median(best[0][0][:sessionLength]), "ms-p50")
		b.ReportMetric(1e3*median(later), "µs-after-reply-p50")
		for j, until := range []string{"reply", "next"} {
			for i, when := range []string{"first", "again"} {
				from, to := i*sessionLength, (i+1)*sessionLength
				with, without := best[1][j][from:to], best[0][0][from:to]
				b.ReportMetric(median(with)/median(without), fmt.Sprintf("followed/not-%s-%s-p50", until, when))
				b.ReportMetric(sum(with)/sum(without), fmt.Sprintf("followed/not-%s-%s-sum", until, when))
			}
		}
	}
}

// sum returns the sum of numbers.
func sum(list []float64) (s float64) {
	for _, x := range list {
		s += x
	}
	return s
}

func TestLongSessionPlays(t *testing.T) {
	times, err := playSession()
	if err != nil || len(times) != sessionLength {
		t.Errorf("%d cells, %v", len(times), err)
	}
}

// functionsPerCell is the number of functions in the cell that BenchmarkFunctions runs.
const functionsPerCell = 200

// function returns a function of about twenty lines that calls others.
func function(n int) string {
	return fmt.Sprintf(`func g%[1]d(xs []int, names map[string]int) (sum int, err error) {
	for i, x := range xs {
		switch {
		case x < 0:
			return 0, fmt.Errorf("value %%d is negative: %%d", i, x)
		case x%%2 == 0:
			sum += small%[2]d(x) / 2
		default:
			sum -= x
		}
	}
	pair := struct{ a, b int }{sum, len(names)}
	for name, n := range names {
		pair.a += n * len(name)
	}
	defer func() { sum += pair.b }()
	if len(xs) > 3 {
		return g%[2]d(xs[1:], names)
	}
	return pair.a, nil
}
func small%[1]d(x int) int { return x*%[1]d + 1 }
`, n, max(n-1, 0))
}

// BenchmarkFunctions measures the time from the text of a cell to compiled functions, for each of
// its functions, half of which have one line and half about twenty. It is CPU time, and the
// best of several sessions.
//
//	go test ./bench -run none -bench Functions -benchtime 1x
func BenchmarkFunctions(b *testing.B) {
	text := "import \"fmt\"\n"
	for n := range functionsPerCell / 2 {
		text += function(n)
	}
	best := math.Inf(1)
	for range b.N {
		for range 10 {
			n, err := timeToCompile(text)
			if err != nil {
				b.Fatal(err)
			}
			best = min(best, n/functionsPerCell)
		}
	}
	b.ReportMetric(best/1e6, "ms/function")
}

// timeToCompile returns the CPU time of a cell in a new session, in nanoseconds.
func timeToCompile(text string) (float64, error) {
	s, err := newSession()
	if err != nil {
		return 0, err
	}
	defer s.Close()
	if _, err := sessiontest.Printed(s, "import \"fmt\"\nfmt.Print(1)"); err != nil {
		return 0, err
	}
	begin := spent()
	_, err = sessiontest.Printed(s, text)
	return float64(spent() - begin), err
}
