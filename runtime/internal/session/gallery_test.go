package session

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"gosphere/kernel/protocol"
	"gosphere/runtime/internal/testdata/cases"
)

var update = flag.Bool("update", false, "rewrite the gallery of wrong cells with what they show now")

// A wrong is an exhibit of the gallery: cells of which the last contains a mistake, and the output
// that the user sees.
type wrong struct {
	name  string
	cells []string
	shown string
}

// readGallery reads a file of the gallery. The section "shown" of an exhibit has the output of its
// last cell.
func readGallery(t *testing.T, path string) []wrong {
	t.Helper()
	notebooks, err := cases.Notebooks(path)
	if err != nil {
		t.Fatal(err)
	}
	var list []wrong
	for _, n := range notebooks {
		w := wrong{name: n.Name}
		for _, part := range n.Sections {
			if text := strings.Trim(part.Text, "\n"); part.Marker == "cell" {
				w.cells = append(w.cells, text)
			} else {
				w.shown = text
			}
		}
		list = append(list, w)
	}
	return list
}

// shows plays the cells of an exhibit and returns the output of the last one as a client shows it:
// its streams and its error, line by line.
func (w wrong) shows(s *Session) string {
	var mu sync.Mutex
	var text strings.Builder
	var reply protocol.ExecuteReply
	for _, code := range w.cells {
		mu.Lock()
		text.Reset()
		mu.Unlock()
		reply = execute(s, code, func(content protocol.Content) {
			mu.Lock()
			defer mu.Unlock()
			switch m := content.(type) {
			case protocol.Stream:
				text.WriteString(m.Text)
			case protocol.ExecuteResult:
				text.WriteString(m.Data["text/plain"].(string) + "\n")
			}
		})
	}
	mu.Lock()
	defer mu.Unlock()
	text.WriteString(strings.Join(reply.Traceback, "\n"))
	var lines []string
	for _, line := range strings.Split(text.String(), "\n") {
		lines = append(lines, strings.TrimRight(line, " "))
	}
	return strings.Trim(strings.Join(lines, "\n"), "\n")
}

// TestWrongCellsTellWhereWhatAndWhatInstead compares every exhibit of the gallery with the
// committed output. To rewrite the outputs, run go test ./runtime/internal/session -run WrongCells
// -update, and read the changes from a beginner's point of view.
func TestWrongCellsTellWhereWhatAndWhatInstead(t *testing.T) {
	files, err := filepath.Glob("testdata/gallery/*.cells")
	if err != nil || len(files) == 0 {
		t.Fatalf("no gallery: %v", err)
	}
	for _, file := range files {
		var written strings.Builder
		for _, w := range readGallery(t, file) {
			s := newTestSession(t)
			s.guard.Memory.Set(16 << 30) // one of the errors contains this limit
			got := w.shows(s)
			s.Close()
			if got != w.shown && !*update {
				t.Errorf("%s, %s:\n%s\ngot:\n%s\nwant:\n%s", filepath.Base(file), w.name, strings.Join(w.cells, "\n---\n"), got, w.shown)
			}
			written.WriteString("=== " + w.name + "\n")
			for _, code := range w.cells {
				written.WriteString("--- cell\n" + code + "\n")
			}
			written.WriteString("--- shown\n" + got + "\n\n")
		}
		if *update {
			if err := os.WriteFile(file, []byte(strings.TrimRight(written.String(), "\n")+"\n"), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
}
