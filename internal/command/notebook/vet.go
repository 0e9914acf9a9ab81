package notebook

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"gosphere/internal/command/process"
	"gosphere/internal/notebook/imports"
	"gosphere/internal/notebook/vet"
	"gosphere/kernel/nbformat"
	"gosphere/runtime/session"
)

// Vet is the subcommand that reports mistakes in notebooks without running them.
type Vet struct {
	Files  []string `arg:"" optional:"" name:"notebook" help:"Notebooks, or folders with notebooks."`
	Format string   `enum:"text,json,sarif" default:"text" help:"Format: text, json, or sarif for code scanning."`
	Fix    bool     `help:"Remove imports that nothing uses from the notebooks."`
	Off    []string `placeholder:"RULE,..." help:"Rules that are not applied."`
	Rules  bool     `help:"List the rules."`
}

// Run vets the notebooks. The exit status is 1 if a finding is more than a note.
func (v *Vet) Run() error { return v.vet(os.Stdout) }

func (v *Vet) vet(stdout io.Writer) error {
	if v.Rules {
		return v.list(stdout)
	}
	for _, name := range v.Off {
		if !slices.ContainsFunc(vet.Rules, func(r vet.Rule) bool { return r.Name == name }) {
			return fmt.Errorf("--off %s: there is no such rule; gosphere vet --rules lists them", name)
		}
	}
	if len(v.Files) == 0 {
		return fmt.Errorf("no notebooks are given")
	}
	paths, err := notebookPaths(v.Files)
	if err != nil {
		return err
	}
	compiled, err := process.Preloaded.Open()
	if err != nil {
		return err
	}
	var files []vet.File
	status := ExitStatus(0)
	for _, path := range paths {
		findings, err := v.file(path, compiled)
		if err != nil {
			return err
		}
		files = append(files, vet.File{Path: path, Findings: findings})
		if slices.ContainsFunc(findings, func(f vet.Finding) bool { return !f.Rule.Note }) {
			status = 1
		}
	}
	if err := v.write(stdout, files); err != nil {
		return err
	}
	if status != 0 {
		return status
	}
	return nil
}

// list prints the rules.
func (v *Vet) list(stdout io.Writer) error {
	for _, r := range vet.Rules {
		kind := "warning"
		if r.Note {
			kind = "note"
		}
		if _, err := fmt.Fprintf(stdout, "%-17s %-8s %s\n", r.Name, kind, r.Text); err != nil {
			return err
		}
	}
	return nil
}

// file returns the findings in one notebook, without those that Fix has removed.
func (v *Vet) file(path string, known *session.Compiled) ([]vet.Finding, error) {
	notebook, err := readGo(path)
	if err != nil {
		return nil, err
	}
	dir, err := filepath.Abs(filepath.Dir(path))
	if err != nil {
		return nil, err
	}
	packages, err := imports.Of(known, notebook, dir)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	findings := vet.Notebook(notebook, packages, vet.Options{Off: v.Off, Locked: packages.Locked})
	if v.Fix && slices.ContainsFunc(findings, vet.Finding.Fixable) {
		findings = vet.Fix(notebook, findings)
		err = nbformat.WriteFile(path, notebook)
	}
	return findings, err
}

// write prints the findings in the chosen format.
func (v *Vet) write(stdout io.Writer, files []vet.File) error {
	switch v.Format {
	case "sarif":
		e := json.NewEncoder(stdout)
		e.SetIndent("", "  ")
		return e.Encode(vet.SARIF(files, process.Release()))
	case "json":
		type finding struct {
			File    string `json:"file"`
			Cell    int    `json:"cell"`
			ID      string `json:"id"`
			Line    int    `json:"line"`
			Column  int    `json:"column"`
			Rule    string `json:"rule"`
			Note    bool   `json:"note"`
			Message string `json:"message"`
			Hint    string `json:"hint,omitempty"`
		}
		list := []finding{}
		for _, file := range files {
			for _, f := range file.Findings {
				list = append(list, finding{file.Path, f.Cell, f.ID, f.Line, f.Column, f.Rule.Name, f.Rule.Note, f.Message, f.Hint})
			}
		}
		e := json.NewEncoder(stdout)
		e.SetIndent("", "  ")
		return e.Encode(list)
	}
	for _, file := range files {
		for _, f := range file.Findings {
			if _, err := fmt.Fprintf(stdout, "%s: %s\n", file.Path, f); err != nil {
				return err
			}
		}
	}
	return nil
}
