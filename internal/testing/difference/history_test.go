package difference

import (
	"strings"
	"testing"
	"time"
)

// TestHistoriesMeanWhatCompiledGoMeans plays random sequences of cells that declare methods and
// functions again while values exist. The flags -seconds and -seed continue it.
func TestHistoriesMeanWhatCompiledGoMeans(t *testing.T) {
	needGo(t)
	count, next, started := 6, *seed, time.Now()
	if *seconds > 0 {
		count = 60
	}
	histories, uses, failures := 0, 0, 0
	for first := true; first || time.Since(started).Seconds() < *seconds; first = false {
		var list []*History
		var programs []string
		var cells [][]string
		for i := range count {
			h := NewHistory(next + uint64(i))
			list = append(list, h)
			for _, p := range h.Programs {
				programs = append(programs, strings.ReplaceAll(p, "$m", mark(len(programs))))
			}
			var steps []string
			for _, s := range h.Steps {
				steps = append(steps, strings.ReplaceAll(s.Code, "$m", ""))
			}
			cells = append(cells, steps)
		}
		outputs, ok, err := Compiled(programs)
		if err != nil {
			t.Fatal(err)
		}
		outcomes, err := inWorkersOf("each", cells)
		if err != nil {
			t.Fatal(err)
		}
		program := 0
		for i, h := range list {
			n, failed := h.check(t, next+uint64(i), cells[i], outcomes[i], outputs[program:], ok[program:], failures < mostShown)
			uses += n
			if failed {
				failures++
			}
			program += len(h.Programs)
		}
		next += uint64(count)
		histories += count
	}
	t.Logf("%d histories, seeds %d to %d, %d uses, %d failures", histories, *seed, next-1, uses, failures)
}

// check compares a history up to its first difference and returns the number of its uses.
func (h *History) check(t *testing.T, seed uint64, cells []string, outcome Outcome, outputs []string, ok []bool, show bool) (uses int, failed bool) {
	for i := range h.Programs {
		if !ok[i] {
			t.Fatalf("seed %d: the program of stage %d does not end\n%s", seed, i, h.Programs[i])
		}
	}
	for n, s := range h.Steps {
		got, want := "the process ended: "+outcome.Failure, ""
		if n < len(outcome.Parts) {
			got = outcome.Parts[n]
		}
		if s.Use >= 0 {
			uses++
			want = byWay(outputs[s.Stage])[s.Use]
		}
		if got == want {
			continue
		}
		if show {
			t.Errorf("seed %d, cell %d of stage %d\n%s\ngot:  %q\nwant: %q", seed, n+1, s.Stage, strings.Join(cells[:n+1], "\n---\n"), got, want)
		} else {
			t.Errorf("seed %d", seed)
		}
		return uses, true
	}
	return uses, false
}
