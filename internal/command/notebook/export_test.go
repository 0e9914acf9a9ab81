package notebook

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"gosphere/runtime/session"

	"gosphere/internal/command/process"
	"gosphere/internal/notebook/export"
	"gosphere/kernel/nbformat"
	"gosphere/runtime/symbols"
)

// bringArchive provides the type information of the program to the commands of a test.
func bringArchive(t *testing.T) {
	t.Helper()
	before := process.Preloaded
	process.Preloaded = session.Packages{Archives: symbols.Archives, Symbol: symbols.Find}
	t.Cleanup(func() { process.Preloaded = before })
}

// saved writes a notebook of code cells to a file.
func saved(t *testing.T, name string, cells ...string) string {
	t.Helper()
	notebook := nbformat.New()
	for _, cell := range cells {
		notebook.Add(nbformat.Code, cell)
	}
	path := filepath.Join(t.TempDir(), name)
	if err := nbformat.WriteFile(path, notebook); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestExportWritesAProgramThatNeedsNothing(t *testing.T) {
	bringArchive(t)
	path := saved(t, "2 Ways.ipynb", "x := 1", "x + 1")
	var stdout bytes.Buffer
	if err := (&Export{File: path, To: "go"}).export(&stdout); err != nil {
		t.Fatal(err)
	}
	folder := strings.TrimSuffix(path, ".ipynb") + "-go"
	if mod, err := os.ReadFile(filepath.Join(folder, "go.mod")); err != nil || !strings.HasPrefix(string(mod), "module notebook-2-ways\n\ngo 1.27\n\n// Checksum ") {
		t.Errorf("go.mod holds %q, %v", mod, err)
	}
	if program, err := os.ReadFile(filepath.Join(folder, "main.go")); err != nil || !strings.Contains(string(program), "show(x + 1)") {
		t.Errorf("main.go holds\n%s\n%v", program, err)
	}
	if _, err := os.Stat(filepath.Join(folder, "go.sum")); err == nil {
		t.Error("there is a go.sum")
	}
}

func TestExportWithoutTheSourceIsAScript(t *testing.T) {
	bringArchive(t)
	folder := t.TempDir()
	t.Chdir(folder)
	path := saved(t, "mean.ipynb", "colormap.Category(1)")
	written := filepath.Join(folder, "out")
	var stdout bytes.Buffer
	err := (&Export{File: path, To: "go", Output: written}).export(&stdout)
	if err != nil || !strings.Contains(stdout.String(), "run it with: gosphere run "+filepath.Join(written, "main.go")+"\nto build it with the go command") || !strings.Contains(stdout.String(), "gosphere/plotting/colormap") {
		t.Errorf("%v\n%s", err, stdout.String())
	}
	if files, _ := os.ReadDir(written); len(files) != 1 {
		t.Errorf("written are %v, want main.go alone", files)
	}
	run := exec.Command(os.Args[0], "run", filepath.Join(written, "main.go"))
	run.Env = append(os.Environ(), asProgram+"=1")
	if said, err := run.CombinedOutput(); err != nil || len(said) == 0 {
		t.Errorf("%v\n%s", err, said)
	}
	if err := (&Export{File: path, To: "go", Source: folder}).export(&stdout); err == nil || !strings.Contains(err.Error(), folder) {
		t.Errorf("with a folder that has no source: %v", err)
	}
}

func TestExportRefusesUnknownParameters(t *testing.T) {
	bringArchive(t)
	path := saved(t, "a.ipynb", "x := 1")
	if err := (&Export{File: path, To: "go", Parameter: []string{"y=1"}}).export(&bytes.Buffer{}); err == nil || !strings.Contains(err.Error(), "no cell tagged parameters that defines y") {
		t.Errorf("got %v", err)
	}
}

func TestExportWritesPagesAndFiguresFromStoredOutputs(t *testing.T) {
	path := painted(t)
	stem := strings.TrimSuffix(path, ".ipynb")
	for to, want := range map[string][]string{
		"html":     {stem + ".html"},
		"markdown": {stem + ".md", stem + "_files"},
		"latex":    {stem + "-figures/figures.tex"},
		"slides":   {stem + ".slides.html"},
	} {
		if err := (&Export{File: path, To: to, Stored: to == "latex"}).export(&bytes.Buffer{}); err != nil {
			t.Errorf("%s: %v", to, err)
		}
		for _, file := range want {
			if _, err := os.Stat(file); err != nil {
				t.Errorf("%s: %v", to, err)
			}
		}
	}
	if err := (&Export{File: path, To: "html", Parameter: []string{"x=1"}}).export(&bytes.Buffer{}); err == nil || !strings.Contains(err.Error(), "run the notebook with gosphere run -p") {
		t.Errorf("parameters of a page: %v", err)
	}
}

// exported exports a notebook with figures next to it.
func exported(path, to string, overwrite bool) error {
	return (&Export{File: path, To: to, Stored: to == "latex", Overwrite: overwrite}).export(&bytes.Buffer{})
}

// Edits in an exported page are overwritten only on request, and so are edited figures.
func TestExportedPagesAndFiguresThatWereEditedAreReplacedOnRequestOnly(t *testing.T) {
	for to, texts := range map[string]string{"html": ".html", "slides": ".slides.html", "markdown": ".md", "latex": "-figures/figures.tex"} {
		path := painted(t)
		stem := strings.TrimSuffix(path, ".ipynb")
		files := []string{stem + texts}
		for range 2 { // the second time nothing was touched
			if err := exported(path, to, false); err != nil {
				t.Fatalf("%s: %v", to, err)
			}
		}
		figures, err := filepath.Glob(map[string]string{"markdown": stem + "_files/*", "latex": stem + "-figures/*.p*"}[to])
		if err != nil || (len(figures) == 0) != (to == "html" || to == "slides") {
			t.Fatalf("%s: figures %q, %v", to, figures, err)
		}
		for _, file := range append(files, figures...) {
			first, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			mine := append([]byte("mine"), first...)
			if err := os.WriteFile(file, mine, 0o644); err != nil {
				t.Fatal(err)
			}
			err = exported(path, to, false)
			want := file + " was changed after the export, or was not exported: name another file with --output, or replace it with --overwrite"
			if err == nil || err.Error() != want {
				t.Errorf("%s: error %v, want %s", to, err, want)
			}
			if now, err := os.ReadFile(file); err != nil || !bytes.Equal(now, mine) {
				t.Errorf("%s: %s is lost: %v", to, file, err)
			}
			if err := exported(path, to, true); err != nil {
				t.Errorf("%s with --overwrite: %v", to, err)
			}
			if now, err := os.ReadFile(file); err != nil || !bytes.Equal(now, first) {
				t.Errorf("%s with --overwrite: %s is another one: %v", to, file, err)
			}
		}
	}
}

// A page follows its notebook as long as it is not edited. This includes a page written by a
// version without seals.
func TestAnExportedPageFollowsItsNotebookWhileNobodyEditsIt(t *testing.T) {
	path := saved(t, "a.ipynb", "1 + 1")
	page := strings.TrimSuffix(path, ".ipynb") + ".md"
	if err := exported(path, "markdown", false); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	unsealed, _, _ := bytes.Cut(text, []byte("\n<!-- Checksum"))
	if err := os.WriteFile(page, unsealed, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := exported(path, "markdown", false); err != nil {
		t.Errorf("an old page of the same notebook: %v", err)
	}
	notebook := nbformat.New()
	notebook.Add(nbformat.Code, "2 + 2")
	if err := nbformat.WriteFile(path, notebook); err != nil {
		t.Fatal(err)
	}
	if err := exported(path, "markdown", false); err != nil {
		t.Errorf("the notebook changed: %v", err)
	}
	if text, err := os.ReadFile(page); err != nil || !strings.Contains(string(text), "2 + 2") {
		t.Errorf("%v, the page is still\n%s", err, text)
	}
}

func TestExportNeverReplacesItsNotebook(t *testing.T) {
	path := saved(t, "a.ipynb", "1 + 1")
	before, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, overwrite := range []bool{false, true} {
		err := (&Export{File: path, To: "html", Output: path, Overwrite: overwrite}).export(&bytes.Buffer{})
		if err == nil || err.Error() != path+" is the notebook itself: name another file with --output" {
			t.Errorf("error %v", err)
		}
	}
	if after, err := os.ReadFile(path); err != nil || !bytes.Equal(before, after) {
		t.Errorf("the notebook is another one: %v", err)
	}
	folder := t.TempDir()
	if err := (&Export{File: path, To: "html", Output: folder}).export(&bytes.Buffer{}); err == nil || err.Error() != folder+" is a folder: name a file with --output" {
		t.Errorf("error %v", err)
	}
}

// A notebook is not run for figures that will not be written.
func TestFiguresThatWereEditedAreToldBeforeTheNotebookIsRun(t *testing.T) {
	bringArchive(t)
	path := painted(t)
	if err := exported(path, "latex", false); err != nil {
		t.Fatal(err)
	}
	figures, err := filepath.Glob(strings.TrimSuffix(path, ".ipynb") + "-figures/*.p*")
	if err != nil || len(figures) == 0 {
		t.Fatal(figures, err)
	}
	edited := figures[0]
	if err := os.WriteFile(edited, []byte("mine"), 0o644); err != nil {
		t.Fatal(err)
	}
	notebook := nbformat.New()
	notebook.Add(nbformat.Code, `panic("this was run")`)
	if err := nbformat.WriteFile(path, notebook); err != nil {
		t.Fatal(err)
	}
	if err := (&Export{File: path, To: "latex"}).export(&bytes.Buffer{}); err == nil || !strings.HasPrefix(err.Error(), edited+" was changed after") {
		t.Errorf("error %v", err)
	}
}

func TestExportOfAnotherLanguageIsAPageAndNoProgram(t *testing.T) {
	bringArchive(t)
	path := filepath.Join(t.TempDir(), "a.ipynb")
	if err := os.WriteFile(path, []byte(strings.Replace(twoCells, `"metadata":{}`, `"metadata":{"kernelspec":{"language":"R"}}`, 1)), 0o644); err != nil {
		t.Fatal(err)
	}
	for to, works := range map[string]bool{"html": true, "slides": true, "markdown": true, "go": false, "latex": false} {
		err := (&Export{File: path, To: to}).export(&bytes.Buffer{})
		if works && err != nil || !works && (err == nil || !strings.Contains(err.Error(), "the metadata declares the language r, but gosphere runs Go")) {
			t.Errorf("%s: %v", to, err)
		}
	}
}

func TestAPageLinksToItsNotebookOnASite(t *testing.T) {
	for site, want := range map[string]string{
		"https://example.org/reruns":                           "https://example.org/reruns/lab/index.html?path=my+notes.ipynb",
		"http://localhost:8000/lab/index.html?path=a/my.ipynb": "http://localhost:8000/lab/index.html?path=a/my.ipynb",
	} {
		e := &Export{File: "folder/my notes.ipynb", Site: site}
		if got, err := e.live(); err != nil || got != want {
			t.Errorf("--site %s leads to %q, %v, want %q", site, got, err, want)
		}
		page, err := export.HTML(nbformat.New(), export.Options{Live: want})
		if err != nil || !strings.Contains(string(page), `<a href="`+want+`">Run in the browser</a>`) {
			t.Errorf("no link in the page (%v)", err)
		}
	}
	for _, site := range []string{"example.org", "javascript:alert(1)", "ftp://example.org"} {
		if _, err := (&Export{File: "a.ipynb", Site: site}).live(); err == nil {
			t.Errorf("--site %s is accepted", site)
		}
	}
}

func TestExportWritesPagesToStandardOutput(t *testing.T) {
	notebook := nbformat.New()
	notebook.Add(nbformat.Code, "1 + 1")
	file := filepath.Join(t.TempDir(), "a.ipynb")
	if err := nbformat.WriteFile(file, notebook); err != nil {
		t.Fatal(err)
	}
	for to, want := range map[string]string{"html": "<!DOCTYPE html>", "slides": "<!DOCTYPE html>", "markdown": "1 + 1"} {
		var stdout bytes.Buffer
		if err := (&Export{File: file, To: to, Output: "-"}).export(&stdout); err != nil || !strings.Contains(stdout.String(), want) || strings.Contains(stdout.String(), "wrote") {
			t.Errorf("%s: %v, %.200s", to, err, stdout.String())
		}
	}
	if err := (&Export{File: file, To: "go", Output: "-"}).export(new(bytes.Buffer)); err == nil || err.Error() != "-o -: go writes a folder: name it" {
		t.Error(err)
	}
}
