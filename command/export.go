package command

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"gosphere/notebooks/format"
	goprogram "gosphere/notebooks/program"
	"gosphere/notebooks/run"
	"gosphere/runtime/packages"
)

// Export is the subcommand that writes a notebook in another form.
type Export struct {
	File      string   `arg:"" name:"notebook" type:"existingfile" help:"The notebook."`
	To        string   `required:"" enum:"go" help:"go: a folder with a Go program."`
	Output    string   `short:"o" type:"path" help:"File or folder to write; by default beside the notebook, with its name."`
	Parameter []string `short:"p" sep:"none" placeholder:"NAME=VALUE" help:"For go: set a parameter of the notebook; may be repeated."`
	Source    string   `type:"path" placeholder:"DIR" help:"For go: folder with the source of gosphere (default: the present folder, or the one that holds bin/gosphere)."`
}

// Run writes the form and tells where it is.
func (e *Export) Run() error { return e.export(os.Stdout) }

func (e *Export) export(stdout io.Writer) error {
	notebook, err := format.ReadFile(e.File)
	if err != nil {
		return err
	}
	return e.program(notebook, stdout)
}

// stem is the path of what is written without its ending.
func (e *Export) stem() string { return strings.TrimSuffix(e.File, filepath.Ext(e.File)) }

// unfit matches what names of modules do not have.
var unfit = regexp.MustCompile(`[^a-z0-9]+`)

// program writes a folder with main.go, go.mod and go.sum.
func (e *Export) program(notebook *format.Notebook, stdout io.Writer) error {
	var parameters []run.Parameter
	for _, text := range e.Parameter {
		p, err := run.ParseParameter(text)
		if err != nil {
			return err
		}
		parameters = append(parameters, p)
	}
	unknown, err := run.Inject(notebook, parameters)
	if err != nil {
		return err
	}
	if len(unknown) > 0 {
		return fmt.Errorf("%s has no cell tagged parameters that defines %s", e.File, strings.Join(unknown, ", "))
	}
	store, err := packages.Open(preloaded.Archive())
	if err != nil {
		return fmt.Errorf("the embedded type information: %w", err)
	}
	exported, err := goprogram.Make(notebook, store)
	if err != nil {
		return fmt.Errorf("%s: %w", e.File, err)
	}
	source := ""
	if exported.NeedsSource() {
		if source, err = findSource(e.Source, os.Executable); err != nil {
			return fmt.Errorf("the program imports %s, whose versions stand in the source of gosphere: run this in a clone of it, or name one with --source DIR",
				strings.Join(exported.Brought(), ", "))
		}
	}
	folder := e.Output
	if folder == "" {
		folder = e.stem() + "-go"
	}
	mod, sum, err := exported.Module(strings.Trim(unfit.ReplaceAllString(strings.ToLower(filepath.Base(e.stem())), "-"), "-"), source)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	err = errors.Join(
		os.WriteFile(filepath.Join(folder, "main.go"), exported.Source, 0o644),
		os.WriteFile(filepath.Join(folder, "go.mod"), []byte(mod), 0o644))
	if sum != "" {
		err = errors.Join(err, os.WriteFile(filepath.Join(folder, "go.sum"), []byte(sum), 0o644))
	}
	if err == nil {
		_, err = fmt.Fprintf(stdout, "wrote %s; run it with: go -C %s run .\n", folder, folder)
	}
	return err
}
