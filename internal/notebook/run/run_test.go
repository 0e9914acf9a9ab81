package run

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"gosphere/kernel/nbformat"
	"gosphere/kernel/protocol"
)

// fakeSession runs cells of one line each, of a small language of its own: "print text",
// "value text", "show id text", "update id text", "clear", "clear-wait", "fail text",
// "silent-fail", "hang", "later text". Lines are joined by ";".
type fakeSession struct {
	count      int
	executed   []string
	interrupts chan struct{}
	kept       []func(protocol.Content) // publish functions of all cells
}

func newFake() *fakeSession {
	return &fakeSession{interrupts: make(chan struct{}, 10)}
}

func (f *fakeSession) Interrupt() { f.interrupts <- struct{}{} }

func (f *fakeSession) Info() (protocol.LanguageInfo, string, []protocol.HelpLink) {
	return protocol.LanguageInfo{Name: "go", FileExtension: ".go"}, "banner", nil
}

func (f *fakeSession) Execute(_ context.Context, request protocol.ExecuteRequest, publish func(protocol.Content)) protocol.ExecuteReply {
	f.count++
	f.executed = append(f.executed, request.Code)
	f.kept = append(f.kept, publish)
	if !request.StoreHistory || !request.StopOnError || request.AllowStdin || request.Silent {
		panic(fmt.Sprintf("unexpected request %+v", request))
	}
	publish(protocol.ExecuteInput{Code: request.Code, ExecutionCount: f.count})
	for line := range strings.SplitSeq(request.Code, ";") {
		words := append(strings.SplitN(strings.TrimSpace(line), " ", 3), "", "")
		if err := f.line(words, publish); err != nil {
			return protocol.ExecuteReply{Status: "error", ExecutionCount: f.count, Ename: err.Ename, Evalue: err.Evalue, Traceback: err.Traceback}
		}
	}
	return protocol.ExecuteReply{Status: "ok", ExecutionCount: f.count}
}

func (f *fakeSession) line(words []string, publish func(protocol.Content)) *protocol.Error {
	data := protocol.MimeBundle{"text/plain": words[2]}
	display := protocol.DisplayData{Data: data, Metadata: map[string]any{}}
	update := protocol.UpdateDisplayData{Data: data, Metadata: map[string]any{}}
	display.Transient.DisplayID, update.Transient.DisplayID = words[1], words[1]
	switch words[0] {
	case "print":
		publish(protocol.Stream{Name: "stdout", Text: words[1] + "\n"})
	case "warn":
		publish(protocol.Stream{Name: "stderr", Text: words[1] + "\n"})
	case "value":
		publish(protocol.ExecuteResult{ExecutionCount: f.count, Data: protocol.MimeBundle{"text/plain": words[1]}})
	case "show":
		publish(display)
	case "update":
		publish(update)
	case "clear":
		publish(protocol.ClearOutput{})
	case "clear-wait":
		publish(protocol.ClearOutput{Wait: true})
	case "fail":
		err := protocol.Error{Ename: "Panic", Evalue: words[1], Traceback: []string{"at Cell [" + fmt.Sprint(f.count) + "]:1:1"}}
		publish(err)
		return &err
	case "silent-fail":
		return &protocol.Error{Ename: "Lost", Evalue: "no message"}
	case "hang":
		<-f.interrupts
		return &protocol.Error{Ename: "KeyboardInterrupt"}
	case "later":
		f.kept[0](protocol.Stream{Name: "stdout", Text: words[1]})
	}
	return nil
}

// notebookOf returns a notebook of code cells.
func notebookOf(sources ...string) *nbformat.Notebook {
	n := nbformat.New()
	for _, source := range sources {
		n.Add(nbformat.Code, source)
	}
	return n
}

// text returns the outputs of a cell on one line.
func text(cell *nbformat.Cell) string {
	var parts []string
	for _, o := range cell.Outputs {
		switch o.Type {
		case nbformat.Stream:
			parts = append(parts, fmt.Sprintf("%s:%q", o.Name, o.Text))
		case nbformat.ErrorOutput:
			parts = append(parts, "error:"+o.Ename)
		default:
			parts = append(parts, fmt.Sprintf("%s:%v", o.Type, o.Data["text/plain"]))
		}
	}
	return strings.Join(parts, " ")
}

func TestOutputsAreStoredAsJupyterStoresThem(t *testing.T) {
	for _, test := range []struct{ name, source, want string }{
		{"streams of one name merge", "print a; print b; warn c; print d", `stdout:"a\nb\n" stderr:"c\n" stdout:"d\n"`},
		{"a display parts a stream", "print a; show id x; print b", `stdout:"a\n" display_data:x stdout:"b\n"`},
		{"the value comes last", "print a; value 5", `stdout:"a\n" execute_result:5`},
		{"an update changes in place", "show bar 1; print a; update bar 2", `display_data:2 stdout:"a\n"`},
		{"an update changes every copy", "show bar 1; show bar 2; update bar 3", `display_data:3 display_data:3`},
		{"an update of an unknown display is lost", "show bar 1; update other 2", `display_data:1`},
		{"displays without id do not change", "show  1; update  2", `display_data:1`},
		{"clear empties at once", "print a; clear; print b", `stdout:"b\n"`},
		{"clear at the end empties", "print a; clear", ``},
		{"clear with wait empties at the next output", "print a; clear-wait; print b", `stdout:"b\n"`},
		{"clear with wait at the end keeps", "print a; clear-wait", `stdout:"a\n"`},
		{"the error is an output", "print a; fail x", `stdout:"a\n" error:Panic`},
		{"an error nobody published", "silent-fail", `error:Lost`},
	} {
		t.Run(test.name, func(t *testing.T) {
			n := notebookOf(test.source)
			err := Run(context.Background(), newFake(), n, Options{})
			if got := text(n.Cells[0]); got != test.want {
				t.Errorf("got %s, want %s", got, test.want)
			}
			if (err != nil) != strings.Contains(test.want, "error:") {
				t.Errorf("run returned %v", err)
			}
			if err := n.Check(); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestUpdateReachesAnEarlierCell(t *testing.T) {
	n := notebookOf("show bar 1", "update bar 2", "later x")
	if err := Run(context.Background(), newFake(), n, Options{}); err != nil {
		t.Fatal(err)
	}
	if got := text(n.Cells[0]); got != `display_data:2 stdout:"x"` {
		t.Errorf("got %s", got)
	}
	if len(n.Cells[1].Outputs)+len(n.Cells[2].Outputs) != 0 {
		t.Errorf("outputs are in the wrong cell: %s, %s", text(n.Cells[1]), text(n.Cells[2]))
	}
}

func TestRunStopsAtTheFirstErrorAndKeepsOutputs(t *testing.T) {
	n := notebookOf("print a", "fail broken", "print c")
	n.Cells[2].Outputs = []nbformat.Output{{Type: nbformat.Stream, Name: "stdout", Text: "of an earlier run"}}
	n.Cells[2].ExecutionCount = 9
	session := newFake()
	err := Run(context.Background(), session, n, Options{})
	var failed *CellError
	if !errors.As(err, &failed) || failed.Number != 2 || failed.ID != n.Cells[1].ID || failed.Ename != "Panic" {
		t.Fatalf("got %v", err)
	}
	if want := "notebook: cell 2 (id " + failed.ID + "): Panic: broken"; err.Error() != want {
		t.Errorf("got %q, want %q", err, want)
	}
	if len(failed.Traceback) != 1 || failed.Traceback[0] != "at Cell [2]:1:1" {
		t.Errorf("traceback %q", failed.Traceback)
	}
	if len(session.executed) != 2 || n.Cells[0].ExecutionCount != 1 || n.Cells[1].ExecutionCount != 2 {
		t.Errorf("executed %q", session.executed)
	}
	if len(n.Cells[2].Outputs) != 0 || n.Cells[2].ExecutionCount != 0 {
		t.Error("a cell that did not run keeps outputs of an earlier run")
	}
}

func TestTagsAreHonored(t *testing.T) {
	n := nbformat.New()
	n.Add(nbformat.Markdown, "fail text")
	n.Add(nbformat.Code, "fail expected", "raises-exception")
	skipped := n.Add(nbformat.Code, "fail skipped", "skip-execution")
	skipped.Outputs = []nbformat.Output{{Type: nbformat.Stream, Name: "stdout", Text: "kept"}}
	n.Add(nbformat.Code, " \n")
	n.Add(nbformat.Raw, "fail raw")
	last := n.Add(nbformat.Code, "print end")
	session := newFake()
	if err := Run(context.Background(), session, n, Options{}); err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(session.executed, "|"); got != "fail expected|print end" {
		t.Errorf("executed %s", got)
	}
	if text(n.Cells[1]) != "error:Panic" || text(skipped) != `stdout:"kept"` || last.ExecutionCount != 2 {
		t.Errorf("outputs %s, %s", text(n.Cells[1]), text(skipped))
	}
}

func TestTimeoutInterruptsTheCell(t *testing.T) {
	n := notebookOf("print a;hang", "print b")
	err := Run(context.Background(), newFake(), n, Options{Timeout: time.Millisecond})
	var failed *CellError
	if !errors.As(err, &failed) || failed.Ename != "Timeout" || failed.Evalue != "the cell took longer than 1ms" {
		t.Fatalf("got %v", err)
	}
	if got := text(n.Cells[0]); got != `stdout:"a\n" error:Timeout` {
		t.Errorf("outputs %s", got)
	}
}

func TestCancellingInterruptsAndEndsTheRun(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	n := notebookOf("print a;hang", "print b")
	n.Cells[0].Metadata["tags"] = []any{"raises-exception"} // is about errors, not about Ctrl-C
	session := newFake()
	err := Run(ctx, session, n, Options{Output: func(content protocol.Content) {
		if _, ok := content.(protocol.Stream); ok {
			cancel()
		}
	}})
	var failed *CellError
	if !errors.As(err, &failed) || failed.Ename != "KeyboardInterrupt" || len(session.executed) != 1 {
		t.Errorf("got %v after %q", err, session.executed)
	}
	if err := Run(ctx, session, n, Options{}); !errors.Is(err, context.Canceled) {
		t.Errorf("a run with an ended context returns %v", err)
	}
}

func TestStepsAreReportedInOrder(t *testing.T) {
	n := notebookOf("print a", "", "fail b", "print c")
	var steps []string
	Run(context.Background(), newFake(), n, Options{Report: func(s Step) {
		steps = append(steps, fmt.Sprintf("%d/%d %s %v", s.Number, s.Total, s.Cell.Source, s.Done))
	}})
	want := "1/3 print a false,1/3 print a true,2/3 fail b false,2/3 fail b true"
	if got := strings.Join(steps, ","); got != want {
		t.Errorf("got %s", got)
	}
}

func TestMetadataNamesKernelAndLanguage(t *testing.T) {
	n := notebookOf("print a")
	n.Metadata = nil
	if err := Run(context.Background(), newFake(), n, Options{}); err != nil {
		t.Fatal(err)
	}
	kernel, _ := n.Metadata["kernelspec"].(map[string]any)
	language, _ := n.Metadata["language_info"].(map[string]any)
	if kernel["name"] != "gosphere" || kernel["language"] != "go" || language["name"] != "go" || language["file_extension"] != ".go" {
		t.Errorf("metadata %v", n.Metadata)
	}
	if err := n.Check(); err != nil {
		t.Error(err)
	}
}

func TestOutputsAfterTheRunAreLostNotRaced(t *testing.T) {
	n := notebookOf("print a")
	session := newFake()
	if err := Run(context.Background(), session, n, Options{}); err != nil {
		t.Fatal(err)
	}
	var goroutines sync.WaitGroup
	goroutines.Go(func() { session.kept[0](protocol.Stream{Name: "stdout", Text: "late"}) })
	var written bytes.Buffer
	if err := nbformat.Write(&written, n); err != nil {
		t.Fatal(err)
	}
	goroutines.Wait()
	if got := text(n.Cells[0]); got != `stdout:"a\n"` {
		t.Errorf("got %s", got)
	}
}

func TestChangingABundleAfterwardDoesNotChangeTheOutput(t *testing.T) {
	n := notebookOf("print a")
	r := newRecord(nil)
	c := r.cell(n.Cells[0])
	data := protocol.MimeBundle{"text/plain": "before"}
	c.publish(protocol.DisplayData{Data: data})
	data["text/plain"] = "after"
	r.store(n)
	if got := text(n.Cells[0]); got != "display_data:before" {
		t.Errorf("got %s", got)
	}
}
