package session

import (
	"slices"
	"strings"
	"testing"
)

// The runtime's message contains two types with the same name.
func TestPanicAboutATypeDeclaredAgainNamesTheCell(t *testing.T) {
	s := newTestSession(t)
	for i, c := range []struct{ code, hint string }{
		{"type Unit struct{ A int }", ""},
		{"var first any = Unit{1}", ""},
		{"type Unit struct{ B string }", ""},
		{"var second any = Unit{}; _ = second.(Unit); _ = first.(Unit)", "    hint: the value is a Unit (of cell 1), declared again since; make it again with the new type"},
		{"type Unit [2]int", ""},
		{"_ = second.(Unit)", "    hint: the value is a Unit (of cell 1 or 3), declared again since; make it again with the new type"},
	} {
		end, _, ok := playCell(s, i+1, c.code)
		switch {
		case !ok:
			t.Fatalf("cell %d hangs", i+1)
		case c.hint == "" && end.failure != nil:
			t.Fatalf("cell %d: %s", i+1, end.failure)
		case c.hint != "" && (end.failure == nil || !slices.Contains(end.failure.traceback, c.hint)):
			t.Errorf("cell %d ends with %+v, want %q", i+1, end.failure, c.hint)
		}
	}
}

func TestNilPointerBesideGoroutinesAsksForTheError(t *testing.T) {
	s := newTestSession(t)
	end, _, ok := playCell(s, 1, "go func() { select {} }(); resp, err := http.Get(\"nowhere://\"); resp.Status")
	want := "    hint: err may hold an error; a cell with err alone shows it"
	if !ok || end.failure == nil || !slices.Contains(end.failure.traceback, want) {
		t.Errorf("the cell ends with %+v, want %q", end.failure, want)
	}
}

func TestNilPointerBesideAnErrorTellsTheError(t *testing.T) {
	s := newTestSession(t)
	for i, c := range []struct{ code, hint string }{
		{"var p *struct{ A int }; p.A = 1", ""},
		{"p, err := os.Open(\"missing.csv\"); fmt.Println(*p)", "    hint: err is not nil, it holds: open missing.csv: no such file or directory"},
		{"err", ""},
		{"resp, err := http.Get(\"nowhere://\"); resp.Status", "    hint: err is not nil, it holds: Get \"nowhere:\": unsupported protocol scheme \"nowhere\""},
		{"var list []int; _ = list[len(list)]", ""},
		{"err = nil; var q *int; _ = *q", ""},
		{"type own struct{}; func (own) Error() string { select {} }", ""},
		{"err = own{}; var q *int; _ = *q", "    hint: err is not nil, it holds: {}"},
		{"err := 3; var q *int; _ = *q", ""},
	} {
		end, _, ok := playCell(s, i+1, c.code)
		if !ok {
			t.Fatalf("cell %d hangs", i+1)
		}
		var hint string
		if end.failure != nil {
			if last := end.failure.traceback[len(end.failure.traceback)-1]; strings.Contains(last, "hint: err") {
				hint = last
			}
		}
		if hint != c.hint {
			t.Errorf("cell %d ends with %q, want %q", i+1, hint, c.hint)
		}
	}
}
