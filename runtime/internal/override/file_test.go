package override

import (
	"io"
	"os"
	"strings"
	"testing"

	"gosphere/runtime/internal/guard"
)

// inCell runs f in a cell and returns its output on stdout.
func inCell(t *testing.T, f func()) string {
	t.Helper()
	var out strings.Builder
	c := guard.New().NewCell(1, func(stream, text string) {
		if stream == "stdout" {
			out.WriteString(text)
		}
	})
	if o := c.Run(f); o.Kind != guard.Finished {
		t.Fatalf("the cell ended with %+v", o)
	}
	c.Flush()
	return out.String()
}

func TestTheStandardFilesWriteToTheCell(t *testing.T) {
	got := inCell(t, func() {
		v := fileValue(os.Stdout)
		_, _ = io.WriteString(v.(io.Writer), "a")
		_, _ = io.Copy(v.(io.Writer), strings.NewReader("b"))
		_, _ = v.(io.ReaderFrom).ReadFrom(strings.NewReader("c"))
		_ = v.(io.Closer).Close()
		_, _ = v.(io.StringWriter).WriteString("d")
	})
	if got != "abcd" {
		t.Errorf("the cell got %q, want abcd", got)
	}
}

func TestAStandardFileHasOneValue(t *testing.T) {
	if fileValue(os.Stdout) != fileValue(os.Stdout) {
		t.Error("two values of os.Stdout differ")
	}
}

func TestOtherFilesAreLeftAlone(t *testing.T) {
	f, err := os.CreateTemp(t.TempDir(), "")
	if err != nil {
		t.Fatal(err)
	}
	if fileValue(f) != any(f) {
		t.Error("a file of the cell's own is wrapped")
	}
	support := fileSupport()
	if got := inCell(t, func() {
		_, _ = support["FileWrite"].(func(*os.File, []byte) (int, error))(f, []byte("x"))
		_, _ = support["FileWriteString"].(func(*os.File, string) (int, error))(f, "y")
		_, _ = support["FileReadFrom"].(func(*os.File, io.Reader) (int64, error))(f, strings.NewReader("z"))
		_ = support["FileSync"].(func(*os.File) error)(f)
	}); got != "" {
		t.Errorf("the cell got %q", got)
	}
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		t.Fatal(err)
	}
	var text strings.Builder
	first := make([]byte, 1)
	_, _ = support["FileRead"].(func(*os.File, []byte) (int, error))(f, first)
	_, _ = support["FileWriteTo"].(func(*os.File, io.Writer) (int64, error))(f, &text)
	if got := string(first) + text.String(); got != "xyz" {
		t.Errorf("the file holds %q", got)
	}
	if err := support["FileClose"].(func(*os.File) error)(f); err != nil || f.Close() == nil {
		t.Errorf("closing: %v; the file is still open", err)
	}
}

func TestInputIsCopiedFromTheCell(t *testing.T) {
	g := guard.New()
	g.Streams.ReadInput(strings.NewReader("one\ntwo\n"))
	var got strings.Builder
	c := g.NewCell(1, func(string, string) {})
	c.Run(func() { _, _ = io.Copy(&got, fileValue(os.Stdin).(io.Reader)) })
	if got.String() != "one\ntwo\n" {
		t.Errorf("copied %q", got.String())
	}
}
