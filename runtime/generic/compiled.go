package generic

import (
	"cmp"
	"maps"
	"reflect"
	"slices"
	"strings"
	"sync"
)

// Compiled returns a compiled instance of a generic function, if there is one. The type
// arguments are written as go/types writes them, all of them: Sort of an []int is
//
//	Compiled("slices", "Sort", []string{"[]int", "int"})
//
// Instances take and return iterators as plain functions, func(yield func(E) bool), not
// as iter.Seq. There are none of functions that call a function for each element:
// interpreted code does that faster itself.
func Compiled(path, name string, typeArguments []string) (reflect.Value, bool) {
	f, ok := compiledTable()[instanceName(path, name, typeArguments)]
	return f, ok
}

func instanceName(path, name string, typeArguments []string) string {
	return path + "." + name + "[" + strings.Join(typeArguments, ",") + "]"
}

var compiledTable = sync.OnceValue(func() instances {
	table := make(instances)
	addElement[int](table)
	addElement[int32](table)
	addElement[int64](table)
	addElement[uint8](table)
	addElement[float32](table)
	addElement[float64](table)
	addElement[string](table)
	return table
})

// instances are functions by instanceName.
type instances map[string]reflect.Value

func (table instances) add(path, name string, function any, typeArguments ...string) {
	table[instanceName(path, name, typeArguments)] = reflect.ValueOf(function)
}

// addElement adds the functions of slices and maps for one element or key type.
func addElement[E cmp.Ordered](table instances) {
	element := reflect.TypeFor[E]().String()
	ofSlice := func(name string, function any) { table.add("slices", name, function, "[]"+element, element) }
	ofSlice("BinarySearch", slices.BinarySearch[[]E])
	ofSlice("Clip", slices.Clip[[]E])
	ofSlice("Clone", slices.Clone[[]E])
	ofSlice("Compact", slices.Compact[[]E])
	ofSlice("Compare", slices.Compare[[]E])
	ofSlice("Concat", slices.Concat[[]E])
	ofSlice("Contains", slices.Contains[[]E])
	ofSlice("Delete", slices.Delete[[]E])
	ofSlice("Equal", slices.Equal[[]E])
	ofSlice("Grow", slices.Grow[[]E])
	ofSlice("Index", slices.Index[[]E])
	ofSlice("Insert", slices.Insert[[]E])
	ofSlice("IsSorted", slices.IsSorted[[]E])
	ofSlice("Max", slices.Max[[]E])
	ofSlice("Min", slices.Min[[]E])
	ofSlice("Repeat", slices.Repeat[[]E])
	ofSlice("Replace", slices.Replace[[]E])
	ofSlice("Reverse", slices.Reverse[[]E])
	ofSlice("Sort", slices.Sort[[]E])
	ofSlice("Values", func(s []E) func(yield func(E) bool) { return slices.Values(s) })

	table.add("cmp", "Compare", cmp.Compare[E], element)
	table.add("cmp", "Less", cmp.Less[E], element)
	table.add("slices", "Collect", func(seq func(yield func(E) bool)) []E { return slices.Collect(seq) }, element)
	table.add("slices", "Sorted", func(seq func(yield func(E) bool)) []E { return slices.Sorted(seq) }, element)

	addMap[E, bool](table)
	addMap[E, int](table)
	addMap[E, float64](table)
	addMap[E, string](table)
}

// addMap adds the functions of maps for one type of map.
func addMap[K cmp.Ordered, V comparable](table instances) {
	key, value := reflect.TypeFor[K]().String(), reflect.TypeFor[V]().String()
	whole := "map[" + key + "]" + value
	ofMap := func(name string, function any) { table.add("maps", name, function, whole, key, value) }
	ofMap("Clone", maps.Clone[map[K]V])
	ofMap("Keys", func(m map[K]V) func(yield func(K) bool) { return maps.Keys(m) })
	ofMap("Values", func(m map[K]V) func(yield func(V) bool) { return maps.Values(m) })
	table.add("maps", "Copy", maps.Copy[map[K]V, map[K]V], whole, whole, key, value)
	table.add("maps", "Equal", maps.Equal[map[K]V, map[K]V], whole, whole, key, value)
}
