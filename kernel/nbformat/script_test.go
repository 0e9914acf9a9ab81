package nbformat

import (
	"fmt"
	"slices"
	"testing"
)

func TestScriptIsCutAtMarkers(t *testing.T) {
	n, starts := FromScript("import \"fmt\"\r\n\n// %% [markdown]\n// # κ\n//\n//text\n// %% first tags=[\"parameters\", 'quick']\n\nx := 1\n\n//%%\n// %%\nfmt.Println(x) // %% no marker\n")
	want := []struct {
		kind, source string
		start        int
	}{
		{Code, "import \"fmt\"", 1},
		{Markdown, "# κ\n\ntext", 4},
		{Code, "x := 1", 9},
		{Code, "fmt.Println(x) // %% no marker", 13},
	}
	if len(n.Cells) != len(want) || len(starts) != len(want) {
		t.Fatalf("%d cells, %d starts, want %d", len(n.Cells), len(starts), len(want))
	}
	for i, w := range want {
		if n.Cells[i].Type != w.kind || n.Cells[i].Source != w.source || starts[i] != w.start {
			t.Errorf("cell %d is %s %q from line %d, want %v", i+1, n.Cells[i].Type, n.Cells[i].Source, starts[i], w)
		}
	}
	if !n.Cells[2].HasTag("parameters") || !n.Cells[2].HasTag("quick") || n.Cells[3].HasTag("parameters") {
		t.Error("tags are wrong")
	}
	if err := n.Check(); err != nil {
		t.Error(err)
	}
}

func TestScriptWithoutMarkersIsOneCell(t *testing.T) {
	n, starts := FromScript("\n\npackage main\n")
	if len(n.Cells) != 1 || n.Cells[0].Source != "package main" || !slices.Equal(starts, []int{3}) {
		t.Errorf("%d cells, starts %v", len(n.Cells), starts)
	}
	if n, _ := FromScript("\n// %%\n\n"); len(n.Cells) != 0 {
		t.Errorf("%d cells of nothing", len(n.Cells))
	}
}

// TestMagicsThatJupytextCommentsAreRun reads what jupytext 1.19 writes for cells with magics.
func TestMagicsThatJupytextCommentsAreRun(t *testing.T) {
	n, starts := FromScript(`// %%
x := 2
// %time fmt.Println(x)
// !echo hi $HOME
// 5 % of it

// %% language="bash"
// echo one
//
// echo two

// %%
// %%time
fmt.Println(3)

// %%
// // %d is a verb

// %%
// %%writefile a.txt
// more

// %% magic_args=":memory:" language="sql"
// select 1
`)
	want := []string{
		"x := 2\n%time fmt.Println(x)\n!echo hi $HOME\n// 5 % of it",
		"%%bash\necho one\n\necho two",
		"%%time\nfmt.Println(3)",
		"// %d is a verb",
		"%%writefile a.txt\n// more",
		"%%sql :memory:\nselect 1",
	}
	if len(n.Cells) != len(want) {
		t.Fatalf("%d cells", len(n.Cells))
	}
	for i, source := range want {
		if n.Cells[i].Source != source {
			t.Errorf("cell %d is %q, want %q", i, n.Cells[i].Source, source)
		}
	}
	if !slices.Equal(starts, []int{2, 7, 13, 17, 20, 23}) {
		t.Errorf("the cells begin at lines %v", starts)
	}
}

func ExampleFromScript() {
	n, _ := FromScript("// %% [markdown]\n// # Title\n// %% tags=[\"parameters\"]\nepochs := 40\n")
	for _, cell := range n.Cells {
		fmt.Printf("%s %q %v\n", cell.Type, cell.Source, cell.HasTag("parameters"))
	}
	// Output:
	// markdown "# Title" false
	// code "epochs := 40" true
}
