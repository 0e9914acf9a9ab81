package session

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"gosphere/runtime/lower"
)

// uniqueMarks are what lowering adds to names to make them unique.
var uniqueMarks = regexp.MustCompile(`ʹ\d*|ˑ\d+`)

// TestEmittedCodeInTheDocumentIsReal replays the cells of HOW-CELLS-RUN.md.
func TestEmittedCodeInTheDocumentIsReal(t *testing.T) {
	document, err := os.ReadFile("../../HOW-CELLS-RUN.md")
	if err != nil {
		t.Fatal(err)
	}
	examples := regexp.MustCompile("(?s)```cell\n(.*?)```\n```becomes\n(.*?)```").FindAllStringSubmatch(string(document), -1)
	if len(examples) < 8 {
		t.Fatalf("%d examples", len(examples))
	}
	var emitted strings.Builder
	lower.Trace = func(text string) { emitted.WriteString(text) }
	defer func() { lower.Trace = nil }()
	s := newTestSession(t)
	defer s.Close()
	for _, example := range examples {
		emitted.Reset()
		if got := printed(s, example[1]); strings.Contains(got, "error") || strings.Contains(got, "not supported") {
			t.Errorf("%s\n%s", example[1], got)
		}
		text := uniqueMarks.ReplaceAllString(emitted.String(), "")
		for line := range strings.Lines(example[2]) {
			if !strings.Contains(text, strings.TrimSuffix(line, "\n")) {
				t.Errorf("%q is not in\n%s", line, text)
			}
		}
	}
}

// TestTheDocumentListsEveryRefusal looks for the messages of package lower.
func TestTheDocumentListsEveryRefusal(t *testing.T) {
	document, err := os.ReadFile("../../HOW-CELLS-RUN.md")
	if err != nil {
		t.Fatal(err)
	}
	files, err := os.ReadDir("../lower")
	if err != nil {
		t.Fatal(err)
	}
	refusal := regexp.MustCompile(`refuse\([^"\n]*"([^"]+)"`)
	found := 0
	for _, file := range files {
		source, err := os.ReadFile("../lower/" + file.Name())
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range refusal.FindAllStringSubmatch(string(source), -1) {
			if found++; m[1] != "%v" && !strings.Contains(string(document), m[1]) {
				t.Errorf("%s: %q is not in HOW-CELLS-RUN.md", file.Name(), m[1])
			}
		}
	}
	if found < 10 {
		t.Errorf("only %d refusals found", found)
	}
}
