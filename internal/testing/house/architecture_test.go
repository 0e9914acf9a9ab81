package house

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
)

// The limits that keep the code readable; docs/architecture.md has the reasons.
const (
	maxFileLines     = 1000 // one visitor or one loop may be one file
	maxFunctionLines = 80
	maxParameters    = 5
)

// A sourceFile is one parsed Go file of the tree.
type sourceFile struct {
	name      string // slash-separated path from the root
	room      string // folder of the file, "" for the root
	lines     int
	generated bool
	test      bool
	syntax    *ast.File
	fset      *token.FileSet
}

// readTree returns the Go files of the repository, which are parsed once.
func readTree(t *testing.T) []sourceFile {
	t.Helper()
	atRoot(t)
	files, err := parsedTree()
	if err != nil {
		t.Fatal(err)
	}
	return files
}

var parsedTree = sync.OnceValues(func() (files []sourceFile, err error) {
	err = filepath.WalkDir(".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() {
			if base := entry.Name(); base == "testdata" || base != "." && strings.HasPrefix(base, ".") {
				return filepath.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(name, ".go") {
			return nil
		}
		text, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		fset := token.NewFileSet()
		syntax, err := parser.ParseFile(fset, name, text, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		name = filepath.ToSlash(name)
		room := path.Dir(name)
		if room == "." {
			room = ""
		}
		files = append(files, sourceFile{
			name: name, room: room, lines: bytes.Count(text, []byte("\n")), generated: ast.IsGenerated(syntax),
			test: strings.HasSuffix(name, "_test.go"), syntax: syntax, fset: fset,
		})
		return nil
	})
	return files, err
})

// within reports whether a room is one of the named rooms or lies inside one.
func within(room string, rooms ...string) bool {
	return slices.ContainsFunc(rooms, func(r string) bool { return room == r || strings.HasPrefix(room, r+"/") })
}

// A direction is one rule on imports, with the reason that is printed when it is broken.
type direction struct {
	reason    string
	applies   func(room string) bool
	forbidden func(imported string) bool // import path; own rooms without the module's name
}

var directions = []direction{
	{"a library must run without a notebook",
		func(room string) bool { return within(room, "asymvlm") },
		func(p string) bool {
			return within(p, "kernel", "internal/notebook", "internal/command", "runtime", "plotting")
		}},
	{"figures take numbers, not models",
		func(room string) bool { return within(room, "plotting") },
		func(p string) bool { return within(p, "kernel", "runtime", "asymvlm") }},
	{"the protocol knows no language",
		func(room string) bool { return within(room, "kernel") && !within(room, "kernel/conformance") },
		func(p string) bool {
			return within(p, "runtime", "asymvlm", "plotting", "github.com/traefik/yaegi")
		}},
	{"replies are data; sockets stay away from the language",
		func(room string) bool {
			return within(room, "runtime") && room != "runtime/session"
		},
		func(p string) bool { return within(p, "kernel") && p != "kernel/protocol" && p != "kernel/nbformat" }},
	{"comms are a table and no server",
		func(room string) bool { return room == "kernel/comm" },
		func(p string) bool { return ownRoom(p) && p != "kernel/protocol" }},
	{"compiled programs and cells talk to pages through the same small package",
		func(room string) bool { return room == "runtime/comm" },
		func(p string) bool { return ownRoom(p) && p != "kernel/protocol" && p != "internal/host" }},
	{"tools need no tables of several megabytes; only the program and the sessions of tests bring them",
		func(room string) bool {
			return room != "internal/program" && !within(room, "runtime/symbols", "internal/testing/sessiontest")
		},
		func(p string) bool { return within(p, "runtime/symbols") }},
	{"what only tests need must not come into the program",
		func(room string) bool { return !within(room, "internal/testing") },
		func(p string) bool { return within(p, "internal/testing") }},
	{"the transport can then be replaced",
		func(room string) bool { return room != "kernel/internal/socket" },
		func(p string) bool { return within(p, "github.com/go-zeromq") }},
	{"the interpreter can then be replaced",
		func(room string) bool { return !within(room, "runtime/internal/engine", "runtime/symbols") },
		func(p string) bool { return within(p, "github.com/traefik/yaegi") }},
	{"the parts of the guard know no session and no cell of it",
		func(room string) bool {
			return within(room, "runtime/internal/guard") && room != "runtime/internal/guard"
		},
		func(p string) bool {
			return ownRoom(p) && (p == "runtime/internal/guard" || !within(p, "runtime/internal/guard")) && p != "internal/modulepath" && p != "internal/abridge" && p != "internal/goroutine"
		}},
	{"one room knows how debuggers of clients speak",
		func(room string) bool { return room != "kernel/debug" },
		func(p string) bool { return within(p, "github.com/google/go-dap") }},
	{"installing must work when nothing else does",
		func(room string) bool { return within(room, "install/kernelspec") },
		func(p string) bool {
			return strings.Contains(strings.Split(p, "/")[0], ".") || ownRoom(p) && p != "install/kernelspec"
		}},
	{"the default build is one static binary per platform",
		func(room string) bool { return true },
		func(p string) bool { return p == "C" }},
}

// unsafeRooms may import unsafe, each for a reason of its own; the layout of Go's types is known to
// realtype alone.
var unsafeRooms = map[string]string{
	"runtime/internal/realtype":            "the layout of Go's run-time types",
	"internal/confine":                     "structures that the system reads",
	"internal/goroutine":                   "go:linkname of the profiler labels that goroutines inherit",
	"runtime/internal/guard/streams":       "a system call that never blocks",
	"asymvlm/device":                       "pointers handed to assembly",
	"asymvlm/gpu":                          "memory handed to the driver of a card",
	"asymvlm/embedding":                    "numbers of mapped files, which are not copied",
	"runtime/internal/exec":                "variables at offsets in frames",
	"runtime/internal/fingerprint":         "slices of numbers as bytes",
	"runtime/internal/override":            "streams of the process in interface values",
	"runtime/internal/symtab":              "functions and frames of package runtime, the words of func values",
	"internal/testing/faults":              "structures that the kernel reads and writes",
	"runtime/internal/machine":             "frames, and the layout of values in them",
	"runtime/internal/machine/operation":   "operands and variables at offsets in frames",
	"runtime/internal/machine/builtin":     "operands at offsets in frames",
	"runtime/internal/hostcall":            "arguments and results in memory",
	"runtime/internal/engine":              "lists that the interpreter keeps and does not need",
	"runtime/internal/linked":              "functions of the runtime that modules take by go:linkname",
	"runtime/internal/generic/erased":      "weak pointers to variables of any type",
	"runtime/internal/generic/sync/atomic": "pointers that change in one step",
	"runtime/symbols":                      "the symbol table of package unsafe",
}

func TestUnsafeStaysWhereItHasAReason(t *testing.T) {
	for _, file := range readTree(t) {
		for _, spec := range file.syntax.Imports {
			if _, known := unsafeRooms[file.room]; spec.Path.Value == `"unsafe"` && !known && !file.test {
				t.Errorf("%s imports unsafe: keep it to %v", file.name, unsafeRooms)
			}
		}
	}
}

// writingRooms may write files without package userfile, each for a reason of its own: that package
// keeps the old content when a write fails, and writes through no link that leads out of a folder.
var writingRooms = map[string]string{
	"internal/userfile":            "it is the package",
	"internal/beside":              "the files with which it replaces others",
	"internal/filelock":            "locks have no content",
	"internal/command/kernel":      "logs beside the connection file, which are appended to",
	"internal/command/machine":     "a folder of its own for the build",
	"internal/command/notebook":    "folders of its own for sites and pictures of the terminal, and a probe",
	"internal/command/process":     "sources in a folder of its own, and a probe",
	"runtime/internal/gotest":      "a temporary file for the output of tests",
	"runtime/internal/modules":     "locks of the module cache",
	"runtime/internal/session":     "a temporary file for reports",
	"kernel/client":                "a connection file in a folder of its own",
	"kernel/debug":                 "a folder of its own for the debugger",
	"kernel/history/disk":          "SQLite opens the file",
	"kernel/internal/registration": "a connection file with a random name",
	"asymvlm/encoder/hub":          "downloads that are resumed",
	"runtime/magic":                "%%writefile -a appends",
	"install/kernelspec":           "it works when nothing else does",
}

func TestFilesAreWrittenByOnePackage(t *testing.T) {
	writers := []string{"os.Create", "os.WriteFile", "os.OpenFile", "os.CreateTemp"}
	for _, file := range readTree(t) {
		_, known := writingRooms[file.room]
		if known || file.test || within(file.room, "internal/testing", "bench", "install/release", "install/site", "kernel/conformance") || file.syntax.Name.Name == "main" {
			continue
		}
		ast.Inspect(file.syntax, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if ok && slices.Contains(writers, types.ExprString(call.Fun)) {
				t.Errorf("%s calls %s: use package userfile, or give a reason in writingRooms", file.name, types.ExprString(call.Fun))
			}
			return true
		})
	}
}

// ownRoom reports whether an import path without the module's name is one of ours.
func ownRoom(p string) bool {
	return within(p, "internal", "runtime", "asymvlm", "plotting", "install", "bench")
}

func TestImportsGoInOneDirection(t *testing.T) {
	for _, file := range readTree(t) {
		if file.test {
			continue
		}
		for _, spec := range file.syntax.Imports {
			imported, own := strings.CutPrefix(strings.Trim(spec.Path.Value, `"`), "gosphere/")
			if first, _, _ := strings.Cut(imported, "/"); !own && imported != "C" && !strings.Contains(first, ".") {
				continue // the standard library
			}
			for _, rule := range directions {
				if rule.applies(file.room) && rule.forbidden(imported) {
					t.Errorf("%s imports %s: %s", file.name, imported, rule.reason)
				}
			}
		}
	}
}

func TestFilesAndFunctionsStayShort(t *testing.T) {
	for _, file := range readTree(t) {
		if file.generated {
			continue
		}
		if file.lines > maxFileLines {
			t.Errorf("%s has %d lines, the limit is %d", file.name, file.lines, maxFileLines)
		}
		for _, decl := range file.syntax.Decls {
			function, ok := decl.(*ast.FuncDecl)
			if !ok || function.Body == nil {
				continue
			}
			length := file.fset.Position(function.End()).Line - file.fset.Position(function.Pos()).Line + 1
			if length > maxFunctionLines {
				t.Errorf("%s: %s has %d lines, the limit is %d", file.name, function.Name.Name, length, maxFunctionLines)
			}
			if n := function.Type.Params.NumFields(); n > maxParameters && !file.test && !within(file.room, "runtime/internal/generic") {
				t.Errorf("%s: %s has %d parameters, the limit is %d", file.name, function.Name.Name, n, maxParameters)
			}
		}
	}
}

func TestPackagesAndExportedNamesAreDocumented(t *testing.T) {
	documented := map[string]bool{}
	rooms := map[string]string{}
	for _, file := range readTree(t) {
		if file.test {
			continue
		}
		rooms[file.room] = file.name
		if file.syntax.Doc != nil {
			documented[file.room] = true
		}
		if !file.generated && file.syntax.Name.Name != "main" {
			checkExportedDocs(t, file)
		}
	}
	for room, name := range rooms {
		if !documented[room] {
			t.Errorf("package of %s has no package comment", name)
		}
	}
}

// checkExportedDocs reports exported names without a comment.
func checkExportedDocs(t *testing.T, file sourceFile) {
	missing := func(name *ast.Ident, docs ...*ast.CommentGroup) {
		if name.IsExported() && !slices.ContainsFunc(docs, func(d *ast.CommentGroup) bool { return d != nil }) {
			t.Errorf("%s: %s has no comment", file.fset.Position(name.Pos()), name.Name)
		}
	}
	for _, decl := range file.syntax.Decls {
		switch decl := decl.(type) {
		case *ast.FuncDecl:
			if decl.Recv == nil || exportedReceiver(decl) {
				missing(decl.Name, decl.Doc)
			}
		case *ast.GenDecl:
			for _, spec := range decl.Specs {
				switch spec := spec.(type) {
				case *ast.TypeSpec:
					missing(spec.Name, spec.Doc, decl.Doc)
				case *ast.ValueSpec:
					for _, name := range spec.Names {
						missing(name, spec.Doc, spec.Comment, decl.Doc)
					}
				}
			}
		}
	}
}

// exportedReceiver reports whether a method belongs to an exported type.
func exportedReceiver(decl *ast.FuncDecl) bool {
	receiver := decl.Recv.List[0].Type
	for {
		switch r := receiver.(type) {
		case *ast.StarExpr:
			receiver = r.X
		case *ast.IndexExpr:
			receiver = r.X
		case *ast.IndexListExpr:
			receiver = r.X
		case *ast.Ident:
			return r.IsExported()
		default:
			return false
		}
	}
}

// vagueNames are words that say nothing about what a file or package holds.
var vagueNames = []string{"util", "utils", "common", "helper", "helpers", "misc", "base", "manager", "impl"}

func TestNamesSayWhatIsInside(t *testing.T) {
	for _, file := range readTree(t) {
		stem := strings.TrimSuffix(strings.TrimSuffix(path.Base(file.name), ".go"), "_test")
		for _, part := range append(strings.Split(file.room, "/"), stem) {
			if slices.Contains(vagueNames, part) {
				t.Errorf("%s: the name %q says nothing about its content", file.name, part)
			}
		}
		if file.syntax.Name.Name == "runtime" || file.syntax.Name.Name == "plot" {
			t.Errorf("%s: a package named %s would hide another at every use", file.name, file.syntax.Name.Name)
		}
	}
}

// machinePath matches absolute paths of one machine.
var machinePath = regexp.MustCompile(`(^|[^a-zA-Z0-9_.])/(work|home|root|Users)/[a-z]`)

func TestNoPathsOfOneMachine(t *testing.T) {
	listed, err := exec.Command("git", "ls-files", "-z").Output()
	if err != nil {
		t.Skip("not a git checkout")
	}
	for _, name := range strings.Split(strings.TrimRight(string(listed), "\x00"), "\x00") {
		text, err := os.ReadFile(name)
		if err != nil || bytes.IndexByte(text, 0) >= 0 {
			continue // deleted, or not a text
		}
		if at := machinePath.FindIndex(text); at != nil {
			line := 1 + bytes.Count(text[:at[0]], []byte("\n"))
			t.Errorf("%s:%d holds a path of one machine", name, line)
		}
	}
}
