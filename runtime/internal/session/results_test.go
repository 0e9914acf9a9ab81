package session

import (
	"strings"
	"testing"

	"gosphere/kernel/protocol"
)

// shownBy plays cells and returns the text of the last one's value, or "", and its output.
func shownBy(t *testing.T, cells ...string) (value, printed string) {
	t.Helper()
	s := newTestSession(t)
	for i, code := range cells {
		value, printed = "", ""
		end := s.play(i+1, code, func(content protocol.Content) {
			if stream, ok := content.(protocol.Stream); ok {
				printed += stream.Text
			}
		})
		if end.failure != nil {
			t.Fatalf("%s: %s", code, strings.Join(end.failure.traceback, "\n"))
		}
		if end.shown != nil {
			value = end.shown.data["text/plain"].(string)
		}
	}
	return value, printed
}

func TestACallWithSeveralResultsShowsThemAndNoErrorIsLost(t *testing.T) {
	for _, c := range []struct{ code, want string }{
		{`strconv.Atoi("12")`, "12"},
		{`strconv.Atoi("12a")`, "0\nstrconv.Atoi: parsing \"12a\": invalid syntax\n  *strconv.NumError wraps\n    *errors.errorString: invalid syntax"},
		{"os.Setenv(\"GOSPHERE_TRY\", \"1\")", ""},
		{"(os.Setenv(\"GOSPHERE_TRY\", \"1\"))", ""},
		{"os.Chdir(\"/no/such/folder\")", "chdir /no/such/folder: no such file or directory\n  *fs.PathError wraps\n    syscall.Errno: no such file or directory"},
		{"func check() error { return nil }\ncheck()", ""},
		{"func check() error { return io.EOF }\ncheck()", "EOF"},
		{"func same[T any](x T) T { return x }\nsame[error](nil)", ""},
		{"var err error\nerr", "<nil>"},
		{"error(nil)", "<nil>"},
		{"type failure struct{ error }\nfunc check() *failure { return nil }\ncheck()", "<nil>"},
		{"func get() any { return nil }\nget()", "<nil>"},
		{"os.ReadFile(\"/no/such/file\")", "[]\nopen /no/such/file: no such file or directory\n  *fs.PathError wraps\n    syscall.Errno: no such file or directory"},
		{"x := 7\nfunc() (int, bool) { return x, true }()", "7\ntrue"},
		{"func() (a, b error) { return nil, nil }()", "<nil>"},
		{"type temp float64\nfunc (t temp) String() string { return \"hot\" }\nfunc both() (temp, *temp, error) { t := temp(1); return t, &t, nil }\nboth()", "hot\nhot"},
		{"m := map[string]int{\"a\": 1}\nvar mu sync.Mutex\nfunc get() (int, map[string]int) { mu.Lock(); defer mu.Unlock(); m[\"a\"]++; return m[\"a\"], m }\nget()", "2\nmap[a:2]"},
	} {
		if got, _ := shownBy(t, c.code); got != c.want {
			t.Errorf("%s\nshows %q, want %q", c.code, got, c.want)
		}
	}
}

func TestOneResultBesideAnErrorKeepsItsForms(t *testing.T) {
	s := newTestSession(t)
	end := s.play(1, "func rows() ([]struct{ A int }, error) { return []struct{ A int }{{3}}, nil }\nrows()", func(protocol.Content) {})
	if end.failure != nil {
		t.Fatal(end.failure)
	}
	if page, _ := end.shown.data["text/html"].(string); !strings.Contains(page, "<table>") {
		t.Errorf("the forms are %v, want a table", end.shown.data)
	}
}

func TestACallThatTellsHowMuchItWroteShowsOnlyItsError(t *testing.T) {
	for _, c := range []struct{ code, value, printed string }{
		{`fmt.Println("a")`, "", "a\n"},
		{`fmt.Fprintf(os.Stdout, "%d\n", 3)`, "", "3\n"},
		{`os.Stdout.WriteString("b\n")`, "", "b\n"},
		{`new(strings.Builder).WriteString("b")`, "", ""},
		{"r, w := io.Pipe()\nr.Close()\nfmt.Fprint(w, \"x\")", "0\nio: read/write on closed pipe", ""},
	} {
		if value, printed := shownBy(t, c.code); value != c.value || printed != c.printed {
			t.Errorf("%s\nshows %q and prints %q, want %q and %q", c.code, value, printed, c.value, c.printed)
		}
	}
}
