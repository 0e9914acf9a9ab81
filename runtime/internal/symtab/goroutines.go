package symtab

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"regexp"
	"runtime"
	"runtime/pprof"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"

	"gosphere/internal/lazyregexp"
)

// Goroutines returns the traces of the goroutines of a session, which have its profiler label, the
// calling one first.
func Goroutines(session string) []string {
	var b bytes.Buffer
	if err := pprof.Lookup("goroutine").WriteTo(&b, 2); err != nil {
		return nil
	}
	label := regexp.MustCompile(`\{[^\n]*session: ("?)` + regexp.QuoteMeta(session) + `("?)[,}]`)
	var list []string
	for block := range strings.SplitSeq(strings.TrimSpace(b.String()), "\n\n") {
		if title, _, _ := strings.Cut(block, "\n"); label.MatchString(title) {
			list = append(list, string(Translate([]byte("\n" + block + "\n")))[1:])
		}
	}
	return list
}

// GoroutineState returns the state in the first line of a trace, such as "chan receive".
func GoroutineState(trace string) string {
	_, after, _ := strings.Cut(trace, "[")
	state, _, _ := strings.Cut(after, "]")
	state, _, _ = strings.Cut(state, ",")
	return state
}

// AllStacks implements [runtime.Stack] for all goroutines of a session.
func AllStacks(buf []byte, session string) int {
	list := Goroutines(session)
	if len(list) > 0 {
		list[0] = string(trace(""))
	}
	return copy(buf, strings.Join(list, "\n"))
}

// traceCall matches a call in a trace, of two lines.
var traceCall = lazyregexp.New(`(?m)^([^\s].*)\((?:[^()]|\{[^}]*\})*\)\n\t(.*):(\d+)`)

// counters returns the program counters of the calls of cells in a trace, innermost first.
func counters(trace string) (pcs []uintptr) {
	for _, m := range traceCall.FindAllStringSubmatch(trace, -1) {
		line, _ := strconv.Atoi(m[3])
		p := position{function: m[1], file: m[2], line: line}
		table.RLock()
		i, ok := table.byPosition[p]
		table.RUnlock()
		if ok {
			pcs = append(pcs, first+uintptr(i)*size+1)
		}
	}
	return pcs
}

// WriteGoroutines implements the method WriteTo of the goroutine profile for the goroutines of a
// session, with the levels 1 and 2 of detail.
func WriteGoroutines(w io.Writer, session string, detail int) error {
	list := Goroutines(session)
	if detail >= 2 {
		_, err := io.WriteString(w, strings.Join(list, "\n"))
		return err
	}
	type group struct {
		lines string
		pcs   []uintptr
		n     int
	}
	var groups []*group
	for _, trace := range list {
		g := &group{pcs: counters(trace)}
		for _, m := range traceCall.FindAllStringSubmatch(trace, -1) {
			g.lines += fmt.Sprintf("#\t%s\t%s:%s\n", m[1], m[2], m[3])
		}
		i := slices.IndexFunc(groups, func(h *group) bool { return h.lines == g.lines })
		if i < 0 {
			i, groups = len(groups), append(groups, g)
		}
		groups[i].n++
	}
	slices.SortStableFunc(groups, func(a, b *group) int { return cmp.Compare(b.n, a.n) })
	t := tabwriter.NewWriter(w, 1, 8, 1, '\t', 0)
	fmt.Fprintf(t, "goroutine profile: total %d\n", len(list))
	for _, g := range groups {
		fmt.Fprintf(t, "%d @", g.n)
		for _, pc := range g.pcs {
			fmt.Fprintf(t, " %#x", pc)
		}
		fmt.Fprintf(t, "\n%s\n", g.lines)
	}
	return t.Flush()
}

// GoroutineProfile implements [runtime.GoroutineProfile] for the goroutines of a session. The
// stacks have the calls of cells.
func GoroutineProfile(session string, records []runtime.StackRecord) (n int, ok bool) {
	list := Goroutines(session)
	if len(list) > len(records) {
		return len(list), false
	}
	for i, trace := range list {
		records[i] = runtime.StackRecord{}
		copy(records[i].Stack0[:], counters(trace))
	}
	return len(list), true
}
