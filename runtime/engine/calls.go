package engine

import (
	"reflect"
	"strconv"
	"strings"
)

// A stack of the interpreter shows no function of a cell, but each call of one is a call of the interpreter's runCfg, whose first
// argument is where the function begins in its syntax tree. Trees stay where they are in memory, so that comparing addresses
// finds the function. Nothing is read at an address from a stack.

const (
	runOfFunction = "github.com/traefik/yaegi/interp.runCfg("
	bodyOf        = 3 // of the children of a function
)

// Left stands in the names of Calls for calls that the stack leaves out.
const Left = "…"

// Calls returns the functions that the calls in a stack, as package runtime prints it, are of, innermost first: names of pieces,
// with ".func" behind them for literals in these, and Left. Functions that are forgotten are not among them.
func (e *Engine) Calls(stack string) []string {
	var starts []uintptr // 0 for what is left out
	names := map[uintptr]string{}
	for line := range strings.SplitSeq(stack, "\n") {
		if strings.HasPrefix(line, "...") && strings.HasSuffix(line, "frames elided...") {
			starts = append(starts, 0)
			continue
		}
		arguments, ok := strings.CutPrefix(line, runOfFunction)
		if !ok {
			continue
		}
		first, _, _ := strings.Cut(arguments, ",")
		if start, err := strconv.ParseUint(first, 0, 64); err == nil && start != 0 { // one with "?" behind it may be another call's
			starts = append(starts, uintptr(start))
			names[uintptr(start)] = ""
		}
	}
	e.nameStarts(names)
	var list []string
	for _, start := range starts {
		switch name := names[start]; {
		case start == 0:
			list = append(list, Left)
		case name != "":
			list = append(list, name)
		}
	}
	return list
}

// nameStarts sets the names of the functions that begin at some addresses.
func (e *Engine) nameStarts(names map[uintptr]string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	symbols := e.memory.mainScope("sym", reflect.Map)
	if !symbols.IsValid() || len(names) == 0 {
		return
	}
	var t tree
	missing := len(names)
	note := func(n reflect.Value, name string) {
		start := t.startOf(n)
		if known, wanted := names[start]; wanted && known == "" {
			names[start] = name
			missing--
		}
	}
	each := func(f func(name string, n reflect.Value)) {
		for i := symbols.MapRange(); missing > 0 && i.Next(); {
			symbol := i.Value()
			if symbol.Kind() != reflect.Pointer || symbol.IsNil() || symbol.Elem().Kind() != reflect.Struct {
				return
			}
			if n := symbol.Elem().FieldByName("node"); n.Kind() == reflect.Pointer && !n.IsNil() && t.find(n.Type().Elem()) {
				f(i.Key().String(), n.Elem())
			}
		}
	}
	each(func(name string, n reflect.Value) { note(n, name) })
	each(func(name string, n reflect.Value) {
		t.walk(n, func(inner reflect.Value) { note(inner, name+".func") })
	})
}

// A tree knows where the nodes of a syntax tree keep the nodes below and the first one that runs.
type tree struct{ children, start []int }

// find looks the fields up, once, and tells whether they are there.
func (t *tree) find(node reflect.Type) bool {
	if t.children == nil && node.Kind() == reflect.Struct {
		child, ok := node.FieldByName("child")
		start, too := node.FieldByName("start")
		if ok && too && child.Type == reflect.SliceOf(reflect.PointerTo(node)) && start.Type == reflect.PointerTo(node) {
			t.children, t.start = child.Index, start.Index
		}
	}
	return t.children != nil
}

// startOf returns the address at which the function of a node begins, 0 if it is none.
func (t *tree) startOf(n reflect.Value) uintptr {
	children := n.FieldByIndex(t.children)
	if children.Len() <= bodyOf || children.Index(bodyOf).IsNil() {
		return 0
	}
	return children.Index(bodyOf).Elem().FieldByIndex(t.start).Pointer()
}

// walk calls f with all nodes below n.
func (t *tree) walk(n reflect.Value, f func(reflect.Value)) {
	children := n.FieldByIndex(t.children)
	for i := range children.Len() {
		if child := children.Index(i); !child.IsNil() {
			f(child.Elem())
			t.walk(child.Elem(), f)
		}
	}
}
