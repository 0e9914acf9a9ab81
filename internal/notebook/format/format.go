// Package format reads, checks and writes Jupyter notebook files of format 4.
//
// [Read] accepts every file of format 4.0 to 4.5 and keeps fields that it does not know.
// [Write] writes format 4.5 the way Jupyter does: keys in alphabetical order, indented
// by one blank, texts as lists of lines, so that a notebook that passes through both
// changes only where its content changed. [Notebook.Check] compares a notebook with the
// rules of the format and names cell and field of everything that is wrong. The package
// runs nothing.
//
// Read format.go for the types, then read.go, write.go and check.go.
//
//	notebook, err := format.ReadFile("quickstart.ipynb")
//	for _, cell := range notebook.Cells {
//		fmt.Println(cell.ID, cell.Type, cell.HasTag("parameters"))
//	}
package format

import (
	"crypto/sha256"
	"encoding/hex"
	"strconv"
	"strings"
)

// Minor is the minor version that Write writes; a file of a later one keeps its own.
const Minor = 5

// The kinds of cells.
const (
	Code     = "code"
	Markdown = "markdown"
	Raw      = "raw"
)

// The kinds of outputs.
const (
	Stream        = "stream"
	DisplayData   = "display_data"
	ExecuteResult = "execute_result"
	ErrorOutput   = "error"
)

// A Notebook is the content of a notebook file. JSON values in maps are those of
// encoding/json, with numbers as json.Number when they were read from a file.
type Notebook struct {
	Minor    int // minor version of the format in the file; Write raises it to 5
	Metadata map[string]any
	Cells    []*Cell
	Extra    map[string]any // fields of the file that the format does not have
}

// A Cell is one cell of a notebook.
type Cell struct {
	ID          string
	Type        string // Code, Markdown or Raw
	Source      string
	Metadata    map[string]any
	Attachments map[string]any // file name to mime bundle, of text cells; nil: none

	// ExecutionCount is 0 for a cell that was not run. Text cells have neither it nor Outputs.
	ExecutionCount int
	Outputs        []Output

	Extra map[string]any // fields that the format does not have
}

// An Output is one output of a code cell; which fields count depends on its type.
type Output struct {
	Type string // Stream, DisplayData, ExecuteResult or ErrorOutput

	Name string // of a stream: stdout or stderr
	Text string // of a stream

	Data           map[string]any // of DisplayData and ExecuteResult, by mime type
	Metadata       map[string]any // of the same
	ExecutionCount int            // of an ExecuteResult

	Ename, Evalue string   // of an ErrorOutput
	Traceback     []string // of the same

	Extra map[string]any // fields that the format does not have
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

// HasTag reports whether the cell carries a tag.
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

// GiveIDs gives an id to every cell that has none. The id follows from the text and
// place of the cell: upgrading the same file twice must give the same file.
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

// Language returns the language of the notebook's code, in small letters, as its metadata tell it; "" where they do not.
func (n *Notebook) Language() string {
	for _, place := range [][2]string{{"language_info", "name"}, {"kernelspec", "language"}} {
		object, _ := n.Metadata[place[0]].(map[string]any)
		if name, _ := object[place[1]].(string); name != "" {
			return strings.ToLower(name)
		}
	}
	return ""
}
