package nbformat

import (
	"errors"
	"fmt"
	"sort"
	"strings"

	"gosphere/internal/lazyregexp"
)

// idPattern matches cell ids (JEP 62), which have 1 to 64 characters.
var idPattern = lazyregexp.New(`^[a-zA-Z0-9_-]{1,64}$`)

// Check compares a notebook with the schema of format 4.5 and returns all violations, joined, or
// nil. [Read] has already checked the types of fields; Check checks ids, names, unknown fields and
// metadata.
func (n *Notebook) Check() error {
	var problems []error
	add := func(format string, values ...any) {
		problems = append(problems, fmt.Errorf("notebook: "+format, values...))
	}
	if n.Minor <= Minor {
		unknown(n.Extra, "", add)
	}
	n.checkMetadata(add)
	seen := map[string]int{}
	for i, cell := range n.Cells {
		place := fmt.Sprintf("cell %d (id %s): ", i+1, cell.ID)
		within := func(format string, values ...any) { add(place+format, values...) }
		if !idPattern.MatchString(cell.ID) {
			within("field \"id\" is %q, want 1 to 64 letters, digits, - and _", cell.ID)
		}
		if first, ok := seen[cell.ID]; ok {
			within("field \"id\" is that of cell %d too", first)
		} else {
			seen[cell.ID] = i + 1
		}
		cell.check(n.Minor > Minor, within)
	}
	return errors.Join(problems...)
}

func (n *Notebook) checkMetadata(add func(string, ...any)) {
	for name, required := range map[string][]string{"kernelspec": {"name", "display_name"}, "language_info": {"name"}} {
		value, ok := n.Metadata[name]
		if !ok {
			continue
		}
		fields, ok := value.(map[string]any)
		if !ok {
			add("metadata: field %q is %s, want an object", name, kind(value))
			continue
		}
		for _, field := range required {
			if _, ok := fields[field].(string); !ok {
				add("metadata: %s: field %q is missing or not a string", name, field)
			}
		}
	}
}

func (c *Cell) check(later bool, add func(string, ...any)) {
	if !later {
		unknown(c.Extra, "", add)
	}
	switch c.Type {
	case Code:
		if c.Attachments != nil {
			add("field \"attachments\" belongs to text cells")
		}
	case Markdown, Raw:
		if len(c.Outputs) > 0 {
			add("a %s cell has outputs", c.Type)
		}
	default:
		add("field \"cell_type\" is %q, want code, markdown or raw", c.Type)
	}
	if value, ok := c.Metadata["tags"]; ok {
		c.checkTags(value, add)
	}
	for i := range c.Outputs {
		output := &c.Outputs[i]
		place := fmt.Sprintf("output %d: ", i+1)
		if !later {
			unknown(output.Extra, place, add)
		}
		output.check(func(format string, values ...any) { add(place+format, values...) })
	}
}

func (c *Cell) checkTags(value any, add func(string, ...any)) {
	tags, ok := value.([]any)
	if !ok {
		add("metadata: field \"tags\" is %s, want a list", kind(value))
	}
	seen := map[string]bool{}
	for _, value := range tags {
		tag, ok := value.(string)
		if !ok || tag == "" || strings.Contains(tag, ",") {
			add("metadata: tag %v is not a word without comma", value)
		}
		if seen[tag] {
			add("metadata: tag %q is there twice", tag)
		}
		seen[tag] = true
	}
}

func (o *Output) check(add func(string, ...any)) {
	switch o.Type {
	case Stream:
		if o.Name == "" {
			add("field \"name\" is empty")
		}
	case DisplayData, ExecuteResult:
		for mime, value := range o.Data {
			if _, ok := value.(string); !ok && !isJSON(mime) {
				add("data of %s is %s, want a string", mime, kind(value))
			}
		}
	case ErrorOutput:
	default:
		add("field \"output_type\" is %q, want stream, display_data, execute_result or error", o.Type)
	}
}

// unknown reports fields that are not in the format, in alphabetical order.
func unknown(extra map[string]any, place string, add func(string, ...any)) {
	names := make([]string, 0, len(extra))
	for name := range extra {
		names = append(names, name)
	}
	sort.Strings(names)
	for _, name := range names {
		add("%sfield %q is not in format 4.%d", place, name, Minor)
	}
}
