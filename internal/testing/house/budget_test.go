package house

import (
	"go/ast"
	"slices"
	"strings"
	"testing"
)

// The limits of packages and types, without tests and generated files.
const (
	maxPackageLines = 6000
	maxPackageFiles = 45
	maxTypeMethods  = 40
)

// largeTypes are types above maxTypeMethods, each with its own limit and the reason. None may grow.
var largeTypes = map[string]struct {
	methods int
	reason  string
}{
	"runtime/internal/exec compiler":        {178, "a method for each form of the representation"},
	"runtime/internal/lower builder":        {156, "a method for each form of the syntax"},
	"runtime/internal/ir verifier":          {53, "a method for each form of the representation"},
	"internal/testing/difference generator": {117, "a method for each form that programs are drawn from"},
	"asymvlm/adapter Adapter":               {56, "a method for each measure and prediction of a trained adapter"},
	"runtime/table Table":                   {55, "a method for each operation on tables"},
	"runtime/internal/link Session":         {107, "names, types, methods and packages refer to one another"},
	"asymvlm/graph Builder":                 {91, "a method for each operation of a network"},
}

func TestPackagesAndTypesStaySmall(t *testing.T) {
	lines, files, methods := map[string]int{}, map[string]int{}, map[string]int{}
	for _, file := range readTree(t) {
		if file.test || file.generated {
			continue
		}
		lines[file.room] += file.lines
		files[file.room]++
		for _, decl := range file.syntax.Decls {
			if f, ok := decl.(*ast.FuncDecl); ok && f.Recv != nil {
				methods[file.room+" "+receiverName(f.Recv.List[0].Type)]++
			}
		}
	}
	for room, n := range lines {
		if n > maxPackageLines {
			t.Errorf("%s has %d lines, the limit is %d: divide the package", room, n, maxPackageLines)
		}
	}
	for room, n := range files {
		if n > maxPackageFiles {
			t.Errorf("%s has %d files, the limit is %d: divide the package", room, n, maxPackageFiles)
		}
	}
	for name, n := range methods {
		if limit := max(maxTypeMethods, largeTypes[name].methods); n > limit {
			t.Errorf("%s has %d methods, the limit is %d: divide the type", name, n, limit)
		}
	}
}

// receiverName is the name of the type of a receiver.
func receiverName(e ast.Expr) string {
	for {
		switch r := e.(type) {
		case *ast.StarExpr:
			e = r.X
		case *ast.IndexExpr:
			e = r.X
		case *ast.IndexListExpr:
			e = r.X
		case *ast.Ident:
			return r.Name
		default:
			return ""
		}
	}
}

// passes are the packages that decide what a program means. They decide by syntax, types and
// values, and by no text.
var passes = []string{"runtime/cell", "runtime/check", "runtime/internal/link", "runtime/internal/ir", "runtime/internal/lower", "runtime/internal/machine", "runtime/internal/machine/operation", "runtime/internal/machine/builtin", "runtime/internal/exec",
	"runtime/internal/hostcall", "runtime/internal/realtype", "runtime/internal/engine"}

// textsRead are the files of the passes that look into texts, with the texts. None of them is a
// program's but where the reason says so.
var textsRead = map[string]string{
	"runtime/cell/character.go":                   "messages of the scanner, which name characters, for hints alone",
	"runtime/cell/complete.go":                    "lines of a position in an unfinished cell",
	"runtime/cell/errors.go":                      "the line of an error, to show it",
	"runtime/cell/hint.go":                        "messages of the parser and their lines, for hints alone",
	"runtime/cell/parse.go":                       "positions, comments that are directives, and the path of an import, before there is syntax",
	"runtime/cell/pieces.go":                      "tokens of a cell, before there is syntax",
	"runtime/check/errors.go":                     "messages of the type checker, which has no codes for them",
	"runtime/check/hint.go":                       "messages of the type checker and paths of packages, for hints alone",
	"runtime/check/hintrules.go":                  "names of types in messages of the type checker, for hints alone",
	"runtime/check/hinthabits.go":                 "names of types in messages of the type checker, for hints alone",
	"runtime/check/nearest.go":                    "names that are like another one, for hints alone",
	"runtime/check/probe.go":                      "the line of an expression, to show it",
	"runtime/check/results.go":                    "names of functions such as Print, for the value that a cell shows",
	"runtime/internal/link/display.go":            "names of types as they are shown",
	"runtime/internal/link/library.go":            "type arguments in the names that package reflect gives to instances",
	"runtime/internal/link/surveyed.go":           "names of types of package reflect, which have their arguments in them",
	"runtime/internal/machine/builtin/slicing.go": "messages of the runtime about slices, for those about arrays",
	"runtime/internal/machine/identity.go":        "the number of a goroutine in the runtime's trace",
	"runtime/internal/realtype/complete.go":       "names of fields and methods that this program has made",
	"runtime/internal/realtype/forge.go":          "the last part of the path of a module, such as v2",
}

// textPredicates are the functions of packages strings and bytes that look for something in a text.
var textPredicates = []string{"Contains", "ContainsAny", "ContainsFunc", "ContainsRune", "Count", "Cut", "CutPrefix", "CutSuffix", "EqualFold", "Fields",
	"FieldsFunc", "FieldsSeq", "HasPrefix", "HasSuffix", "Index", "IndexAny", "IndexByte", "IndexFunc", "IndexRune", "LastIndex", "LastIndexAny",
	"LastIndexByte", "LastIndexFunc", "Split", "SplitAfter", "SplitN", "SplitSeq"}

func TestPassesDecideByNoText(t *testing.T) {
	for _, file := range readTree(t) {
		if file.test || file.generated || !slices.Contains(passes, file.room) {
			continue
		}
		_, known := textsRead[file.name]
		reads := readsTexts(file)
		if len(reads) > 0 && !known {
			t.Errorf("%s: decide by syntax or types, or say in textsRead which texts %s reads", strings.Join(reads, ", "), file.name)
		}
		if len(reads) == 0 && known {
			t.Errorf("%s reads no texts any more: leave it out of textsRead", file.name)
		}
	}
}

// readsTexts returns the places where a file looks for something in a text.
func readsTexts(file sourceFile) (places []string) {
	for _, spec := range file.syntax.Imports {
		if spec.Path.Value == `"regexp"` || spec.Path.Value == `"gosphere/internal/lazyregexp"` {
			places = append(places, file.fset.Position(spec.Pos()).String()+" imports "+spec.Path.Value)
		}
	}
	ast.Inspect(file.syntax, func(n ast.Node) bool {
		function, ok := n.(*ast.SelectorExpr)
		if !ok || !slices.Contains(textPredicates, function.Sel.Name) {
			return true
		}
		if from, ok := function.X.(*ast.Ident); ok && (from.Name == "strings" || from.Name == "bytes") {
			places = append(places, file.fset.Position(function.Pos()).String()+" takes "+from.Name+"."+function.Sel.Name)
		}
		return true
	})
	return places
}
