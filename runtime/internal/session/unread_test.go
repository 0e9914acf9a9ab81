package session

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"gosphere/kernel/protocol"
)

// unreadCells are cells that run in one session, and the lines and variables of the errors that are
// reported after each, such as "1 err".
var unreadCells = []struct{ code, want string }{
	{"x, err := strconv.Atoi(`a`)\nx", "1 err"},
	{"y, err := strconv.Atoi(`a`)\nif err != nil { fmt.Println(y) }", ""},
	{"y, err := strconv.Atoi(`12`)\ny", ""},
	{"x, err = strconv.Atoi(`a`)\ny, err = strconv.Atoi(`1`)\nif err != nil { fmt.Println(y) }", "1 err"}, // set again before it is read
	{"_, err = strconv.Atoi(`a`); _, err = strconv.Atoi(`b`)", "1 err, 1 err"},
	{"var _, failure = strconv.Atoi(`a`)", "1 failure"},
	{"err = func() error { return io.EOF }()", "1 err"},
	{"errs := make(chan error, 1); errs <- io.EOF\nerr = <-errs", "2 err"},
	// A read in the same statement is one only after the write.
	{"_, err = strconv.Atoi(err.Error())", "1 err"},
	{"if _, err = strconv.Atoi(`a`); err != nil { fmt.Print() }", ""},
	{"for range 2 {\n if err != nil { fmt.Print() }\n _, err = strconv.Atoi(`a`)\n}", ""},
	{"for range 2 {\n _, err = strconv.Atoi(`a`)\n}", "2 err"},
	{"if err != nil { fmt.Print() } else { err = nil }\nif 1 < 2 { _, err = strconv.Atoi(`a`) }", "2 err"},
	{"if 1 > 2 { _, err = strconv.Atoi(`a`) } // it keeps the value of the cell before", "1 err"},
	{"again:\nif err == io.EOF { fmt.Print() }\nif _, err = strconv.Atoi(`a`); 1 > 2 { goto again }", ""},
	// Errors that are made here are no failures.
	{"ErrEmpty := errors.New(`empty`); ErrOther := fmt.Errorf(`other %w`, ErrEmpty); both := errors.Join(ErrEmpty, ErrOther)", ""},
	{"err = ErrEmpty", ""},
	{"newThing := func() error { return io.EOF }\nErrThing := newThing()", ""},
	// Functions that mention the variable, and those that call them.
	{"func check() { if err != nil { fmt.Print() } }\nfunc indirect() { check() }", ""},
	{"_, err = strconv.Atoi(`a`)\nindirect()", ""},
	{"indirect()\n_, err = strconv.Atoi(`a`)", "2 err"},
	{"_, err = strconv.Atoi(`a`)\ndefer check()", ""},
	{"_, err = strconv.Atoi(`a`)\nf := check; f()", ""},
	{"_, err = strconv.Atoi(`a`)\nfmt.Print()", "1 err"},
	{"_, err = strconv.Atoi(`a`)\np := &err; *p = nil", ""},
	{"_, own := strconv.Atoi(`a`)\nshow := func() { fmt.Print() }\nshow()", "1 own"}, // nothing that show calls mentions it
	{"show = func() { fmt.Print(own != nil) }", ""},
	{"_, own = strconv.Atoi(`a`)\nshow()", ""},
	{"_, own = strconv.Atoi(`a`)", "1 own"},
	{"_, own = strconv.Atoi(`a`)\n_ = own", ""},
	{"%time _, own = strconv.Atoi(`a`)", "1 own"},
	{"package main\nimport \"strconv\"\nvar _, Own = strconv.Atoi(`a`)\nfunc main() {}", ""},
	{"type bad struct{}\nfunc (*bad) Error() string { panic(1) }\nfunc fails() error { var b *bad; return b }", ""},
	{"_ = 0\nerr = fails()", "2 err"},
}

// playCounted runs a cell as a front end does. It returns the name of the cell's error and what the
// cell prints.
func playCounted(s *Session, code string) (ename, output string) {
	var text strings.Builder
	reply := s.Execute(context.Background(), protocol.ExecuteRequest{Code: code, StoreHistory: true}, func(content protocol.Content) {
		if stream, ok := content.(protocol.Stream); ok {
			text.WriteString(stream.Text)
		}
	})
	return reply.Ename, text.String()
}

func TestUnreadErrorsAreReported(t *testing.T) {
	s := newTestSession(t)
	for _, c := range unreadCells {
		ename, output := playCounted(s, c.code)
		var found []string
		for line := range strings.Lines(output) {
			if head, _, ok := strings.Cut(line, " holds an error that nothing has read: "); ok {
				_, place, _ := strings.Cut(head, ", line ")
				number, name, _ := strings.Cut(place, ": ")
				found = append(found, number+" "+name)
			}
		}
		if got := strings.Join(found, ", "); ename != "" || got != c.want {
			t.Errorf("%s\n%s, reported %q, want %q", c.code, ename, got, c.want)
		}
	}
}

func TestLinesOfUnreadErrors(t *testing.T) {
	s := newTestSession(t)
	for _, c := range []struct{ code, want string }{
		{"\nx, err := strconv.Atoi(`a`)", "Cell [1], line 2: err holds an error that nothing has read: strconv.Atoi: parsing \"a\": invalid syntax\n"},
		{"both := errors.Join(errors.New(`first`), io.EOF); err = func() error { return both }()", "Cell [2], line 1: err holds an error that nothing has read: first\n"},
		// The hint of the panic shows the error.
		{"f, err := os.Open(`nosuch`)\nvar p *int\n*p = f.Fd()", ""},
	} {
		if _, output := playCounted(s, c.code); output != c.want {
			t.Errorf("%s\nprints %q, want %q", c.code, output, c.want)
		}
	}
}

func TestLaterCellsReadErrors(t *testing.T) {
	s := newTestSession(t)
	for _, c := range []struct{ code, want string }{
		{"_, err := strconv.Atoi(`a`)", "1 err"},
		{"fmt.Print(err)", ""},
		{"_, err = strconv.Atoi(`b`)", "3 err"},
		{"_, err = strconv.Atoi(`1`)", "3 err"}, // lost
		{"fmt.Print(err)", "3 err"},
		{"_, other := strconv.Atoi(`c`)", "3 err, 6 other"},
		{"func look() { fmt.Print(other) }", "3 err, 6 other"},
		{"look()", "3 err"},
		{"_, err = strconv.Atoi(`d`); _, err = strconv.Atoi(`e`)", "3 err, 9 err, 9 err"},
		{"err", "3 err, 9 err"},
	} {
		playCounted(s, c.code)
		var open []string
		for _, u := range s.UnreadErrors() {
			open = append(open, fmt.Sprint(u.Cell, " ", u.Variable))
		}
		if got := strings.Join(open, ", "); got != c.want {
			t.Errorf("after %s: %q, want %q", c.code, got, c.want)
		}
	}
}

func TestUnreadErrorsCanBeTurnedOff(t *testing.T) {
	t.Setenv("GOSPHERE_WARNINGS", "off")
	s := newTestSession(t)
	if _, output := playCounted(s, "x, err := strconv.Atoi(`a`)"); output != "" || len(s.UnreadErrors()) > 0 {
		t.Errorf("the cell prints %q", output)
	}
}
