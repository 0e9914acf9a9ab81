package notebook

import (
	"bytes"
	"context"
	"errors"
	"image"
	"image/png"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gosphere/kernel/nbformat"
	"gosphere/kernel/protocol"
)

// A painter is a session whose cells draw a square picture with a side of as many pixels as their
// source has bytes.
type painter struct{}

func (painter) Interrupt() {}

func (painter) Execute(_ context.Context, request protocol.ExecuteRequest, publish func(protocol.Content)) protocol.ExecuteReply {
	var encoded bytes.Buffer
	drawn := image.NewGray(image.Rect(0, 0, 8, 8))
	for i := range strings.Count(request.Code, "x") {
		drawn.Pix[i] = 255
	}
	if err := png.Encode(&encoded, drawn); err != nil {
		panic(err)
	}
	publish(protocol.DisplayData{Data: protocol.MimeBundle{"text/plain": "a picture", "image/png": encoded.Bytes()}})
	return protocol.ExecuteReply{Status: "ok", ExecutionCount: 1}
}

// painted writes a notebook that was run and one of whose cells was changed afterward.
func painted(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "painted.ipynb")
	notebook := nbformat.New()
	notebook.Add(nbformat.Code, "xx")
	if err := nbformat.WriteFile(path, notebook); err != nil {
		t.Fatal(err)
	}
	if err := (&Run{File: path, Output: path}).execute(context.Background(), painter{}, &bytes.Buffer{}, &bytes.Buffer{}); err != nil {
		t.Fatal(err)
	}
	notebook, err := nbformat.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	notebook.Cells[0].Source = "xxx"
	if err := nbformat.WriteFile(path, notebook); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestCheckKeepsFiguresThatDiffer(t *testing.T) {
	path, folder := painted(t), filepath.Join(t.TempDir(), "kept")
	var stdout bytes.Buffer
	err := (&Check{Keep: folder}).check(context.Background(), painter{}, path, &stdout)
	if err != errDiffers || !strings.Contains(stdout.String(), "picture of 8×8: 1.6 % of the pixels differ (x 2 to 3, y 0 to 1), 0 % may") {
		t.Errorf("got %v and\n%s", err, stdout.String())
	}
	entries, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	for i, ending := range []string{"-1-difference.png", "-1-new.png", "-1-stored.png", "painted.ipynb"} {
		if len(entries) != 4 || !strings.HasSuffix(entries[i].Name(), ending) {
			t.Errorf("kept %v, want a file *%s", entries, ending)
		}
	}
}

func TestCheckUpdatesWhatDiffers(t *testing.T) {
	path := painted(t)
	if err := (&Check{Update: true}).check(context.Background(), painter{}, path, &bytes.Buffer{}); err != nil {
		t.Fatal(err)
	}
	var stdout bytes.Buffer
	if err := (&Check{}).check(context.Background(), painter{}, path, &stdout); err != nil || !strings.Contains(stdout.String(), ": all 1 cells show what is stored") {
		t.Errorf("after an update the check says %v and\n%s", err, stdout.String())
	}
}

func TestNotebooksAreFoundInFolders(t *testing.T) {
	folder := t.TempDir()
	for _, name := range []string{"b.ipynb", "a/c.ipynb", "a/text.txt", ".ipynb_checkpoints/b.ipynb", "testdata/d.ipynb", "none/text.txt"} {
		path := filepath.Join(folder, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	in := func(name string) string { return filepath.Join(folder, name) }
	got, err := notebookPaths([]string{in("b.ipynb"), folder})
	if want := []string{in("a/c.ipynb"), in("b.ipynb")}; err != nil || !slices.Equal(got, want) {
		t.Errorf("got %v, %v", got, err)
	}
	for name, want := range map[string]string{"a/text.txt": "is not a notebook", "none": "no notebooks in", "missing.ipynb": "missing.ipynb"} {
		if _, err := notebookPaths([]string{in(name)}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", name, err, want)
		}
	}
}

func TestCheckComparesWhatAnotherProgramExecuted(t *testing.T) {
	path := painted(t)
	executed := filepath.Join(t.TempDir(), "executed.ipynb")
	if err := (&Run{File: path, Output: executed}).execute(context.Background(), painter{}, &bytes.Buffer{}, &bytes.Buffer{}); err != nil {
		t.Fatal(err)
	}
	folder := filepath.Join(t.TempDir(), "kept")
	var stdout bytes.Buffer
	err := (&Check{Executed: executed, Keep: folder}).executed([]string{path}, &stdout)
	if err != errDiffers || !strings.Contains(stdout.String(), "1.6 % of the pixels differ") {
		t.Errorf("another picture: %v and\n%s", err, stdout.String())
	}
	if kept, err := filepath.Glob(filepath.Join(folder, "*-difference.png")); err != nil || len(kept) != 1 {
		t.Errorf("kept %v, %v", kept, err)
	}
	stdout.Reset()
	if err := (&Check{Executed: executed}).executed([]string{executed}, &stdout); err != nil || !strings.Contains(stdout.String(), ": all 1 cells show what is stored") {
		t.Errorf("the notebook itself: %v and\n%s", err, stdout.String())
	}
	for want, c := range map[string]Check{
		"is a copy of one notebook, but 2 are given": {},
		"--timeout has no effect":                    {Timeout: 1},
		"--full has no effect":                       {Full: true},
	} {
		paths := []string{path}
		if c.Timeout == 0 && !c.Full {
			paths = append(paths, executed)
		}
		c.Executed = executed
		if err := c.executed(paths, &stdout); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}

// An interrupted painter ends its context in the first cell.
type interruptedPainter struct {
	painter
	interrupt context.CancelFunc
}

func (p interruptedPainter) Execute(ctx context.Context, request protocol.ExecuteRequest, publish func(protocol.Content)) protocol.ExecuteReply {
	p.interrupt()
	return p.painter.Execute(ctx, request, publish)
}

func TestAnInterruptedRunOverItsInputKeepsTheOutputs(t *testing.T) {
	path := painted(t)
	notebook, err := nbformat.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	notebook.Add(nbformat.Code, "x")
	if err := nbformat.WriteFile(path, notebook); err != nil {
		t.Fatal(err)
	}
	before, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	var stderr bytes.Buffer
	err = (&Run{File: path, Output: path}).execute(ctx, interruptedPainter{interrupt: cancel}, &bytes.Buffer{}, &stderr)
	if !errors.Is(err, context.Canceled) {
		t.Errorf("the run ends with %v", err)
	}
	if after, err := os.ReadFile(path); err != nil || !bytes.Equal(after, before) {
		t.Errorf("the notebook has changed, %v", err)
	}
	beside := strings.TrimSuffix(path, ".ipynb") + ".interrupted.ipynb"
	if _, err := os.Stat(beside); err != nil || !strings.Contains(stderr.String(), "keeps the outputs of its last run") || !strings.Contains(stderr.String(), "wrote "+beside) {
		t.Errorf("%v, and the run says %s", err, stderr.String())
	}
}
