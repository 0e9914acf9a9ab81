package magic

import (
	"fmt"
	"slices"
	"strings"

	"gosphere/internal/runtime/spelling"
	"gosphere/runtime/display"
)

// A command is one magic.
type command struct {
	name  string
	usage string // arguments
	text  string // what it does
	line  bool   // may be written with %
	cell  bool   // may be written with %%
	// run carries the command out; nil for those that Expand makes of Go.
	run func(invocation) error
}

// commands lists the magics in the order of %help. It is filled by init because %help
// itself reads it.
var commands []command

func init() {
	commands = []command{
		{"time", "STATEMENT", "run a statement and tell how long it took; %%time does so for the whole cell", true, true, nil},
		{"timeit", "STATEMENT", "run a statement many times and tell how long one run takes; %%timeit for all lines below", true, true, nil},
		{"vars", "[NAME...]", "list the variables with their types, sizes and values", true, false, listVariables},
		{"reset", "", "forget all variables, functions, types and imports; alone in its cell", true, false, func(invocation) error { return nil }},
		{"cd", "[FOLDER]", "change the working directory; - goes back, nothing goes home", true, false, changeDirectory},
		{"env", "[NAME[=VALUE]]", "list the environment, show a variable or set it", true, false, environment},
		{"require", "MODULE[@VERSION]...", "make packages of modules importable; without a version the newest one", true, false, func(invocation) error { return nil }},
		{"reload", "[PACKAGE...]", "read edited packages of folders and notebooks again, or those named; importing one again does so too", true, false, func(invocation) error { return nil }},
		{"modules", "", "list the modules that cells can import, with versions, sums and licenses", true, false, listModules},
		{"test", "[FLAGS] [PACKAGE...]", "run the tests, examples and benchmarks that cells or packages declare, with the flags of go test such as -run NAME, -bench . and -v", true, false, runTests},
		{"limit", "[SIZE]", "show or set how much memory cells may use, such as 2GB", true, false, limitMemory},
		{"load", "FILE", "put the text of a file into the cell", true, false, load},
		{"save", "FILE N[-M]...", "write cells, by their execution counts, to a file", true, false, save},
		{"writefile", "[-a] FILE", "write the lines below to a file; -a appends", false, true, writeFile},
		{"bash", "", "run the lines below with bash; a status other than 0 is an error", false, true, bash},
		{"sql", "[DATABASE] [as NAME]", "run the SQL below on a file of SQLite, :memory:, DRIVER:SOURCE or a *sql.DB; as NAME keeps the rows", false, true, nil},
		{"html", "", "show the HTML below", false, true, showBody(display.HTML)},
		{"markdown", "", "show the Markdown below", false, true, showBody(display.Markdown)},
		{"latex", "", "show the LaTeX below", false, true, showBody(display.LaTeX)},
		{"svg", "", "show the SVG below", false, true, showBody(display.SVG)},
		{"capture", "[NAME]", "run the Go below without showing what it prints; NAME holds the text", false, true, nil},
		{"version", "", "tell the versions of the program, its packages and its devices", true, false, version},
		{"help", "", "show this list", true, false, help},
	}
}

// hints answer magics that people know from Python.
var hints = map[string]string{
	"matplotlib":  "figures need no setting: end a cell with a *plot.Plot or a value of plotting/figure",
	"pylab":       "figures need no setting: end a cell with a *plot.Plot or a value of plotting/figure",
	"pip":         "write %require MODULE@VERSION, such as %require github.com/google/uuid@latest",
	"conda":       "write %require MODULE@VERSION, such as %require github.com/google/uuid@latest",
	"mamba":       "write %require MODULE@VERSION, such as %require github.com/google/uuid@latest",
	"load_ext":    "there are no extensions; import a Go package instead",
	"autoreload":  "functions that are declared again are used at once, everywhere; edited packages of folders are read again by importing them again or by %reload",
	"get":         "write %require MODULE@VERSION",
	"run":         "read a Go file into the cell with %load FILE, or run it with !gosphere run FILE",
	"who":         "write %vars",
	"whos":        "write %vars",
	"pwd":         "write !pwd, or os.Getwd()",
	"ls":          "write !ls",
	"cat":         "write !cat FILE",
	"mkdir":       "write !mkdir FOLDER",
	"cp":          "write !cp FROM TO",
	"mv":          "write !mv FROM TO",
	"rm":          "write !rm FILE",
	"sx":          "write !COMMAND",
	"system":      "write !COMMAND",
	"sh":          "write %%bash",
	"script":      "write %%bash",
	"lsmagic":     "write %help",
	"magic":       "write %help",
	"set_env":     "write %env NAME=VALUE",
	"prun":        "profile with runtime/pprof: pprof.StartCPUProfile(file), then `go tool pprof`",
	"lprun":       "profile with runtime/pprof: pprof.StartCPUProfile(file), then `go tool pprof`",
	"memit":       "%time tells the allocated bytes too",
	"debug":       "a panic shows the frames of your cells; print values, or use the debugger of JupyterLab",
	"pdb":         "a panic shows the frames of your cells; print values, or use the debugger of JupyterLab",
	"HTML":        "write %%html",
	"javascript":  "cells run no JavaScript; display.HTML can hold a page",
	"js":          "cells run no JavaScript; display.HTML can hold a page",
	"python":      "this kernel runs Go; start Python with !python3",
	"python3":     "this kernel runs Go; start Python with !python3",
	"config":      "there is nothing to configure here; %help lists the magics",
	"history":     "%save FILE 1-3 writes earlier cells; front ends search the history by themselves",
	"recall":      "%save FILE 1-3 writes earlier cells; front ends search the history by themselves",
	"store":       "write values with encoding/json or encoding/gob, or embeddings with asymvlm/embedding",
	"precision":   "write fmt.Printf(\"%.3f\", x)",
	"tensorboard": "trainings show a live progress bar; plot losses with plotting/figure",
	"xmode":       "panics always show the frames of your cells",
	"automagic":   "magics always begin with %",
	"alias":       "there are no aliases; write a Go function",
	"edit":        "edit the cell itself; %load FILE reads a file into it",
	"notebook":    "save the notebook in the front end",
	"pinfo":       "press Shift+Tab behind the name",
	"pdoc":        "press Shift+Tab behind the name",
	"psource":     "press Shift+Tab behind the name",
	"pfile":       "press Shift+Tab behind the name",
	"unload_ext":  "there are no extensions; import a Go package instead",
	"reload_ext":  "there are no extensions; import a Go package instead",
	"cython":      "cells are Go; there is nothing to compile by hand",
	"go":          "write the Go code itself; for the go command write !go",
	"main":        "write func main() { } in the cell, or statements at its top level",
	"goworkfix":   "a go.work or go.mod beside the notebook is read; others write %require MODULE@VERSION",
	"goflags":     "cells are not compiled by the go command; there are no flags to set",
	"autoget":     "write %require MODULE@VERSION, such as %require github.com/google/uuid@latest",
}

// find returns the command with a name, written with % or %%.
func find(sign, name string) (command, error) {
	for _, c := range commands {
		if c.name != name {
			continue
		}
		switch {
		case sign == "%" && !c.line:
			return c, fmt.Errorf("write %%%%%s in the first line of the cell; what it takes stands in the lines below", name)
		case sign == "%%" && !c.cell:
			return c, fmt.Errorf("write %%%s: it takes one line", name)
		}
		return c, nil
	}
	if hint := hints[name]; hint != "" {
		return command{}, fmt.Errorf("there is no %s%s in Go notebooks; %s", sign, name, hint)
	}
	message := fmt.Sprintf("there is no magic %s%s", sign, name)
	if near := nearest(name); near != "" {
		return command{}, fmt.Errorf("%s; did you mean %s? %%help lists them all", message, near)
	}
	return command{}, fmt.Errorf("%s; %%help lists them all", message)
}

// nearest returns the command whose name differs least from a wrong one, with its sign.
func nearest(name string) string {
	best, distance := "", 3
	for _, c := range commands {
		if d := spelling.Distance(name, c.name); d < distance && d < len(c.name) {
			best, distance = c.sign()+c.name, d
		}
	}
	return best
}

// sign is how a command is written, % where both are allowed.
func (c command) sign() string {
	if c.line {
		return "%"
	}
	return "%%"
}

// help lists the commands.
func help(invocation) error {
	var text strings.Builder
	text.WriteString("Magics stand at the beginning of a line, outside of brackets.\n\n")
	for _, c := range commands {
		fmt.Fprintf(&text, "%-26s %s\n", strings.TrimSpace(c.sign()+c.name+" "+c.usage), c.text)
	}
	fmt.Fprintf(&text, "%-26s %s\n", "!COMMAND", "run a command of the system's shell; its output is shown, its status reported")
	say(text.String())
	return nil
}

// Describe returns the arguments of a magic and what it does; nothing for an unknown one. The name
// has no sign.
func Describe(name string) (usage, text string) {
	if at := slices.IndexFunc(commands, func(c command) bool { return c.name == name }); at >= 0 {
		return commands[at].usage, commands[at].text
	}
	return "", ""
}

// Help returns what a magic does and how it is written; "" for an unknown one. The name
// has no sign.
func Help(name string) string {
	at := slices.IndexFunc(commands, func(c command) bool { return c.name == name })
	if at < 0 {
		return ""
	}
	c := commands[at]
	return strings.TrimSpace(c.sign()+c.name+" "+c.usage) + "\n\n" + c.text
}
