package house

import (
	"go/ast"
	"go/token"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"unicode"
)

// wordsOfNotebooks are the words that mean nothing to the author of a program.
var wordsOfNotebooks = regexp.MustCompile(`(?i)\b(cells?|notebooks?|kernels?|sessions?)\b`)

// onlyCellsReach are the packages of runtime that a program which gosphere run runs does not enter,
// with what they do.
var onlyCellsReach = map[string]string{
	"runtime/internal/assist":    "completion and inspection",
	"runtime/cell":               "parses cells; a program is parsed by package source",
	"runtime/check":              "checks cells; a program is checked by package source",
	"runtime/internal/collect":   "imports of notebooks",
	"runtime/internal/debug":     "the debugger",
	"runtime/internal/engine":    "names in skeletons",
	"runtime/internal/reflected": "packages that are given to runtime/interp",
	"runtime/vet":                "warnings about cells",
	"runtime/interp":             "evaluates cells for Go programs",
	"runtime/internal/stale":     "marks of cells",
	"runtime/magic":              "commands of cells",
	"runtime/cell/magics":        "as above",
}

// textsOfCells are the other texts with such a word, by file, and why a program does not show them.
// A single word is listed where a text begins with it, or is preceded by no letter or space; else
// some words before it are listed as well.
var textsOfCells = map[string]map[string]string{
	"runtime/internal/exec/expr.go":             {"a variable without a heap cell": "heap cells are a term of the representation"},
	"runtime/internal/exec/funcs.go":            {"captured variable without a heap cell": "as above"},
	"runtime/internal/guard/guard.go":           {"cell": "a profiler label", "session": "a profiler label"},
	"runtime/internal/guard/program.go":         {"session": "a profiler label"},
	"runtime/internal/guard/longwait.go":        {"session": "a profiler label", "interrupt the cell": "TestAWaitThatEndsIsNoDeadlock", "no goroutine of a cell": "as above", "the cell": "as above"},
	"runtime/internal/guard/limits/rate.go":     {"this cell": "the output of programs has no limit"},
	"runtime/internal/guard/streams/input.go":   {"the cell": "a program reads the input of the process", "in a parameters cell": "as above", "run the cell": "as above"},
	"runtime/internal/guard/streams/output.go":  {"the cell": "the output of programs is not decoded"},
	"runtime/internal/ir/stmt.go":               {"cell": "a name of a node"},
	"runtime/internal/ir/verify.go":             {"the statements of a cell": "a program has none", "disagree about the heap cell": "heap cells are a term of the representation", "has a heap cell": "as above"},
	"runtime/internal/ir/verifyexpr.go":         {"a session": "a program has no session variables", "which has no heap cell": "heap cells are a term of the representation"},
	"runtime/internal/ir/verifystmt.go":         {"which has no heap cell": "as above", "has a heap cell": "as above"},
	"runtime/internal/link/packages.go":         {"restart the kernel": "a program initializes a package once", "in an earlier cell": "as above"},
	"runtime/internal/modules/set.go":           {"restart the kernel": "a program requires no modules while it runs", "the notebook": "programs have no lock"},
	"runtime/session/finder.go":                 {"cell": "the name of a file of an exported notebook"},
	"runtime/session/flow.go":                   {"gosphere.cells": "a target of comms", "stale: this cell": "%stale", "no cell": "%stale", "%rerun stale runs the stale cells": "%stale"},
	"runtime/internal/session/debug.go":         {"declare in a cell": "the debugger"},
	"runtime/internal/session/elapsed.go":       {"cell": "commands that measure"},
	"runtime/internal/session/execute.go":       {"in notebooks": "the banner of the kernel", "a method of a type whose session": "a program is never closed"},
	"runtime/internal/session/failure.go":       {"the cell": "ofOutcome has another text for programs", "KeyboardInterrupt: the cell": "as above", "Cell": "positions in cells", "(of cell": "redeclared types", "of stack that a cell": "programFailure has another text", "a cell": "a variable of the session"},
	"runtime/internal/session/host.go":          {"cells": "a name of a package of cells"},
	"runtime/internal/session/internal.go":      {"cell": "the text for programs has another word"},
	"runtime/internal/session/magic.go":         {"goroutines of cells": "%reset"},
	"runtime/internal/session/reload.go":        {"no cell": "%reload", "what earlier cells": "%reload"},
	"runtime/internal/notebook/notebook.go":     {"(cell": "a benchmark that is the value of a cell"},
	"runtime/internal/session/notebook.go":      {"the program gives its sources no notebooks": "a program has none"},
	"runtime/internal/session/run.go":           {"does not reach functions of earlier cells": "the debugger"},
	"runtime/internal/session/selected.go":      {"cells": "versions that earlier cells use", "restart the kernel": "as above"},
	"runtime/internal/session/staleclosures.go": {"cell": "redeclared functions", "cells": "as above"},
	"runtime/internal/session/test.go":          {"cells": "%test", "cell": "%test", "no cell": "%test"},
	"runtime/internal/session/variables.go":     {"(not read while cells": "variables of cells", "cells": "as above"},
	"runtime/internal/source/files.go":          {".cells": "a suffix of file names", "no cell": "packages made of notebooks"},
	"runtime/internal/source/loader.go":         {"statements of cells": "packages made of notebooks"},
	"runtime/internal/symtab/goroutines.go":     {"[^\\n]*session": "a profiler label"},
	"runtime/internal/symtab/stack.go":          {" \\{cell": "a profiler label", "[0-9]*, session": "a profiler label"},
	"runtime/comm/comm.go":                      {"this goroutine belongs to no cell": "every goroutine of a program belongs to it"},
}

// The tests of package internal/command/notebook run programs that fail in many ways. This one
// holds for all texts: each is either of files, or in a list with the reason why a program does not
// show it.
func TestTextsOfProgramsDoNotSpeakOfCells(t *testing.T) {
	seen := map[string]map[string]bool{}
	for _, file := range readTree(t) {
		if file.test || file.generated || onlyCellsReach[file.room] != "" || strings.Contains(file.room, "/symbols") ||
			!strings.HasPrefix(file.room, "runtime") {
			continue
		}
		seen[file.name] = map[string]bool{}
		ast.Inspect(file.syntax, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.ImportSpec:
				return false
			case *ast.BasicLit:
				value, err := strconv.Unquote(n.Value)
				if n.Kind != token.STRING || err != nil {
					return true
				}
				for _, at := range wordsOfNotebooks.FindAllStringIndex(value, -1) {
					known := ""
					for listed := range textsOfCells[file.name] {
						before := strings.TrimSuffix(value[:at[1]], listed)
						if len(before) == at[1] || !strings.Contains(listed, " ") && strings.ContainsFunc(before, func(r rune) bool { return r == ' ' || unicode.IsLetter(r) }) {
							continue
						}
						if len(listed) > len(known) {
							known = listed
						}
					}
					if seen[file.name][known] = true; known == "" {
						t.Errorf("%s:%d: %q speaks of what a program is not: choose words for both, or list the text with the reason why only cells show it", file.name, file.fset.Position(n.Pos()).Line, value)
					}
				}
			}
			return true
		})
	}
	for name, texts := range textsOfCells {
		for listed := range texts {
			if !seen[name][listed] {
				t.Errorf("%s has no text with %q", name, listed)
			}
		}
	}
}
