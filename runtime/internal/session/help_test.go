package session

import (
	"fmt"
	"strings"
	"testing"

	"gosphere/kernel/protocol"
)

func TestQuestionsStandAtTheEndOfACell(t *testing.T) {
	for source, want := range map[string]string{
		"?math.Sqrt":          `"" [{math.Sqrt 0}]`,
		"math.Sqrt?":          `"" [{math.Sqrt 0}]`,
		" math.Sqrt ? \n\n":   `"" [{math.Sqrt 0}]`,
		"Point??":             `"" [{Point 1}]`,
		"x := 1\n?x\nlen?":    `"x := 1\n" [{x 0} {len 0}]`,
		"?x?":                 `"?x?" []`,
		"x???":                `"x???" []`,
		"?":                   `"?" []`,
		"x := 1 // why?":      `"x := 1 // why?" []`,
		"s := `a\nb?`":        "\"s := `a\\nb?`\" []",
		"x?\ny := 1":          `"x?\ny := 1" []`,
		"/* is it?":           `"/* is it?" []`,
		"fmt.Println(\"x?\")": `"fmt.Println(\"x?\")" []`,
	} {
		code, questions := cutQuestions(source)
		if got := fmt.Sprintf("%q %v", code, questions); got != want {
			t.Errorf("%q: %s, want %s", source, got, want)
		}
		if blank := blankQuestions(source); len(blank) != len(source) {
			t.Errorf("%q becomes %q of another length", source, blank)
		}
	}
}

// page runs a cell and returns the text of the page that it opens, and what it prints.
func page(t *testing.T, s *Session, code string) (text, printed string) {
	t.Helper()
	reply := s.Execute(t.Context(), protocol.ExecuteRequest{Code: code, StoreHistory: true}, func(content protocol.Content) {
		if stream, ok := content.(protocol.Stream); ok {
			printed += stream.Text
		}
	})
	if reply.Status != "ok" {
		t.Fatalf("%s: %s %s", code, reply.Ename, reply.Evalue)
	}
	for _, payload := range reply.Payload {
		if payload["source"] != "page" || payload["start"] != 0 || len(reply.Payload) != 1 {
			t.Errorf("payload %v", reply.Payload)
		}
		text, _ = payload["data"].(protocol.MimeBundle)["text/plain"].(string)
	}
	return text, printed
}

func TestQuestionsOpenAPageWithTheInspection(t *testing.T) {
	s := newTestSession(t)
	for _, c := range []struct{ code, want, printed string }{
		{"import \"math\"\n?math.Sqrt", "func Sqrt(x float64) float64\n\nSqrt returns the square root", ""},
		{"// Point is a place.\ntype Point struct{ X int }\np := Point{3}\np?", "var p Point = {X:3}", ""},
		{"Point??", "type Point struct{ X int }\n\nPoint is a place.", ""},
		{"strings.ToUpper?", "func ToUpper(s string) string", ""},
		{"p?\nlen?", "var p Point = {X:3}\n\ndeclared in Cell [2], line 3\n\nfunc len", ""},
		{"print(1)\nnowhere?", "", "1nothing is known about nowhere\n"},
	} {
		text, printed := page(t, s, c.code)
		if !strings.Contains(text, c.want) || printed != c.printed {
			t.Errorf("%s: page %q, printed %q; want %q and %q", c.code, text, printed, c.want, c.printed)
		}
	}
	reply := s.Execute(t.Context(), protocol.ExecuteRequest{Code: "panic(1)\n?p"}, func(protocol.Content) {})
	if reply.Status != "error" || len(reply.Payload) != 0 {
		t.Errorf("a cell that fails has the payload %v", reply.Payload)
	}
}

func TestFrontEndsCompleteQuestions(t *testing.T) {
	s := newTestSession(t)
	if reply := s.Complete(protocol.CompleteRequest{Code: "?math.Sqr", CursorPos: 9}); len(reply.Matches) == 0 || reply.Matches[0] != "Sqrt" || reply.CursorStart != 6 {
		t.Errorf("completion %+v", reply)
	}
	if reply := s.Inspect(protocol.InspectRequest{Code: "math.Sqrt?", CursorPos: 9}); !reply.Found {
		t.Error("nothing is found in front of a question mark")
	}
	for code, want := range map[string]string{"math.Sqrt?": "complete", "func f() {\n}\nf?": "complete", "f(\nx?": "incomplete"} {
		if reply := s.IsComplete(protocol.IsCompleteRequest{Code: code}); reply.Status != want {
			t.Errorf("%q is %s, want %s", code, reply.Status, want)
		}
	}
}
