package notebook

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"os/signal"
	"path/filepath"
	"strings"

	"gosphere/internal/command/cells"
	"gosphere/internal/notebook/export"
	"gosphere/internal/notebook/run"
	"gosphere/kernel/nbformat"
	"gosphere/runtime/display"
)

// Export is the subcommand that converts a notebook to another format.
type Export struct {
	File      string   `arg:"" name:"notebook" type:"existingfile" help:"Notebook to export."`
	To        string   `required:"" placeholder:"go|html|markdown|slides|latex" enum:"go,html,markdown,slides,latex" help:"Format. go: a folder with a Go program. html: one page. markdown: a file and a folder of figures. slides: a presentation in one page. latex: a folder with the figures for print, for which the notebook is run, and the lines that include them."`
	Output    string   `short:"o" type:"path" help:"File or folder to write, or - for standard output (default: next to the notebook, with its name)."`
	Parameter []string `short:"p" sep:"none" placeholder:"NAME=VALUE" help:"For go and latex: set a parameter of the notebook. May be repeated."`
	NoCode    bool     `help:"For html and slides: omit the source of code cells."`
	Trust     bool     `help:"For html and slides: keep scripts and other active content of text cells and outputs."`
	Stored    bool     `help:"For latex: use the stored figures unchanged instead of running the notebook."`
	Site      string   `placeholder:"URL" help:"For html: address of a site of gosphere site, for a link that opens the notebook there. For a notebook in a folder of the site, the address with lab/index.html?path=FOLDER/NAME.ipynb."`
	Overwrite bool     `help:"Replace files that were changed after the export or were not written by it."`
	Source    string   `type:"path" placeholder:"DIR" help:"For go: folder with the source of gosphere (default: the current folder, or the one that contains bin/gosphere)."`
}

// Run exports the notebook and prints the path.
func (e *Export) Run() error { return e.export(os.Stdout) }

func (e *Export) export(stdout io.Writer) error {
	if err := e.refuseIdleFlags(); err != nil {
		return err
	}
	read := nbformat.ReadFile
	if e.To == "go" || e.To == "latex" && !e.Stored {
		read = readGo
	}
	notebook, err := read(e.File)
	if err != nil {
		return err
	}
	if err := e.inject(notebook); err != nil {
		return err
	}
	options := export.Options{Title: filepath.Base(e.stem()), Folder: filepath.Dir(e.File), HideCode: e.NoCode, Trust: e.Trust}
	if options.Live, err = e.live(); err != nil {
		return err
	}
	switch e.To {
	case "go":
		return e.program(notebook, stdout)
	case "html":
		page, err := export.HTML(notebook, options)
		return e.write(stdout, err, ".html", page)
	case "slides":
		page, err := export.Slides(notebook, options)
		return e.write(stdout, err, ".slides.html", page)
	case "markdown":
		path := e.Output
		if path == "" {
			path = e.stem() + ".md"
		}
		folder := strings.TrimSuffix(filepath.Base(path), filepath.Ext(path)) + "_files"
		text, files := export.Markdown(notebook, folder)
		if e.Output == standardOutput && len(files) > 0 {
			return fmt.Errorf("-o -: the notebook has %d figures, which are files beside the text: name a file", len(files))
		} else if e.Output == standardOutput {
			return e.write(stdout, nil, "", text)
		}
		return e.store(stdout, filepath.Dir(path), append(files, export.File{Name: filepath.Base(path), Content: text})...)
	}
	return e.latex(notebook, stdout)
}

// live returns the address of the notebook on the site of --site, or "" without one.
func (e *Export) live() (string, error) {
	if e.Site == "" {
		return "", nil
	}
	address, err := url.Parse(e.Site)
	if err != nil || address.Host == "" || address.Scheme != "https" && address.Scheme != "http" {
		return "", fmt.Errorf("--site %s: want an address such as https://example.org/notebooks/", e.Site)
	}
	if address.Query().Has("path") {
		return e.Site, nil
	}
	address = address.JoinPath("lab", "index.html")
	address.RawQuery = url.Values{"path": {filepath.Base(e.File)}}.Encode()
	return address.String(), nil
}

// inject sets the parameters, which only the formats that run the notebook accept.
func (e *Export) inject(notebook *nbformat.Notebook) error {
	parameters, err := parseParameters(e.Parameter)
	if err != nil {
		return err
	}
	if len(parameters) > 0 && (e.Stored || e.To != "go" && e.To != "latex") {
		return errors.New("--parameter does not change stored outputs: run the notebook with gosphere run -p and export the result")
	}
	return inject(e.File, notebook, parameters)
}

// refuseIdleFlags returns an error for a flag that has no effect in the chosen format.
func (e *Export) refuseIdleFlags() error {
	switch {
	case e.NoCode && e.To != "html" && e.To != "slides":
		return fmt.Errorf("--no-code is for html and slides, not for %s", e.To)
	case e.Stored && e.To != "latex":
		return fmt.Errorf("--stored is for latex, not for %s, which never runs the notebook", e.To)
	case e.Site != "" && e.To != "html":
		return fmt.Errorf("--site is for html, not for %s", e.To)
	case e.Output == standardOutput && (e.To == "go" || e.To == "latex"):
		return fmt.Errorf("-o -: %s writes a folder: name it", e.To)
	case e.Source != "" && e.To != "go":
		return fmt.Errorf("--source is for go, not for %s", e.To)
	}
	return nil
}

// write writes a page to its file.
func (e *Export) write(stdout io.Writer, err error, ending string, text []byte) error {
	if err != nil {
		return fmt.Errorf("%s: %w", e.File, err)
	}
	if e.Output == standardOutput {
		_, err := stdout.Write(text)
		return err
	}
	path := e.Output
	if path == "" {
		path = e.stem() + ending
	}
	return e.store(stdout, filepath.Dir(path), export.File{Name: filepath.Base(path), Content: text})
}

// standardOutput is the value of --output that stands for standard output.
const standardOutput = "-"

// latex runs the notebook, so that its figures are drawn for print, and writes them.
func (e *Export) latex(notebook *nbformat.Notebook, stdout io.Writer) error {
	folder := e.Output
	if folder == "" {
		folder = e.stem() + "-figures"
	}
	if !e.Stored {
		if err := e.spareBefore(filepath.Join(folder, "figures.tex")); err != nil {
			return err
		}
		session, err := cells.NewSession(false)
		if err != nil {
			return err
		}
		display.DrawVectors(true)
		defer display.DrawVectors(false)
		ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
		defer stop()
		if err := run.Run(ctx, session, notebook, run.Options{}); err != nil {
			return (&script{path: e.File, isNotebook: true}).explain(err, os.Stderr)
		}
	}
	files, err := export.LaTeX(notebook)
	if err != nil {
		return fmt.Errorf("%s: %w", e.File, err)
	}
	return e.store(stdout, folder, files...)
}

// stem returns the output path without its extension.
func (e *Export) stem() string { return strings.TrimSuffix(e.File, filepath.Ext(e.File)) }
