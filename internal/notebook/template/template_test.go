package template

import (
	"context"
	"strings"
	"testing"

	"gosphere/internal/notebook/check"
	"gosphere/internal/notebook/run"
	"gosphere/internal/testing/sessiontest"
	"gosphere/kernel/nbformat"
)

func TestTemplatesRunAndShowTheSameAgain(t *testing.T) {
	for _, name := range Names() {
		notebook, err := New(name, "A  title\nin two lines")
		if err != nil {
			t.Fatal(err)
		}
		if err := notebook.Check(); err != nil {
			t.Error(err)
		}
		if !strings.HasPrefix(notebook.Cells[0].Source, "# A title in two lines\n") {
			t.Errorf("%s begins with %q", name, notebook.Cells[0].Source)
		}
		if err := run.Run(context.Background(), sessiontest.New(t), notebook, run.Options{}); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		again, err := check.Notebook(context.Background(), sessiontest.New(t), notebook, check.Options{})
		if err != nil || again.Differs() {
			t.Errorf("%s: %s, %v", name, again.Summary(), err)
		}
	}
}

func TestReproductionsKeepTheConventions(t *testing.T) {
	notebook, err := New("reproduction", "x")
	if err != nil {
		t.Fatal(err)
	}
	values := run.Values(notebook)
	for _, name := range []string{"data", "methods", "seeds", "device", "quick"} {
		if values[name] == "" {
			t.Errorf("there is no parameter %s", name)
		}
	}
	if values["quick"] != "true" {
		t.Errorf("quick is %s", values["quick"])
	}
	last := notebook.Cells[len(notebook.Cells)-1]
	metadata, _ := last.Metadata["gosphere"].(map[string]any)
	if last.Type != nbformat.Code || last.Source != "%version" || metadata["check"] == nil {
		t.Errorf("the last cell is %+v", last)
	}
}

func TestUnknownTemplatesAreNamed(t *testing.T) {
	if _, err := New("paper", "x"); err == nil || err.Error() != `there is no template "paper"; there are blank, reproduction and teaching` {
		t.Errorf("got %v", err)
	}
}
