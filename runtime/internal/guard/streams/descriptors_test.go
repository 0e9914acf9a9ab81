//go:build linux || darwin

package streams_test

import (
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"

	"golang.org/x/sys/unix"

	"gosphere/runtime/internal/guard"
	"gosphere/runtime/internal/guard/streams"
)

// captured runs a test with captured descriptors and passes it the guard of its cells.
func captured(t *testing.T) (*guard.Guard, *streams.Descriptors) {
	t.Helper()
	g := guard.New()
	d, err := g.Streams.CaptureDescriptors()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(d.Release)
	return g, d
}

// runCaptured runs a cell and returns its outputs in order, in the form "<stream> text".
func runCaptured(g *guard.Guard, body func()) string {
	var mu sync.Mutex
	var parts []string
	c := g.NewCell(1, func(stream, text string) {
		mu.Lock()
		defer mu.Unlock()
		parts = append(parts, "<"+stream+"> "+text)
	})
	c.Run(body)
	c.Flush()
	mu.Lock()
	defer mu.Unlock()
	return strings.Join(parts, "")
}

func TestDescriptorsReachTheCellBeforeItEnds(t *testing.T) {
	g, _ := captured(t)
	for range 200 { // a race with the reader would show
		got := runCaptured(g, func() { _, _ = os.Stdout.WriteString("to the file\n") })
		if got != "<stdout> to the file\n" {
			t.Fatalf("got %q", got)
		}
	}
	got := runCaptured(g, func() { _, _ = unix.Write(2, []byte("to the descriptor")) })
	if got != "<stderr> to the descriptor" {
		t.Errorf("got %q", got)
	}
}

func TestDescriptorsKeepTheOrderWithWriters(t *testing.T) {
	g, _ := captured(t)
	got := runCaptured(g, func() {
		for range 3 {
			_, _ = os.Stdout.WriteString("a")
			_, _ = streams.Stdout.WriteString("b")
		}
	})
	if want := strings.Repeat("<stdout> a<stdout> b", 3); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestDescriptorsTakeChildProcesses(t *testing.T) {
	g, _ := captured(t)
	got := runCaptured(g, func() {
		child := exec.Command("sh", "-c", "echo out; echo err >&2")
		child.Stdout, child.Stderr = os.Stdout, os.Stderr
		if err := child.Run(); err != nil {
			t.Error(err)
		}
	})
	if !strings.Contains(got, "<stdout> out\n") || !strings.Contains(got, "<stderr> err\n") {
		t.Errorf("got %q", got)
	}
}

func TestDescriptorsSendWholeCharacters(t *testing.T) {
	g, _ := captured(t)
	got := runCaptured(g, func() {
		for _, b := range []byte("κ€") {
			_, _ = unix.Write(1, []byte{b})
			g.Streams.Drain()
		}
		_, _ = unix.Write(1, []byte("κ")[:1])
	})
	if want := "<stdout> κ<stdout> €<stdout> \uFFFD<stderr> warning: "; !strings.HasPrefix(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// The text exceeds the capacity of a pipe, so the reader must run concurrently with the writer.
func TestDescriptorsLoseNothingOfLargeOutput(t *testing.T) {
	g, _ := captured(t)
	const lines = 400_000
	got := runCaptured(g, func() {
		block := strings.Repeat("0123456789\n", 1000)
		for range lines / 1000 {
			_, _ = os.Stdout.WriteString(block)
		}
	})
	if n := strings.Count(strings.ReplaceAll(got, "<stdout> ", ""), "0123456789\n"); n != lines {
		t.Errorf("%d lines, want %d", n, lines)
	}
}

func TestLateTextGoesToTheLatestCell(t *testing.T) {
	g, _ := captured(t)
	var first, second record
	runTo := func(r *record) {
		c := g.NewCell(1, r.write)
		c.Run(func() {})
		c.Flush()
	}
	runTo(&first)
	_, _ = os.Stdout.WriteString("between ")
	runTo(&second)
	_, _ = os.Stdout.WriteString("after")
	g.Streams.Drain()
	if first.of("stdout") != "between " || second.of("stdout") != "after" {
		t.Errorf("first %q, second %q", first.of("stdout"), second.of("stdout"))
	}
}

func TestReleaseGivesTheDescriptorsBack(t *testing.T) {
	before, after := new(unix.Stat_t), new(unix.Stat_t)
	if err := unix.Fstat(1, before); err != nil {
		t.Fatal(err)
	}
	g := guard.New()
	d, err := g.Streams.CaptureDescriptors()
	if err != nil {
		t.Fatal(err)
	}
	if d.Log == nil {
		t.Error("no log")
	}
	d.Release()
	if err := unix.Fstat(1, after); err != nil {
		t.Fatal(err)
	}
	if before.Ino != after.Ino || before.Dev != after.Dev {
		t.Error("descriptor 1 is another file than before")
	}
}

// A program that captures its own output sets os.Stdout.
func TestWritersFollowAFileInOsStdout(t *testing.T) {
	g := guard.New()
	var r record
	c := g.NewCell(1, r.write)
	name := t.TempDir() + "/out"
	c.Run(func() {
		file, err := os.Create(name)
		if err != nil {
			t.Error(err)
			return
		}
		old := os.Stdout
		os.Stdout = file
		_, _ = streams.Stdout.WriteString("to the file")
		os.Stdout = old
		_, _ = streams.Stdout.WriteString("to the cell")
		_ = file.Close()
	})
	if text, _ := os.ReadFile(name); string(text) != "to the file" || r.of("stdout") != "to the cell" {
		t.Errorf("file %q, cell %q", text, r.of("stdout"))
	}
}
