package nbformat

import (
	"strings"
	"testing"
)

// noted returns a notebook with all metadata that programs store about a run.
func noted() *Notebook {
	n := New()
	cell := n.Add(Code, "x", "parameters")
	cell.ExecutionCount, cell.Outputs = 3, []Output{{Type: Stream, Name: "stdout", Text: "hi"}}
	cell.Metadata["execution"] = map[string]any{"iopub.status.busy": "2026-11-21"}
	cell.Metadata["scrolled"] = true
	n.Metadata["papermill"] = map[string]any{"duration": 1.5}
	n.Metadata["widgets"] = map[string]any{"state": map[string]any{}}
	n.Metadata["title"] = "kept"
	return n
}

func TestCleanLeavesWhatAPersonWrote(t *testing.T) {
	n := noted()
	n.Clean(false)
	text := written(t, n)
	for _, gone := range []string{"hi", "2026", "scrolled", "papermill", "widgets", `"execution_count": 3`} {
		if strings.Contains(text, gone) {
			t.Errorf("%s is left in\n%s", gone, text)
		}
	}
	for _, kept := range []string{"parameters", "kept", `"x"`} {
		if !strings.Contains(text, kept) {
			t.Errorf("%s is gone from\n%s", kept, text)
		}
	}
	n.Clean(false)
	if again := written(t, n); again != text {
		t.Error("cleaning twice changes something")
	}
}

func TestCleanCanKeepOutputs(t *testing.T) {
	n := noted()
	n.Clean(true)
	text := written(t, n)
	if !strings.Contains(text, "hi") || !strings.Contains(text, "widgets") || !strings.Contains(text, `"execution_count": 3`) {
		t.Errorf("outputs are gone from\n%s", text)
	}
	if strings.Contains(text, "papermill") || strings.Contains(text, "2026") {
		t.Errorf("times are left in\n%s", text)
	}
}
