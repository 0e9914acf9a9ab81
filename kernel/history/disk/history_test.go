package disk

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"gosphere/kernel/history"
	"gosphere/kernel/protocol"
)

// text writes cells in a compact form.
func text(cells []history.Cell) string {
	var words []string
	for _, c := range cells {
		word := fmt.Sprintf("%d.%d:%s", c.Session, c.Line, c.Source)
		if c.Output != "" {
			word += "=" + c.Output
		}
		words = append(words, word)
	}
	return strings.Join(words, " ")
}

// patience is the time limit for closing a log.
const patience = 2 * time.Minute

func fill(l *Log, sources ...string) {
	for i, source := range sources {
		c := history.Cell{Line: i + 1, Source: source}
		if source == "1+1" {
			c.Output = "2"
		}
		l.Add(c)
	}
}

func mustFind(t *testing.T, l *Log, request protocol.HistoryRequest) string {
	t.Helper()
	cells, err := l.Find(request)
	if err != nil {
		t.Fatal(err)
	}
	return text(cells)
}

func number(n int) *int { return &n }

// Requests and their results for three sessions, of which the third is the log's own.
var questions = []struct {
	request protocol.HistoryRequest
	file    string // with all three sessions
	memory  string // where only the last is known, which is number 1 then
}{
	{protocol.HistoryRequest{HistAccessType: "tail", N: 3}, "2.2:b/c 3.1:1+1=2 3.2:a", "1.1:1+1=2 1.2:a"},
	{protocol.HistoryRequest{HistAccessType: "tail"}, "1.1:a 1.2:1+1=2 1.3:x[1] 2.1:a 2.2:b/c 3.1:1+1=2 3.2:a", "1.1:1+1=2 1.2:a"},
	{protocol.HistoryRequest{HistAccessType: "range"}, "3.1:1+1=2 3.2:a", "1.1:1+1=2 1.2:a"},
	{protocol.HistoryRequest{HistAccessType: "range", Start: 2}, "3.2:a", "1.2:a"},
	{protocol.HistoryRequest{HistAccessType: "range", Session: -1, Start: 1, Stop: number(2)}, "2.1:a", ""},
	{protocol.HistoryRequest{HistAccessType: "range", Session: -2, Start: -2}, "1.2:1+1=2 1.3:x[1]", ""},
	{protocol.HistoryRequest{HistAccessType: "range", Session: 1, Start: 1, Stop: number(-1)}, "1.1:a 1.2:1+1=2", "1.1:1+1=2"},
	{protocol.HistoryRequest{HistAccessType: "range", Session: 2, Start: 1, Stop: number(0)}, "2.1:a 2.2:b/c", ""},
	{protocol.HistoryRequest{HistAccessType: "range", Session: -7}, "", ""},
	{protocol.HistoryRequest{HistAccessType: "search", Pattern: "a"}, "1.1:a 2.1:a 3.2:a", "1.2:a"},
	{protocol.HistoryRequest{HistAccessType: "search", Pattern: "?", Unique: true}, "3.2:a", "1.2:a"},
	{protocol.HistoryRequest{HistAccessType: "search", Pattern: "*[1]"}, "1.3:x[1]", ""},
	{protocol.HistoryRequest{HistAccessType: "search", Pattern: "*", Unique: true, N: 3}, "2.2:b/c 3.1:1+1=2 3.2:a", "1.1:1+1=2 1.2:a"},
	{protocol.HistoryRequest{HistAccessType: "search", Pattern: "", N: 1}, "3.2:a", "1.2:a"},
	{protocol.HistoryRequest{HistAccessType: "search", Pattern: "b?c"}, "2.2:b/c", ""},
	{protocol.HistoryRequest{HistAccessType: "search", Pattern: "A"}, "", ""},
}

func TestRequestsFindTheCellsOfAllSessions(t *testing.T) {
	path := t.TempDir() + "/history.sqlite"
	for _, cells := range [][]string{{"a", "1+1", "x[1]"}, {"a", "b/c"}} {
		l := New(Options{Path: path, Patience: patience})
		fill(l, cells...)
		l.Close(patience)
	}
	l := New(Options{Path: path, Patience: patience})
	defer l.Close(patience)
	fill(l, "1+1", "a", " \n")
	for _, q := range questions {
		if got := mustFind(t, l, q.request); got != q.file {
			t.Errorf("%+v: %s, want %s", q.request, got, q.file)
		}
	}
}

func TestRequestsFindTheCellsOfThisSessionWithoutAFile(t *testing.T) {
	l := New(Options{})
	fill(l, "1+1", "a", " \n")
	for _, q := range questions {
		if got := mustFind(t, l, q.request); got != q.memory {
			t.Errorf("%+v: %s, want %s", q.request, got, q.memory)
		}
	}
	l.Close(patience)
}

func TestUnknownRequestsAreRefused(t *testing.T) {
	if _, err := New(Options{}).Find(protocol.HistoryRequest{HistAccessType: "all"}); err == nil || !strings.Contains(err.Error(), `"all", want range, tail or search`) {
		t.Errorf("error %v", err)
	}
}

func TestMemoryForgetsTheOldestCells(t *testing.T) {
	l := New(Options{})
	for i := range 20 {
		l.Add(history.Cell{Line: i, Source: strings.Repeat("x", history.MemoryLimit/4)})
	}
	cells, err := l.Find(protocol.HistoryRequest{HistAccessType: "tail"})
	size := history.Cell{Source: strings.Repeat("x", history.MemoryLimit/4)}.Size()
	if err != nil || len(cells) != history.MemoryLimit/size || cells[len(cells)-1].Line != 19 {
		t.Errorf("%d cells, %v", len(cells), err)
	}
}

func TestLongOutputsAreCut(t *testing.T) {
	l := New(Options{})
	l.Add(history.Cell{Line: 1, Source: "x", Output: strings.Repeat("é", 16<<10)})
	cells, _ := l.Find(protocol.HistoryRequest{HistAccessType: "tail"})
	if got := cells[0].Output; len(got) > 16<<10+len("…") || strings.Trim(got, "é") != "…" {
		t.Errorf("output of %d bytes, ending in %q", len(got), got[len(got)-5:])
	}
}

func TestARangeBeforeTheFirstCellCountsFromTheSessionToCome(t *testing.T) {
	path := t.TempDir() + "/history.sqlite"
	first := New(Options{Path: path, Patience: patience})
	fill(first, "a")
	first.Close(patience)
	second := New(Options{Path: path, Patience: patience})
	defer second.Close(patience)
	if got := mustFind(t, second, protocol.HistoryRequest{HistAccessType: "range", Session: -1}); got != "1.1:a" {
		t.Errorf("the session before: %q, want 1.1:a", got)
	}
	if got := mustFind(t, second, protocol.HistoryRequest{HistAccessType: "range"}); got != "" {
		t.Errorf("this session: %q, want nothing", got)
	}
}

func TestAnythingCanBeACell(t *testing.T) {
	path := t.TempDir() + "/history.sqlite"
	sources := []string{"s := `a\n\x00b`", "'); DROP TABLE history; --", "κ := \"😀\"", strings.Repeat("long ", 1<<18)}
	first := New(Options{Path: path, Patience: patience})
	fill(first, sources...)
	first.Close(patience)
	second := New(Options{Path: path, Patience: patience})
	defer second.Close(patience)
	cells, err := second.Find(protocol.HistoryRequest{HistAccessType: "range", Session: 1})
	if err != nil || len(cells) != len(sources) {
		t.Fatalf("%d cells, %v", len(cells), err)
	}
	for i, c := range cells {
		if c.Source != sources[i] {
			t.Errorf("cell %d came back as %.60q", i, c.Source)
		}
	}
}
