package difference

import (
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// batchOfScripts is the number of scripts for one worker: a process can declare a limited number of
// methods.
const batchOfScripts = 120

// mostShown limits the failures that are printed.
const mostShown = 20

// TestMethodsThatChangeBetweenCells changes methods of all kinds of types in all ways while values
// of the types exist, and calls the methods on values that are reached in all ways. By default it
// takes some of the kinds and changes; GOSPHERE_CROSSING=all takes all, and another text those
// whose names contain it.
func TestMethodsThatChangeBetweenCells(t *testing.T) {
	needGo(t)
	var list []*Redeclaration
	for i, r := range Redeclarations() {
		if only := os.Getenv("GOSPHERE_CROSSING"); only == "all" || only == "" && (i%29 == 4 || r.Name == "alias, value to pointer") || only != "" && strings.Contains(r.Name, only) {
			list = append(list, r)
		}
	}
	var programs []string
	for _, r := range list {
		programs = append(programs, r.program(mark(len(programs)), false), r.program(mark(len(programs)+1), true))
	}
	outputs, ok, err := Compiled(programs)
	if err != nil {
		t.Fatal(err)
	}
	type script struct {
		*Redeclaration
		steps         []Step
		before, after map[int]string
	}
	var scripts []script
	var cells [][]string
	for i, r := range list {
		if !ok[2*i] || !ok[2*i+1] {
			t.Fatalf("the program of %q does not end\n%s", r.Name, programs[2*i])
		}
		for mode := InLaterCell; mode <= InSameCell; mode++ {
			s := script{r, r.Script(mode), byWay(outputs[2*i]), byWay(outputs[2*i+1])}
			scripts = append(scripts, s)
			var list []string
			for _, step := range s.steps {
				list = append(list, step.Code)
			}
			cells = append(cells, list)
		}
	}
	var outcomes []Outcome
	for len(outcomes) < len(cells) {
		part, err := inWorkersOf("each", cells[len(outcomes):min(len(outcomes)+batchOfScripts, len(cells))])
		if err != nil {
			t.Fatal(err)
		}
		outcomes = append(outcomes, part...)
	}
	combinations, failures := 0, 0
	for i, s := range scripts {
		if len(outcomes[i].Parts) < len(s.steps) {
			t.Errorf("%s: %d of %d cells ran: %s", s.Name, len(outcomes[i].Parts), len(s.steps), outcomes[i].Failure)
			continue
		}
		for n, step := range s.steps {
			got, want, name := outcomes[i].Parts[n], "", "declarations"
			if step.Way >= 0 {
				combinations++
				name = reached[step.Way].name
				if want = s.before[step.Way]; step.After {
					want = s.after[step.Way]
				}
			}
			if got != want {
				if failures++; failures <= mostShown {
					t.Errorf("%s, %s (mode %d, cell %d)\n%s\ngot:  %q\nwant: %q", s.Name, name, i%3, n+1, step.Code, got, want)
				}
				if step.Way < 0 {
					break // its uses would only fail as well
				}
			}
		}
	}
	t.Logf("%d declarations, %d scripts, %d combinations, %d failures", len(list), len(scripts), combinations, failures)
}

var wayHeader = regexp.MustCompile(`(?m)^== (\d+)\n`)

// byWay returns the output of each way of a program.
func byWay(output string) map[int]string {
	list := map[int]string{}
	headers := wayHeader.FindAllStringSubmatchIndex(output, -1)
	for i, h := range headers {
		end := len(output)
		if i+1 < len(headers) {
			end = headers[i+1][0]
		}
		way, _ := strconv.Atoi(output[h[2]:h[3]])
		list[way] = output[h[1]:end]
	}
	return list
}
