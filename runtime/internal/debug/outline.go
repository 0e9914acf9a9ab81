package debug

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
)

// Limits of outlines.
const (
	ShortOutline = 300    // bytes; three lines of a tooltip
	LongOutline  = 10_000 // bytes; for explicit requests
	outlineDepth = 4      // readable nesting
)

// Outline returns the beginning of a value in the format of fmt's %+v, cut after limit bytes. It
// calls no method of a cell's type, because the method might not return. The cost is proportional
// to limit and not to the size of the value, and depth is bounded, so cyclic values end. Unlike
// fmt's verb %+v, it follows pointers and quotes strings. For instance a []*Point is [&{X:1 Y:2}
// &{X:3 Y:4}], and a map map["a":1 "b":2].
func Outline(v reflect.Value, limit int) string {
	o := outline{limit: limit}
	o.write(v, 0)
	written := o.text.String()
	if o.full() {
		written = strings.ToValidUTF8(written[:limit], "") + "…"
	}
	return written
}

// text may exceed limit by one part; Outline cuts it.
type outline struct {
	text  strings.Builder
	limit int
}

func (o *outline) full() bool { return o.text.Len() > o.limit }

// The order of the cases matters: a text of the type itself, then a matrix or tensor, then the
// parts by kind.
func (o *outline) write(v reflect.Value, depth int) {
	if !v.IsValid() {
		o.text.WriteString("nil")
		return
	}
	if text, ok := stringOf(v); ok {
		o.text.WriteString(text)
		return
	}
	if m, ok := matrixOf(v); ok {
		o.matrix(m, depth)
		return
	}
	if elements, _, ok := tensorOf(v); ok {
		o.write(elements, depth)
		return
	}
	switch v.Kind() {
	case reflect.Pointer:
		if v.IsNil() {
			o.text.WriteString("nil")
			return
		}
		o.text.WriteString("&")
		if depth >= outlineDepth {
			o.text.WriteString("…")
			return
		}
		o.write(v.Elem(), depth+1)
	case reflect.Interface:
		o.write(v.Elem(), depth)
	case reflect.Struct:
		o.fields(v, depth)
	case reflect.Slice, reflect.Array:
		o.list("[", "]", v.Len(), depth, func(i int) { o.write(v.Index(i), depth+1) })
	case reflect.Map:
		o.entries(v, depth)
	// Quoting a string of megabytes to display its beginning would be slow.
	case reflect.String:
		fmt.Fprintf(&o.text, "%q", v.String()[:min(v.Len(), o.limit)])
	case reflect.Func, reflect.Chan, reflect.UnsafePointer:
		if v.IsNil() {
			o.text.WriteString("nil")
			return
		}
		// A function or channel has no contents that could be shown.
		o.text.WriteString(TypeName(v.Type()) + mark(v))
	default:
		fmt.Fprint(&o.text, basic(v))
	}
}

// fields writes a struct. It omits unexported fields of the standard library and of internal
// packages of this program. Omitted fields are represented by one ellipsis.
func (o *outline) fields(v reflect.Value, depth int) {
	t := v.Type()
	var parts []func()
	hidden := false
	for i := range t.NumField() {
		f := t.Field(i)
		switch {
		case f.Name == "_":
		case isHidden(t, f):
			hidden = true
		default:
			parts = append(parts, func() {
				o.text.WriteString(f.Name + ":")
				o.write(v.Field(i), depth+1)
			})
		}
	}
	if hidden {
		parts = append(parts, func() { o.text.WriteString("…") })
	}
	o.list("{", "}", len(parts), depth, func(i int) { parts[i]() })
}

// matrix writes the rows of a matrix, or the elements of a vector. For instance a mat.Dense of 2×2
// is [[1 2] [3 4]].
func (o *outline) matrix(m matrix, depth int) {
	rows, columns := m.Dims()
	if vector, ok := m.(interface{ AtVec(i int) float64 }); ok {
		o.list("[", "]", rows, depth, func(i int) { fmt.Fprint(&o.text, vector.AtVec(i)) })
		return
	}
	o.list("[", "]", rows, depth, func(i int) {
		o.list("[", "]", columns, depth+1, func(j int) { fmt.Fprint(&o.text, m.At(i, j)) })
	})
}

// list writes n parts between brackets until the outline is full. Below outlineDepth the parts are
// replaced by one ellipsis.
func (o *outline) list(open, end string, n, depth int, part func(i int)) {
	o.text.WriteString(open)
	defer o.text.WriteString(end)
	if depth >= outlineDepth && n > 0 {
		o.text.WriteString("…")
		return
	}
	for i := 0; i < n && !o.full(); i++ {
		if i > 0 {
			o.text.WriteString(" ")
		}
		part(i)
	}
}

// entries writes a map, ordered by the text of its keys as far as they are written. At most limit
// entries are read, since each takes at least a byte.
func (o *outline) entries(v reflect.Value, depth int) {
	var list []string
	for r := v.MapRange(); len(list) < o.limit && r.Next(); {
		entry := outline{limit: o.limit}
		entry.write(r.Key(), depth+1)
		entry.text.WriteString(":")
		entry.write(r.Value(), depth+1)
		list = append(list, entry.text.String())
	}
	slices.Sort(list)
	o.list("map[", "]", len(list), depth, func(i int) { o.text.WriteString(list[i]) })
}

// basic returns the value of a basic kind without its methods. A method such as String may be
// defined by a cell and must not run here.
func basic(v reflect.Value) any {
	switch {
	case v.CanInt():
		return v.Int()
	case v.CanUint():
		return v.Uint()
	case v.CanFloat():
		return v.Float()
	case v.CanComplex():
		return v.Complex()
	}
	return v.Bool()
}

// isNil reports whether v is a nil of a kind that can be nil.
func isNil(v reflect.Value) bool {
	switch v.Kind() {
	case reflect.Pointer, reflect.Map, reflect.Slice, reflect.Func, reflect.Chan, reflect.Interface:
		return v.IsNil()
	}
	return false
}

// Size returns the length of a value, the dimensions of nested slices of equal lengths or of a
// matrix, or "" for other values. For instance "length 5", or "3×4" for a [][]float64 whose rows
// have equal lengths.
func Size(v reflect.Value) string {
	if !v.IsValid() || isNil(v) {
		return ""
	}
	if m, ok := matrixOf(v); ok {
		rows, columns := m.Dims()
		return fmt.Sprintf("%d×%d", rows, columns)
	}
	if _, shape, ok := tensorOf(v); ok {
		return shape
	}
	var sides []string
	for v.Kind() == reflect.Slice || v.Kind() == reflect.Array {
		sides = append(sides, fmt.Sprint(v.Len()))
		if v.Len() == 0 || !sameLengths(v) {
			break
		}
		v = v.Index(0)
	}
	switch {
	case len(sides) > 1:
		return strings.Join(sides, "×")
	case len(sides) == 1:
		return "length " + sides[0]
	case v.Kind() == reflect.String || v.Kind() == reflect.Map:
		return fmt.Sprintf("length %d", v.Len())
	}
	return ""
}

// sameLengths reports whether all elements are slices or arrays of the same length. It reads only
// the headers of the elements.
func sameLengths(v reflect.Value) bool {
	if k := v.Type().Elem().Kind(); k != reflect.Slice && k != reflect.Array {
		return false
	}
	for i := range v.Len() {
		if v.Index(i).Len() != v.Index(0).Len() {
			return false
		}
	}
	return true
}
