package session

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"strings"
	"sync"
	"testing"
	"time"

	"gosphere/internal/kernel/protocol"
)

// A section is a cell of a corpus case, or what is expected of it.
type section struct{ marker, text string }

// A corpusCase is one short notebook with what a right kernel must show.
type corpusCase struct {
	name, category string
	sections       []section
}

// readCorpus reads a file of cases in the form that the corpus's README describes.
func readCorpus(t *testing.T, path string) []corpusCase {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var cases []corpusCase
	for _, line := range strings.SplitAfter(string(data), "\n") {
		switch {
		case strings.HasPrefix(line, "=== "):
			name, category, _ := strings.Cut(strings.TrimSpace(line[4:]), " | ")
			cases = append(cases, corpusCase{name: name, category: category})
		case strings.HasPrefix(line, "--- "):
			c := &cases[len(cases)-1]
			c.sections = append(c.sections, section{marker: strings.TrimSpace(line[4:])})
		case len(cases) > 0 && len(cases[len(cases)-1].sections) > 0:
			c := &cases[len(cases)-1]
			c.sections[len(c.sections)-1].text += line
		}
	}
	return cases
}

// findCorpus looks for the corpus beside the repository; CORPUS names another folder.
func findCorpus(t *testing.T) []string {
	t.Helper()
	if dir := os.Getenv("CORPUS"); dir != "" {
		files, _ := filepath.Glob(filepath.Join(dir, "*.cells"))
		return files
	}
	for up := ".."; len(up) < 30; up += "/.." {
		if files, _ := filepath.Glob(filepath.Join(up, "shared", "corpus", "*.cells")); len(files) > 0 {
			return files
		}
	}
	t.Skip("the corpus is not beside the repository")
	return nil
}

// judge plays a case in a fresh session and says what came of it; "" for a pass.
func judge(t *testing.T, c corpusCase) (verdict, detail string) { return judgeIn(newTestSession(t), c) }

// judgeIn plays a case in a session.
func judgeIn(s *Session, c corpusCase) (verdict, detail string) {
	var mu sync.Mutex
	var out strings.Builder
	publish := func(content protocol.Content) {
		mu.Lock()
		defer mu.Unlock()
		if text, ok := content.(protocol.Stream); ok && text.Name == "stdout" {
			out.WriteString(text.Text)
		}
	}
	var cells []section
	expected := map[string]string{}
	for _, part := range c.sections {
		if part.marker == "cell" || part.marker == "errcell" {
			cells = append(cells, part)
		} else {
			expected[part.marker] = part.text
		}
	}
	wantError, errorWanted := expected["err"]
	var last ending
	for i, part := range cells {
		finished := make(chan ending, 1)
		go func() { finished <- s.play(i+1, part.text, publish) }()
		select {
		case last = <-finished:
		case <-time.After(waitingTime):
			s.Interrupt()
			return "hang", part.text
		}
		mustFail := part.marker == "errcell" || errorWanted && i == len(cells)-1
		if mustFail && last.failure == nil {
			return "accepted", part.text
		}
		if !mustFail && last.failure != nil {
			return "refused", last.failure.String() + "\n" + strings.Join(last.failure.traceback, "\n")
		}
	}
	mu.Lock()
	got := out.String()
	mu.Unlock()
	trim := func(s string) string { return strings.TrimRight(s, " \t\r\n") }
	if want, ok := expected["out"]; ok && trim(got) != trim(want) {
		return "wrong", fmt.Sprintf("got:\n%s\nwant:\n%s", got, want)
	}
	if want, ok := expected["val"]; ok {
		if last.shown == nil {
			return "wrong", fmt.Sprintf("no value, want %q", want)
		}
		if value := last.shown.data["text/plain"].(string); trim(value) != trim(want) {
			return "wrong", fmt.Sprintf("value %q, want %q", value, want)
		}
	}
	if want := strings.TrimSpace(wantError); errorWanted && want != "*" && !strings.Contains(last.failure.String(), want) {
		return "refused", last.failure.String()
	}
	return "", ""
}

// usesClock reports whether a case starts timers or tickers.
func (c corpusCase) usesClock() bool {
	return slices.ContainsFunc(c.sections, func(part section) bool {
		return strings.Contains(part.text, "time.New") || strings.Contains(part.text, "time.After")
	})
}

// judgeFairly plays a case that uses the clock again when it fails while the machine did not
// let this process run: compiled Go is as wrong then. A failure counts when a ticker of the
// test itself missed nothing meanwhile. Without any such attempt the verdict is heldUp.
func judgeFairly(t *testing.T, c corpusCase) (verdict, detail string) {
	const attempts = 100
	for range attempts {
		stop := make(chan struct{})
		late := make(chan bool, 1)
		// Ends with the attempt.
		go func() { late <- clockIsLate(stop) }()
		verdict, detail = judge(t, c)
		close(stop)
		if disturbed := <-late; verdict == "" || !disturbed {
			return verdict, detail
		}
	}
	return heldUp, detail
}

// heldUp is the verdict of a case that failed in every attempt, while the machine held this
// process up in each: it has neither passed nor failed.
const heldUp = "held up"

// clockIsLate counts ticks until it is stopped and reports whether one came later than a tick.
func clockIsLate(stop <-chan struct{}) (late bool) {
	const tick = 2 * time.Millisecond
	ticker := time.NewTicker(tick)
	defer ticker.Stop()
	for last := time.Now(); ; {
		select {
		case <-stop:
			return late || time.Since(last) > 2*tick
		case <-ticker.C:
			late = late || time.Since(last) > 2*tick
			last = time.Now()
		}
	}
}

func TestCorpus(t *testing.T) {
	files := findCorpus(t)
	total, passed := map[string]int{}, map[string]int{}
	verdicts := map[string]int{}
	for _, file := range files {
		for _, c := range readCorpus(t, file) {
			if only := os.Getenv("CORPUS_ONLY"); only != "" && !strings.Contains(c.name, only) {
				continue
			}
			total[c.category]++
			play := judge
			if c.usesClock() {
				play = judgeFairly
			}
			verdict, detail := play(t, c)
			if verdict == "" {
				passed[c.category]++
				continue
			}
			verdicts[verdict]++
			if verdict == heldUp {
				t.Logf("%s (%s): %s\n%s", c.name, c.category, verdict, detail)
				continue
			}
			t.Errorf("%s (%s): %s\n%s", c.name, c.category, verdict, detail)
		}
	}
	var categories []string
	sumPassed, sum := 0, 0
	for name := range total {
		categories = append(categories, name)
		sumPassed += passed[name]
		sum += total[name]
	}
	sort.Strings(categories)
	for _, name := range categories {
		t.Logf("%-14s %3d of %3d", name, passed[name], total[name])
	}
	t.Logf("%d of %d pass; %v", sumPassed, sum, verdicts)
}
