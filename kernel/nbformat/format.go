// Package nbformat reads, checks and writes Jupyter notebook files of format 4.
//
// [Read] accepts every file of format 4.0 to 4.5 and keeps unknown fields. [Write] writes format
// 4.5 as Jupyter does: keys in alphabetical order, indented by one blank, texts as lists of lines.
// A notebook that is read and written therefore changes only where its content changed.
// [Notebook.Check] compares a notebook with the rules of the format and names cell and field of
// every violation. The package runs nothing.
//
// Read format.go for the types, then read.go, write.go and check.go.
//
//	notebook, err := format.ReadFile("quickstart.ipynb")
//	for _, cell := range notebook.Cells {
//		fmt.Println(cell.ID, cell.Type, cell.HasTag("parameters"))
//	}
package nbformat

import (
	"crypto/sha256"
	"encoding/hex"
	"strconv"
	"strings"
)

// Minor is the minor version that Write writes. A file of a later version keeps its own.
const Minor = 5

// Kinds of cells.
const (
	Code     = "code"
	Markdown = "markdown"
	Raw      = "raw"
)

// Kinds of outputs.
const (
	Stream        = "stream"
	DisplayData   = "display_data"
	ExecuteResult = "execute_result"
	ErrorOutput   = "error"
)

// A Notebook is the content of a notebook file. JSON values in maps are those of encoding/json,
// with numbers as json.Number if they were read from a file. Such a number may be NaN, Infinity or
// -Infinity, as in Python's JSON.
type Notebook struct {
	Minor    int // minor version of the format in the file; Write raises it to 5
	Metadata map[string]any
	Cells    []*Cell
	Extra    map[string]any // fields that are not in the format
}

// A Cell is one cell of a notebook.
type Cell struct {
	ID          string
	Type        string // Code, Markdown or Raw
	Source      string
	Metadata    map[string]any
	Attachments map[string]any // file name to MIME bundle, for text cells; nil: none

	// ExecutionCount is 0 for a cell that was not run. Text cells have neither it nor Outputs.
	ExecutionCount int
	Outputs        []Output

	Extra map[string]any // fields that are not in the format
}

// An Output is one output of a code cell. Its type determines which fields are used.
type Output struct {
	Type string // Stream, DisplayData, ExecuteResult or ErrorOutput

	Name string // for a stream: stdout or stderr
	Text string // for a stream

	Data           map[string]any // for DisplayData and ExecuteResult, by MIME type
	Metadata       map[string]any // for DisplayData and ExecuteResult
	ExecutionCount int            // for an ExecuteResult

	Ename, Evalue string   // for an ErrorOutput
	Traceback     []string // for an ErrorOutput

	Extra map[string]any // fields that are not in the format
}

// New returns an empty notebook.
func New() *Notebook {
	return &Notebook{Minor: Minor, Metadata: map[string]any{}}
}

// Add appends a cell with a new id and returns it.
func (n *Notebook) Add(kind, source string, tags ...string) *Cell {
	cell := &Cell{Type: kind, Source: source, Metadata: map[string]any{}}
	if len(tags) > 0 {
		list := make([]any, len(tags))
		for i, tag := range tags {
			list[i] = tag
		}
		cell.Metadata["tags"] = list
	}
	n.Cells = append(n.Cells, cell)
	n.GiveIDs()
	return cell
}

// HasTag reports whether the cell has a tag.
func (c *Cell) HasTag(tag string) bool {
	tags, _ := c.Metadata["tags"].([]any)
	for _, t := range tags {
		if t == tag {
			return true
		}
	}
	return false
}

// ClearOutputs removes the outputs and execution counts of all cells.
func (n *Notebook) ClearOutputs() {
	for _, cell := range n.Cells {
		cell.Outputs, cell.ExecutionCount = nil, 0
	}
}

// GiveIDs gives an id to every cell without one. The id is derived from the text and index of the
// cell, so that upgrading the same file twice gives the same file.
func (n *Notebook) GiveIDs() {
	known := map[string]bool{}
	for _, cell := range n.Cells {
		known[cell.ID] = true
	}
	for i, cell := range n.Cells {
		for attempt := 0; cell.ID == ""; attempt++ {
			sum := sha256.Sum256([]byte(strconv.Itoa(i) + " " + strconv.Itoa(attempt) + " " + cell.Source))
			if id := hex.EncodeToString(sum[:4]); !known[id] {
				cell.ID, known[id] = id, true
			}
		}
	}
}

// Language returns the language of the notebook's code in lower case, according to its metadata, or
// "" if it is not stated.
func (n *Notebook) Language() string {
	for _, place := range [][2]string{{"language_info", "name"}, {"kernelspec", "language"}} {
		object, _ := n.Metadata[place[0]].(map[string]any)
		if name, _ := object[place[1]].(string); name != "" {
			return strings.ToLower(name)
		}
	}
	return ""
}
