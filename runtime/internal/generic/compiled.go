package generic

import (
	"cmp"
	"reflect"
	"slices"
	"strings"
	"sync"
)

// Compiled returns a compiled instance of a generic function, if there is one. typeArguments are
// all type arguments, in the form of go/types. Sort of an []int is
//
//	Compiled("slices", "Sort", []string{"[]int", "int"})
//
// There are no instances of functions that call a function for each element, because cells are
// faster without them. Nor are there instances that work on maps, which cells lock if goroutines
// share them, or that allocate an amount given by an argument.
//
// The key is text because package reflect has no type arguments to compare with those of go/types.
// Named types of cells have texts of their own and thus no instance here, even if they have the
// layout of one.
//
// The instances of Sort and of the functions that move elements are worth the most: bench/CELLS.md
// compares a sort in cells with a compiled one.
func Compiled(path, name string, typeArguments []string) (reflect.Value, bool) {
	f, ok := compiledTable()[instanceName(path, name, typeArguments)]
	return f, ok
}

func instanceName(path, name string, typeArguments []string) string {
	return path + "." + name + "[" + strings.Join(typeArguments, ",") + "]"
}

// The table is built at the first use.
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

// An instances maps results of instanceName to functions.
type instances map[string]reflect.Value

func (table instances) add(path, name string, function any, typeArguments ...string) {
	table[instanceName(path, name, typeArguments)] = reflect.ValueOf(function)
}

// addElement adds the functions of package slices for one element type.
//
// Each function is listed, because a generic function without type arguments is no value that a
// table could contain.
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
	ofSlice("Index", slices.Index[[]E])
	ofSlice("Insert", slices.Insert[[]E])
	ofSlice("IsSorted", slices.IsSorted[[]E])
	ofSlice("Max", slices.Max[[]E])
	ofSlice("Min", slices.Min[[]E])
	ofSlice("Replace", slices.Replace[[]E])
	ofSlice("Reverse", slices.Reverse[[]E])
	ofSlice("Sort", slices.Sort[[]E])
}
