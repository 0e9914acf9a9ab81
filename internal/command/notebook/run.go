// Package notebook implements the subcommands that run cells without Jupyter or manage notebooks:
// run, repl, check, new, clean, diff and export, one file for each.
package notebook

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"gosphere/internal/command/cells"
	"gosphere/internal/command/process"
	"gosphere/internal/notebook/run"
	"gosphere/kernel/nbformat"
	"gosphere/kernel/protocol"
	"gosphere/runtime/printer"
)

// Run is the subcommand that runs a notebook, a Go program or a file of cells without Jupyter.
type Run struct {
	File      string           `arg:"" help:"NOTEBOOK.ipynb; CELLS.cells.go with cells between lines '// %%'; or a program: PROGRAM.go, a folder, a package of a module such as example.com/tool@latest, or - for standard input."`
	More      []string         `arg:"" optional:"" name:"more" help:"Further notebooks, each run in its own process, or further Go files of one program. Arguments after a program are passed to it."`
	Parameter []string         `short:"p" sep:"none" placeholder:"NAME=VALUE" help:"Set a parameter of the notebook. May be repeated."`
	Output    string           `short:"o" type:"path" placeholder:"OUT.ipynb" help:"Output file for the executed notebook, or folder for several files (default: FILE.out.ipynb for a notebook, none for Go files)."`
	Timeout   time.Duration    `help:"Time limit per cell, such as 10m; 0 for no limit."`
	Locked    bool             `help:"Refuse modules and versions other than those stored in the notebook."`
	Changed   bool             `help:"Run only the cells whose source, or that of a cell on which they depend, has changed since the stored outputs, and the cells that these need. The other outputs are kept. Files that cells read count as unchanged."`
	Lenient   bool             `help:"Succeed even if the run leaves errors that no cell has read."`
	Jobs      process.Positive `short:"j" default:"1" help:"Number of files that run in parallel."`

	process.Compute

	text *string // of a file of one cell, if it has been read
}

// Help returns the text that gosphere run --help shows below the first line.
func (r *Run) Help() string {
	return "The run ends at the first cell that fails, unless it has the tag raises-exception. Cells with the tag skip-execution are skipped. " +
		"Errors that cells store in variables and that nothing reads, as in x, err := f(), are listed at the end, and the exit status is then 1."
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
	// No client watches, and whether a figure is drawn would depend on the speed of the machine.
	session, err := cells.NewSession(false)
	if err != nil {
		return err
	}
	if filepath.Ext(r.File) != ".ipynb" { // a notebook is a text file
		session.KeepBytes()
		os.Args = append([]string{r.File}, ProgramArguments...)
		flag.CommandLine.Init(r.File, flag.ExitOnError) // its name is that of the program
	}
	program, err := r.program()
	if err != nil {
		return err
	}
	if program != nil {
		return r.runProgram(session, program, os.Stdout, os.Stderr)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
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
		if r.Changed {
			arguments = append(arguments, "--changed")
		}
		if r.Lenient {
			arguments = append(arguments, "--lenient")
		}
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
	if r.text != nil {
		script = textScript(r.File, *r.text)
	} else if script, err = readScript(r.File); err != nil {
		return err
	}
	if err := importFrom(session, r.File); err != nil {
		return err
	}
	if err := inject(r.File, script.notebook, parameters); err != nil {
		return err
	}
	if err := writable(r.outputPath(script.isNotebook)); err != nil { // checked before hours of work
		return err
	}
	options, store := run.Options{Timeout: r.Timeout}, func() {}
	if r.Changed && !script.isNotebook {
		return fmt.Errorf("--changed: %s stores no outputs", r.File)
	}
	stamp := func() {}
	if script.isNotebook {
		if stamp, err = r.follow(script.notebook, &options, stderr); err != nil {
			return err
		}
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
	stamp()
	if path := r.outputPath(script.isNotebook); path != "" {
		if err != nil && ctx.Err() != nil && sameFile(path, r.File) {
			// The cells that have not run would lose their outputs.
			fmt.Fprintln(stderr, path, "keeps the outputs of its last run")
			path = strings.TrimSuffix(path, filepath.Ext(path)) + ".interrupted.ipynb"
		}
		// The file is also written after an error: the outputs so far show its cause.
		if writeErr := nbformat.WriteFile(path, script.notebook); writeErr != nil {
			return errors.Join(err, writeErr)
		}
		fmt.Fprintln(stderr, "wrote", path)
	}
	if err == nil && !r.Lenient {
		err = script.unread(session, stderr)
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
func inject(path string, notebook *nbformat.Notebook, parameters []run.Parameter) error {
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
			if _, err := nbformat.ReadFile(path); err != nil {
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

// sameFile reports whether two paths name one existing file.
func sameFile(a, b string) bool {
	first, err := os.Stat(a)
	second, other := os.Stat(b)
	return err == nil && other == nil && os.SameFile(first, second)
}

// outputPath returns the path of the executed notebook, or "" for none.
func (r *Run) outputPath(isNotebook bool) string {
	if r.Output != "" || !isNotebook {
		return r.Output
	}
	return strings.TrimSuffix(r.File, filepath.Ext(r.File)) + ".out.ipynb"
}
