package program

import (
	"fmt"
	"go/ast"
	"go/types"
	"strings"
)

// Functions of the program that print the value of the last expression of a cell, in the order in
// which they are written. Each may call earlier ones.
const (
	showWrapped = iota
	showValue
	showAll
	showResults
	showFailure
	showForms // number of forms
)

// mark returns the placeholder for the name of a function until all names are known.
func mark(form int) string { return fmt.Sprintf("ˑshow%dˑ", form) }

// use records that a function and those that it calls are needed, and returns its mark.
func (w *writer) use(form int) string {
	w.shown[form] = true
	switch form {
	case showAll:
		w.use(showValue)
	case showResults, showFailure:
		w.errors = true
		w.use(showAll)
	}
	return mark(form)
}

// shownBy returns the mark of the function that prints the value of the last expression of the
// cell, or "" if nothing is shown.
func (c *cellWriter) shownBy() string {
	switch {
	case c.checked.Value != nil && c.checked.Cell.List:
		for _, x := range c.checked.Value.(*ast.CompositeLit).Elts {
			c.noteForm(c.checked.Info.TypeOf(x))
		}
		return c.use(showAll)
	case c.checked.Value != nil && c.checked.OnlyFails():
		return c.use(showResults)
	case c.checked.Value != nil:
		c.noteForm(c.checked.Info.TypeOf(c.checked.Value))
		return c.use(showValue)
	case c.checked.Results == nil || c.neverFails():
		return ""
	}
	fails, returnsSize := c.checked.ResultsShown()
	results := c.checked.Info.TypeOf(c.checked.Results).(*types.Tuple)
	for i := range results.Len() {
		if !fails || i < results.Len()-1 { // fmt prints messages of errors as cells do
			c.noteForm(results.At(i).Type())
		}
	}
	switch {
	case returnsSize:
		return c.use(showFailure)
	case fails:
		return c.use(showResults)
	}
	return c.use(showAll)
}

// noteForm records the features that printing a value needs.
func (w *writer) noteForm(t types.Type) {
	w.rich = w.rich || !plain(t)
	w.dynamic = w.dynamic || types.IsInterface(t)
	w.errors = w.errors || types.IsInterface(t) || types.Implements(t, types.Universe.Lookup("error").Type().Underlying().(*types.Interface))
	w.bytes = w.bytes || types.Identical(t, types.NewSlice(types.Typ[types.Byte]))
}

// neverFails reports whether the last call returns only the number of bytes written to standard
// output or to memory.
func (c *cellWriter) neverFails() bool {
	call, ok := ast.Unparen(c.checked.Results).(*ast.CallExpr)
	if !ok {
		return false
	}
	selector, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr)
	if !ok {
		return false
	}
	f, ok := c.checked.Info.Uses[selector.Sel].(*types.Func)
	if !ok {
		return false
	}
	switch name := f.FullName(); name {
	case "fmt.Print", "fmt.Printf", "fmt.Println":
		return true
	default:
		return strings.HasPrefix(name, "(*strings.Builder).Write") || strings.HasPrefix(name, "(*bytes.Buffer).Write") && !strings.HasSuffix(name, ".WriteTo")
	}
}

// writeShows writes the functions that are used, and returns the replacements of their marks.
func (w *writer) writeShows() *strings.Replacer {
	// Values are printed by fmt if its output is the same, so that a program needs gosphere only if
	// its cells do.
	rich := w.rich || w.names.usesGosphere() || w.dynamic && w.names.usesModules()
	if w.shown[showValue] && w.errors && !rich {
		w.use(showWrapped)
	}
	var replacements []string
	for form, used := range w.shown {
		if !used {
			continue
		}
		name, text := w.names.fresh([showForms]string{"showWrapped", "show", "showAll", "showResults", "showFailure"}[form]), ""
		replacements = append(replacements, mark(form), name)
		switch form {
		case showValue:
			text = w.valueShow(rich)
		case showWrapped:
			text = strings.ReplaceAll(wrapped, "fmt.", w.names.importName("fmt", "fmt")+".")
		case showAll:
			text = "// NAME prints the results of a cell's last call, one in a line.\nfunc NAME(values ...any) {\n" + w.eachResult(rich) + "}"
		case showResults:
			text = "// NAME prints the results of a call of which the last is an error, and leaves that out while it is nil.\nfunc NAME(values ...any) {\n" +
				"\tif last := len(values) - 1; values[last] == nil {\n\t\tvalues = values[:last]\n\t}\n\t" + mark(showAll) + "(values...)\n}"
		case showFailure:
			text = "// NAME prints how much a call has written or read, and its error, if that is not nil.\nfunc NAME(values ...any) {\n" +
				"\tif values[len(values)-1] != nil {\n\t\t" + mark(showAll) + "(values...)\n\t}\n}"
		}
		w.body.WriteString(strings.ReplaceAll(text, "NAME", name) + "\n\n")
	}
	return strings.NewReplacer(replacements...)
}

// valueShow returns the function that prints one value. Without package display it prints strings
// as cells do.
func (w *writer) valueShow(rich bool) string {
	const comment = "// NAME prints the value of a cell's last expression.\n"
	if rich {
		return comment + "func NAME(value any) { " + w.names.importName(displayPath, "display") + ".Show(value) }"
	}
	print := w.names.importName("fmt", "fmt") + ".Println"
	if !w.bytes && !w.errors {
		return comment + "func NAME(value any) { " + print + "(value) }"
	}
	text := comment + "func NAME(value any) {\n"
	if w.bytes {
		text += "\tif text, ok := value.([]byte); ok && len(text) > 0 {\n\t\t" + print + "(string(text))\n\t\treturn\n\t}\n"
	}
	text += "\t" + print + "(value)\n"
	if w.errors {
		text += "\tif err, ok := value.(error); ok {\n\t\t" + mark(showWrapped) + "(err, \"\")\n\t}\n"
	}
	return text + "}"
}

// wrapped is the function that prints the errors that an error wraps.
const wrapped = `// NAME prints the errors that an error wraps, with their types.
func NAME(err error, indent string) {
	var list []error
	switch err := err.(type) {
	case interface{ Unwrap() error }:
		if inner := err.Unwrap(); inner != nil {
			list = []error{inner}
		}
	case interface{ Unwrap() []error }:
		list = err.Unwrap()
	}
	if indent == "" && len(list) > 0 {
		fmt.Printf("  %T wraps\n", err)
	}
	for _, inner := range list {
		fmt.Printf("%s    %T: %v\n", indent, inner, inner)
		NAME(inner, indent+"  ")
	}
}`

// eachResult returns the body of the function that prints several results as cells do, without
// their pictures.
func (w *writer) eachResult(rich bool) string {
	if !rich {
		return "\tfor _, value := range values {\n\t\t" + mark(showValue) + "(value)\n\t}\n"
	}
	return "\tif len(values) == 1 {\n\t\t" + mark(showValue) + "(values[0])\n\t\treturn\n\t}\n" +
		"\tfor _, value := range values {\n\t\tdata, _ := " + w.names.importName(displayPath, "display") + ".Bundle(value)\n\t\t" +
		w.names.importName("fmt", "fmt") + ".Println(data[\"text/plain\"])\n\t}\n"
}
