package agent

import (
	"context"
	"fmt"
	"go/types"
	"path/filepath"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"gosphere/internal/notebook/imports"
	"gosphere/internal/notebook/vet"
	"gosphere/kernel/nbformat"
	"gosphere/runtime/graph"
)

func (a *Agent) checkNotebook(_ context.Context, _ *mcp.CallToolRequest, in notebookArgument) (*mcp.CallToolResult, any, error) {
	path, notebook, err := a.read(in.Notebook)
	if err != nil {
		return nil, nil, err
	}
	findings, _, err := a.vet(path, notebook)
	if err != nil {
		return nil, nil, err
	}
	if len(findings) == 0 {
		return text("no findings"), nil, nil
	}
	lines := make([]string, len(findings))
	for i, f := range findings {
		lines[i] = f.String()
	}
	return a.bounded(strings.Join(lines, "\n")), nil, nil
}

// vet returns the findings in a notebook, and its packages.
func (a *Agent) vet(path string, notebook *nbformat.Notebook) ([]vet.Finding, *imports.Packages, error) {
	dir := a.options.Folder
	if path != "" {
		dir = filepath.Dir(path)
	}
	packages, err := imports.Of(a.options.Packages, notebook, dir)
	if err != nil {
		return nil, nil, err
	}
	return vet.Notebook(notebook, packages, vet.Options{Locked: packages.Locked}), packages, nil
}

type checkArguments struct {
	Code     string `json:"code" jsonschema:"code to check, as a cell below those of the notebook or of the running kernel"`
	Notebook string `json:"notebook,omitempty" jsonschema:"notebook whose cells are above the code; those that the kernel has run if empty"`
}

// cellRules are the rules whose findings concern a single cell, whatever is around it.
var cellRules = []string{"does-not-compile", "defined-below", "unknown-magic", "unused-import", "ignored-error", "suspicious", "not-locked"}

func (a *Agent) checkCode(ctx context.Context, _ *mcp.CallToolRequest, in checkArguments) (*mcp.CallToolResult, any, error) {
	path, notebook := "", nbformat.New()
	var err error
	if in.Notebook != "" {
		path, notebook, err = a.read(in.Notebook)
	} else {
		err = a.addHistory(ctx, notebook)
	}
	if err != nil {
		return nil, nil, err
	}
	added := notebook.Add(nbformat.Code, in.Code)
	findings, packages, err := a.vet(path, notebook)
	if err != nil {
		return nil, nil, err
	}
	var lines []string
	for _, f := range findings {
		if f.ID != added.ID || !slices.Contains(cellRules, f.Rule.Name) {
			continue
		}
		line := fmt.Sprintf("line %d, column %d: %s", f.Line, f.Column, f.Message)
		if f.Hint != "" {
			line += " (" + f.Hint + ")"
		}
		lines = append(lines, line)
	}
	if len(lines) > 0 {
		return a.bounded(strings.Join(lines, "\n")), nil, nil
	}
	return text(meaning(graph.Build(notebook, packages))), nil, nil
}

// addHistory adds the cells that the kernel without a notebook has run, if one runs.
func (a *Agent) addHistory(ctx context.Context, notebook *nbformat.Notebook) error {
	k, err := a.runningKernel("")
	if k == nil || err != nil {
		return err
	}
	entries, err := k.client.History(ctx)
	for _, e := range entries {
		notebook.Add(nbformat.Code, e.Source)
	}
	return err
}

// meaning describes the last cell of a graph, which compiles: its definitions and the type of its
// value.
func meaning(g *graph.Graph) string {
	if len(g.Cells) == 0 {
		return "compiles: there is nothing in it"
	}
	c := g.Cells[len(g.Cells)-1]
	lines := []string{"compiles"}
	for _, n := range c.Defines {
		lines = append(lines, fmt.Sprintf("defines %s %s %s", n.KindName(), n.Text, n.Type))
	}
	if c.Checked != nil && c.Checked.Value != nil {
		if t := c.Checked.Info.TypeOf(c.Checked.Value); t != nil {
			lines = append(lines, "shows a value of type "+types.TypeString(t, shortly))
		}
	}
	return strings.Join(lines, "\n")
}

// shortly qualifies a type as code does: by the name of its package, and types of cells not at all.
func shortly(p *types.Package) string {
	if p.Path() == "main" {
		return ""
	}
	return p.Name()
}

func (a *Agent) cellDependencies(_ context.Context, _ *mcp.CallToolRequest, in cellArgument) (*mcp.CallToolResult, any, error) {
	path, notebook, err := a.read(in.Notebook)
	if err != nil {
		return nil, nil, err
	}
	i, err := find(notebook, in.Cell)
	if err != nil {
		return nil, nil, err
	}
	packages, err := imports.Of(a.options.Packages, notebook, filepath.Dir(path))
	if err != nil {
		return nil, nil, err
	}
	g := graph.Build(notebook, packages)
	c := g.Cell(i + 1)
	if c == nil {
		return nil, nil, fmt.Errorf("cell %d is not a code cell that runs", i+1)
	}
	if len(c.Errors) > 0 {
		return nil, nil, fmt.Errorf("cell %d does not compile: %w", i+1, c.Errors)
	}
	var b strings.Builder
	for _, n := range c.Defines {
		fmt.Fprintf(&b, "defines %s %s\n", n.KindName(), n.Text)
	}
	for _, e := range c.Reads {
		fmt.Fprintf(&b, "reads %s of cell %d%s\n", e.Name.Text, e.Name.Cell, placeOf(e))
	}
	for _, e := range c.Changes {
		how := "changes"
		if !e.Certain {
			how = "possibly changes"
		}
		fmt.Fprintf(&b, "%s %s of cell %d%s\n", how, e.Name.Text, e.Name.Cell, placeOf(e))
	}
	for _, u := range c.Unknown {
		fmt.Fprintf(&b, "unknown effects: it %s\n", u.What)
	}
	fmt.Fprintf(&b, "must run before it: cells %v\n", g.Order(i+1))
	fmt.Fprintf(&b, "must run again after a change of it: cells %v\n", g.Stale([]int{i + 1}, true))
	return a.bounded(b.String()), nil, nil
}

// placeOf returns where a cell reads or changes a variable and, unless it names it, by what.
func placeOf(e graph.Effect) string {
	if e.Why == "" {
		return fmt.Sprintf(", line %d", e.Line)
	}
	return fmt.Sprintf(", line %d, %s", e.Line, e.Why)
}
