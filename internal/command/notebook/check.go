package notebook

import (
	"bytes"
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

	"gosphere/internal/command/cells"
	"gosphere/internal/command/process"
	"gosphere/internal/notebook/check"
	"gosphere/internal/notebook/compare"
	"gosphere/internal/notebook/run"
	"gosphere/internal/userfile"
	"gosphere/kernel/nbformat"
)

// Check is the subcommand that reruns notebooks and compares their outputs with the stored ones.
type Check struct {
	Files    []string         `arg:"" name:"notebook" help:"Notebooks, or folders with notebooks."`
	Full     bool             `help:"Also check notebooks whose parameter quick is true and that were stored by a run with -p quick=false."`
	Update   bool             `help:"Store the new outputs of cells that differ. Only failing cells are then errors."`
	Keep     string           `type:"path" placeholder:"DIR" help:"Folder for the executed notebooks and, for each figure that differs, the old and new versions and their difference."`
	Timeout  time.Duration    `help:"Time limit per cell, such as 10m; 0 for no limit."`
	Jobs     process.Positive `short:"j" default:"1" help:"Number of notebooks that run in parallel."`
	Executed string           `type:"existingfile" placeholder:"FILE" help:"Executed copy of the notebook to compare with, written by another program such as nbclient or JupyterLab. Nothing is run."`

	process.Compute
}

// errDiffers is returned by a check that has already printed the differences.
const errDiffers = ExitStatus(1)

// Run checks the notebooks, each in its own process if there are several. It returns errDiffers if
// an output differs.
func (c *Check) Run() error {
	paths, err := notebookPaths(c.Files)
	if err != nil {
		return err
	}
	if c.Timeout < 0 {
		return fmt.Errorf("--timeout %s: want a duration of at least 0", c.Timeout)
	}
	if c.Executed != "" {
		return c.executed(paths, os.Stdout)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if len(paths) > 1 {
		return c.checkAll(ctx, paths)
	}
	session, err := cells.NewSession(false)
	if err != nil {
		return err
	}
	return c.check(ctx, session, paths[0], os.Stdout)
}

// checkAll checks each notebook in a process of its own.
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
	fmt.Printf("%d of %d notebooks differ from their stored outputs\n", failed, len(paths))
	return errDiffers
}

// check checks one notebook in a session.
func (c *Check) check(ctx context.Context, session run.Session, path string, stdout io.Writer) error {
	stored, err := readGo(path)
	if err != nil {
		return err
	}
	lockModules(session, stored, false)
	if err := importFrom(session, path); err != nil {
		return err
	}
	result, err := check.Notebook(ctx, session, stored, check.Options{Run: run.Options{Timeout: c.Timeout}, Full: c.Full})
	return c.finish(path, stored, result, err, stdout)
}

// executed compares a notebook with a copy that was executed by another program.
func (c *Check) executed(paths []string, stdout io.Writer) error {
	switch {
	case len(paths) != 1:
		return fmt.Errorf("--executed %s is a copy of one notebook, but %d are given", c.Executed, len(paths))
	case c.Timeout > 0:
		return errors.New("--timeout has no effect with --executed, which runs nothing")
	case c.Full:
		return errors.New("--full has no effect with --executed, which runs nothing")
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

// finish prints the result of a check, writes the executed notebook and the figures for --keep, and
// stores the outputs for --update.
func (c *Check) finish(path string, stored *nbformat.Notebook, result *check.Result, err error, stdout io.Writer) error {
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
		return nbformat.WriteFile(path, stored)
	}
	if runtime.GOARCH != "amd64" {
		fmt.Fprintln(stdout, "  Outputs stored on amd64 may differ here in their last digits, because products and sums are fused.")
	}
	return errDiffers
}

// named adds the path to an error that was not raised by a cell.
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
	if err := nbformat.WriteFile(stem+".ipynb", result.Fresh); err != nil {
		return err
	}
	for _, cell := range result.Cells {
		for i, difference := range cell.Differences {
			if difference.Stored == nil {
				continue
			}
			name := fmt.Sprintf("%s-%s-%d", stem, cell.ID, i+1)
			err := errors.Join(userfile.Write(name+"-stored.png", difference.Stored), userfile.Write(name+"-new.png", difference.Fresh))
			if overlay := compare.Overlay(difference.Stored, difference.Fresh); overlay != nil && err == nil {
				var picture bytes.Buffer
				if err = png.Encode(&picture, overlay); err == nil {
					err = userfile.Write(name+"-difference.png", picture.Bytes())
				}
			}
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// notebookPaths returns files as they are and, for folders, all notebooks inside except Jupyter's
// checkpoint copies.
func notebookPaths(files []string) ([]string, error) {
	var paths []string
	for _, file := range files {
		info, err := os.Stat(file)
		if errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("no file %s", file)
		} else if err != nil {
			return nil, err
		}
		if !info.IsDir() {
			if !strings.HasSuffix(file, ".ipynb") {
				return nil, fmt.Errorf("%s is not a notebook (.ipynb)", file)
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
			return nil, fmt.Errorf("no notebooks in %s", file)
		}
	}
	slices.Sort(paths)
	return slices.Compact(paths), nil
}
