// Package notebook implements the subcommands that run cells without Jupyter or manage notebooks:
// run, repl, check, new, clean, diff and export, one file for each.
package notebook

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"gosphere/internal/command/cells"
	"gosphere/internal/command/process"
	"gosphere/internal/kernel/protocol"
	"gosphere/internal/notebook/format"
	"gosphere/internal/notebook/run"
	"gosphere/internal/runtime/printer"
	gosession "gosphere/internal/runtime/session"
)

// Run is the subcommand that runs a notebook, a Go program or a file of cells without Jupyter.
type Run struct {
	File      string           `arg:"" help:"NOTEBOOK.ipynb; CELLS.cells.go with cells between lines '// %%'; or a program: PROGRAM.go, a folder, a package of a module such as example.com/tool@latest, or - for standard input."`
	More      []string         `arg:"" optional:"" name:"more" help:"Further notebooks, each run in its own process, or further Go files of one program. Arguments after a program are passed to it."`
	Parameter []string         `short:"p" sep:"none" placeholder:"NAME=VALUE" help:"Set a parameter of the notebook. May be repeated."`
	Output    string           `short:"o" type:"path" placeholder:"OUT.ipynb" help:"Output file for the executed notebook, or folder for several files (default: FILE.out.ipynb for a notebook, none for Go files)."`
	Timeout   time.Duration    `help:"Time limit per cell, such as 10m; 0 for no limit."`
	Locked    bool             `help:"Refuse modules and versions other than those stored in the notebook."`
	Jobs      process.Positive `short:"j" default:"1" help:"Number of files that run in parallel."`

	process.Compute
}

// Help returns the text that gosphere run --help shows below the first line.
func (r *Run) Help() string {
	return "The run ends at the first cell that fails, unless it has the tag raises-exception. Cells with the tag skip-execution are skipped."
}

// ProgramArguments are the arguments of the program that gosphere run runs.
var ProgramArguments []string

// Run executes the file. It reports progress on standard error. A failing cell is an error that
// contains its position.
func (r *Run) Run() error {
	if err := r.exist(); err != nil {
		return err
	}
	if len(r.More) > 0 && !isGoFile(r.File) {
		ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
		defer stop()
		return r.runAll(ctx, os.Stdout)
	}
	session, err := cells.NewSession()
	if err != nil {
		return err
	}
	if filepath.Ext(r.File) != ".ipynb" { // a notebook is a text file
		session.KeepBytes()
		os.Args = append([]string{r.File}, ProgramArguments...)
	}
	cells.ShowTrainings(false) // no client watches, and whether a figure is drawn would depend on the speed of the machine
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if path, files := r.packageOf(); path != "" {
		if err := session.LoadProgram(ctx, path, files, func(text string) { fmt.Fprintln(os.Stderr, text) }); err != nil {
			return err
		}
	}
	return r.execute(ctx, session, os.Stdout, os.Stderr)
}

// exist returns an error for the first file that does not exist or that is a folder without Go
// files.
func (r *Run) exist() error {
	for _, file := range append([]string{r.File}, r.More...) {
		if file == "-" || isPackagePath(file) {
			continue
		}
		full, err := filepath.Abs(file)
		if err != nil {
			return err
		}
		info, err := os.Stat(full)
		if err != nil {
			return fmt.Errorf("no file %s", full)
		}
		if sources, _ := filepath.Glob(filepath.Join(full, "*.go")); info.IsDir() && len(sources) == 0 {
			return fmt.Errorf("%s is a folder without Go files", full)
		}
	}
	return nil
}

// packageOf returns the import path or folder of a program that is not a single text file, and its
// files if only some of them belong to it. It returns "" for anything else.
func (r *Run) packageOf() (path string, files []string) {
	info, err := os.Stat(r.File)
	switch {
	case len(r.More) > 0 && isGoFile(r.File):
		return filepath.Dir(r.File), append([]string{r.File}, r.More...)
	case err == nil && info.IsDir(), err != nil && isPackagePath(r.File):
		return r.File, nil
	}
	return "", nil
}

// runAll runs each of several files in its own process. All of them run even if one fails; the
// status is then 1.
func (r *Run) runAll(ctx context.Context, stdout io.Writer) error {
	if strings.HasSuffix(r.Output, ".ipynb") {
		return fmt.Errorf("-o %s: want a folder, because several files are run", r.Output)
	}
	files := append([]string{r.File}, r.More...)
	parameters, err := r.parametersOf(files)
	if err != nil {
		return err
	}
	if r.Output != "" {
		if err := os.MkdirAll(r.Output, 0o755); err != nil {
			return err
		}
	}
	var commands [][]string
	written := map[string]string{}
	for i, file := range files {
		if slices.Contains(files[:i], file) {
			return fmt.Errorf("%s is listed twice", file)
		}
		arguments := []string{"run", "--timeout=" + r.Timeout.String()}
		for _, parameter := range parameters[i] {
			arguments = append(arguments, "-p", parameter)
		}
		if r.Output != "" {
			name := strings.TrimSuffix(filepath.Base(file), filepath.Ext(file)) + ".ipynb"
			if other, twice := written[name]; twice {
				return fmt.Errorf("%s and %s would both be written to %s", other, file, filepath.Join(r.Output, name))
			}
			written[name] = file
			arguments = append(arguments, "-o", filepath.Join(r.Output, name))
		}
		arguments = append(arguments, file)
		commands = append(commands, arguments)
	}
	failed, err := process.RunChildren(ctx, commands, int(r.Jobs), stdout)
	if err != nil || failed == 0 {
		return err
	}
	fmt.Fprintf(stdout, "%d of %d files failed\n", failed, len(commands))
	return ExitStatus(1)
}

// parametersOf returns for each of several files the parameters that it defines. A parameter that
// no file defines is an error.
func (r *Run) parametersOf(files []string) ([][]string, error) {
	if _, err := parseParameters(r.Parameter); err != nil {
		return nil, err
	}
	list, used := make([][]string, len(files)), map[string]bool{}
	for i, file := range files {
		script, err := readScript(file)
		if err != nil {
			return nil, err
		}
		known := run.Defined(script.notebook)
		for _, text := range r.Parameter {
			if name, _, _ := strings.Cut(text, "="); slices.Contains(known, name) {
				list[i] = append(list[i], text)
				used[text] = true
			}
		}
	}
	for _, text := range r.Parameter {
		if !used[text] {
			name, _, _ := strings.Cut(text, "=")
			return nil, fmt.Errorf("none of the %d files has a cell tagged parameters that defines %s", len(files), name)
		}
	}
	return list, nil
}

// execute runs the file in a session.
func (r *Run) execute(ctx context.Context, session run.Session, stdout, stderr io.Writer) error {
	parameters, err := parseParameters(r.Parameter)
	if err != nil {
		return err
	}
	if r.Timeout < 0 {
		return fmt.Errorf("--timeout %s: want a duration of at least 0", r.Timeout)
	}
	var script *script
	if path, _ := r.packageOf(); path != "" {
		script = textScript(r.File, gosession.RunProgram)
	} else if script, err = readScript(r.File); err != nil {
		return err
	} else if err := importFrom(session, r.File); err != nil {
		return err
	}
	if err := inject(r.File, script.notebook, parameters); err != nil {
		return err
	}
	if err := writable(r.outputPath(script.isNotebook)); err != nil { // checked before hours of work
		return err
	}
	options, store := run.Options{Timeout: r.Timeout}, func() {}
	if script.isNotebook {
		store = lockModules(session, script.notebook, r.Locked)
		steps := newSteps(stderr)
		options.Report, options.Output = steps.report, steps.show
	} else {
		readProcessInput(session, os.Stdin, stdout)
		out := &outputs{stdout: printer.New(stdout), stderr: stderr}
		options.Output = func(content protocol.Content) { out.show(script.inFile(content)) }
		options.Source = script.source
	}
	err = script.explain(run.Run(ctx, session, script.notebook, options), stderr)
	store()
	if path := r.outputPath(script.isNotebook); path != "" {
		// The file is also written after an error: the outputs so far show its cause.
		if writeErr := format.WriteFile(path, script.notebook); writeErr != nil {
			return errors.Join(err, writeErr)
		}
		fmt.Fprintln(stderr, "wrote", path)
	}
	return err
}

// parseParameters parses the values of the flag -p.
func parseParameters(texts []string) (parameters []run.Parameter, err error) {
	for _, text := range texts {
		p, err := run.ParseParameter(text)
		if err != nil {
			return nil, err
		}
		parameters = append(parameters, p)
	}
	return parameters, nil
}

// inject sets the parameters of a notebook. A parameter that the notebook does not define is an
// error, because it would have no effect.
func inject(path string, notebook *format.Notebook, parameters []run.Parameter) error {
	known := run.Defined(notebook)
	unknown, err := run.Inject(notebook, parameters)
	switch {
	case err != nil:
		return fmt.Errorf("%s: %w", path, err)
	case len(unknown) == 0:
		return nil
	case len(known) == 0:
		return fmt.Errorf("%s has no cell tagged parameters that defines %s", path, strings.Join(unknown, ", "))
	}
	return fmt.Errorf("%s has no cell tagged parameters that defines %s; it has %s", path, strings.Join(unknown, ", "), strings.Join(known, ", "))
}

// writable returns an error if a file could not be written. It returns nil for "".
func writable(path string) error {
	if path == "" {
		return nil
	}
	if info, err := os.Stat(path); err == nil {
		switch {
		case info.IsDir():
			return fmt.Errorf("-o %s is a folder, want a file", path)
		case info.Mode().IsRegular() && info.Size() > 0:
			if _, err := format.ReadFile(path); err != nil {
				return fmt.Errorf("%s exists and is not a notebook, so it is not overwritten: name another file with -o", path)
			}
		}
	}
	file, err := os.CreateTemp(filepath.Dir(path), ".gosphere-*")
	if err != nil {
		return fmt.Errorf("cannot write the result to %s: %w", path, err)
	}
	return errors.Join(file.Close(), os.Remove(file.Name()))
}

// outputPath returns the path of the executed notebook, or "" for none.
func (r *Run) outputPath(isNotebook bool) string {
	if r.Output != "" || !isNotebook {
		return r.Output
	}
	return strings.TrimSuffix(r.File, filepath.Ext(r.File)) + ".out.ipynb"
}

// A script is a file to run, converted to a notebook.
type script struct {
	path       string
	notebook   *format.Notebook
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
		notebook, starts := format.FromScript(string(text))
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
	notebook := format.New()
	cell := notebook.Add(format.Code, text)
	return &script{path: path, notebook: notebook, starts: map[string]int{cell.ID: 1}, counts: map[int]int{}}
}

// readText reads a program, from standard input for "-". It turns a first line that begins with #!
// into a comment.
func readText(path string) (string, error) {
	var data []byte
	var err error
	if path == "-" {
		data, err = io.ReadAll(os.Stdin)
	} else {
		data, err = os.ReadFile(path)
	}
	text := string(data)
	if strings.HasPrefix(text, "#!") {
		text = "//" + text[2:]
	}
	return text, err
}

// readGo reads a notebook whose language is Go.
func readGo(path string) (*format.Notebook, error) {
	notebook, err := format.ReadFile(path)
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
var position = regexp.MustCompile(`Cell \[(\d+)\](?:, line (\d+)(?:, column (\d+))?)?`)

// reported matches a line that the session writes to stderr about a call in progress, as in reports
// of panics in goroutines and of endless waits.
var reported = regexp.MustCompile(`(?m)^(?:    )?Cell \[\d+\], line \d+`)

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
func (s *script) source(cell *format.Cell) (file string, line int) {
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
var colors = regexp.MustCompile("\x1b\\[[0-9;]*m")

func withoutColors(text string) string {
	return colors.ReplaceAllString(text, "")
}
