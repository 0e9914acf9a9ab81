package debug

import (
	"fmt"
	"image"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"gosphere/internal/modulepath"
)

// Texts of values of compiled types. No method is called that could run code of a cell, which might
// not return, or wait for a lock held by a stopped goroutine.

// stringOf returns the text of a value from one of its methods, or a text more useful than its
// fields. For instance a time.Duration is 1.5s, and an *image.RGBA "a picture of 640×480".
func stringOf(v reflect.Value) (text string, ok bool) {
	if !v.CanInterface() || isNil(v) {
		return "", false
	}
	switch x := v.Interface().(type) {
	case time.Time:
		return x.Round(0).String(), true // without the monotonic clock reading
	case reflect.Type:
		return TypeName(x), true
	}
	if n, ok := atomicOf(v); ok {
		return n, true
	}
	if text, ok := ownText(v); ok || isOwn(v.Type()) {
		return text, ok
	}
	left := mostLooked
	if !plain(v, &left) {
		return "", false
	}
	if picture, ok := v.Interface().(image.Image); ok {
		size := picture.Bounds().Size()
		return fmt.Sprintf("a picture of %d×%d", size.X, size.Y), true
	}
	for _, x := range []any{v.Interface(), addressed(v)} {
		switch x.(type) {
		case fmt.Formatter, fmt.Stringer, error:
			return fmt.Sprint(x), true
		}
	}
	return "", false
}

// addressed returns a pointer to a copy, because methods such as those of strings.Builder have
// pointer receivers.
func addressed(v reflect.Value) any {
	if v.Kind() != reflect.Struct {
		return nil
	}
	p := reflect.New(v.Type())
	p.Elem().Set(v)
	return p.Interface()
}

// module is the prefix of the import paths of this program. machinery lists those of its packages
// whose fields mean nothing to a user.
const (
	module        = modulepath.Path + "/"
	machinery     = modulepath.Path + "/internal/"
	publicRuntime = modulepath.Path + "/runtime/"
)

// ownText returns the text of a type of this program: its Outline, or its String if it has no lock,
// which a stopped goroutine could hold. Neither runs code of cells. A text of several lines is a
// table for display and less useful here than the fields.
func ownText(v reflect.Value) (text string, ok bool) {
	if !isOwn(v.Type()) {
		return "", false
	}
	for _, x := range []any{v.Interface(), addressed(v)} {
		switch x := x.(type) {
		case interface{ Outline() string }:
			text = x.Outline()
		case fmt.Stringer:
			if !locks(v.Type()) {
				text = x.String()
			}
		}
		if text != "" {
			break
		}
	}
	return text, text != "" && !strings.Contains(text, "\n")
}

// isOwn reports whether a type, or the type it points to, belongs to a package of this program. The
// methods of such types are known not to call code of cells.
func isOwn(t reflect.Type) bool {
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	return strings.HasPrefix(t.PkgPath(), module)
}

// locks reports whether a struct, or the struct that a pointer points to, has a lock among its
// fields. Embedded locks count, those deeper inside do not.
func locks(t reflect.Type) bool {
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	for i := 0; t.Kind() == reflect.Struct && i < t.NumField(); i++ {
		if f := t.Field(i).Type; f == reflect.TypeFor[sync.Mutex]() || f == reflect.TypeFor[sync.RWMutex]() {
			return true
		}
	}
	return false
}

// atomicOf returns the value of a type of package sync/atomic. Its value is a single word, which a
// concurrent store does not tear.
func atomicOf(v reflect.Value) (text string, ok bool) {
	if v.Kind() == reflect.Pointer {
		v = v.Elem()
	}
	if v.Kind() != reflect.Struct || v.Type().PkgPath() != "sync/atomic" {
		return "", false
	}
	if n := v.FieldByName("v"); n.IsValid() && (n.CanInt() || n.CanUint()) {
		if v.Type().Name() == "Bool" {
			return fmt.Sprint(n.Uint() != 0), true
		}
		return fmt.Sprint(basic(n)), true
	}
	return "", false
}

// hidesFields reports whether the unexported fields of a type are omitted: those of the standard
// library and of internal packages. Fields of gonum such as a mean or a covariance are useful and
// shown.
func hidesFields(t reflect.Type) bool {
	path := t.PkgPath()
	first, _, _ := strings.Cut(path, "/")
	return strings.HasPrefix(path, machinery) || strings.HasPrefix(path, publicRuntime) || path != "" && path != "main" && !strings.Contains(first, ".") && !strings.HasPrefix(path, module)
}

// worth maps names of types with many fields to their useful fields.
var worth = map[string][]string{
	"gorgonia.org/gorgonia.Node":      {"name", "shape"},
	"gorgonia.org/gorgonia.ExprGraph": {"name", "all"},
}

// isHidden reports whether a field of a struct is omitted.
func isHidden(t reflect.Type, f reflect.StructField) bool {
	if names, ok := worth[t.PkgPath()+"."+t.Name()]; ok {
		return !slices.Contains(names, f.Name)
	}
	return !f.IsExported() && hidesFields(t)
}

// tensorOf returns the elements of a gorgonia tensor, in row-major order, and its shape. Its
// methods are called by reflection, so this package does not depend on gorgonia.
func tensorOf(v reflect.Value) (elements reflect.Value, shape string, ok bool) {
	if !v.CanInterface() || isNil(v) || v.Kind() != reflect.Pointer || v.Type().Elem().PkgPath() != "gorgonia.org/tensor" {
		return elements, "", false
	}
	holder, ok := v.Interface().(interface{ Data() any })
	if !ok {
		return elements, "", false
	}
	sides := v.MethodByName("Shape").Call(nil)[0]
	var parts []string
	for i := range sides.Len() {
		parts = append(parts, fmt.Sprint(sides.Index(i).Int()))
	}
	return reflect.ValueOf(holder.Data()), strings.Join(parts, "×"), true
}

// mark returns the name of a function declared by a compiled package, and the fill level of a
// channel. For instance " (strings.ToUpper)" or " (2 of 10)". Functions of cells and of the machine
// have no useful name.
func mark(v reflect.Value) string {
	switch v.Kind() {
	case reflect.Chan:
		if v.Cap() > 0 {
			return fmt.Sprintf(" (%d of %d)", v.Len(), v.Cap())
		}
	case reflect.Func:
		f := runtime.FuncForPC(v.Pointer())
		if f == nil {
			break
		}
		name := f.Name()[strings.LastIndexByte(f.Name(), '/')+1:]
		if !strings.ContainsAny(name, "·()[") && !strings.Contains(f.Name(), "/runtime/internal/") && !strings.Contains(name, ".func") && !strings.HasPrefix(name, "reflect.") {
			return " (" + name + ")"
		}
	}
	return ""
}

// A matrix is a gonum matrix, whose elements are more useful than its fields.
type matrix interface {
	Dims() (rows, columns int)
	At(i, j int) float64
}

// matrixOf returns a value as a matrix, if it is one of a compiled package.
func matrixOf(v reflect.Value) (m matrix, ok bool) {
	if !v.CanInterface() || isNil(v) || !plainData(v.Type(), nil) {
		return nil, false
	}
	m, ok = v.Interface().(matrix)
	return m, ok
}

// mostLooked is the maximum number of parts of a value that are examined before one of its methods
// is called.
const mostLooked = 1000

// plain reports whether no code of cells can be reached from a value, so that its methods are safe
// to call. Unlike plainData it examines the values in interfaces, such as the cause of an error.
// The limit on parts bounds the time. A value with more is shown by its fields.
func plain(v reflect.Value, left *int) bool {
	if !v.IsValid() || plainData(v.Type(), nil) {
		return true
	}
	if *left--; *left < 0 || v.Type().PkgPath() == "main" {
		return false
	}
	switch v.Kind() {
	case reflect.Interface, reflect.Pointer:
		return plain(v.Elem(), left)
	case reflect.Slice, reflect.Array:
		for i := range v.Len() {
			if !plain(v.Index(i), left) {
				return false
			}
		}
		return true
	case reflect.Struct:
		for i := range v.NumField() {
			if !plain(v.Field(i), left) {
				return false
			}
		}
		return true
	case reflect.Map: // not traversed, because its owner may be writing to it
		return v.IsNil()
	case reflect.Func:
		return v.IsNil()
	}
	return false
}

// plainData reports whether a type belongs to a compiled package and no code of cells can be
// reached from its values, so that its methods are safe to call. above contains the types that are
// being examined, so a recursive type ends the search; if nothing else is found, it is plain.
func plainData(t reflect.Type, above []reflect.Type) bool {
	if slices.Contains(above, t) {
		return true
	}
	if t.PkgPath() == "main" {
		return false
	}
	above = append(above, t)
	switch t.Kind() {
	case reflect.Interface, reflect.Func, reflect.Chan, reflect.UnsafePointer:
		return false
	case reflect.Pointer, reflect.Slice, reflect.Array:
		return plainData(t.Elem(), above)
	case reflect.Map:
		return plainData(t.Key(), above) && plainData(t.Elem(), above)
	case reflect.Struct:
		for i := range t.NumField() {
			if !plainData(t.Field(i).Type, above) {
				return false
			}
		}
	}
	return true
}
