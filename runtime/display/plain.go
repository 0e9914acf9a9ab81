package display

import (
	"database/sql"
	"fmt"
	"image"
	"image/gif"
	"net/http"
	"reflect"
	"sort"
	"strings"
	"unicode/utf8"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/plot"
)

// Limits of the text form. They are our choice: a screen shows about 50 lines of 100
// letters, so nothing readable is lost.
const (
	leafLimit   = 2000     // numbers and strings in a value that is written in full
	textLimit   = 32 << 10 // bytes of text
	depthLimit  = 100      // nesting; a slice that holds itself would never end
	shownDepth  = 8        // nesting shown of a value that is too large
	headShown   = 10       // first elements shown of a long sequence
	tailShown   = 5        // last elements shown
	matrixRows  = 20       // most rows and columns of a matrix that is shown whole
	matrixCols  = 12
	matrixShown = 4 // rows and columns shown at each corner of a larger one
)

// plainText returns the form text/plain of a value: fmt.Sprint, shortened.
func plainText(value any) string {
	if value == nil || isNilPointer(value) || formatsItself(value) {
		return cut(fmt.Sprint(value))
	}
	switch value := value.(type) {
	case string: // no copy through fmt, the string may be long
		return cut(value)
	case *plot.Plot: // fmt would print addresses, which change from run to run
		if value.Title.Text != "" {
			return fmt.Sprintf("plot %q", value.Title.Text)
		}
		return "plot"
	case image.Image:
		size := value.Bounds().Size()
		return fmt.Sprintf("%T %d×%d", value, size.X, size.Y)
	case mat.Matrix: // fmt would print how it is stored
		return cut(matrixText(value))
	case *gif.GIF:
		return fmt.Sprintf("animation of %d frames, %d×%d", len(value.Image), value.Config.Width, value.Config.Height)
	case sql.Result:
		return resultText(value)
	case *http.Response:
		return cut(responseText(value))
	}
	v := reflect.ValueOf(value)
	if v.Kind() == reflect.Slice && v.Type().Elem() == reflect.TypeFor[byte]() && v.Len() > 0 {
		return bytesText(v.Bytes())
	}
	if isSequence(v) {
		return cut(sequenceText(v))
	}
	if k := v.Kind(); (k == reflect.Func || k == reflect.Chan) && !v.IsNil() { // an address says nothing, and changes from run to run
		return v.Type().String()
	}
	return shortened(v)
}

// shortened writes a value as fmt does, or the beginning and the end of a large one.
func shortened(v reflect.Value) string {
	counter := leafCounter{left: leafLimit}
	if counter.count(v, 0); counter.left >= 0 {
		return cut(fmt.Sprint(v)) // of the value that v holds, also of an unexported field
	}
	short := abbreviation{left: leafLimit}
	short.write(v, 0)
	if n, ok := length(v); ok {
		fmt.Fprintf(&short.text, " (%d in all)", n)
	}
	return cut(short.text.String())
}

// matrixText writes a matrix in lines and columns, a large one by its corners.
func matrixText(matrix mat.Matrix) string {
	rows, columns := matrix.Dims()
	if rows == 0 || columns == 0 {
		return fmt.Sprintf("%T %d×%d", matrix, rows, columns)
	}
	excerpt := 0
	if rows > matrixRows || columns > matrixCols {
		excerpt = matrixShown
	}
	return fmt.Sprintf("%.6g", mat.Formatted(matrix, mat.Excerpt(excerpt), mat.Squeeze()))
}

// formatsItself tells that fmt asks the value for its text.
func formatsItself(value any) bool {
	switch value.(type) {
	case fmt.Formatter, error, fmt.Stringer:
		return true
	}
	return false
}

// formats is formatsItself for a value inside another; fmt does not call the methods
// of values reached through unexported fields.
func formats(v reflect.Value) bool {
	return v.IsValid() && v.CanInterface() && formatsItself(v.Interface())
}

// cut shortens a text to textLimit at a letter's edge and says so.
func cut(text string) string {
	if len(text) <= textLimit {
		return text
	}
	end := textLimit
	for end > 0 && !utf8.RuneStart(text[end]) {
		end--
	}
	return fmt.Sprintf("%s… (%d bytes, the first %d shown)", text[:end], len(text), end)
}

// length returns the number of elements of a sequence or map, also behind a pointer.
func length(v reflect.Value) (int, bool) {
	if v.Kind() == reflect.Pointer {
		v = v.Elem()
	}
	switch v.Kind() {
	case reflect.Slice, reflect.Array, reflect.Map:
		return v.Len(), true
	}
	return 0, false
}

// A leafCounter counts what fmt would write, as far as its limit.
type leafCounter struct {
	left int // negative once the limit is passed
}

func (c *leafCounter) count(v reflect.Value, depth int) {
	if depth > depthLimit {
		c.left = -1
	}
	if c.left < 0 || !v.IsValid() || formats(v) {
		c.left--
		return
	}
	switch v.Kind() {
	case reflect.Pointer: // fmt follows only the outermost pointer
		if depth == 0 {
			c.count(v.Elem(), depth+1)
		}
	case reflect.Interface:
		c.count(v.Elem(), depth+1)
	case reflect.Slice, reflect.Array:
		if v.Len() > c.left {
			c.left = -1
			return
		}
		for i := 0; i < v.Len() && c.left >= 0; i++ {
			c.count(v.Index(i), depth+1)
		}
	case reflect.Map:
		if v.Len() > c.left {
			c.left = -1
			return
		}
		for entries := v.MapRange(); c.left >= 0 && entries.Next(); {
			c.count(entries.Key(), depth+1)
			c.count(entries.Value(), depth+1)
		}
	case reflect.Struct:
		for i := 0; i < v.NumField() && c.left >= 0; i++ {
			c.count(v.Field(i), depth+1)
		}
	default:
		c.left--
	}
}

// An abbreviation writes the beginning and the end of a large value in fmt's form.
type abbreviation struct {
	text strings.Builder
	left int // leaves that may still be written
}

func (a *abbreviation) write(v reflect.Value, depth int) {
	if a.left <= 0 || depth > shownDepth {
		a.text.WriteString("…")
		return
	}
	a.left--
	if !v.IsValid() {
		a.text.WriteString("<nil>")
		return
	}
	if formats(v) {
		a.text.WriteString(cut(fmt.Sprint(v.Interface())))
		return
	}
	switch {
	case v.Kind() == reflect.Pointer && depth == 0:
		a.text.WriteString("&")
		a.write(v.Elem(), depth+1)
	case v.Kind() == reflect.Interface:
		a.write(v.Elem(), depth+1)
	case v.Kind() == reflect.Slice, v.Kind() == reflect.Array:
		a.text.WriteString("[")
		a.sequence(v.Len(), func(i int) { a.write(v.Index(i), depth+1) })
		a.text.WriteString("]")
	case v.Kind() == reflect.Map:
		a.writeMap(v, depth)
	case v.Kind() == reflect.Struct:
		a.text.WriteString("{")
		for i := range v.NumField() {
			if i > 0 {
				a.text.WriteString(" ")
			}
			a.write(v.Field(i), depth+1)
		}
		a.text.WriteString("}")
	default: // fmt writes the value that a reflect.Value holds, unexported or not
		a.text.WriteString(cut(fmt.Sprint(v)))
	}
}

// sequence writes n elements, or the first and the last of them.
func (a *abbreviation) sequence(n int, element func(int)) {
	for i := 0; i < n; i++ {
		if i > 0 {
			a.text.WriteString(" ")
		}
		if i == headShown && n > headShown+tailShown+1 {
			a.text.WriteString("… ")
			i = n - tailShown
		}
		element(i)
	}
}

func (a *abbreviation) writeMap(v reflect.Value, depth int) {
	keys := v.MapKeys()
	sort.Slice(keys, func(i, j int) bool { return keyLess(keys[i], keys[j]) })
	a.text.WriteString("map[")
	a.sequence(len(keys), func(i int) {
		a.write(keys[i], depth+1)
		a.text.WriteString(":")
		a.write(v.MapIndex(keys[i]), depth+1)
	})
	a.text.WriteString("]")
}

// keyLess orders the keys of a map as fmt does for numbers and strings, and all other
// keys by their text, so that the same map always looks the same.
func keyLess(a, b reflect.Value) bool {
	switch {
	case a.CanInt() && b.CanInt():
		return a.Int() < b.Int()
	case a.CanUint() && b.CanUint():
		return a.Uint() < b.Uint()
	case a.CanFloat() && b.CanFloat():
		return a.Float() < b.Float()
	}
	return fmt.Sprint(a) < fmt.Sprint(b)
}
