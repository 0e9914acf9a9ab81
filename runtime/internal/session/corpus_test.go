package session

import (
	"fmt"
	"os"
	"slices"
	"sort"
	"strings"
	"sync"
	"testing"
	"time"

	"gosphere/kernel/protocol"
	"gosphere/runtime/internal/testdata/cases"
)

// judge plays a case in a new session and returns the difference from the expected result, or "".
func judge(t *testing.T, c cases.Notebook) (verdict, detail string) {
	return judgeIn(newTestSession(t), c)
}

// judgeIn plays a case in a session.
func judgeIn(s *Session, c cases.Notebook) (verdict, detail string) {
	var mu sync.Mutex
	var out strings.Builder
	publish := func(content protocol.Content) {
		mu.Lock()
		defer mu.Unlock()
		if text, ok := content.(protocol.Stream); ok && text.Name == "stdout" {
			out.WriteString(text.Text)
		}
	}
	var cells []cases.Section
	expected := map[string]string{}
	for _, part := range c.Sections {
		if part.Marker == "cell" || part.Marker == "errcell" {
			cells = append(cells, part)
		} else {
			expected[part.Marker] = part.Text
		}
	}
	wantError, errorWanted := expected["err"]
	var last ending
	for i, part := range cells {
		finished := make(chan ending, 1)
		go func() { finished <- s.play(i+1, part.Text, publish) }()
		select {
		case last = <-finished:
		case <-time.After(waitingTime):
			s.Interrupt()
			return "hang", part.Text
		}
		mustFail := part.Marker == "errcell" || errorWanted && i == len(cells)-1
		if mustFail && last.failure == nil {
			return "accepted", part.Text
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
func usesClock(c cases.Notebook) bool {
	return slices.ContainsFunc(c.Sections, func(part cases.Section) bool {
		return strings.Contains(part.Text, "time.New") || strings.Contains(part.Text, "time.After")
	})
}

// judgeFairly plays a case that uses the clock again if it fails while this process was not
// scheduled, because compiled Go fails then, too. A failure counts only if a ticker of the test
// missed no tick during the attempt. If there is no such attempt, the verdict is heldUp.
func judgeFairly(t *testing.T, c cases.Notebook) (verdict, detail string) {
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
	files := cases.Corpus()
	if len(files) == 0 {
		t.Skip("the corpus is not beside the repository")
	}
	total, passed := map[string]int{}, map[string]int{}
	verdicts := map[string]int{}
	for _, file := range files {
		list, err := cases.Notebooks(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range list {
			if only := os.Getenv("CORPUS_ONLY"); only != "" && !strings.Contains(c.Name, only) {
				continue
			}
			name, category, _ := strings.Cut(c.Name, " | ")
			total[category]++
			play := judge
			if usesClock(c) {
				play = judgeFairly
			}
			verdict, detail := play(t, c)
			if verdict == "" {
				passed[category]++
				continue
			}
			verdicts[verdict]++
			if verdict == heldUp {
				t.Logf("%s (%s): %s\n%s", name, category, verdict, detail)
				continue
			}
			t.Errorf("%s (%s): %s\n%s", name, category, verdict, detail)
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
