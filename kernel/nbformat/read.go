package nbformat

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"
	"unicode/utf8"

	"gosphere/internal/userfile"
)

// ReadFile reads a notebook file.
func ReadFile(path string) (*Notebook, error) {
	content, err := userfile.ReadFile(path, userfile.Notebook)
	if err != nil {
		return nil, fmt.Errorf("notebook: %w", err)
	}
	notebook, err := Read(content)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return notebook, nil
}

// Read reads a notebook of format 4. It upgrades files older than 4.5 by giving their cells ids. A
// field of a wrong type is an error that names cell and field. Missing fields with an obvious
// value, such as empty metadata, are filled in. NaN, Infinity and -Infinity, which Python writes
// into JSON, are numbers. A byte order mark at the beginning is ignored.
func Read(content []byte) (*Notebook, error) {
	content = bytes.TrimPrefix(content, []byte("\ufeff"))
	if err := checkText(content); err != nil {
		return nil, err
	}
	content, hidden := hideConstants(content)
	decoder := json.NewDecoder(bytes.NewReader(content))
	decoder.UseNumber() // 1.0 must not become 1
	var root any
	if err := decoder.Decode(&root); err != nil {
		return nil, fmt.Errorf("notebook: not JSON: %w", err)
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("notebook: text after the end of the notebook")
	}
	if hidden != nil {
		root = showConstants(root, hidden)
	}
	fields, ok := root.(map[string]any)
	if !ok {
		return nil, fmt.Errorf("notebook: file holds %s, want an object", kind(root))
	}
	o := object{place: "notebook", fields: fields}
	return readNotebook(&o)
}

// checkText returns an error for content that is no text in UTF-8 or that git has left in the
// middle of a merge. encoding/json would replace invalid bytes silently, and call both not JSON.
func checkText(content []byte) error {
	switch {
	case len(content) == 0:
		return errors.New("notebook: the file is empty")
	case bytes.HasPrefix(content, []byte("\xff\xfe")) || bytes.HasPrefix(content, []byte("\xfe\xff")):
		return errors.New("notebook: the file is encoded in UTF-16, want UTF-8")
	}
	line := 0
	for text := range bytes.Lines(content) {
		line++
		// A line of a notebook is indented, so only git writes these at the beginning of one.
		if bytes.HasPrefix(text, []byte("<<<<<<< ")) || bytes.HasPrefix(text, []byte(">>>>>>> ")) {
			return fmt.Errorf("notebook: line %d: %.40q is a mark of a merge conflict; resolve the conflict, for instance with nbdime", line, bytes.TrimSpace(text))
		}
		if !utf8.Valid(text) {
			at := 0
			for at < len(text) {
				if letter, size := utf8.DecodeRune(text[at:]); letter == utf8.RuneError && size == 1 {
					break
				} else {
					at += size
				}
			}
			return fmt.Errorf("notebook: line %d: byte %d is %#x, which is not UTF-8", line, at+1, text[at])
		}
	}
	return nil
}

func readNotebook(o *object) (*Notebook, error) {
	if _, old := o.fields["worksheets"]; old || o.has("nbformat") && fmt.Sprint(o.fields["nbformat"]) != "4" {
		return nil, fmt.Errorf("notebook: format %v is not supported, only 4; open it in Jupyter and save it", o.fields["nbformat"])
	}
	if !o.has("nbformat") {
		return nil, errors.New("notebook: field \"nbformat\" is missing")
	}
	o.integer("nbformat")
	n := &Notebook{Minor: o.integer("nbformat_minor"), Metadata: o.object("metadata")}
	if o.err == nil && !o.has("cells") {
		return nil, errors.New("notebook: field \"cells\" is missing")
	}
	for i, value := range o.list("cells") {
		cell, err := readCell(i, value)
		if err != nil {
			return nil, err
		}
		n.Cells = append(n.Cells, cell)
	}
	n.Extra = o.rest()
	if o.err != nil {
		return nil, o.err
	}
	n.GiveIDs()
	return n, nil
}

func readCell(i int, value any) (*Cell, error) {
	place := fmt.Sprintf("notebook: cell %d", i+1)
	fields, ok := value.(map[string]any)
	if !ok {
		return nil, fmt.Errorf("%s is %s, want an object", place, kind(value))
	}
	if id, ok := fields["id"].(string); ok {
		place += fmt.Sprintf(" (id %.64s)", id)
	}
	o := object{place: place, fields: fields}
	cell := &Cell{Type: o.text("cell_type"), Source: o.lines("source"), Metadata: o.object("metadata")}
	if o.has("id") {
		cell.ID = o.text("id")
	}
	if o.has("attachments") {
		cell.Attachments = o.object("attachments")
		for _, bundle := range cell.Attachments {
			if data, ok := bundle.(map[string]any); ok {
				joinBundle(data)
			}
		}
	}
	if o.err == nil && cell.Type != Code && cell.Type != Markdown && cell.Type != Raw {
		return nil, fmt.Errorf("%s: cell_type is %q, want code, markdown or raw", place, cell.Type)
	}
	if cell.Type == Code {
		cell.ExecutionCount = o.count("execution_count")
		for k, value := range o.list("outputs") {
			output, err := readOutput(fmt.Sprintf("%s: output %d", place, k+1), value)
			if err != nil {
				return nil, err
			}
			cell.Outputs = append(cell.Outputs, output)
		}
	}
	cell.Extra = o.rest()
	return cell, o.err
}

func readOutput(place string, value any) (Output, error) {
	fields, ok := value.(map[string]any)
	if !ok {
		return Output{}, fmt.Errorf("%s is %s, want an object", place, kind(value))
	}
	o := object{place: place, fields: fields}
	output := Output{Type: o.text("output_type")}
	switch output.Type {
	case Stream:
		output.Name, output.Text = o.text("name"), o.lines("text")
	case ExecuteResult:
		output.ExecutionCount = o.count("execution_count")
		fallthrough
	case DisplayData:
		output.Data, output.Metadata = o.object("data"), o.object("metadata")
		joinBundle(output.Data)
	case ErrorOutput:
		output.Ename, output.Evalue = o.text("ename"), o.text("evalue")
		output.Traceback = []string{}
		for i, line := range o.list("traceback") {
			text, ok := line.(string)
			if !ok {
				o.fail("line %d of traceback is %s, want a string", i+1, kind(line))
			}
			output.Traceback = append(output.Traceback, text)
		}
	default:
		if o.err == nil {
			return output, fmt.Errorf("%s: output_type is %q, want stream, display_data, execute_result or error", place, output.Type)
		}
	}
	output.Extra = o.rest()
	return output, o.err
}

// joinBundle joins the texts of a MIME bundle that are stored as lists of lines. JSON types keep
// their lists.
func joinBundle(data map[string]any) {
	for mime, value := range data {
		if isJSON(mime) {
			continue
		}
		if lines, ok := value.([]any); ok {
			if text, err := joined(lines); err == nil {
				data[mime] = text
			}
		}
	}
}

// isJSON reports whether the data of a MIME type is a JSON value.
func isJSON(mime string) bool {
	return mime == "application/json" || strings.HasPrefix(mime, "application/") && strings.HasSuffix(mime, "+json")
}

func joined(lines []any) (string, error) {
	var text strings.Builder
	for i, line := range lines {
		part, ok := line.(string)
		if !ok {
			return "", fmt.Errorf("line %d is %s, want a string", i+1, kind(line))
		}
		text.WriteString(part)
	}
	return text.String(), nil
}

// An object removes the fields of a JSON object one by one. It stores the first error in err.
type object struct {
	place  string
	fields map[string]any
	err    error
}

func (o *object) fail(format string, values ...any) {
	if o.err == nil {
		o.err = fmt.Errorf("%s: %s", o.place, fmt.Sprintf(format, values...))
	}
}

func (o *object) has(name string) bool {
	_, ok := o.fields[name]
	return ok
}

// take returns a field and removes it, so that rest returns the fields that were not requested.
func (o *object) take(name string) (any, bool) {
	value, ok := o.fields[name]
	delete(o.fields, name)
	return value, ok
}

// rest returns the fields that were not taken, or nil.
func (o *object) rest() map[string]any {
	if len(o.fields) == 0 {
		return nil
	}
	return o.fields
}

// text returns a field that must be a string.
func (o *object) text(name string) string {
	value, ok := o.take(name)
	text, isText := value.(string)
	switch {
	case !ok:
		o.fail("field %q is missing", name)
	case !isText:
		o.fail("field %q is %s, want a string", name, kind(value))
	}
	return text
}

// lines returns a text that may be stored as a list of lines.
func (o *object) lines(name string) string {
	value, ok := o.take(name)
	switch value := value.(type) {
	case string:
		return value
	case []any:
		text, err := joined(value)
		if err != nil {
			o.fail("field %q: %v", name, err)
		}
		return text
	}
	if !ok {
		o.fail("field %q is missing", name)
		return ""
	}
	o.fail("field %q is %s, want a string or a list of strings", name, kind(value))
	return ""
}

// object returns a field that is an object; a missing one is empty.
func (o *object) object(name string) map[string]any {
	value, ok := o.take(name)
	fields, isObject := value.(map[string]any)
	if ok && !isObject {
		o.fail("field %q is %s, want an object", name, kind(value))
	}
	if fields == nil {
		fields = map[string]any{}
	}
	return fields
}

// list returns a field that is a list; a missing one is empty.
func (o *object) list(name string) []any {
	value, ok := o.take(name)
	list, isList := value.([]any)
	if ok && !isList {
		o.fail("field %q is %s, want a list", name, kind(value))
	}
	return list
}

// integer returns a field that must be an integer.
func (o *object) integer(name string) int {
	value, ok := o.take(name)
	if !ok {
		o.fail("field %q is missing", name)
		return 0
	}
	number, isNumber := value.(json.Number)
	n, err := number.Int64()
	if !isNumber || err != nil || n < 0 || n > math.MaxInt32 {
		o.fail("field %q is %s, want an integer", name, kind(value))
		return 0
	}
	return int(n)
}

// count returns an execution count, or 0 for null or a missing one.
func (o *object) count(name string) int {
	if value, ok := o.fields[name]; !ok || value == nil {
		o.take(name)
		return 0
	}
	return o.integer(name)
}

// kind returns the name of the type of a JSON value for error messages.
func kind(value any) string {
	switch value := value.(type) {
	case nil:
		return "null"
	case bool:
		return "a boolean"
	case json.Number:
		return "the number " + value.String()
	case string:
		return "a string"
	case []any:
		return "a list"
	default:
		return "an object"
	}
}
