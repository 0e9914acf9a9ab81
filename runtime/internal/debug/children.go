package debug

import (
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"gosphere/internal/lazyregexp"
)

// A Value is a value to be examined. A Value with bounds is a group, such as [100:200], of the
// elements of the slice or map in Of.
type Value struct {
	Of         reflect.Value // invalid for a nil interface
	Expression string        // Go expression for it, or "" if there is none

	keys     []reflect.Value // sorted keys of a map
	from, to int             // bounds of a group of elements; to is 0 for no group
}

// A Child is a named child of a value.
type Child struct {
	Name string
	Value
}

// groupSize is the number of elements per group for clients that do not request ranges. mostKeys is
// the maximum number of keys of a map that are listed.
const (
	groupSize = 100
	mostKeys  = 100_000
)

// Cells are package main for the runtime, but their authors write no qualifier.
var mainPackage = lazyregexp.New(`\bmain\.`)

// TypeName returns a type as cells write it. For instance "[]main.Point" becomes "[]Point", and
// "interface {}" becomes "any".
func TypeName(t reflect.Type) string {
	return strings.ReplaceAll(mainPackage.ReplaceAllString(t.String(), ""), "interface {}", "any")
}

// Type returns the type of the value, or "" if it has none.
func (v Value) Type() string {
	if !v.Of.IsValid() {
		return ""
	}
	return TypeName(v.Of.Type())
}

// Text returns the value, cut after limit bytes with a note of the length omitted. A nil pointer is
// "nil" without its type, which clients display separately.
func (v Value) Text(limit int) string {
	if v.Of.Kind() == reflect.Pointer && v.Of.IsNil() {
		return "nil"
	}
	text := Outline(v.Of, limit)
	if strings.HasSuffix(text, "…") {
		if size := Size(v.Of); size != "" {
			text += " " + size
		}
	}
	return text
}

// inside returns the value whose children are shown for v: that in an interface, or the struct to
// which a pointer points. A pointer to anything else has one child instead. The expression remains
// valid through a pointer to a struct, where Go dereferences it, but not through an interface
// without a type assertion.
func (v Value) inside() Value {
	for range 8 {
		switch {
		case !v.Of.IsValid():
			return v
		case v.Of.Kind() == reflect.Interface:
			v = Value{Of: v.Of.Elem(), Expression: v.asserted()}
		case v.Of.Kind() == reflect.Pointer && !v.Of.IsNil() && v.Of.Elem().Kind() == reflect.Struct:
			return Value{Of: v.Of.Elem(), Expression: v.Expression}
		default:
			return v
		}
	}
	return v
}

// asserted returns the expression for the value in an interface. It requires a type that cells can
// name. For instance the value of x, an any that holds a Point, has the expression x.(Point).
func (v Value) asserted() string {
	if v.Expression == "" || v.Of.IsNil() {
		return ""
	}
	t := v.Of.Elem().Type()
	if strings.ContainsAny(t.String(), "·{") { // function types and unnamed types
		return ""
	}
	return v.Expression + ".(" + TypeName(t) + ")"
}

// Count returns the numbers of named and of indexed children of a value. A client uses the numbers
// to request children in pages. The two kinds are those of DAP. For instance a struct of two fields
// has two named children, and a slice of length 5 five indexed ones.
func (v Value) Count() (named, indexed int) {
	if v.to > 0 {
		return 0, v.to - v.from
	}
	v = v.inside()
	if !v.Of.IsValid() {
		return 0, 0
	}
	switch v.Of.Kind() {
	case reflect.Struct:
		return len(fields(v)), 0
	case reflect.Pointer:
		if !v.Of.IsNil() {
			return 1, 0
		}
	case reflect.Slice, reflect.Array:
		return 0, v.Of.Len()
	case reflect.Map:
		return 0, min(v.Of.Len(), mostKeys)
	}
	return 0, 0
}

// Children returns the children of a value. Without a count, many elements are returned in groups.
// With a count, the children from start are returned, for clients that page by themselves. The keys
// of a map are sorted once for all its groups.
func (v Value) Children(start, count int) []Child {
	if v.to == 0 {
		v = v.inside()
	}
	if !v.Of.IsValid() {
		return nil
	}
	switch v.Of.Kind() {
	case reflect.Struct:
		return slice(fields(v), start, count)
	case reflect.Pointer:
		if v.Of.IsNil() {
			return nil
		}
		expression := ""
		if v.Expression != "" {
			expression = "(*" + v.Expression + ")"
		}
		return slice([]Child{{"*", Value{Of: v.Of.Elem(), Expression: expression}}}, start, count)
	case reflect.Map:
		if v.keys == nil {
			v.keys = sortedKeys(v.Of)
		}
		return v.elements(len(v.keys), start, count, v.entry)
	case reflect.Slice, reflect.Array:
		return v.elements(v.Of.Len(), start, count, v.element)
	}
	return nil
}

// elements returns some of the elements of a value, or groups of them. Groups are nested: the size
// of a group is the smallest power of 100 for which there are at most 100 groups. For instance a
// slice of 25,000 elements has three groups of 10,000, the first with 100 groups of 100.
func (v Value) elements(length, start, count int, element func(i int) Child) []Child {
	from, to := 0, length
	if v.to > 0 {
		from, to = v.from, min(v.to, length)
	}
	// A client that does not page would otherwise request all elements at once.
	if count == 0 && to-from > groupSize {
		size := groupSize
		for (to-from+size-1)/size > groupSize {
			size *= groupSize
		}
		var groups []Child
		for i := from; i < to; i += size {
			group := v
			group.from, group.to = i, min(i+size, to)
			groups = append(groups, Child{fmt.Sprintf("[%d:%d]", group.from, group.to), group})
		}
		return slice(groups, start, 0)
	}
	from = min(from+start, to)
	if count > 0 {
		to = min(from+count, to)
	}
	var list []Child
	for i := from; i < to; i++ {
		list = append(list, element(i))
	}
	return list
}

// slice returns the children from start, at most count of them, or all for a count of 0.
func slice(parts []Child, start, count int) []Child {
	parts = parts[min(start, len(parts)):]
	if count > 0 {
		parts = parts[:min(count, len(parts))]
	}
	return parts
}

// fields returns the fields of a struct, including unexported ones, which a debugger should show.
// For instance the field X of p has the expression p.X.
func fields(v Value) []Child {
	var list []Child
	for i := range v.Of.NumField() {
		name := v.Of.Type().Field(i).Name
		if name == "_" {
			continue
		}
		expression := ""
		if v.Expression != "" {
			expression = v.Expression + "." + name
		}
		list = append(list, Child{name, Value{Of: v.Of.Field(i), Expression: expression}})
	}
	return list
}

// element returns the element i of a slice or array.
func (v Value) element(i int) Child {
	name, expression := fmt.Sprintf("[%d]", i), ""
	if v.Expression != "" {
		expression = v.Expression + name
	}
	return Child{name, Value{Of: v.Of.Index(i), Expression: expression}}
}

// entry returns the entry of a map with the sorted key i. Its expression requires a key that is a
// constant: other keys have no expression that finds them again. For instance the name is ["a"],
// and the expression m["a"].
func (v Value) entry(i int) Child {
	key := v.keys[i]
	expression := ""
	if text := literal(key); text != "" && v.Expression != "" {
		expression = v.Expression + "[" + text + "]"
	}
	return Child{"[" + Outline(key, 80) + "]", Value{Of: v.Of.MapIndex(key), Expression: expression}}
}

// literal returns a key as a constant, or "" if it is none. Floats are not included: NaN and the
// infinities are no constants.
func literal(key reflect.Value) string {
	switch {
	case key.Kind() == reflect.String:
		return strconv.Quote(key.String())
	case key.CanInt(), key.CanUint(), key.Kind() == reflect.Bool:
		return fmt.Sprint(basic(key))
	}
	return ""
}

// sortedKeys returns the keys of a map, ordered by value for numbers and strings and by text for
// others. A map that is too large is cut before sorting, so its keys are any of the map's.
func sortedKeys(m reflect.Value) []reflect.Value {
	var list []reflect.Value
	for r := m.MapRange(); len(list) < mostKeys && r.Next(); {
		list = append(list, r.Key())
	}
	slices.SortFunc(list, func(a, b reflect.Value) int {
		switch {
		case a.CanInt():
			return compare(a.Int() < b.Int(), a.Int() > b.Int())
		case a.CanUint():
			return compare(a.Uint() < b.Uint(), a.Uint() > b.Uint())
		case a.CanFloat():
			return compare(a.Float() < b.Float(), a.Float() > b.Float())
		case a.Kind() == reflect.String:
			return strings.Compare(a.String(), b.String())
		}
		return strings.Compare(Outline(a, 80), Outline(b, 80))
	})
	return list
}

// compare returns the result of a comparison in the form of cmp.Compare.
func compare(less, more bool) int {
	switch {
	case less:
		return -1
	case more:
		return 1
	}
	return 0
}
