package cycles

import (
	"errors"
	"reflect"
	"strings"
	"testing"
	"time"
)

type list struct {
	Next   *list
	Values []any
	hidden any
}

type named []any

func (named) String() string { return "named" }

func TestValuesThatContainThemselvesAreFound(t *testing.T) {
	slice := []any{nil, 1}
	slice[1] = map[string]any{"k": slice}
	table := map[int]any{}
	table[3] = []any{table}
	ring := &list{}
	ring.Next = ring
	shown := &list{Values: slice}
	text := named{nil}
	text[0] = text
	shared := []any{1, 2}
	deep := []any{}
	for range deepest + 1 {
		deep = []any{deep}
	}
	for name, c := range map[string]struct {
		walk  Walk
		value any
		want  string
	}{
		"slice in a map":            {Format, slice, `v[1]["k"] is v again`},
		"map in a slice":            {Format, table, "v[3][0] is v again"},
		"value of reflection":       {Format, reflect.ValueOf(slice), `v[1]["k"] is v again`},
		"field":                     {Format, list{Values: slice}, `v.Values[1]["k"] is v.Values again`},
		"unexported field":          {Format, list{hidden: slice}, `v.hidden[1]["k"] is v.hidden again`},
		"unexported field, encoded": {Encode, list{hidden: slice}, ""},
		"pointer, formatted":        {Format, ring, ""},
		"pointer, encoded":          {Encode, ring, "v.Next is v again"},
		"pointer in a template":     {Template, ring, ""},
		"behind a pointer":          {Format, &list{Next: shown}, ""},
		"in a template":             {Template, &list{Next: shown}, `v.Next.Values[1]["k"] is v.Next.Values again`},
		"String":                    {Format, text, ""},
		"without String":            {Bare, text, "v[0] is v again"},
		"shared":                    {Format, []any{shared, shared}, ""},
		"deep":                      {Format, deep, "more than 100000 levels"},
		"plain":                     {Encode, []time.Duration{1}, ""},
		"nil":                       {Format, nil, ""},
	} {
		err := c.walk.Find("it", c.value)
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
}

func TestOperandsAreJudgedByTheirVerbs(t *testing.T) {
	text := named{nil}
	text[0] = text
	for format, refused := range map[string]bool{"%v": false, "%d": true, "%*d %s": false, "%%%+v": false, "%#v": true, "%6.2f": true, "%x": false} {
		err := func() (err error) {
			defer func() { err, _ = recover().(error) }()
			operands := []any{text}
			if strings.Contains(format, "*") {
				operands = []any{1, 2, text}
			}
			RefuseInFormat(format, operands...)
			return nil
		}()
		if e := (*Error)(nil); errors.As(err, &e) != refused {
			t.Errorf("%s: %v", format, err)
		}
	}
}
