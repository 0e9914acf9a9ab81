package program

import (
	"encoding/base64"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"gosphere/internal/notebook/compare"
	"gosphere/internal/testing/sessiontest"
	"gosphere/kernel/nbformat"
)

// sample are the lessons whose programs the fast tests build: figures, an exercise, and Go code of
// every kind.
const sample = "teaching/02-vmf teaching/08-evidence teaching/10-go"

// TestProgramsShowWhatNotebooksStore exports notebooks, builds and runs them outside of the
// repository, and compares what each cell's function prints and draws with the outputs that the
// notebook stores for the cell, by the tolerances of gosphere check. The environment variable
// GOSPHERE_PROGRAMS names others than the sample, by patterns with blanks between them; * is every
// notebook, which trains for as long as gosphere check does.
func TestProgramsShowWhatNotebooksStore(t *testing.T) {
	if testing.Short() {
		t.Skip("runs the go command")
	}
	patterns := os.Getenv("GOSPHERE_PROGRAMS")
	if patterns == "" {
		patterns = sample
	}
	tried := 0
	for _, name := range committed(t) {
		if !slices.ContainsFunc(strings.Fields(patterns), func(pattern string) bool {
			matches, err := filepath.Match(pattern, name)
			if err != nil {
				t.Fatal(err)
			}
			return matches || pattern == "*"
		}) {
			continue
		}
		tried++
		t.Run(name, func(t *testing.T) { agrees(t, filepath.Join("../../../notebooks", filepath.FromSlash(name)+".ipynb")) })
	}
	if tried == 0 {
		t.Errorf("%q matches no notebook", patterns)
	}
}

// committed returns the names of all notebooks of the repository, without extension.
func committed(t *testing.T) (names []string) {
	t.Helper()
	err := fs.WalkDir(os.DirFS("../../../notebooks"), ".", func(path string, entry fs.DirEntry, err error) error {
		if err == nil && entry.IsDir() && (entry.Name() == "testdata" || entry.Name() == ".ipynb_checkpoints") {
			return filepath.SkipDir
		}
		if name, ok := strings.CutSuffix(path, ".ipynb"); ok {
			names = append(names, name)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return names
}

// marked is printed by the program before each cell, for this test.
const marked = "\x1e cell "

var (
	callOfCell = regexp.MustCompile(`(?m)^\t(?:attempt\w*\()?cell(\d+)\w*(?:\(\)|\))$`)
	figureName = regexp.MustCompile(` \((figure-\d+\.\w+)\)`)
	bar        = regexp.MustCompile(`^\[[#·]+\] training `) // which programs do not draw
	changing   = regexp.MustCompile(`\.Update\(|display\.(New|NewProgress|Progress)\b|\.Train(Context)?\(|\.(Recall|Evaluate)\w*\(`)
)

// agrees reports the cells for which the program of a notebook prints something other than the
// stored outputs.
func agrees(t *testing.T, path string) {
	notebook, err := nbformat.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	exported, err := Make(notebook, sessiontest.Packages(t), os.DirFS("."))
	if err != nil {
		t.Fatal(err)
	}
	start := strings.Index(string(exported.Source), "func main() {")
	end := start + strings.Index(string(exported.Source[start:]), "\n}")
	if start < 0 {
		t.Fatal("the program has no main")
	}
	calls := callOfCell.ReplaceAllString(string(exported.Source[start:end]), "\tmark($1)\n$0")
	exported.Source = slices.Concat(exported.Source[:start], []byte(calls), exported.Source[end:])
	began := time.Now()
	folder := built(t, exported, map[string]string{"mark.go": fmt.Sprintf("package main\n\nimport \"fmt\"\n\nfunc mark(n int) { fmt.Printf(\"\\n%s%%d\\n\", n) }\n", marked)})
	ready := time.Now()
	program := exec.Command(filepath.Join(folder, "program"))
	program.Dir = t.TempDir()
	program.Env = append(os.Environ(), "GOSPHERE_FIGURES=figures")
	var said strings.Builder
	program.Stderr = &said
	printed, err := program.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, said.String())
	}
	t.Logf("built in %.0f s, run in %.0f s, %d cells", ready.Sub(began).Seconds(), time.Since(ready).Seconds(), strings.Count(string(printed), "\n"+marked))
	shown := map[string]string{}
	for _, part := range strings.Split(string(printed), "\n"+marked)[1:] {
		number, text, _ := strings.Cut(part, "\n")
		shown[number] = text
	}
	for i, cell := range notebook.Cells {
		if text, ran := shown[fmt.Sprint(i+1)]; ran {
			sameCell(t, notebook, cell, text, filepath.Join(program.Dir, "figures"))
		} else if cell.Type == nbformat.Code && len(cell.Outputs) > 0 && !strings.HasPrefix(cell.Source, "%") && cell.Outputs[0].Type != nbformat.ErrorOutput {
			t.Errorf("cell %d has outputs and the program no part for it", i+1)
		}
		for _, o := range cell.Outputs {
			if o.Type == nbformat.ErrorOutput && shown[fmt.Sprint(i+1)] != "" && !strings.Contains(said.String(), o.Evalue) {
				t.Errorf("cell %s fails with %q, the program says %s", cell.ID, o.Evalue, said.String())
			}
		}
	}
}

// sameCell compares the output of a program for a cell with the stored one.
func sameCell(t *testing.T, notebook *nbformat.Notebook, cell *nbformat.Cell, printed, figures string) {
	t.Helper()
	tolerances, err := compare.TolerancesOf(notebook, cell)
	if err != nil {
		t.Fatal(err)
	}
	if tolerances.Skip != "" {
		return
	}
	drawn := figureName.FindAllStringSubmatch(printed, -1)
	var stored strings.Builder
	for _, o := range cell.Outputs {
		text, _ := o.Data["text/plain"].(string)
		if o.Name != "stderr" && !bar.MatchString(text) {
			stored.WriteString(o.Text + text)
		}
		if text != "" && !bar.MatchString(text) {
			stored.WriteString("\n")
		}
		picture, ok := o.Data["image/png"].(string)
		if !ok {
			continue
		}
		if len(drawn) == 0 {
			t.Errorf("cell %s: %s is not drawn", cell.ID, text)
			continue
		}
		now, err := os.ReadFile(filepath.Join(figures, drawn[0][1]))
		drawn = drawn[1:]
		old, errOld := base64.StdEncoding.DecodeString(strings.Join(strings.Fields(picture), ""))
		if err != nil || errOld != nil {
			t.Errorf("cell %s: %s: %v, %v", cell.ID, text, err, errOld)
		} else if remark := compare.Figure(old, now, tolerances); remark != "" {
			t.Errorf("cell %s: %s: %s", cell.ID, text, remark)
		}
	}
	differences := compare.Text(stored.String(), figureName.ReplaceAllString(printed, ""), tolerances)
	mark := "+-"
	if changing.MatchString(cell.Source) { // a program prints every state of a display that a notebook shows the last one of
		mark = "-"
	}
	if strings.Contains("\n"+cell.Source, "\n%") { // and no output of magics
		mark = strings.ReplaceAll(mark, "-", "")
	}
	if slices.ContainsFunc(differences, func(line string) bool { return strings.Contains(mark, line[:1]) }) {
		t.Errorf("cell %s: notebook (-) and program (+) differ\n%s", cell.ID, strings.Join(differences, "\n"))
	}
}
