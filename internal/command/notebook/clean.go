package notebook

import (
	"bytes"
	"fmt"
	"io"
	"os"

	"gosphere/internal/userfile"
	"gosphere/kernel/nbformat"
)

// Clean is the subcommand that strips from notebooks the parts that change from run to run.
type Clean struct {
	Files       []string `arg:"" name:"notebook" help:"Notebooks, or folders with notebooks; - filters standard input to standard output, for use as a Git filter."`
	KeepOutputs bool     `help:"Keep outputs and execution counts; remove only metadata of the run, such as times and collapsed cells."`
	Check       bool     `help:"Change nothing; exit with status 1 if a notebook is not clean."`
}

// Run cleans the notebooks in place.
func (c *Clean) Run() error { return c.clean(os.Stdin, os.Stdout, os.Stderr) }

func (c *Clean) clean(stdin io.Reader, stdout, stderr io.Writer) error {
	if len(c.Files) == 1 && c.Files[0] == "-" {
		text, err := io.ReadAll(stdin)
		if err != nil {
			return err
		}
		notebook, err := nbformat.Read(text)
		if err != nil {
			return err
		}
		notebook.Clean(c.KeepOutputs)
		return nbformat.Write(stdout, notebook)
	}
	paths, err := notebookPaths(c.Files)
	if err != nil {
		return err
	}
	var unclean ExitStatus
	for _, path := range paths {
		text, err := userfile.ReadFile(path, userfile.Notebook)
		if err != nil {
			return err
		}
		notebook, err := nbformat.Read(text)
		if err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		notebook.Clean(c.KeepOutputs)
		var cleaned bytes.Buffer
		if err := nbformat.Write(&cleaned, notebook); err != nil {
			return err
		}
		if bytes.Equal(text, cleaned.Bytes()) {
			continue
		}
		if c.Check {
			fmt.Fprintln(stdout, path, "is not clean")
			unclean = 1
			continue
		}
		if err := nbformat.WriteFile(path, notebook); err != nil {
			return err
		}
		fmt.Fprintln(stderr, "cleaned", path)
	}
	if unclean != 0 {
		return unclean
	}
	return nil
}
