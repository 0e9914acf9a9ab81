package agent

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"gosphere/internal/notebook/template"
	"gosphere/kernel/nbformat"
)

// notebooks are the tools that read and change notebooks.
type notebooks struct{ *Agent }

// A notebookArgument names a notebook.
type notebookArgument struct {
	Notebook string `json:"notebook" jsonschema:"path of the notebook below the folder of this server, such as study/results.ipynb"`
}

func (a notebooks) listNotebooks(context.Context, *mcp.CallToolRequest, struct{}) (*mcp.CallToolResult, any, error) {
	list, more, err := a.list()
	if err != nil {
		return nil, nil, err
	}
	if len(list) == 0 {
		return text("no notebooks; create_notebook creates one"), nil, nil
	}
	if more {
		list = append(list, fmt.Sprintf("(more than %d notebooks; the others are not listed)", mostNotebooks))
	}
	return text(strings.Join(list, "\n")), nil, nil
}

type createArguments struct {
	notebookArgument
	Title string `json:"title,omitempty" jsonschema:"title, which becomes a Markdown cell"`
}

func (a notebooks) createNotebook(_ context.Context, _ *mcp.CallToolRequest, in createArguments) (*mcp.CallToolResult, any, error) {
	notebook, err := template.New("blank", in.Title)
	if err != nil {
		return nil, nil, err
	}
	notebook.Cells = nil
	if in.Title != "" {
		notebook.Add(nbformat.Markdown, "# "+in.Title)
	}
	if err := a.create(in.Notebook, notebook); err != nil {
		return nil, nil, err
	}
	return text("created " + in.Notebook), nil, nil
}

func (a notebooks) listCells(_ context.Context, _ *mcp.CallToolRequest, in notebookArgument) (*mcp.CallToolResult, any, error) {
	_, notebook, err := a.read(in.Notebook)
	if err != nil {
		return nil, nil, err
	}
	if len(notebook.Cells) == 0 {
		return text("the notebook has no cells"), nil, nil
	}
	var b strings.Builder
	for i, c := range notebook.Cells {
		first, rest, _ := strings.Cut(strings.TrimSpace(c.Source), "\n")
		if strings.TrimSpace(rest) != "" {
			first += fmt.Sprintf(" … (%d lines)", 1+strings.Count(strings.TrimSpace(c.Source), "\n"))
		}
		fmt.Fprintf(&b, "%d\t%s\t%s\t%s\t%s\n", i+1, c.ID, c.Type, stateOf(c), first)
	}
	return a.bounded("number\tid\ttype\tstate\tfirst line\n" + b.String()), nil, nil
}

// stateOf returns the state of a cell according to its stored outputs.
func stateOf(c *nbformat.Cell) string {
	switch {
	case c.Type != nbformat.Code:
		return "-"
	case slices.ContainsFunc(c.Outputs, func(o nbformat.Output) bool { return o.Type == nbformat.ErrorOutput }):
		return "error"
	case c.ExecutionCount == 0:
		return "not run"
	}
	return fmt.Sprintf("[%d]", c.ExecutionCount)
}

type readArguments struct {
	notebookArgument
	Cells    []string `json:"cells,omitempty" jsonschema:"ids or numbers of the cells to read; all if empty"`
	Pictures bool     `json:"pictures,omitempty" jsonschema:"whether to return stored figures as pictures"`
}

func (a notebooks) readCells(_ context.Context, _ *mcp.CallToolRequest, in readArguments) (*mcp.CallToolResult, any, error) {
	_, notebook, err := a.read(in.Notebook)
	if err != nil {
		return nil, nil, err
	}
	chosen, err := choose(notebook, in.Cells)
	if err != nil {
		return nil, nil, err
	}
	r := a.newResult(in.Pictures)
	for _, i := range chosen {
		c := notebook.Cells[i]
		r.printf("=== cell %d (id %s, %s, %s)\n%s\n", i+1, c.ID, c.Type, stateOf(c), c.Source)
		r.outputs(c.Outputs)
	}
	return r.done(), nil, nil
}

// choose returns the indices of the named cells in the given order, or all.
func choose(notebook *nbformat.Notebook, names []string) (list []int, err error) {
	if len(names) == 0 {
		for i := range notebook.Cells {
			list = append(list, i)
		}
		return list, nil
	}
	for _, name := range names {
		i, err := find(notebook, name)
		if err != nil {
			return nil, err
		}
		if !slices.Contains(list, i) {
			list = append(list, i)
		}
	}
	return list, nil
}

type insertArguments struct {
	notebookArgument
	Source string `json:"source" jsonschema:"text of the new cell"`
	Type   string `json:"type,omitempty" jsonschema:"code, markdown or raw; code if empty"`
	After  string `json:"after,omitempty" jsonschema:"id or number of the cell below which the new one is inserted, 0 for the top; the end of the notebook if empty"`
}

func (a notebooks) insertCell(_ context.Context, _ *mcp.CallToolRequest, in insertArguments) (*mcp.CallToolResult, any, error) {
	kind := in.Type
	switch kind {
	case "":
		kind = nbformat.Code
	case nbformat.Code, nbformat.Markdown, nbformat.Raw:
	default:
		return nil, nil, fmt.Errorf("type %q is neither code, markdown nor raw", in.Type)
	}
	what, err := a.change(in.Notebook, func(n *nbformat.Notebook) (string, error) {
		at, err := below(n, in.After)
		if err != nil {
			return "", err
		}
		c := n.Add(kind, in.Source)
		n.Cells = slices.Insert(n.Cells[:len(n.Cells)-1], at, c)
		return fmt.Sprintf("inserted cell %d (id %s)", at+1, c.ID), nil
	})
	if err != nil {
		return nil, nil, err
	}
	return text(what), nil, nil
}

// below returns the index of the place below a named cell: 0 is the top, "" the end.
func below(n *nbformat.Notebook, after string) (int, error) {
	switch after {
	case "":
		return len(n.Cells), nil
	case "0":
		return 0, nil
	}
	i, err := find(n, after)
	return i + 1, err
}

type editArguments struct {
	notebookArgument
	Cell   string  `json:"cell" jsonschema:"id or number of the cell"`
	Source *string `json:"source,omitempty" jsonschema:"the whole new text of the cell"`
	Old    string  `json:"old,omitempty" jsonschema:"instead of source: a text that occurs exactly once in the cell"`
	New    string  `json:"new,omitempty" jsonschema:"the text that replaces old"`
}

func (a notebooks) editCell(_ context.Context, _ *mcp.CallToolRequest, in editArguments) (*mcp.CallToolResult, any, error) {
	what, err := a.change(in.Notebook, func(n *nbformat.Notebook) (string, error) {
		i, err := find(n, in.Cell)
		if err != nil {
			return "", err
		}
		c := n.Cells[i]
		switch count := strings.Count(c.Source, in.Old); {
		case in.Old == "" && (in.New != "" || in.Source == nil):
			return "", fmt.Errorf("want source, the whole text of the cell, or old, the part that new replaces")
		case in.Old == "":
			c.Source = *in.Source
		case in.Source != nil:
			return "", fmt.Errorf("both source and old are given: source replaces the whole cell, old and new a part of it")
		case count != 1:
			return "", fmt.Errorf("old occurs %d times in cell %d, want once", count, i+1)
		default:
			c.Source = strings.Replace(c.Source, in.Old, in.New, 1)
		}
		return fmt.Sprintf("edited cell %d (id %s)", i+1, c.ID), nil
	})
	if err != nil {
		return nil, nil, err
	}
	return text(what), nil, nil
}

type moveArguments struct {
	notebookArgument
	Cell  string `json:"cell" jsonschema:"id or number of the cell"`
	After string `json:"after,omitempty" jsonschema:"id or number of the cell below which it is moved, 0 for the top; the end of the notebook if empty"`
}

func (a notebooks) moveCell(_ context.Context, _ *mcp.CallToolRequest, in moveArguments) (*mcp.CallToolResult, any, error) {
	what, err := a.change(in.Notebook, func(n *nbformat.Notebook) (string, error) {
		from, err := find(n, in.Cell)
		if err != nil {
			return "", err
		}
		to, err := below(n, in.After)
		if err != nil {
			return "", err
		}
		c := n.Cells[from]
		if to > from {
			to--
		}
		n.Cells = slices.Insert(slices.Delete(n.Cells, from, from+1), to, c)
		return fmt.Sprintf("moved cell %d (id %s): it is cell %d now", from+1, c.ID, to+1), nil
	})
	if err != nil {
		return nil, nil, err
	}
	return text(what), nil, nil
}

type cellArgument struct {
	notebookArgument
	Cell string `json:"cell" jsonschema:"id or number of the cell"`
}

func (a notebooks) deleteCell(_ context.Context, _ *mcp.CallToolRequest, in cellArgument) (*mcp.CallToolResult, any, error) {
	what, err := a.change(in.Notebook, func(n *nbformat.Notebook) (string, error) {
		i, err := find(n, in.Cell)
		if err != nil {
			return "", err
		}
		c := n.Cells[i]
		n.Cells = slices.Delete(n.Cells, i, i+1)
		return fmt.Sprintf("deleted cell %d (id %s)", i+1, c.ID), nil
	})
	if err != nil {
		return nil, nil, err
	}
	return text(what), nil, nil
}

type revertArguments struct {
	notebookArgument
	Cell string `json:"cell,omitempty" jsonschema:"id of the cell whose last edit is undone; the last change of the notebook if empty"`
}

func (a notebooks) revert(_ context.Context, _ *mcp.CallToolRequest, in revertArguments) (*mcp.CallToolResult, any, error) {
	if in.Cell != "" {
		what, err := a.revertCell(in)
		if err != nil {
			return nil, nil, err
		}
		return text(what), nil, nil
	}
	a.files.Lock()
	defer a.files.Unlock()
	path, notebook, err := a.read(in.Notebook)
	if err != nil {
		return nil, nil, err
	}
	log := a.history[path]
	if log == nil || len(log.before) == 0 {
		return nil, nil, fmt.Errorf("this server has changed nothing in %s that could be reverted", in.Notebook)
	}
	if !bytes.Equal(log.after, cellsOf(notebook.Cells)) {
		return nil, nil, fmt.Errorf("another program has changed the cells of %s since: name the cell to revert, or edit it", in.Notebook)
	}
	last := log.before[len(log.before)-1]
	notebook.Cells = withOutputs(last.cells, notebook.Cells)
	if err := nbformat.WriteFile(path, notebook); err != nil {
		return nil, nil, err
	}
	log.before = log.before[:len(log.before)-1]
	log.after = cellsOf(notebook.Cells)
	return text("reverted: " + last.what), nil, nil
}

// withOutputs returns earlier cells, with the current outputs of those whose source has not
// changed.
func withOutputs(earlier, now []*nbformat.Cell) []*nbformat.Cell {
	list := copyOf(earlier)
	for _, c := range list {
		i := slices.IndexFunc(now, func(other *nbformat.Cell) bool { return other.ID == c.ID && other.Source == c.Source })
		if i >= 0 {
			c.Outputs, c.ExecutionCount = now[i].Outputs, now[i].ExecutionCount
		}
	}
	return list
}

// revertCell gives a cell the source that it had before the last edit by this server.
func (a notebooks) revertCell(in revertArguments) (string, error) {
	path, err := a.locate(in.Notebook)
	if err != nil {
		return "", err
	}
	return a.change(in.Notebook, func(n *nbformat.Notebook) (string, error) {
		i, err := find(n, in.Cell)
		if err != nil {
			return "", err
		}
		c := n.Cells[i]
		if log := a.history[path]; log != nil {
			for _, earlier := range slices.Backward(log.before) {
				k := slices.IndexFunc(earlier.cells, func(other *nbformat.Cell) bool { return other.ID == c.ID })
				if k >= 0 && earlier.cells[k].Source != c.Source {
					c.Source = earlier.cells[k].Source
					return fmt.Sprintf("reverted cell %d (id %s)", i+1, c.ID), nil
				}
			}
		}
		return "", fmt.Errorf("this server has not edited cell %d (id %s)", i+1, c.ID)
	})
}
