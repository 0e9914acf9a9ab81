package notebook

import (
	"bytes"
	"io"
	"testing"
	"time"

	"gosphere/internal/notebook/run"
	"gosphere/kernel/nbformat"
	"gosphere/kernel/protocol"
	"gosphere/runtime/printer"
)

// bar returns a state of a progress bar.
func bar(stage protocol.Stage, text string) protocol.UpdateDisplayData {
	return protocol.UpdateDisplayData{Data: protocol.MimeBundle{"text/plain": text}, Transient: protocol.Transient{DisplayID: "bar", Stage: stage}}
}

func TestStepsOfANotebookShowTheBarsOfItsCells(t *testing.T) {
	var log bytes.Buffer
	s := newSteps(&log)
	for number, contents := range [][]protocol.Content{
		{protocol.Stream{Name: "stdout", Text: "into the notebook"}, protocol.DisplayData{Data: protocol.MimeBundle{"text/plain": "the same"}}},
		{protocol.DisplayData(bar(protocol.Marked, "training: 0 of 10")), bar(protocol.Passing, "training: 1 of 10"), bar(protocol.Final, "training: 10 of 10 in 3 s")},
		{},
	} {
		step := run.Step{Number: number + 1, Total: 3, Cell: &nbformat.Cell{Source: "a cell\nof two lines"}}
		s.report(step)
		for _, content := range contents {
			s.show(content)
		}
		step.Done, step.Elapsed = true, 3200*time.Millisecond
		s.report(step)
	}
	want := "[1/3] a cell 3.2 s\n[2/3] a cell\ntraining: 0 of 10\ntraining: 10 of 10 in 3 s\n[2/3] 3.2 s\n[3/3] a cell 3.2 s\n"
	if log.String() != want {
		t.Errorf("got\n%s, want\n%s", &log, want)
	}
}

func TestOutputsOfAProgramAreATextInAPipe(t *testing.T) {
	var out, errs bytes.Buffer
	o := &outputs{stdout: printer.New(&out), stderr: &errs}
	for _, content := range []protocol.Content{
		protocol.Stream{Name: "stdout", Text: "a"}, protocol.Stream{Name: "stdout", Text: "b\n"}, protocol.Stream{Name: "stderr", Text: "warning\n"},
		bar(protocol.Passing, "1 of 2"), bar(protocol.Final, "2 of 2"), bar(protocol.Still, "changed"),
		protocol.ExecuteResult{ExecutionCount: 3, Data: protocol.MimeBundle{"text/plain": "42"}},
		protocol.Error{Traceback: []string{"\x1b[31mpanic\x1b[0m", "line 1"}},
	} {
		o.show(content)
	}
	if out.String() != "ab\n2 of 2\nchanged\n42\n" || errs.String() != "warning\npanic\nline 1\n" {
		t.Errorf("stdout %q, stderr %q", &out, &errs)
	}
	out.Reset()
	o = newOutputs(&out, io.Discard)
	if o.show(protocol.ExecuteResult{ExecutionCount: 3, Data: protocol.MimeBundle{"text/plain": "42"}}); out.String() != "Out[3]: 42\n" {
		t.Errorf("typed cells show %q", &out)
	}
}
