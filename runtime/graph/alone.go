package graph

import (
	_ "embed"
	"go/types"
	"slices"
	"strconv"
	"strings"
	"sync"
)

//go:generate go run ./generate

//go:embed alone.txt
var aloneText string

// analyzed are the compiled functions that leave arguments alone according to their sources: the
// indices of the parameters through which they may change memory, the receiver first, by path and
// name.
var analyzed = sync.OnceValue(func() map[string][]int {
	table := map[string][]int{}
	for line := range strings.Lines(aloneText) {
		path, names, _ := strings.Cut(strings.TrimSpace(line), ": ")
		for entry := range strings.FieldsSeq(names) {
			name, changed, _ := strings.Cut(entry, "-")
			var indices []int
			for text := range strings.SplitSeq(changed, "-") {
				if i, err := strconv.Atoi(text); err == nil {
					indices = append(indices, i)
				}
			}
			table[path+"."+name] = indices
		}
	}
	return table
})

// alone are packages whose functions leave their arguments alone, although their sources do not
// show it. Methods do not count.
var alone = map[string]bool{
	"strings": true, "strconv": true, "unicode": true, "math": true, "math/cmplx": true, "math/bits": true, "regexp": true, "time": true,
	"path": true, "path/filepath": true, "cmp": true, "html": true, "crypto/sha256": true, "crypto/md5": true, "hash/crc32": true,
	"gosphere/runtime/display": true,
}

// aloneFunctions are such functions in packages with others that change their arguments.
var aloneFunctions = functions(`
	errors: AsType Is Join New Unwrap
	fmt: Print Printf Println Sprint Sprintf Sprintln Errorf Append Appendf Appendln
	log: Print Printf Println Fatal Fatalf Fatalln Panic Panicf Panicln
	slices: Clone Collect Concat Repeat Sorted SortedFunc SortedStableFunc
	maps: Clone Collect
	bytes: Fields Join Lines NewBufferString Repeat Replace ReplaceAll Split SplitN SplitSeq
	encoding/json: Marshal MarshalIndent Valid
	encoding/json/v2: Marshal
	encoding/hex: EncodeToString DecodeString Dump
	reflect: DeepEqual TypeOf
	os: ReadFile WriteFile Stat Open Getenv MkdirAll Remove
	gonum.org/v1/gonum/mat: Cond Det Dot Formatted Inner LogDet Max Min Norm Sum Trace
`)

// functions reads a list of functions by package.
func functions(text string) map[string]bool {
	set := map[string]bool{}
	for line := range strings.Lines(strings.TrimSpace(text)) {
		path, names, _ := strings.Cut(strings.TrimSpace(line), ": ")
		for name := range strings.FieldsSeq(names) {
			set[path+"."+name] = true
		}
	}
	return set
}

// changedBy reports through which of its arguments, the receiver first, a compiled function may
// change memory.
func changedBy(f *types.Func) (changed func(i int) bool) {
	none, all := func(int) bool { return false }, func(int) bool { return true }
	if f.Pkg() == nil {
		return none // the method Error
	}
	path, name := f.Pkg().Path(), f.Name()
	recv := f.Signature().Recv()
	var pointer bool
	if recv != nil {
		t := types.Unalias(recv.Type())
		if types.IsInterface(t) {
			return all
		}
		var p *types.Pointer
		if p, pointer = t.(*types.Pointer); pointer {
			t = types.Unalias(p.Elem())
		}
		if named, ok := t.(*types.Named); ok {
			name = named.Obj().Name() + "." + name
		}
	}
	if indices, ok := analyzed()[path+"."+name]; ok {
		return func(i int) bool { return slices.Contains(indices, i) }
	}
	switch {
	case recv == nil && (alone[path] || aloneFunctions[path+"."+name]), path == "regexp", path == "time" && !pointer:
		return none
	case path == "fmt" && strings.HasPrefix(name, "Fprint"):
		return func(i int) bool { return i == 0 }
	case recv == nil:
		return all
	case readsOnly(f.Name()) && path != "sync":
		return none
	case pointer:
		return all
	}
	switch under(recv.Type()).(type) {
	case *types.Map, *types.Slice:
		return all
	}
	return func(i int) bool { return i > 0 } // the receiver is a copy
}

// readsOnly reports whether methods with a name only read their receiver by the customs of Go.
func readsOnly(name string) bool {
	switch name {
	case "String", "Error", "Len", "Cap", "Size", "At", "Dims", "T", "Get", "Values", "Name", "GoString", "Format", "MarshalJSON", "MarshalText", "IsZero", "Equal":
		return true
	}
	return false
}
