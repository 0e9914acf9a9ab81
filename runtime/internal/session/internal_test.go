package session

import (
	"errors"
	"os"
	"strings"
	"testing"

	"gosphere/runtime/internal/guard"
	"gosphere/runtime/internal/link"
)

func TestInternalErrorsShowOneLineAndAFile(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	s := &failures{values: &values{guard: guard.New()}}
	const source, emitted = "k := h >> f\nsecond", "func cellˑ1() {\n\tif !gs.Run(0) { return }\n}"
	text := "interpreter: 7:17: undefined: cellˑ8\nmore"
	f := s.of(&link.Defect{Text: text, Stack: emitted}, 1, source)
	shown := f.String() + "\n" + strings.Join(f.traceback, "\n")
	if f.value != "undefined: cell" {
		t.Errorf("the message is %q", f.value)
	}
	for _, hidden := range []string{"ˑ", "func cell", "7:17", "goroutine"} {
		if strings.Contains(shown, hidden) {
			t.Errorf("%q is shown in\n%s", hidden, shown)
		}
	}
	_, path, _ := strings.Cut(shown, "with the file ")
	path, _, _ = strings.Cut(path, ",")
	report, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, wanted := range []string{source, emitted, text, "go1."} {
		if !strings.Contains(string(report), wanted) {
			t.Errorf("the report lacks %q:\n%s", wanted, report)
		}
	}
	if !strings.Contains(shown, "not of the cell") || !strings.Contains(string(report), "The cell:") {
		t.Errorf("the text is %s", shown)
	}
	program := &failures{values: &values{guard: guard.New()}}
	program.values.guard.AsProgram(func() (now, begun int64) { return 0, 0 })
	ofProgram := strings.Join(program.of(&link.Defect{Text: "strange"}, 1, "x").traceback, "\n")
	if !strings.Contains(ofProgram, "not of the program") || !strings.Contains(ofProgram, "which holds the program and") {
		t.Errorf("the text for a program is %s", ofProgram)
	}
	again := s.of(&link.Defect{Text: text, Stack: emitted}, 2, source)
	if !strings.Contains(strings.Join(again.traceback, "\n"), path) {
		t.Error("the same defect has another report")
	}
}

func TestInternalErrorsSayWhyThereIsNoFile(t *testing.T) {
	t.Setenv("TMPDIR", "/nonexistent/folder")
	f := (&failures{values: &values{guard: guard.New()}}).of(errors.New("strange"), 1, "x")
	if text := strings.Join(f.traceback, "\n"); !strings.Contains(text, "There is no file for a report: ") || !strings.Contains(text, "internal error: strange\n") {
		t.Errorf("got %s", text)
	}
}
