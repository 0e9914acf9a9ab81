package session

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"

	"gosphere/kernel/protocol"
)

// A scriptCell is one cell of a script with what it must print and show, line by line, or
// the error that it must have.
type scriptCell struct {
	source, want, wantError string
}

// readScript cuts a script into its cells. Lines that begin with "// want: " hold the
// output and the value, "// error: " a regular expression for the error.
func readScript(t *testing.T, path string) []scriptCell {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var cells []scriptCell
	for _, text := range strings.Split(string(data), "\n---\n") {
		var c scriptCell
		for _, line := range strings.Split(text, "\n") {
			if want, ok := strings.CutPrefix(line, "// want: "); ok {
				c.want += want + "\n"
			} else if want, ok := strings.CutPrefix(line, "// error: "); ok {
				c.wantError = want
			} else {
				c.source += line + "\n"
			}
		}
		cells = append(cells, c)
	}
	return cells
}

func TestScripts(t *testing.T) {
	files, err := filepath.Glob("testdata/*.cells")
	if err != nil || len(files) == 0 {
		t.Fatalf("no scripts: %v", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".cells"), func(t *testing.T) {
			s := newTestSession(t)
			for _, c := range readScript(t, file) {
				playScriptCell(t, s, c)
			}
		})
	}
}

func playScriptCell(t *testing.T, s *Session, c scriptCell) {
	t.Helper()
	var mu sync.Mutex
	var out strings.Builder
	reply := execute(s, c.source, func(content protocol.Content) {
		mu.Lock()
		defer mu.Unlock()
		switch m := content.(type) {
		case protocol.Stream:
			if m.Name == "stdout" {
				out.WriteString(m.Text)
			}
		case protocol.ExecuteResult:
			out.WriteString(m.Data["text/plain"].(string) + "\n")
		}
	})
	mu.Lock()
	got := out.String()
	mu.Unlock()
	failure := reply.Ename + ": " + reply.Evalue + "\n" + strings.Join(reply.Traceback, "\n")
	switch {
	case c.wantError == "" && reply.Status != "ok":
		t.Errorf("cell\n%s\nfails: %s", c.source, failure)
	case c.wantError != "" && reply.Status == "ok":
		t.Errorf("cell\n%s\nhas no error, want %s", c.source, c.wantError)
	case c.wantError != "" && !regexp.MustCompile(c.wantError).MatchString(failure):
		t.Errorf("cell\n%s\nfails with %s\nwant %s", c.source, failure, c.wantError)
	}
	trim := func(s string) string {
		var lines []string
		for _, line := range strings.Split(strings.TrimSpace(s), "\n") {
			lines = append(lines, strings.TrimRight(line, " "))
		}
		return strings.Join(lines, "\n")
	}
	if trim(got) != trim(c.want) {
		t.Errorf("cell\n%s\ngot:\n%s\nwant:\n%s", c.source, got, c.want)
	}
}
