package guard

import (
	"fmt"
	"reflect"
	"strconv"
	"strings"
)

// Loops that do nothing but compute and print call the functions of this file. They have no
// results, which would cost more than the printing. Those for one to three arguments take them as
// they are: for the arguments of a function with any number the interpreter's calls make a slice.
// A number or a text whose type the checker knows comes as such, because package reflect copies
// twice what becomes an interface value.

// following are the printing functions, without results, for places where nothing can have been
// written to the process's descriptors since the last print, or since Drain.
var following = map[string]string{"fmt.Print": "NextPrint", "fmt.Printf": "NextPrintf", "fmt.Println": "NextPrintln"}

// mostFixed is the largest number of arguments with functions of their own.
const mostFixed = 3

// Following names the support function without results that stands for a printing function
// where Drain, or another print, has been called before and nothing since that could write to
// the process's descriptors; "" if there is none. The kinds are the types of the arguments if they
// are int, string or float64, "" for others; nil stands for any number of any arguments.
func Following(path, name string, kinds []string) string {
	f := following[path+"."+name]
	if f == "" || len(kinds) == 0 || len(kinds) > mostFixed {
		return f
	}
	for _, kind := range kinds {
		if !plainKinds[kind] {
			return f + strconv.Itoa(len(kinds))
		}
	}
	return f + "_" + strings.Join(kinds, "_")
}

// plain are the types with printing functions of their own.
type plain interface{ int | string | float64 }

var plainKinds = map[string]bool{"int": true, "string": true, "float64": true}

func kindOf[T plain]() string { return reflect.TypeFor[T]().String() }

// next prints what stands in a loop that does nothing but compute and print.
func next(text string) { _, _ = Stdout.write(text, false) }

// printSupport are the functions that Following names.
func (g *Guard) printSupport() map[string]any {
	sprint, sprintf, sprintln := g.sprint, g.sprintf, g.sprintln
	var none []any // keeps go vet from taking a constant format for a mistake
	functions := map[string]any{
		"NextPrint":           func(a ...any) { next(sprint(a...)) },
		"NextPrintf":          func(format string, a ...any) { next(sprintf(format, a...)) },
		"NextPrintln":         func(a ...any) { next(sprintln(a...)) },
		"NextPrint1":          func(a any) { next(sprint(a)) },
		"NextPrint2":          func(a, b any) { next(sprint(a, b)) },
		"NextPrint3":          func(a, b, c any) { next(sprint(a, b, c)) },
		"NextPrintln1":        func(a any) { next(sprintln(a)) },
		"NextPrintln2":        func(a, b any) { next(sprintln(a, b)) },
		"NextPrintln3":        func(a, b, c any) { next(sprintln(a, b, c)) },
		"NextPrintf1":         func(format string) { next(sprintf(format, none...)) },
		"NextPrintf2":         func(format string, a any) { next(sprintf(format, a)) },
		"NextPrintf3":         func(format string, a, b any) { next(sprintf(format, a, b)) },
		"NextPrintf_string":   func(format string) { next(fmt.Sprintf(format, none...)) },
		"NextPrintln_string":  func(a string) { next(a + "\n") },
		"NextPrint_string":    func(a string) { next(a) },
		"NextPrintln_int":     func(a int) { next(strconv.Itoa(a) + "\n") },
		"NextPrint_int":       func(a int) { next(strconv.Itoa(a)) },
		"NextPrintln_float64": func(a float64) { next(fmt.Sprintln(a)) },
		"NextPrint_float64":   func(a float64) { next(fmt.Sprint(a)) },
	}
	addPrints[int](functions)
	addPrints[string](functions)
	addPrints[float64](functions)
	return functions
}

// addPrints adds the functions for two and three arguments of which the first is an A.
func addPrints[A plain](to map[string]any) {
	addPrints2[A, int](to)
	addPrints2[A, string](to)
	addPrints2[A, float64](to)
}

func addPrints2[A, B plain](to map[string]any) {
	kinds := "_" + kindOf[A]() + "_" + kindOf[B]()
	to["NextPrint"+kinds] = func(a A, b B) {
		var room [printRoom]byte
		next(string(appendBeside(appendPlain(room[:0], a), a, b)))
	}
	to["NextPrintln"+kinds] = func(a A, b B) {
		var room [printRoom]byte
		next(string(append(appendPlain(append(appendPlain(room[:0], a), ' '), b), '\n')))
	}
	addPrints3[A, B, int](to)
	addPrints3[A, B, string](to)
	addPrints3[A, B, float64](to)
	var first A
	if _, format := any(first).(string); format {
		to["NextPrintf"+kinds] = func(format A, a B) { next(fmt.Sprintf(any(format).(string), a)) }
	}
}

func addPrints3[A, B, C plain](to map[string]any) {
	kinds := "_" + kindOf[A]() + "_" + kindOf[B]() + "_" + kindOf[C]()
	to["NextPrint"+kinds] = func(a A, b B, c C) {
		var room [printRoom]byte
		next(string(appendBeside(appendBeside(appendPlain(room[:0], a), a, b), b, c)))
	}
	to["NextPrintln"+kinds] = func(a A, b B, c C) {
		var room [printRoom]byte
		text := append(appendPlain(append(appendPlain(room[:0], a), ' '), b), ' ')
		next(string(append(appendPlain(text, c), '\n')))
	}
	var first A
	if _, format := any(first).(string); format {
		to["NextPrintf"+kinds] = func(format A, a B, b C) { next(fmt.Sprintf(any(format).(string), a, b)) }
	}
}

// printRoom is how long a line is for which the stack has room.
const printRoom = 96

// appendPlain writes a value as fmt.Print does.
func appendPlain[T plain](text []byte, v T) []byte {
	switch v := any(v).(type) {
	case string:
		return append(text, v...)
	case int:
		return strconv.AppendInt(text, int64(v), 10)
	case float64:
		return strconv.AppendFloat(text, v, 'g', -1, 64)
	}
	return text
}

// appendBeside writes b behind a, with a space between two that are no texts, as fmt.Print does.
func appendBeside[A, B plain](text []byte, a A, b B) []byte {
	_, first := any(a).(string)
	_, second := any(b).(string)
	if !first && !second {
		text = append(text, ' ')
	}
	return appendPlain(text, b)
}
