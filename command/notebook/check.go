package notebook

import (
	"context"
	"errors"
	"fmt"
	"image/png"
	"io"
	"io/fs"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"time"

	"gosphere/command/cells"
	"gosphere/command/process"
	"gosphere/notebooks/check"
	"gosphere/notebooks/compare"
	"gosphere/notebooks/format"
	"gosphere/notebooks/run"
)

// Check is the subcommand that runs notebooks again and compares what they show with what is stored.
type Check struct {
	Files    []string         `arg:"" name:"notebook" help:"Notebooks, or folders with notebooks."`
	Full     bool             `help:"Check also notebooks that were stored with quick = false."`
	Update   bool             `help:"Store the new outputs of the cells that differ; only a cell that fails is then an error."`
	Keep     string           `type:"path" placeholder:"DIR" help:"Write the executed notebooks there, and of every figure that differs the stored one, the new one and where they differ."`
	Timeout  time.Duration    `help:"Longest time of one cell, for instance 10m; 0 for none."`
	Jobs     process.Positive `short:"j" default:"1" help:"How many notebooks run at once."`
	Executed string           `type:"existingfile" placeholder:"FILE" help:"Run nothing: compare with this copy of the notebook, which another program has executed, such as nbclient or JupyterLab."`
}

// errDiffers ends a check that has printed what differs.
const errDiffers = ExitStatus(1)

// Run checks the notebooks, each in a process of its own if there are several, and ends with status 1 if one differs.
func (c *Check) Run() error {
	paths, err := notebookPaths(c.Files)
	if err != nil {
		return err
	}
	if c.Timeout < 0 {
		return fmt.Errorf("--timeout %s is less than none", c.Timeout)
	}
	if c.Executed != "" {
		return c.executed(paths, os.Stdout)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if len(paths) > 1 {
		return c.checkAll(ctx, paths)
	}
	session, err := cells.NewSession()
	if err != nil {
		return err
	}
	cells.ShowTrainings(false)
	return c.check(ctx, session, paths[0], os.Stdout)
}

// checkAll gives each notebook a process of its own.
func (c *Check) checkAll(ctx context.Context, paths []string) error {
	var commands [][]string
	for _, path := range paths {
		arguments := []string{"check", path, "--timeout=" + c.Timeout.String()}
		if c.Full {
			arguments = append(arguments, "--full")
		}
		if c.Update {
			arguments = append(arguments, "--update")
		}
		if c.Keep != "" {
			arguments = append(arguments, "--keep", c.Keep)
		}
		commands = append(commands, arguments)
	}
	failed, err := process.RunChildren(ctx, commands, int(c.Jobs), os.Stdout)
	if err != nil || failed == 0 {
		return err
	}
	fmt.Printf("%d of %d notebooks do not show what is stored\n", failed, len(paths))
	return errDiffers
}

// check checks one notebook in a session.
func (c *Check) check(ctx context.Context, session run.Session, path string, stdout io.Writer) error {
	stored, err := readGo(path)
	if err != nil {
		return err
	}
	lockModules(session, stored, false)
	result, err := check.Notebook(ctx, session, stored, check.Options{Run: run.Options{Timeout: c.Timeout}, Full: c.Full})
	return c.finish(path, stored, result, err, stdout)
}

// executed compares a notebook with a copy that another program has executed.
func (c *Check) executed(paths []string, stdout io.Writer) error {
	switch {
	case len(paths) != 1:
		return fmt.Errorf("--executed %s is a copy of one notebook, and there are %d", c.Executed, len(paths))
	case c.Timeout > 0:
		return errors.New("with --executed nothing is run, so that --timeout bounds nothing")
	case c.Full:
		return errors.New("with --executed nothing is run, so that --full changes nothing")
	}
	stored, err := readGo(paths[0])
	if err != nil {
		return err
	}
	fresh, err := readGo(c.Executed)
	if err != nil {
		return err
	}
	result, err := check.Executed(stored, fresh)
	return c.finish(paths[0], stored, result, err, stdout)
}

// finish keeps and tells what a check found, and stores it if it shall.
func (c *Check) finish(path string, stored *format.Notebook, result *check.Result, err error, stdout io.Writer) error {
	if c.Keep != "" && result.Fresh != nil {
		if keepErr := keep(c.Keep, path, result); keepErr != nil {
			return errors.Join(err, keepErr)
		}
	}
	if err != nil {
		return (&script{path: path, isNotebook: true}).explain(named(path, err), stdout)
	}
	if err := result.Write(stdout, path); err != nil || !result.Differs() {
		return err
	}
	if c.Update {
		result.Merge(stored)
		return format.WriteFile(path, stored)
	}
	if runtime.GOARCH != "amd64" {
		fmt.Fprintln(stdout, "  Outputs stored on amd64 may differ here in their last digits: products and sums are fused.")
	}
	return errDiffers
}

// named adds the path to an error that does not come from a cell.
func named(path string, err error) error {
	var failed *run.CellError
	if errors.As(err, &failed) {
		return err
	}
	return fmt.Errorf("%s: %w", path, err)
}

// keep writes the executed notebook and the figures that differ.
func keep(folder, path string, result *check.Result) error {
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	stem := filepath.Join(folder, strings.TrimSuffix(filepath.Base(path), ".ipynb"))
	if err := format.WriteFile(stem+".ipynb", result.Fresh); err != nil {
		return err
	}
	for _, cell := range result.Cells {
		for i, difference := range cell.Differences {
			if difference.Stored == nil {
				continue
			}
			name := fmt.Sprintf("%s-%s-%d", stem, cell.ID, i+1)
			err := errors.Join(os.WriteFile(name+"-stored.png", difference.Stored, 0o644), os.WriteFile(name+"-new.png", difference.Fresh, 0o644))
			if overlay := compare.Overlay(difference.Stored, difference.Fresh); overlay != nil && err == nil {
				var file *os.File
				if file, err = os.Create(name + "-difference.png"); err == nil {
					err = errors.Join(png.Encode(file, overlay), file.Close())
				}
			}
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// notebookPaths lists notebooks: files as they are, of folders all notebooks inside, without the copies of Jupyter.
func notebookPaths(files []string) ([]string, error) {
	var paths []string
	for _, file := range files {
		info, err := os.Stat(file)
		if err != nil {
			return nil, err
		}
		if !info.IsDir() {
			if !strings.HasSuffix(file, ".ipynb") {
				return nil, fmt.Errorf("%s is no notebook (.ipynb)", file)
			}
			paths = append(paths, file)
			continue
		}
		before := len(paths)
		err = filepath.WalkDir(file, func(path string, entry fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			if entry.IsDir() && path != file && (strings.HasPrefix(entry.Name(), ".") || entry.Name() == "testdata") {
				return filepath.SkipDir
			}
			if !entry.IsDir() && strings.HasSuffix(path, ".ipynb") {
				paths = append(paths, path)
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
		if len(paths) == before {
			return nil, fmt.Errorf("there are no notebooks in %s", file)
		}
	}
	slices.Sort(paths)
	return slices.Compact(paths), nil
}
