package nbformat

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"sort"
	"strings"

	"gosphere/internal/beside"
)

// WriteFile writes a notebook to a file atomically: a reader sees either the old or the new
// content.
func WriteFile(path string, n *Notebook) error {
	file, err := beside.Create(path)
	if err != nil {
		return fmt.Errorf("notebook: writing %s: %w", path, err)
	}
	defer os.Remove(file.Name()) // fails, as intended, once the file is renamed
	err = Write(file, n)
	if closeErr := file.Close(); err == nil {
		err = closeErr
	}
	if err == nil {
		err = os.Rename(file.Name(), path)
	}
	if err != nil {
		return fmt.Errorf("notebook: writing %s: %w", path, err)
	}
	return nil
}

// Write writes a notebook in format 4.5, or in the later minor version in which it was read.
func Write(w io.Writer, n *Notebook) error {
	n.GiveIDs()
	fields := maps.Clone(n.Extra)
	if fields == nil {
		fields = map[string]any{}
	}
	cells := make([]any, len(n.Cells))
	for i, cell := range n.Cells {
		cells[i] = cell.fields()
	}
	fields["cells"] = cells
	fields["metadata"] = orEmpty(n.Metadata)
	fields["nbformat"] = 4
	fields["nbformat_minor"] = max(n.Minor, Minor)
	var text strings.Builder
	if err := encode(&text, fields, "\n"); err != nil {
		return fmt.Errorf("notebook: %w", err)
	}
	text.WriteString("\n")
	_, err := io.WriteString(w, text.String())
	return err
}

// fields returns the JSON object of a cell.
func (c *Cell) fields() map[string]any {
	fields := maps.Clone(c.Extra)
	if fields == nil {
		fields = map[string]any{}
	}
	fields["id"], fields["cell_type"] = c.ID, c.Type
	fields["metadata"] = orEmpty(c.Metadata)
	fields["source"] = split(c.Source)
	if c.Attachments != nil {
		files := map[string]any{}
		for name, bundle := range c.Attachments {
			if data, ok := bundle.(map[string]any); ok {
				bundle = splitBundle(data)
			}
			files[name] = bundle
		}
		fields["attachments"] = files
	}
	if c.Type == Code {
		fields["execution_count"] = orNull(c.ExecutionCount)
		outputs := make([]any, len(c.Outputs))
		for i := range c.Outputs {
			outputs[i] = c.Outputs[i].fields()
		}
		fields["outputs"] = outputs
	}
	return fields
}

// fields returns the JSON object of an output.
func (o *Output) fields() map[string]any {
	fields := maps.Clone(o.Extra)
	if fields == nil {
		fields = map[string]any{}
	}
	fields["output_type"] = o.Type
	switch o.Type {
	case Stream:
		fields["name"], fields["text"] = o.Name, split(o.Text)
	case ExecuteResult:
		fields["execution_count"] = orNull(o.ExecutionCount)
		fallthrough
	case DisplayData:
		fields["data"], fields["metadata"] = splitBundle(o.Data), orEmpty(o.Metadata)
	case ErrorOutput:
		lines := make([]any, len(o.Traceback))
		for i, line := range o.Traceback {
			lines[i] = line
		}
		fields["ename"], fields["evalue"], fields["traceback"] = o.Ename, o.Evalue, lines
	}
	return fields
}

// orNull returns an execution count as JSON, with null for 0.
func orNull(count int) any {
	if count == 0 {
		return nil
	}
	return count
}

func orEmpty(fields map[string]any) map[string]any {
	if fields == nil {
		return map[string]any{}
	}
	return fields
}

// split returns the lines of a text, each with its line end, as Jupyter stores them.
func split(text string) []any {
	lines := []any{}
	for line := range strings.Lines(text) {
		lines = append(lines, line)
	}
	return lines
}

// splitBundle returns a MIME bundle with texts as lists of lines. As in Jupyter, these are text
// types, scripts and drawings; bitmaps and JSON are unchanged.
func splitBundle(data map[string]any) map[string]any {
	bundle := map[string]any{}
	for mime, value := range data {
		text, ok := value.(string)
		if ok && (strings.HasPrefix(mime, "text/") || mime == "application/javascript" || mime == "image/svg+xml") {
			value = split(text)
		}
		bundle[mime] = value
	}
	return bundle
}

// encode writes a JSON value as Python's json.dumps(indent=1, sort_keys=True, ensure_ascii=False)
// does, which Jupyter uses. newline is the line end followed by the indentation of the value.
func encode(w *strings.Builder, value any, newline string) error {
	switch value := value.(type) {
	case map[string]any:
		keys := make([]string, 0, len(value))
		for key := range value {
			keys = append(keys, key)
		}
		sort.Strings(keys)
		return encodeAll(w, "{}", newline, len(keys), func(i int) error {
			encodeString(w, keys[i])
			w.WriteString(": ")
			return encode(w, value[keys[i]], newline+" ")
		})
	case []any:
		return encodeAll(w, "[]", newline, len(value), func(i int) error {
			return encode(w, value[i], newline+" ")
		})
	case string:
		encodeString(w, value)
		return nil
	case json.Number:
		if slices.Contains(constants, string(value)) {
			w.WriteString(string(value))
			return nil
		}
		text, err := json.Marshal(value)
		w.Write(text)
		return err
	case nil, bool, int:
		text, err := json.Marshal(value)
		w.Write(text)
		return err
	}
	// A value of another Go type, from an output, is converted to JSON first.
	text, err := json.Marshal(value)
	if err != nil {
		return err
	}
	decoder := json.NewDecoder(strings.NewReader(string(text)))
	decoder.UseNumber()
	var plain any
	if err := decoder.Decode(&plain); err != nil {
		return err
	}
	return encode(w, plain, newline)
}

// encodeAll writes the n elements of an object or list between its brackets.
func encodeAll(w *strings.Builder, brackets, newline string, n int, element func(int) error) error {
	if n == 0 {
		w.WriteString(brackets)
		return nil
	}
	w.WriteByte(brackets[0])
	for i := range n {
		if i > 0 {
			w.WriteByte(',')
		}
		w.WriteString(newline + " ")
		if err := element(i); err != nil {
			return err
		}
	}
	w.WriteString(newline)
	w.WriteByte(brackets[1])
	return nil
}

// encodeString writes a string. Unlike encoding/json it does not escape <, >, & and the line
// separators of Unicode.
func encodeString(w *strings.Builder, text string) {
	w.WriteByte('"')
	for _, letter := range text { // invalid UTF-8 becomes U+FFFD
		switch letter {
		case '"', '\\':
			w.WriteByte('\\')
			w.WriteRune(letter)
		case '\n':
			w.WriteString(`\n`)
		case '\r':
			w.WriteString(`\r`)
		case '\t':
			w.WriteString(`\t`)
		case '\b':
			w.WriteString(`\b`)
		case '\f':
			w.WriteString(`\f`)
		default:
			if letter < 0x20 {
				fmt.Fprintf(w, `\u%04x`, letter)
				continue
			}
			w.WriteRune(letter)
		}
	}
	w.WriteByte('"')
}
