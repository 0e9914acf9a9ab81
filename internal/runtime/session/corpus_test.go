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

// A section is a cell of a corpus case, or its expected result.
type section struct{ marker, text string }

// A corpusCase is a short notebook with its expected output.
type corpusCase struct {
	name, category string
	sections       []section
}

// readCorpus reads a file of cases in the format described by the README of the corpus.
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

// findCorpus returns the folder of the corpus, which is next to the repository unless CORPUS names
// another one.
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

// judge plays a case in a new session and returns the difference from the expected result, or "".
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

// judgeFairly plays a case that uses the clock again if it fails while this process was not
// scheduled, because compiled Go fails then, too. A failure counts only if a ticker of the test
// missed no tick during the attempt. If there is no such attempt, the verdict is heldUp.
func judgeFairly(t *testing.T, c corpusCase) (verdict, detail string) {
	const attempts = 100
	for range attempts {
		stop := make(chan struct{})
		late := make(chan bool, 1)
		// This goroutine ends with the attempt.
		go func() { late <- clockIsLate(stop) }()
		verdict, detail = judge(t, c)
		close(stop)
		if disturbed := <-late; verdict == "" || !disturbed {
			return verdict, detail
		}
	}
	return heldUp, detail
}

// heldUp is the verdict on a case that failed in every attempt while this process was not scheduled
// regularly. It has neither passed nor failed.
const heldUp = "held up"

// clockIsLate counts ticks until it is stopped. It reports whether one was late by more than a
// tick.
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
