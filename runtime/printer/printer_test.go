package printer

import (
	"bytes"
	"errors"
	"os"
	"strings"
	"sync"
	"testing"

	"gosphere/kernel/protocol"
)

// terminal returns a printer to a terminal with the given width, and its output.
func terminal(columns int) (*Printer, *bytes.Buffer) {
	var out bytes.Buffer
	p := New(&out)
	p.columns = func() int { return columns }
	return p, &out
}

// play writes a task with another text in the middle.
func play(t *testing.T, p *Printer) {
	t.Helper()
	for _, err := range []error{
		p.Text("begins\n"),
		p.Display("a", protocol.Marked, "task: 0 of 100"),
		p.Display("a", protocol.Passing, "task: 1 of 100, 30 s left"),
		p.Display("a", protocol.Passing, "task: 2 of 100"),
		p.Text("between\n"),
		p.Display("a", protocol.Marked, "task: 50 of 100"),
		p.Display("b", protocol.Still, "a value"),
		p.Display("a", protocol.Final, "task: 100 of 100 in 3 s"),
		p.Text("ends\n"),
		p.Break(), p.Text(""),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
}

func TestATerminalShowsProgressInOneLine(t *testing.T) {
	p, out := terminal(80)
	play(t, p)
	want := "begins\ntask: 0 of 100\rtask: 1 of 100, 30 s left\rtask: 2 of 100           \nbetween\n" +
		"task: 50 of 100\na value\ntask: 100 of 100 in 3 s\nends\n"
	if out.String() != want {
		t.Errorf("got\n%q, want\n%q", out, want)
	}
}

func TestALogHasALineNowAndThenAndNoCarriageReturns(t *testing.T) {
	var out bytes.Buffer
	play(t, New(&out))
	want := "begins\ntask: 0 of 100\nbetween\ntask: 50 of 100\na value\ntask: 100 of 100 in 3 s\nends\n"
	if out.String() != want {
		t.Errorf("got\n%q, want\n%q", &out, want)
	}
}

func TestFilesAndTheNullDeviceAreNoTerminals(t *testing.T) {
	file, err := os.Create(t.TempDir() + "/log")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	null, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer null.Close()
	for _, f := range []*os.File{file, null} {
		if New(f).columns != nil {
			t.Errorf("%s is taken for a terminal", f.Name())
		}
	}
}

func TestTwoTasksHaveALineEach(t *testing.T) {
	p, out := terminal(80)
	_ = p.Display("a", protocol.Passing, "a 1")
	_ = p.Display("b", protocol.Passing, "b 1")
	_ = p.Display("b", protocol.Passing, "b 2")
	_ = p.Display("a", protocol.Final, "a 2")
	_ = p.Display("b", protocol.Final, "b 3")
	if want := "a 1\nb 1\rb 2\na 2\nb 3\n"; out.String() != want {
		t.Errorf("got %q, want %q", out, want)
	}
}

func TestALineNeverFillsTheTerminal(t *testing.T) {
	p, out := terminal(10)
	_ = p.Display("a", protocol.Passing, "κκκκκκκκκκκκ")
	_ = p.Display("a", protocol.Passing, "two\nlines\r\n")
	_ = p.Break()
	if want := "κκκκκκκκ…\rtwo lines\n"; out.String() != want {
		t.Errorf("got %q, want %q", out, want)
	}
}

// full is a writer that reports a full disk.
type full struct{}

var errFull = errors.New("no room")

func (full) Write([]byte) (int, error) { return 0, errFull }

func TestErrorsOfTheWriterAreTold(t *testing.T) {
	p := New(full{})
	for _, err := range []error{p.Text("a"), p.Display("a", protocol.Still, "a"), p.Display("a", protocol.Final, "a")} {
		if !errors.Is(err, errFull) {
			t.Errorf("got %v", err)
		}
	}
}

func TestManyGoroutinesWriteWholeLines(t *testing.T) {
	var out bytes.Buffer
	p := New(&out)
	var workers sync.WaitGroup
	for range 4 {
		workers.Go(func() {
			for range 50 {
				_ = p.Display("a", protocol.Marked, "a line")
				_ = p.Text("a line\n")
			}
		})
	}
	workers.Wait()
	if n := strings.Count(out.String(), "a line\n"); n != 400 || len(out.String()) != 400*7 {
		t.Errorf("%d lines in %d bytes", n, out.Len())
	}
}
