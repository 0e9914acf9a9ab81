package delimited

import (
	"errors"
	"io"
	"iter"
	"slices"
)

// A Schema has the names and types of the columns of a text.
type Schema struct {
	names   []string
	by      []chosen
	options Options
}

// Infer finds the types of the columns of a text without keeping it.
func Infer(r io.Reader, o Options) (*Schema, error) {
	s, names, err := o.open(r)
	if err != nil {
		return nil, err
	}
	if err := o.checkNames(names); err != nil {
		return nil, err
	}
	dirty := o.Dirty // Batches reports the values
	if dirty != nil {
		o.Dirty = func(int, string, string, string) {}
	}
	tallies := make([]*tally, len(names))
	for k, name := range names {
		tallies[k] = o.tally(name)
	}
	for begun := o.NoHeader; ; begun = true {
		for k := 0; begun && k < len(names); k++ {
			tallies[k].count(&o, string(s.value(k)), s.start)
		}
		if err := o.record(s, len(names)); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return nil, err
		}
	}
	schema := &Schema{names: names}
	for k, name := range names {
		by := chosen{reading{kind: "string"}, false}
		if !slices.Contains(o.Text, name) {
			if by, err = tallies[k].choose(&o); err != nil {
				return nil, err
			}
		}
		schema.by = append(schema.by, by)
	}
	o.Dirty, o.Note = dirty, nil
	schema.options = o
	return schema, nil
}

// Batches reads the text again and returns the columns of so many records at a time.
func (schema *Schema) Batches(r io.Reader, size int) iter.Seq2[[]Column, error] {
	return func(yield func([]Column, error) bool) {
		o := schema.options
		s, names, err := o.open(r)
		if err == nil && !slices.Equal(names, schema.names) {
			err = errChanged
		}
		if err != nil {
			yield(nil, err)
			return
		}
		changed := false
		if o.Dirty == nil { // all texts did fit
			o.Dirty = func(int, string, string, string) { changed = true }
		}
		all, lines := make([]texts, len(names)), []int(nil)
		for begun := o.NoHeader; ; begun = true {
			for k := 0; begun && k < len(names); k++ {
				all[k].add(s.value(k))
			}
			if begun {
				lines = append(lines, s.start)
			}
			err = o.record(s, len(names))
			if err != nil && !errors.Is(err, io.EOF) {
				yield(nil, err)
				return
			}
			if len(lines) == size || err != nil && len(lines) > 0 {
				columns := schema.columns(&o, all, lines)
				if changed {
					yield(nil, errChanged)
					return
				}
				if !yield(columns, nil) {
					return
				}
				lines = lines[:0]
			}
			if err != nil {
				return
			}
		}
	}
}

var errChanged = errors.New("the text has changed while it was read")

// columns converts a batch and empties the texts.
func (schema *Schema) columns(o *Options, all []texts, lines []int) []Column {
	columns := make([]Column, len(all))
	for k, name := range schema.names {
		all[k].complete()
		if by := schema.by[k]; by.kind == "" {
			columns[k] = Column{Name: name, Valid: make([]uint64, (len(lines)+63)/64), Len: len(lines)}
		} else {
			columns[k] = o.converted(name, by, &all[k], func(i int) int { return lines[i] })
		}
		all[k].reset()
	}
	return columns
}
