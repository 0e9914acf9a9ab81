package magics

import (
	"fmt"
	"slices"
	"strings"

	"gosphere/runtime/internal/spelling"
)

// A command is one magic.
type command struct {
	name  string
	usage string // its arguments
	text  string // description
	line  bool   // may be written with %
	cell  bool   // may be written with %%
	runs  bool   // package magic runs it; Expand converts the others to Go
}

// commands lists the magics in the order of %help.
var commands = []command{
	{"time", "STATEMENT", "time a statement; %%time times the whole cell", true, true, false},
	{"timeit", "STATEMENT", "time many runs of a statement; %%timeit [SETUP] times the lines below it", true, true, false},
	{"vars", "[NAME...]", "list the variables with types, sizes and values", true, false, true},
	{"reset", "", "remove all variables, functions, types and imports; must be alone in its cell", true, false, true},
	{"cd", "[FOLDER]", "change the working directory (default: the home directory); - goes back", true, false, true},
	{"env", "[NAME[=VALUE]]", "list the environment, or show or set a variable", true, false, true},
	{"require", "MODULE[@VERSION]...", "make the packages of modules importable (default: the latest version)", true, false, true},
	{"reload", "[PACKAGE...]", "reload edited local packages and notebooks (default: all); importing one again also reloads it", true, false, true},
	{"modules", "", "list the modules that cells can import, with versions, licenses and checksums, and how their packages run", true, false, true},
	{"test", "[FLAGS] [PACKAGE...]", "run the tests, examples and benchmarks of cells or packages, with flags of go test such as -run NAME, -bench . and -v", true, false, true},
	{"stale", "[on|off]", "list the cells that no longer show what a run from the top would show, and why; off omits the lines about them after cells", true, false, true},
	{"rerun", "stale", "run the stale cells again, and those that these need, in order; must be alone in its cell", true, false, true},
	{"flow", "", "draw which cells use what others define", true, false, true},
	{"limit", "[SIZE]", "show or set the memory limit of cells, such as 2GB", true, false, true},
	{"load", "FILE", "replace the cell by the text of a file", true, false, true},
	{"save", "FILE N[-M]...", "write cells, by their execution counts, to a file", true, false, true},
	{"writefile", "[-a] FILE", "write the lines below to a file; -a appends", false, true, true},
	{"bash", "", "run the lines below with bash; a status other than 0 is an error; --bg does not wait", false, true, true},
	{"sql", "[DATABASE] [as NAME]", "run the SQL below on an SQLite file, :memory:, DRIVER:SOURCE or a *sql.DB; as NAME keeps the rows", false, true, false},
	{"html", "", "show the HTML below", false, true, true},
	{"markdown", "", "show the Markdown below", false, true, true},
	{"latex", "", "show the LaTeX below", false, true, true},
	{"svg", "", "show the SVG below", false, true, true},
	{"capture", "[NAME]", "run the Go below without showing its output; NAME keeps the output", false, true, false},
	{"version", "", "show the versions of the program, its packages and its devices", true, false, true},
	{"help", "", "show this list", true, false, true},
}

// hints answer magics known from Python.
var hints = map[string]string{
	"matplotlib":  "figures need no setup: end a cell with a *plot.Plot or a value of plotting/figure",
	"pylab":       "figures need no setup: end a cell with a *plot.Plot or a value of plotting/figure",
	"pip":         "write %require MODULE@VERSION, such as %require github.com/google/uuid@latest",
	"conda":       "write %require MODULE@VERSION, such as %require github.com/google/uuid@latest",
	"mamba":       "write %require MODULE@VERSION, such as %require github.com/google/uuid@latest",
	"load_ext":    "there are no extensions: import a Go package instead",
	"autoreload":  "redeclared functions take effect immediately: reload edited local packages with %reload or by importing them again",
	"get":         "write %require MODULE@VERSION",
	"run":         "load a Go file into the cell with %load FILE, or run it with !gosphere run FILE",
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
	"memit":       "%time also reports allocated bytes",
	"debug":       "a panic shows the frames of your cells; print values, or use the debugger of JupyterLab",
	"pdb":         "a panic shows the frames of your cells; print values, or use the debugger of JupyterLab",
	"HTML":        "write %%html",
	"javascript":  "cells do not run JavaScript: display.HTML can contain scripts",
	"js":          "cells do not run JavaScript: display.HTML can contain scripts",
	"python":      "this kernel runs Go: run Python with !python3",
	"python3":     "this kernel runs Go: run Python with !python3",
	"config":      "there is nothing to configure: %help lists the magics",
	"history":     "%save FILE 1-3 writes earlier cells; front ends can search the history",
	"recall":      "%save FILE 1-3 writes earlier cells; front ends can search the history",
	"store":       "store values with encoding/json or encoding/gob, or embeddings with asymvlm/embedding",
	"precision":   "write fmt.Printf(\"%.3f\", x)",
	"tensorboard": "trainings show a live progress bar: plot losses with plotting/figure",
	"xmode":       "panics always show the frames of your cells",
	"automagic":   "magics always begin with %",
	"alias":       "there are no aliases: write a Go function",
	"edit":        "edit the cell itself: %load FILE loads a file into it",
	"notebook":    "save the notebook in the front end",
	"pinfo":       "press Shift+Tab after the name",
	"pdoc":        "press Shift+Tab after the name",
	"psource":     "press Shift+Tab after the name",
	"pfile":       "press Shift+Tab after the name",
	"unload_ext":  "there are no extensions: import a Go package instead",
	"reload_ext":  "there are no extensions: import a Go package instead",
	"cython":      "cells are Go: there is nothing to compile separately",
	"go":          "write the Go code itself, add a module with %require MODULE@VERSION, and run the go command with !go",
	"main":        "write func main() { } in the cell, or statements at its top level",
	"goworkfix":   "a go.work or go.mod next to the notebook is used: otherwise use %require MODULE@VERSION",
	"goflags":     "cells are not compiled by the go command: there are no flags to set",
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
			return c, fmt.Errorf("write %%%%%s in the first line of the cell, with its text in the lines below", name)
		case sign == "%%" && !c.cell:
			return c, fmt.Errorf("write %%%s: it applies to one line", name)
		}
		return c, nil
	}
	if hint := hints[name]; hint != "" {
		return command{}, fmt.Errorf("%s%s is not available in Go notebooks; %s", sign, name, hint)
	}
	message := fmt.Sprintf("unknown magic %s%s", sign, name)
	if near := nearest(name); near != "" {
		return command{}, fmt.Errorf("%s; did you mean %s? %%help lists all magics", message, near)
	}
	return command{}, fmt.Errorf("%s; %%help lists all magics", message)
}

// nearest returns the command whose name is most similar to an unknown one, with its sign.
func nearest(name string) string {
	best, distance := "", 3
	for _, c := range commands {
		if d := spelling.Distance(name, c.name); d < distance && d < len(c.name) {
			best, distance = c.sign()+c.name, d
		}
	}
	return best
}

// sign returns the sign of a command, % if both are allowed.
func (c command) sign() string {
	if c.line {
		return "%"
	}
	return "%%"
}

// Check returns why a command, written with % or %%, does not exist, or nil.
func Check(sign, name string) error {
	_, err := find(sign, name)
	return err
}

// List returns the text of %help.
func List() string {
	var text strings.Builder
	text.WriteString("Magics begin a line and are not allowed inside brackets.\n\n")
	for _, c := range commands {
		fmt.Fprintf(&text, "%-26s %s\n", strings.TrimSpace(c.sign()+c.name+" "+c.usage), c.text)
	}
	fmt.Fprintf(&text, "%-26s %s\n", "!COMMAND", "run a command with the system's shell and report its status")
	return text.String()
}

// Describe returns the arguments and the description of a magic, by its name without sign. Both are
// empty for an unknown magic.
func Describe(name string) (usage, text string) {
	if at := slices.IndexFunc(commands, func(c command) bool { return c.name == name }); at >= 0 {
		return commands[at].usage, commands[at].text
	}
	return "", ""
}

// Help returns the description and usage of a magic, by its name without sign. It returns "" for an
// unknown magic.
func Help(name string) string {
	at := slices.IndexFunc(commands, func(c command) bool { return c.name == name })
	if at < 0 {
		return ""
	}
	c := commands[at]
	return strings.TrimSpace(c.sign()+c.name+" "+c.usage) + "\n\n" + c.text
}
