package session

import (
	"context"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"gosphere/kernel/protocol"
	"gosphere/runtime/lower"
)

const (
	passesDocument = "../../HOW-CELLS-RUN.md"
	formsDocument  = "../lower/README.md"
)

// uniqueMarks are what lowering adds to names to make them unique.
var uniqueMarks = regexp.MustCompile(`ʹ\d*|ˑ\d+`)

func readDocument(t *testing.T, path string) string {
	t.Helper()
	document, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(document)
}

// A documentSession plays the cells of a document and notes what the interpreter gets.
type documentSession struct {
	*Session
	emitted strings.Builder
}

func newDocumentSession(t *testing.T) *documentSession {
	s := &documentSession{Session: newTestSession(t)}
	lower.Trace = func(text string) { s.emitted.WriteString(text + "\n") }
	t.Cleanup(func() {
		lower.Trace = nil
		s.Close()
	})
	return s
}

// becomes tells which of the lines the interpreter does not get for a cell.
func (s *documentSession) becomes(t *testing.T, cell string, lines []string) {
	t.Helper()
	s.emitted.Reset()
	if got := printed(s.Session, cell); strings.Contains(got, "error") || strings.Contains(got, "not supported") {
		t.Errorf("%s\n%s", cell, got)
	}
	text := uniqueMarks.ReplaceAllString(s.emitted.String(), "")
	for _, line := range lines {
		if !strings.Contains(text, line) {
			t.Errorf("%s: %q is not in\n%s", cell, line, text)
		}
	}
}

// shown plays a cell and returns its value as text, or its error.
func (s *documentSession) shown(code string) (text string) {
	s.Execute(context.Background(), protocol.ExecuteRequest{Code: code, StoreHistory: true}, func(content protocol.Content) {
		switch c := content.(type) {
		case protocol.ExecuteResult:
			text = c.Data["text/plain"].(string)
		case protocol.Error:
			text = c.Ename + ": " + c.Evalue + "\n" + strings.Join(c.Traceback, "\n")
		}
	})
	return text
}

var codeInTable = regexp.MustCompile("`([^`]+)`")

// tableRows reads the table under a heading: for each row the code in each of its columns.
func tableRows(document, heading string) (rows [][][]string) {
	_, chapter, _ := strings.Cut(document, "\n"+heading+"\n")
	chapter, _, _ = strings.Cut(chapter, "\n## ")
	for line := range strings.Lines(chapter) {
		if !strings.HasPrefix(line, "| ") || strings.HasPrefix(line, "| --- ") {
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
	return rows[min(1, len(rows)):] // without the head
}

func TestTheCellThatTheDocumentFollowsGoesThroughThePasses(t *testing.T) {
	document := readDocument(t, passesDocument)
	s := newDocumentSession(t)
	cell := regexp.MustCompile("(?s)```cell\n(.*?)```").FindStringSubmatch(document)
	if cell == nil {
		t.Fatal("no cell")
	}
	value := s.shown(cell[1])
	found := 0
	for _, row := range tableRows(document, "## The passes in order") {
		if len(row) != 2 || len(row[0]) != 1 || len(row[1]) == 0 {
			continue
		}
		switch before, after := row[0][0], row[1][len(row[1])-1]; {
		case before == "noon":
			found++
			if value != after || s.shown(before) != after {
				t.Errorf("the cell shows %q, the document says %q", value, after)
			}
		case strings.HasPrefix(before, "noon +"):
			found++
			if got := s.shown(before); !strings.Contains(got, after) {
				t.Errorf("%s: %q, the document says %q", before, got, after)
			}
		}
	}
	if found != 2 {
		t.Errorf("%d of 2 rows found", found)
	}
	if got := s.shown(`fmt.Sprintf("%T", noon)`); got != "main.Temp" || !strings.Contains(document, "`"+got+"`") {
		t.Errorf("in an interface value noon is a %s", got)
	}
}

func TestWhatLoweringMakesInTheDocumentIsReal(t *testing.T) {
	document := readDocument(t, passesDocument)
	s := newDocumentSession(t)
	first, _, _ := strings.Cut(document[strings.Index(document, "```cell\n")+8:], "```")
	s.shown(first)
	rows := tableRows(document, "## What lowering makes")
	if len(rows) < 8 {
		t.Fatalf("%d rows", len(rows))
	}
	for _, row := range rows {
		if len(row) != 3 || len(row[1]) != 1 || len(row[2]) == 0 {
			t.Fatalf("no row with a cell and what it becomes: %q", row)
		}
		s.becomes(t, row[1][0], row[2])
	}
}

func TestWhatTheDocumentCallsRefusedIsRefused(t *testing.T) {
	rows := tableRows(readDocument(t, passesDocument), "## What is refused, and why")
	if len(rows) < 6 {
		t.Fatalf("%d rows", len(rows))
	}
	for _, row := range rows {
		s := newDocumentSession(t)
		if len(row) != 3 || len(row[0]) == 0 || len(row[1]) != 1 {
			t.Fatalf("no row with cells and a message: %q", row)
		}
		var got string
		for _, cell := range row[0] {
			got = s.shown(cell)
		}
		if !strings.Contains(got, row[1][0]) {
			t.Errorf("%q: %q, the document says %q", row[0], got, row[1][0])
		}
	}
}

func TestTheDocumentOfThePassesIsTwoPages(t *testing.T) {
	document := readDocument(t, passesDocument)
	if lines, words := strings.Count(document, "\n"), len(strings.Fields(document)); lines > 110 || words > 1100 {
		t.Errorf("%d lines, %d words: move details to runtime/lower/README.md or runtime/LIMITS.md", lines, words)
	}
}

// TestEmittedCodeInTheDocumentIsReal replays the cells of the document of all forms.
func TestEmittedCodeInTheDocumentIsReal(t *testing.T) {
	examples := regexp.MustCompile("(?s)```cell\n(.*?)```\n```becomes\n(.*?)\n```").FindAllStringSubmatch(readDocument(t, formsDocument), -1)
	if len(examples) < 8 {
		t.Fatalf("%d examples", len(examples))
	}
	s := newDocumentSession(t)
	for _, example := range examples {
		s.becomes(t, example[1], strings.Split(example[2], "\n"))
	}
}

// TestTheDocumentListsEveryRefusal looks for the messages of package lower.
func TestTheDocumentListsEveryRefusal(t *testing.T) {
	document := readDocument(t, formsDocument)
	files, err := os.ReadDir("../lower")
	if err != nil {
		t.Fatal(err)
	}
	refusal := regexp.MustCompile(`refuse\([^"\n]*"([^"]+)"`)
	found := 0
	for _, file := range slices.DeleteFunc(files, func(f os.DirEntry) bool { return !strings.HasSuffix(f.Name(), ".go") }) {
		for _, m := range refusal.FindAllStringSubmatch(readDocument(t, "../lower/"+file.Name()), -1) {
			if found++; m[1] != "%v" && !strings.Contains(document, m[1]) {
				t.Errorf("%s: %q is not in runtime/lower/README.md", file.Name(), m[1])
			}
		}
	}
	if found < 10 {
		t.Errorf("only %d refusals found", found)
	}
}
