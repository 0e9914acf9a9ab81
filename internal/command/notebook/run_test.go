package notebook

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"gosphere/internal/notebook/run"
	"gosphere/kernel/nbformat"
	"gosphere/kernel/protocol"
)

// asProgram is the environment variable that makes this test binary the program gosphere.
const asProgram = "GOSPHERE_TEST_AS_PROGRAM"

// parrot is a session whose cells print themselves. A cell that contains the word panic fails, and
// one that contains the word unread leaves an error that nothing reads.
type parrot struct {
	count  int
	unread []string
}

func (e *parrot) UnreadErrors() []string { return e.unread }

func (e *parrot) Interrupt() {}

func (e *parrot) Execute(_ context.Context, request protocol.ExecuteRequest, publish func(protocol.Content)) protocol.ExecuteReply {
	e.count++
	publish(protocol.ExecuteInput{Code: request.Code, ExecutionCount: e.count})
	publish(protocol.Stream{Name: "stdout", Text: "ran " + request.Code + "\n"})
	publish(protocol.Stream{Name: "stderr", Text: "noise\n"})
	publish(protocol.DisplayData{Data: protocol.MimeBundle{"text/plain": "shown"}})
	publish(protocol.UpdateDisplayData{Data: protocol.MimeBundle{"text/plain": "changed"}})
	if strings.Contains(request.Code, "unread") {
		e.unread = append(e.unread, fmt.Sprintf("Cell [%d], line 1: err holds", e.count))
	}
	if !strings.Contains(request.Code, "panic") {
		publish(protocol.ExecuteResult{Data: protocol.MimeBundle{"text/plain": "value"}})
		return protocol.ExecuteReply{Status: "ok", ExecutionCount: e.count}
	}
	failed := protocol.Error{Ename: "Panic", Evalue: "boom", Traceback: []string{"\x1b[31mCell [2], line 1, column 7\x1b[0m", "Cell [1], line 1", "Cell [99], line 1"}}
	publish(failed)
	return protocol.ExecuteReply{Status: "error", ExecutionCount: e.count, Ename: failed.Ename, Evalue: failed.Evalue, Traceback: failed.Traceback}
}

// runFile runs a file with the given name and text and returns its output.
func runFile(t *testing.T, name, text string, r Run) (stdout, stderr string, err error) {
	t.Helper()
	r.File = filepath.Join(t.TempDir(), name)
	if r.Output != "" {
		r.Output = filepath.Join(filepath.Dir(r.File), r.Output)
	}
	if err := os.WriteFile(r.File, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	var out, errs bytes.Buffer
	err = r.execute(context.Background(), &parrot{}, &out, &errs)
	folder := filepath.Dir(r.File) + string(filepath.Separator)
	if err != nil {
		err = fixedError(strings.ReplaceAll(err.Error(), folder, ""))
	}
	for _, path := range []string{"a.out.ipynb", "result.ipynb"} {
		if notebook, readErr := nbformat.ReadFile(folder + path); readErr == nil {
			for _, cell := range notebook.Cells {
				errs.WriteString(path + " holds " + cell.Source + "\n")
			}
		}
	}
	return out.String(), strings.ReplaceAll(errs.String(), folder, ""), err
}

type fixedError string

func (e fixedError) Error() string { return string(e) }

const twoCells = `{"nbformat":4,"nbformat_minor":5,"metadata":{},"cells":[
	{"cell_type":"code","id":"one","metadata":{"tags":["parameters"]},"source":"epochs := 40","outputs":[],"execution_count":null},
	{"cell_type":"code","id":"two","metadata":{},"source":"second","outputs":[],"execution_count":null}]}`

func TestNotebookRunsWithParametersIntoAnotherFile(t *testing.T) {
	stdout, stderr, err := runFile(t, "a.ipynb", twoCells, Run{Parameter: []string{"epochs=5"}})
	if err != nil {
		t.Fatal(err)
	}
	if stdout != "" {
		t.Errorf("outputs belong into the notebook, printed %q", stdout)
	}
	for _, want := range []string{
		"[1/3] epochs := 40 ", "[2/3] // Parameters ", "[3/3] second ",
		"wrote a.out.ipynb\n",
		"a.out.ipynb holds // Parameters\nepochs = 5\n",
	} {
		if !strings.Contains(stderr, want) {
			t.Errorf("%q is not in\n%s", want, stderr)
		}
	}
}

func TestWhatCannotWorkIsRefusedBeforeACellRuns(t *testing.T) {
	python := strings.Replace(twoCells, `"metadata":{}`, `"metadata":{"language_info":{"name":"Python"}}`, 1)
	for _, c := range []struct {
		file, text string
		run        Run
		want       string
	}{
		{"a.ipynb", twoCells, Run{Parameter: []string{"typo=1"}}, "a.ipynb has no cell tagged parameters that defines typo; it has epochs"},
		{"a.ipynb", strings.Replace(twoCells, "parameters", "others", 1), Run{Parameter: []string{"typo=1"}}, "a.ipynb has no cell tagged parameters that defines typo"},
		{"a.go", "package main\n\nfunc main() {}\n", Run{Parameter: []string{"x=1"}}, "a.go has no cell tagged parameters that defines x"},
		{"a.ipynb", twoCells, Run{Parameter: []string{"epochs=many"}}, `a.ipynb: notebook: parameter epochs: "many" is not an integer, which the notebook's own value is`},
		{"a.ipynb", twoCells, Run{Parameter: []string{"epochs=1", "epochs=2"}}, "a.ipynb: notebook: parameter epochs is given twice"},
		{"a.ipynb", twoCells, Run{Timeout: -time.Second}, "--timeout -1s: want a duration of at least 0"},
		{"a.ipynb", twoCells, Run{Output: "nowhere/a.ipynb"}, "cannot write the result to nowhere/a.ipynb: open "},
		{"a.ipynb", twoCells, Run{Output: "."}, "-o "},
		{"a.ipynb", python, Run{}, "a.ipynb: the metadata declares the language python, but gosphere runs Go"},
	} {
		stdout, stderr, err := runFile(t, c.file, c.text, c.run)
		if err == nil || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%+v: %v, want %s", c.run, err, c.want)
		}
		if stdout != "" || strings.Contains(stderr, "[1/") {
			t.Errorf("%+v: something ran: %q, %q", c.run, stdout, stderr)
		}
	}
}

func TestSeveralFilesGetTheParametersThatTheyDefine(t *testing.T) {
	t.Chdir(t.TempDir())
	other := strings.Replace(twoCells, "epochs := 40", `import \"math\"\nfunc f() {}\nrate := math.Pi`, 1)
	for name, text := range map[string]string{"a.ipynb": twoCells, "b.ipynb": other, "c.go": "package main"} {
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	r := Run{Parameter: []string{"epochs=5", "rate=2"}}
	got, err := r.parametersOf([]string{"a.ipynb", "b.ipynb", "c.go"})
	if err != nil || !reflect.DeepEqual(got, [][]string{{"epochs=5"}, {"rate=2"}, nil}) {
		t.Errorf("got %q, %v", got, err)
	}
	r.Parameter = append(r.Parameter, "typo=1")
	if _, err := r.parametersOf([]string{"a.ipynb", "b.ipynb"}); err == nil || err.Error() != "none of the 2 files has a cell tagged parameters that defines typo" {
		t.Errorf("got %v", err)
	}
	for want, r := range map[string]Run{
		"a.ipynb is listed twice":                                    {File: "a.ipynb", More: []string{"a.ipynb"}, Jobs: 1},
		"-o all.ipynb: want a folder, because several files are run": {File: "a.ipynb", More: []string{"b.ipynb"}, Output: "all.ipynb", Jobs: 1},
	} {
		if err := r.runAll(t.Context(), io.Discard); err == nil || err.Error() != want {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}

func TestFailingNotebookIsWrittenAndItsCellNamed(t *testing.T) {
	_, stderr, err := runFile(t, "a.ipynb", strings.Replace(twoCells, "second", "panic(1)", 1), Run{Output: "result.ipynb"})
	if err == nil || err.Error() != "a.ipynb: cell 2 (id two): Panic: boom" {
		t.Errorf("got %v", err)
	}
	if !strings.Contains(stderr, "\nCell [2], line 1, column 7\nCell [1], line 1\n") || !strings.Contains(stderr, "result.ipynb holds panic(1)") {
		t.Errorf("printed %q", stderr)
	}
}

func TestUnreadErrorsFailARun(t *testing.T) {
	const message = "nothing has read 2 errors that cells have stored in variables: test the variables, or use --lenient"
	notebook := strings.NewReplacer("epochs := 40", "unread one", "second", "unread two").Replace(twoCells)
	_, stderr, err := runFile(t, "a.ipynb", notebook, Run{})
	if err == nil || err.Error() != "a.ipynb: "+message || !strings.Contains(stderr, "Cell [1], line 1: err holds\nCell [2], line 1: err holds\n") {
		t.Errorf("%v\n%s", err, stderr)
	}
	// The session has printed the lines of a file of cells.
	_, stderr, err = runFile(t, "a.cells.go", "// %%\nunread\n// %%\nunread", Run{})
	if err == nil || err.Error() != "a.cells.go: "+message || strings.Contains(stderr, "err holds") {
		t.Errorf("%v\n%s", err, stderr)
	}
	if _, stderr, err := runFile(t, "a.ipynb", notebook, Run{Lenient: true}); err != nil {
		t.Errorf("%v\n%s", err, stderr)
	}
}

func TestProgramRunsAsOneCell(t *testing.T) {
	text := "package main\n\nfunc main() {}\n"
	stdout, stderr, err := runFile(t, "a.go", text, Run{})
	if err != nil || stdout != "ran "+text+"\nshown\nchanged\nvalue\n" || stderr != "noise\n" {
		t.Errorf("printed %q and %q, %v", stdout, stderr, err)
	}
}

// sourced is a session that prints where its cells are from.
type sourced struct{ parrot }

func (e *sourced) Execute(_ context.Context, request protocol.ExecuteRequest, publish func(protocol.Content)) protocol.ExecuteReply {
	e.count++
	publish(protocol.Stream{Name: "stdout", Text: fmt.Sprintf("%s:%d ", request.File, request.Line)})
	return protocol.ExecuteReply{Status: "ok", ExecutionCount: e.count}
}

func TestCellsOfFilesKnowWhereTheyAreFrom(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	for name, want := range map[string]string{
		"a.go":       filepath.Join(dir, "a.go") + ":1 ",
		"a.cells.go": filepath.Join(dir, "a.cells.go") + ":1 " + filepath.Join(dir, "a.cells.go") + ":4 ",
		"a.ipynb":    "",
	} {
		text := "package main\n\n// %%\nfunc main() {}\n"
		if name == "a.ipynb" {
			text = twoCells
		}
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		var out bytes.Buffer
		r := Run{File: name}
		if err := r.execute(context.Background(), &sourced{}, &out, io.Discard); err != nil || out.String() != want {
			t.Errorf("%s: got %q, %v, want %q", name, out.String(), err, want)
		}
	}
}

func TestProgramNamesTheLineOfAnError(t *testing.T) {
	_, stderr, err := runFile(t, "a.go", "panic(1)", Run{})
	if err == nil || err.Error() != "a.go: Panic: boom" || !strings.Contains(stderr, "a.go:1\n") {
		t.Errorf("printed %q, %v", stderr, err)
	}
}

func TestFileOfCellsNamesTheLineOfAFailingCell(t *testing.T) {
	stdout, stderr, err := runFile(t, "a.cells.go", "first\n\n// %%\n\n\npanic(1)\n// %%\nthird\n", Run{Output: "result.ipynb"})
	if err == nil || err.Error() != "a.cells.go: cell at line 6: Panic: boom" {
		t.Errorf("got %v", err)
	}
	if !strings.HasPrefix(stdout, "ran first\nshown\nchanged\nvalue\nran panic(1)\n") || strings.Contains(stdout, "third") {
		t.Errorf("printed %q", stdout)
	}
	if strings.Count(stderr, "a.cells.go:6:7\na.cells.go:1\nCell [99], line 1\n") != 1 || !strings.Contains(stderr, "result.ipynb holds third") {
		t.Errorf("printed %q", stderr)
	}
}

func TestPlacesWithoutALineNameTheFile(t *testing.T) {
	one := &script{path: "a.go", starts: map[string]int{"x": 1}, counts: map[int]int{1: 1}}
	if got := one.place("Cell [1]"); got != "a.go" {
		t.Errorf("a program's place is %q", got)
	}
	two := &script{path: "a.cells.go", starts: map[string]int{"x": 1, "y": 7}, counts: map[int]int{1: 1, 2: 7}}
	if got := two.place("Cell [2]"); got != "a.cells.go, cell at line 7" {
		t.Errorf("a cell's place is %q", got)
	}
	if got := position.ReplaceAllStringFunc("Cell [2], in main", two.place); got != "a.cells.go, cell at line 7, in main" {
		t.Errorf("a frame is %q", got)
	}
}

func TestEndsOfProgramsAreToldOnce(t *testing.T) {
	failed := &run.CellError{Number: 1, ID: "x", Ename: "exit", Evalue: "exit status 3"}
	program := &script{path: "a.go", starts: map[string]int{"x": 1}}
	var status ExitStatus
	if err := program.explain(failed, io.Discard); !errors.As(err, &status) || status != 3 {
		t.Errorf("a program's exit is %v", err)
	}
	notebook := &script{path: "a.ipynb", isNotebook: true}
	if err := notebook.explain(failed, io.Discard); errors.As(err, &status) || err.Error() != "a.ipynb: cell 1 (id x): exit: exit status 3" {
		t.Errorf("a notebook's exit is %v", err)
	}
	failed.Ename, failed.Evalue = "runtime error", "index out of range"
	if err := program.explain(failed, io.Discard); !errors.As(err, new(Panicked)) || err.Error() != "a.go: runtime error: index out of range" {
		t.Errorf("a program's panic is %v", err)
	}
	if err := notebook.explain(failed, io.Discard); errors.As(err, new(Panicked)) {
		t.Errorf("a notebook's panic is %v, want an ordinary failure", err)
	}
	failed.Ename, failed.Evalue = "compile error", "declared and not used: x\nundefined: y"
	if err := program.explain(failed, io.Discard); err.Error() != "a.go: compile error: declared and not used: x, and more" {
		t.Errorf("a compile error is %v", err)
	}
}

func TestWhatCannotBeRunSaysWhy(t *testing.T) {
	for _, test := range []struct {
		name, text string
		run        Run
		want       string
	}{
		{"a.txt", "", Run{}, "a.txt is neither a notebook (.ipynb) nor a Go file (.go)"},
		{"a.ipynb", "{}", Run{}, `a.ipynb: notebook: field "nbformat" is missing`},
		{"a.ipynb", twoCells, Run{Parameter: []string{"epochs"}}, `notebook: parameter "epochs" is not name=value with a Go name`},
		{"a.ipynb", strings.Replace(twoCells, "40", "[]int{1}", 1), Run{Parameter: []string{"epochs=[1"}}, `a.ipynb: notebook: parameter epochs: [1 is no list as JSON has them, such as [1, 2] or ["a", "b"]: unexpected EOF`},
	} {
		if _, _, err := runFile(t, test.name, test.text, test.run); err == nil || err.Error() != test.want {
			t.Errorf("%s: got %v, want %s", test.name, err, test.want)
		}
	}
}

func TestHeadlineIsOneShortLine(t *testing.T) {
	if got := headline("\n  first\nsecond"); got != "first" {
		t.Errorf("got %q", got)
	}
	if got := headline(strings.Repeat("κ", 100)); got != strings.Repeat("κ", 60)+"…" {
		t.Errorf("got %q", got)
	}
}

func TestSeveralFilesRunAndEachIsWritten(t *testing.T) {
	t.Setenv(asProgram, "1")
	first, second := saved(t, "a.ipynb", "6 * 7"), saved(t, "b.ipynb", "fmt.Println(`before`)", "panic(`no`)")
	for _, path := range []string{first, second} {
		notebook, err := nbformat.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		notebook.Cells = append([]*nbformat.Cell{{Type: nbformat.Code, Source: "x := 1", Metadata: map[string]any{"tags": []any{"parameters"}}}}, notebook.Cells...)
		notebook.GiveIDs()
		if err := nbformat.WriteFile(path, notebook); err != nil {
			t.Fatal(err)
		}
	}
	folder := filepath.Join(t.TempDir(), "results")
	var stdout bytes.Buffer
	r := &Run{File: first, More: []string{second}, Output: folder, Jobs: 2, Parameter: []string{"x=5"}}
	if err := r.runAll(context.Background(), &stdout); err != ExitStatus(1) || !strings.HasSuffix(stdout.String(), "1 of 2 files failed\n") {
		t.Errorf("got %v and\n%s", err, stdout.String())
	}
	for name, want := range map[string]string{"a.ipynb": `"42"`, "b.ipynb": `"before\n"`} {
		if text, err := os.ReadFile(filepath.Join(folder, name)); err != nil || !strings.Contains(string(text), want) || !strings.Contains(string(text), "x = 5") {
			t.Errorf("%s, %v, holds\n%s", name, err, text)
		}
	}
	r = &Run{File: first, More: []string{saved(t, "a.ipynb", "1")}, Output: folder, Jobs: 1}
	if err := r.runAll(context.Background(), &stdout); err == nil || !strings.Contains(err.Error(), "would both be written to") {
		t.Errorf("two of a name: %v", err)
	}
}

func TestReportsOnStderrNameTheFile(t *testing.T) {
	s := &script{path: "a.go", starts: map[string]int{"x": 1}, counts: map[int]int{1: 1}}
	text := "panic in a goroutine: boom\n    Cell [1], line 3, in f\nCell [1], line 5\nit was Cell [1], line 9\n"
	want := "panic in a goroutine: boom\n    a.go:3, in f\na.go:5\nit was Cell [1], line 9\n"
	if got := s.inFile(protocol.Stream{Name: "stderr", Text: text}); got != (protocol.Stream{Name: "stderr", Text: want}) {
		t.Errorf("stderr %q, want %q", got, want)
	}
	if got := s.inFile(protocol.Stream{Name: "stdout", Text: text}); got != (protocol.Stream{Name: "stdout", Text: text}) {
		t.Errorf("stdout %q, want it unchanged", got)
	}
}
