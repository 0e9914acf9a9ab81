package notebook

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"gosphere/internal/lazyregexp"
	"gosphere/internal/notebook/run"
	"gosphere/internal/userfile"
	"gosphere/kernel/nbformat"
	"gosphere/kernel/protocol"
)

// A script is a file to run, converted to a notebook.
type script struct {
	path       string
	notebook   *nbformat.Notebook
	isNotebook bool
	starts     map[string]int // first line in a Go file, by cell id
	counts     map[int]int    // the same by execution count, for the cells that have run
}

func readScript(path string) (*script, error) {
	switch {
	case strings.HasSuffix(path, ".ipynb"):
		notebook, err := readGo(path)
		if err != nil {
			return nil, err
		}
		return &script{path: path, notebook: notebook, isNotebook: true}, nil
	case strings.HasSuffix(path, ".go"), path == "-", isProgram(path):
		text, err := readText(path)
		if err != nil {
			return nil, err
		}
		if !strings.HasSuffix(path, ".cells.go") {
			return textScript(path, text), nil
		}
		notebook, starts := nbformat.FromScript(string(text))
		s := &script{path: path, notebook: notebook, starts: map[string]int{}, counts: map[int]int{}}
		for i, cell := range notebook.Cells {
			s.starts[cell.ID] = starts[i]
		}
		return s, nil
	}
	return nil, fmt.Errorf("%s is neither a notebook (.ipynb) nor a Go file (.go)", path)
}

// textScript returns a script of one cell.
func textScript(path, text string) *script {
	notebook := nbformat.New()
	cell := notebook.Add(nbformat.Code, text)
	return &script{path: path, notebook: notebook, starts: map[string]int{cell.ID: 1}, counts: map[int]int{}}
}

// readText reads a program, from standard input for "-". It turns a first line that begins with #!
// into a comment.
func readText(path string) (string, error) {
	var data []byte
	var err error
	if path == "-" {
		data, err = io.ReadAll(os.Stdin)
	} else { // or the <(command) of a shell
		data, err = userfile.ReadStream(context.Background(), path, userfile.Source)
	}
	text := string(data)
	if strings.HasPrefix(text, "#!") {
		text = "//" + text[2:]
	}
	return text, err
}

// readGo reads a notebook whose language is Go.
func readGo(path string) (*nbformat.Notebook, error) {
	notebook, err := nbformat.ReadFile(path)
	if err != nil {
		return nil, err
	}
	if language := notebook.Language(); language != "" && language != "go" {
		return nil, fmt.Errorf("%s: the metadata declares the language %s, but gosphere runs Go", path, language)
	}
	return notebook, nil
}

// explain prints the traceback of a failed cell, unless it was already printed with the outputs,
// and returns an error with the position of the cell.
func (s *script) explain(err error, stderr io.Writer) error {
	var failed *run.CellError
	if !errors.As(err, &failed) {
		return err
	}
	if s.isNotebook {
		fmt.Fprintln(stderr, withoutColors(traceback(failed.Ename, failed.Traceback)))
	}
	var status ExitStatus
	if _, scanErr := fmt.Sscanf(failed.Evalue, "exit status %d", &status); scanErr == nil && failed.Ename == "exit" && !s.isNotebook && status != 0 {
		return status
	}
	err = s.located(failed)
	switch failed.Ename {
	case "panic", "runtime error", "out of memory":
		if !s.isNotebook {
			return Panicked{err}
		}
	}
	return err
}

// unread returns an error if no cell has read some errors that cells have stored in variables. It
// lists those of a notebook, whose outputs are not printed.
func (s *script) unread(session run.Session, stderr io.Writer) error {
	reporter, ok := session.(interface{ UnreadErrors() []string })
	if !ok {
		return nil
	}
	list := reporter.UnreadErrors()
	if len(list) == 0 {
		return nil
	}
	if s.isNotebook {
		for _, text := range list {
			fmt.Fprintln(stderr, text)
		}
	}
	what := "1 error"
	if len(list) > 1 {
		what = fmt.Sprintf("%d errors", len(list))
	}
	return fmt.Errorf("%s: nothing has read %s that cells have stored in variables: test the variables, or use --lenient", s.path, what)
}

// located returns the error of a failed cell with the position of that cell.
func (s *script) located(failed *run.CellError) error {
	// A compile error has one line per diagnostic, and the traceback has shown them.
	value, more, _ := strings.Cut(failed.Evalue, "\n")
	if more != "" {
		value += ", and more"
	}
	if failed.Ename != interrupted {
		value = failed.Ename + ": " + value
	}
	if start, ok := s.starts[failed.ID]; ok && len(s.starts) > 1 {
		return fmt.Errorf("%s: cell at line %d: %s", s.path, start, value)
	} else if ok {
		return fmt.Errorf("%s: %s", s.path, value)
	}
	return fmt.Errorf("%s: cell %d (id %s): %s", s.path, failed.Number, failed.ID, value)
}

// An ExitStatus is the exit status of a program that called os.Exit. gosphere exits with the same
// status.
type ExitStatus int

// Error returns the text that the go command prints for such a program.
func (s ExitStatus) Error() string { return fmt.Sprintf("exit status %d", int(s)) }

// Panicked is the error of a program that panicked. gosphere exits with status 2, as the program
// would.
type Panicked struct{ error }

// position matches positions in tracebacks. Callers in compiled frames have no line.
var position = lazyregexp.New(`Cell \[(\d+)\](?:, line (\d+)(?:, column (\d+))?)?`)

// reported matches a line that the session writes to stderr about a call in progress, as in reports
// of panics in goroutines and of endless waits.
var reported = lazyregexp.New(`(?m)^(?:    )?Cell \[\d+\], line \d+`)

// inFile translates positions in a traceback or a report into lines of a Go file. It learns the
// execution count of each cell from the execute_input message.
func (s *script) inFile(content protocol.Content) protocol.Content {
	switch content := content.(type) {
	case protocol.ExecuteInput:
		for _, cell := range s.notebook.Cells {
			if start, ok := s.starts[cell.ID]; ok && cell.Source == content.Code && cell.ExecutionCount == 0 {
				s.counts[content.ExecutionCount] = start
				break
			}
		}
	case protocol.Error:
		translated := content
		translated.Traceback = nil
		for _, line := range content.Traceback {
			translated.Traceback = append(translated.Traceback, position.ReplaceAllStringFunc(withoutColors(line), s.place))
		}
		return translated
	case protocol.Stream:
		if content.Name == "stderr" {
			content.Text = reported.ReplaceAllStringFunc(content.Text, func(line string) string {
				return position.ReplaceAllStringFunc(line, s.place)
			})
			return content
		}
	}
	return content
}

// source returns the absolute path of the script, and the line at which a cell begins. The path is
// "" for standard input.
func (s *script) source(cell *nbformat.Cell) (file string, line int) {
	line, ok := s.starts[cell.ID]
	path, err := filepath.Abs(s.path)
	if !ok || s.path == "-" || err != nil {
		return "", 0
	}
	return path, line
}

// place translates one position if its cell comes from the file.
func (s *script) place(text string) string {
	parts := position.FindStringSubmatch(text)
	count, _ := strconv.Atoi(parts[1]) // the pattern admits only digits
	start, ok := s.counts[count]
	if !ok {
		return text
	}
	line, err := strconv.Atoi(parts[2])
	if err != nil { // no line number
		if len(s.starts) > 1 {
			return fmt.Sprintf("%s, cell at line %d", s.path, start)
		}
		return s.path
	}
	place := fmt.Sprintf("%s:%d", s.path, start+line-1)
	if parts[3] != "" {
		place += ":" + parts[3]
	}
	return place
}

// headline returns the first line of a cell, shortened.
func headline(source string) string {
	const width = 60
	line, _, _ := strings.Cut(strings.TrimSpace(source), "\n")
	if letters := []rune(line); len(letters) > width {
		line = string(letters[:width]) + "…"
	}
	return line
}

// colors matches the escape sequences that color a traceback.
var colors = lazyregexp.New("\x1b\\[[0-9;]*m")

func withoutColors(text string) string {
	return colors.ReplaceAllString(text, "")
}
