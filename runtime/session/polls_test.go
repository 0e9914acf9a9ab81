package session

import (
	"strings"
	"testing"
)

// TestAPollStandsBetweenWhatTakesLongAndWhatComesBehind is TestNothingRunsBesideAnotherCellBehindACallThatTookLong without
// chance: it looks at what the cells are lowered to. Sleeps and selects are not here: they are functions of package guard, which
// wait for the turn themselves.
func TestAPollStandsBetweenWhatTakesLongAndWhatComesBehind(t *testing.T) {
	const declared = `import ("os/exec"; "sync"; "time")
n, pair, done := 0, [2]string{}, make(chan int, 100)
func touch() int { for range 1 { n++ }; return n }
func wait() *sync.WaitGroup { return new(sync.WaitGroup) }
func closed() chan int { c := make(chan int); close(c); return c }
done <- 1; done <- 1; done <- 1; done <- 1`
	for name, cell := range map[string]struct{ code, long, behind string }{
		"a wait group":        {"wait().Wait()\ntouch()", ".Wait()", "touch()"},
		"a receive":           {"<-done\ntouch()", "<-", "touch()"},
		"a value received":    {"at := <-done\ntouch()\n_ = at", "<-", "touch()"},
		"a send":              {"done <- 1\ntouch()", "<-", "touch()"},
		"a program":           {"err := exec.Command(\"true\").Run()\ntouch()\n_ = err", ".Run()", "touch()"},
		"a range":             {"for range closed() {}\ntouch()", "range", "touch()"},
		"the head of an if":   {"if exec.Command(\"true\").Run() == nil { touch() }", ".Run()", "touch()"},
		"an else":             {"if exec.Command(\"false\").Run() == nil { } else { touch() }", ".Run()", "touch()"},
		"a switch":            {"switch err := exec.Command(\"true\").Run(); { case err == nil: touch() }", ".Run()", "touch()"},
		"an operand":          {"m := (<-done) + touch()\n_ = m", "<-", "touch()"},
		"the end of a return": {"func later() int { return <-done }\ntouch()", "<-", "return"},
	} {
		t.Run(name, func(t *testing.T) {
			text := lowered(t, declared, cell.code)
			_, rest, found := strings.Cut(text, cell.long)
			between, _, ended := strings.Cut(rest, cell.behind)
			if !found || !ended || !strings.Contains(between, "gs.Poll(") {
				t.Errorf("there is no poll between %s and %s in\n%s", cell.long, cell.behind, text)
			}
		})
	}
}
