// Times reads the output of go test -json and prints tables of the slowest packages and tests, and
// of the failed tests: some read the streams of the process, which -json also uses. A test with
// subtests is listed with their total time. All times are wall time, so tests that run in parallel
// appear slower.
//
//	go test -count=1 -json ./... | go run ./kernel/conformance/times
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"text/tabwriter"
)

// An event is a line of go test -json.
type event struct {
	Action  string
	Package string
	Test    string
	Elapsed float64 // seconds
	Output  string
}

// A duration is the time of a package or test.
type duration struct {
	name    string
	seconds float64
}

// A summary holds the results of a run.
type summary struct {
	packages, tests []duration
	failed          []string
}

// shown is the maximum number of rows of a table.
const shown = 25

func main() {
	s, err := read(os.Stdin)
	if err == nil {
		err = s.write(os.Stdout)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "times:", err)
		os.Exit(1)
	}
}

// read reads the events of a run. The time of a test includes its subtests.
func read(from io.Reader) (s summary, err error) {
	lines := bufio.NewScanner(from)
	lines.Buffer(nil, 1<<26)
	for lines.Scan() {
		var e event
		if err := json.Unmarshal(lines.Bytes(), &e); err != nil {
			return s, fmt.Errorf("%q is no line of go test -json: %w", lines.Text(), err)
		}
		name := strings.TrimPrefix(e.Package, "gosphere/")
		switch {
		case e.Action != "pass" && e.Action != "fail" && e.Action != "build-fail":
			continue
		case e.Test == "":
			s.packages = append(s.packages, duration{name, e.Elapsed})
		case !strings.Contains(e.Test, "/"):
			s.tests = append(s.tests, duration{name + " " + e.Test, e.Elapsed})
		}
		if e.Action != "pass" {
			s.failed = append(s.failed, strings.TrimSpace(name+" "+e.Test))
		}
	}
	return s, lines.Err()
}

// write prints the tables.
func (s summary) write(to io.Writer) error {
	out := tabwriter.NewWriter(to, 0, 0, 2, ' ', tabwriter.AlignRight)
	for _, table := range []struct {
		title string
		list  []duration
	}{{"packages", s.packages}, {"tests", s.tests}} {
		list, total := table.list, 0.0
		slices.SortStableFunc(list, func(a, b duration) int { return int(1000 * (b.seconds - a.seconds)) })
		for _, d := range list {
			total += d.seconds
		}
		fmt.Fprintf(out, "%.1f s\t  %d %s\n", total, len(list), table.title)
		for _, d := range list[:min(shown, len(list))] {
			fmt.Fprintf(out, "%.1f s\t  %s\n", d.seconds, d.name)
		}
		fmt.Fprintln(out)
	}
	for _, name := range s.failed {
		fmt.Fprintf(out, "failed\t  %s\n", name)
	}
	return out.Flush()
}
