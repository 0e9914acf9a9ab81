package session

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"

	"gosphere/kernel/protocol"
	"gosphere/runtime/internal/engine"
	"gosphere/runtime/internal/ir"
)

// The documents about cells, whose examples the tests play.
const (
	wayDocument      = "../../../docs/how-cells-run.md"
	refusalsDocument = "../../../docs/refusals.md"
	limitsDocument   = "../../../docs/limits.md"
)

func readDocument(t *testing.T, path string) string {
	t.Helper()
	document, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(document)
}

// played plays a cell and returns its streams and its value or error as text, each starting on a
// new line. Positions are relative to the cell.
func played(s *Session, code string) string {
	var mu sync.Mutex
	var b strings.Builder
	s.Execute(context.Background(), protocol.ExecuteRequest{Code: code, StoreHistory: true}, func(content protocol.Content) {
		mu.Lock()
		defer mu.Unlock()
		switch c := content.(type) {
		case protocol.Stream:
			b.WriteString(c.Text)
		case protocol.ExecuteResult:
			b.WriteString(c.Data["text/plain"].(string) + "\n")
		case protocol.Error:
			b.WriteString(c.Ename + ": " + c.Evalue + "\n" + strings.Join(c.Traceback, "\n") + "\n")
		}
	})
	mu.Lock()
	defer mu.Unlock()
	return b.String()
}

var codeInTable = regexp.MustCompile("`([^`]+)`")

// tableRows reads all tables of a document. It returns, for each row, the code in each column.
func tableRows(document string) (rows [][][]string) {
	head := true
	for line := range strings.Lines(document) {
		if !strings.HasPrefix(line, "| ") {
			head = true
			continue
		}
		if head || strings.HasPrefix(line, "| --- ") {
			head = false
			continue
		}
		var row [][]string
		for _, column := range strings.Split(strings.Trim(strings.TrimSpace(line), "|"), " | ") {
			var codes []string
			for _, m := range codeInTable.FindAllStringSubmatch(column, -1) {
				codes = append(codes, m[1])
			}
			row = append(row, codes)
		}
		rows = append(rows, row)
	}
	return rows
}

func TestTheCellsThatTheDocumentFollowsRunAsItSays(t *testing.T) {
	document := readDocument(t, wayDocument)
	var programs strings.Builder
	s := newSessionWith(t, func(o *Options) { o.Trace = func(p *ir.Program) { programs.WriteString(p.String()) } })
	blocks := regexp.MustCompile("(?s)```(\\w+)\n(.*?)\n```").FindAllStringSubmatch(document, -1)
	if len(blocks) != 5 {
		t.Fatalf("%d blocks", len(blocks))
	}
	shown := ""
	for _, block := range blocks {
		switch kind, text := block[1], block[2]; kind {
		case "cell":
			programs.Reset()
			shown = played(s, text)
		case "shows":
			if shown != text+"\n" {
				t.Errorf("the cell shows %q, the document says %q", shown, text)
			}
		case "program":
			if got := strings.TrimRight(programs.String(), "\n"); got != text {
				t.Errorf("the program is\n%s\nthe document says\n%s", got, text)
			}
		case "skeleton":
			n := strings.Count(text, "gs.Run")
			if got := engine.SkeletonText(n); got != text {
				t.Errorf("the skeleton is\n%s\nthe document says\n%s", got, text)
			}
		default:
			t.Errorf("a block of %s", kind)
		}
	}
	refused := 0
	for _, row := range tableRows(document) {
		if message := row[1]; len(message) == 1 && strings.HasPrefix(message[0], "cannot") {
			refused++
			if got := played(s, row[0][0]); !strings.Contains(got, message[0]) {
				t.Errorf("%s: %s\nthe document says %q", row[0][0], got, message[0])
			}
		}
	}
	if refused != 2 {
		t.Errorf("%d of 2 mistakes found", refused)
	}
	if got := played(s, "sum"); got != "14\n" {
		t.Errorf("after the mistakes sum is %s", got)
	}
}

func TestTheDocumentThatFollowsACellIsTwoPages(t *testing.T) {
	document := readDocument(t, wayDocument)
	if lines, words := strings.Count(document, "\n"), len(strings.Fields(document)); lines > 110 || words > 1100 {
		t.Errorf("%d lines, %d words: move details to docs/limits.md", lines, words)
	}
}

func TestTheDocumentsRefusalsAreRefused(t *testing.T) {
	rows := tableRows(readDocument(t, refusalsDocument))
	if len(rows) < 12 {
		t.Fatalf("%d rows", len(rows))
	}
	for _, row := range rows {
		if len(row) != 3 || len(row[0]) == 0 || len(row[1]) != 1 {
			t.Errorf("no row with an example and a message: %q", row)
			continue
		}
		s := newTestSession(t)
		var got string
		for i, code := range row[0] {
			got = played(s, code)
			if i+1 < len(row[0]) && strings.Contains(got, "error: ") {
				t.Errorf("%q is refused already: %s", code, got)
			}
		}
		if !strings.Contains(got, row[1][0]) || strings.Contains(got, "internal") {
			t.Errorf("%q: %s\nthe document says %q", row[0], got, row[1][0])
		}
		s.Close()
	}
}

func TestARefusedFunctionHasTooManyParameters(t *testing.T) {
	s := newTestSession(t)
	code := "func wide(" + strings.Repeat("_, ", 127) + "_ int) bool { return true }\nf := wide"
	if got, want := played(s, code), "a function has 129 parameters and results, the limit is 128; pass a struct"; !strings.Contains(got, want) {
		t.Errorf("%s, want %s", got, want)
	}
}

func TestARefusedTypeHasTooManyMethods(t *testing.T) {
	s := newTestSession(t)
	code := "type wide struct{}\n"
	for i := range 1025 {
		code += fmt.Sprintf("func (wide) m%d() {}\n", i)
	}
	got := played(s, code+"any(wide{})")
	if want := "type wide: realtype: type main.wide has more methods than the limit (1024)"; !strings.Contains(got, want) {
		t.Errorf("%s, want %s", got, want)
	}
}

func TestTheDocumentsLimitsAreReal(t *testing.T) {
	rows := tableRows(readDocument(t, limitsDocument))
	if len(rows) < 15 {
		t.Fatalf("%d rows", len(rows))
	}
	for _, row := range rows {
		if len(row[0]) == 0 {
			continue // the table lists speeds
		}
		if len(row) < 2 || len(row[1]) != 1 {
			t.Errorf("no row with an example and what it shows: %q", row)
			continue
		}
		s := newTestSession(t)
		var got string
		for _, code := range row[0] {
			got = played(s, code)
		}
		if !strings.Contains(got, row[1][0]) {
			t.Errorf("%q: %s\nthe document says %q", row[0], got, row[1][0])
		}
		s.Close()
	}
}

// messages returns the texts of refusals in the source of a package. Messages that begin with
// "internal" are defects and are omitted.
func messages(t *testing.T, dir string) (list []string) {
	t.Helper()
	files, err := filepath.Glob(dir + "/*.go")
	if err != nil || len(files) == 0 {
		t.Fatalf("no files in %s: %v", dir, err)
	}
	call := regexp.MustCompile(`(?:unsupported|refuse)\([^"\n]*"((?:[^"\\]|\\.)*)"`)
	reported := regexp.MustCompile(`(?:report|ErrorAt|errorAt)\([^"\n]*(?:\n\s*fmt\.Sprintf\()?"(cells (?:[^"\\]|\\.)*)"`)
	returned := regexp.MustCompile(`return (?:v|reflect\.Value\{\}), fmt\.Errorf\("((?:[^"\\]|\\.)*)"`)
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		text := readDocument(t, file)
		for _, form := range []*regexp.Regexp{call, reported, returned} {
			for _, m := range form.FindAllStringSubmatch(text, -1) {
				if !strings.HasPrefix(m[1], "internal") && m[1] != "%v" {
					list = append(list, strings.ReplaceAll(m[1], `\"`, `"`))
				}
			}
		}
	}
	return list
}

var verbs = regexp.MustCompile(`%[a-zA-Z]`)

func TestTheDocumentListsEveryRefusal(t *testing.T) {
	document := readDocument(t, refusalsDocument)
	found := 0
	for _, dir := range []string{"../../cell", "../link", "../lower", "../exec"} {
		for _, message := range messages(t, dir) {
			found++
			form := regexp.MustCompile("`" + strings.Join(quoted(verbs.Split(message, -1)), "[^`]*"))
			if !form.MatchString(document) {
				t.Errorf("%s: %q is not in docs/refusals.md", dir, message)
			}
		}
	}
	if found < 20 {
		t.Errorf("only %d refusals found", found)
	}
}

// quoted converts a format string to a regular expression.
func quoted(list []string) []string {
	for i := range list {
		list[i] = regexp.QuoteMeta(list[i])
	}
	return list
}
