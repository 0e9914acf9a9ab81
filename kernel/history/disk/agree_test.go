package disk

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"

	"gosphere/kernel/history"
	"gosphere/kernel/protocol"
)

// alphabet contains the pieces of patterns and cells: characters that are special in patterns, here
// or in SQLite, and ordinary ones.
var alphabet = []string{"a", "b", "A", "*", "?", "[", "]", "^", "-", "!", `\`, "/", "%", "_", "'", `"`, "\n", " ", "κ", "😀", ".", "{", "}"}

func randomText(source *rand.Rand, most int) string {
	var text strings.Builder
	for range source.IntN(most + 1) {
		text.WriteString(alphabet[source.IntN(len(alphabet))])
	}
	return text.String()
}

// patternOf derives from a text a pattern that may match it: pieces become stars and question
// marks.
func patternOf(source *rand.Rand, text string) string {
	var pattern strings.Builder
	for _, r := range text {
		switch source.IntN(6) {
		case 0:
			pattern.WriteString("*")
		case 1:
			pattern.WriteString("?")
		default:
			pattern.WriteRune(r)
		}
	}
	return pattern.String()
}

// TestTheFileAndTheMemoryFindTheSameCells queries the cells of one session in both ways: by SQLite
// statements and by our own code.
func TestTheFileAndTheMemoryFindTheSameCells(t *testing.T) {
	source := rand.New(rand.NewPCG(1, 2))
	stored := New(Options{Path: filepath.Join(t.TempDir(), "history.sqlite"), Patience: patience})
	defer stored.Close(patience)
	remembered := New(Options{})
	var sources []string
	for line := 1; line <= 60; line++ {
		text := randomText(source, 6) + "x"
		if len(sources) > 0 && source.IntN(4) == 0 {
			text = sources[source.IntN(len(sources))]
		}
		sources = append(sources, text)
		stored.Add(history.Cell{Line: line, Source: text})
		remembered.Add(history.Cell{Line: line, Source: text})
	}
	same := func(request protocol.HistoryRequest) {
		t.Helper()
		got, want := mustFind(t, stored, request), mustFind(t, remembered, request)
		if got != want {
			stop := "none"
			if request.Stop != nil {
				stop = fmt.Sprint(*request.Stop)
			}
			t.Errorf("%+v, stop %s: the file has\n%q\nthe memory\n%q", request, stop, got, want)
		}
	}
	found := 0
	for range 400 {
		pattern := patternOf(source, sources[source.IntN(len(sources))])
		if source.IntN(5) == 0 {
			pattern = randomText(source, 5)
		}
		request := protocol.HistoryRequest{HistAccessType: "search", Pattern: pattern, N: source.IntN(4), Unique: source.IntN(2) == 0}
		same(request)
		if mustFind(t, remembered, request) != "" {
			found++
		}
	}
	if found < 150 {
		t.Errorf("only %d patterns found anything", found)
	}
	for _, session := range []int{0, 1, -1, 2, 99} {
		for start := -70; start <= 70; start += 14 {
			same(protocol.HistoryRequest{HistAccessType: "range", Session: session, Start: start})
			for stop := -70; stop <= 70; stop += 20 {
				same(protocol.HistoryRequest{HistAccessType: "range", Session: session, Start: start, Stop: &stop})
			}
		}
	}
	for _, n := range []int{-1, 0, 1, 59, 60, 61} {
		same(protocol.HistoryRequest{HistAccessType: "tail", N: n})
	}
}

func TestUniqueSearchKeepsTheLastOfEachTextInTheOrderOfTime(t *testing.T) {
	path := filepath.Join(t.TempDir(), "history.sqlite")
	for _, cells := range [][]string{{"a", "b", "a"}, {"c", "b"}, {"a", "d"}} {
		l := New(Options{Path: path, Patience: patience})
		fill(l, cells...)
		l.Close(patience)
	}
	l := New(Options{Path: path, Patience: patience})
	defer l.Close(patience)
	for _, q := range []struct {
		n    int
		want string
	}{{0, "2.1:c 2.2:b 3.1:a 3.2:d"}, {2, "3.1:a 3.2:d"}, {9, "2.1:c 2.2:b 3.1:a 3.2:d"}} {
		if got := mustFind(t, l, protocol.HistoryRequest{HistAccessType: "search", Pattern: "?", Unique: true, N: q.n}); got != q.want {
			t.Errorf("the last %d: %s, want %s", q.n, got, q.want)
		}
	}
}
