package main

import (
	"fmt"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"sort"
	"strconv"
	"strings"

	"gosphere/runtime/cell"
)

// paths holds the packages that cells may name without importing them, where the last part
// of the path is not the name or leaves a choice.
var paths = map[string]string{
	"template": "text/template", "cmplx": "math/cmplx", "big": "math/big", "bits": "math/bits",
	"utf8": "unicode/utf8", "utf16": "unicode/utf16", "json": "encoding/json", "xml": "encoding/xml", "gob": "encoding/gob",
	"csv": "encoding/csv", "hex": "encoding/hex", "base64": "encoding/base64", "binary": "encoding/binary", "heap": "container/heap", "rand": "math/rand",
	"list": "container/list", "ring": "container/ring", "atomic": "sync/atomic", "http": "net/http", "httptest": "net/http/httptest",
	"url": "net/url", "filepath": "path/filepath", "tabwriter": "text/tabwriter", "scanner": "text/scanner", "sha256": "crypto/sha256",
	"md5": "crypto/md5", "crc32": "hash/crc32", "fnv": "hash/fnv", "fs": "io/fs", "fstest": "testing/fstest", "slog": "log/slog",
	"debug": "runtime/debug", "iotest": "testing/iotest", "gzip": "compress/gzip", "exec": "os/exec",
}

// standard holds the packages that cells may name without importing them by their path.
var standard = strings.Fields("bufio bytes cmp context errors flag fmt html io iter log maps math os path reflect regexp runtime " +
	"slices sort strconv strings sync time unicode unique unsafe weak expvar mime net hash encoding image embed testing")

// A joiner collects the parts of a program.
type joiner struct {
	imports      map[string]bool // specifications
	declarations []string
	variables    []string // var declarations at the top level of cells, in order
	statements   []string
	used         map[string]bool // names in functions and methods
}

// join makes one program of the cells of a case.
func join(cells []string) (string, error) {
	if len(cells) == 1 && strings.HasPrefix(strings.TrimSpace(cells[0]), "package ") {
		return cells[0], nil
	}
	j := &joiner{imports: map[string]bool{}, used: map[string]bool{}}
	for _, source := range cells {
		for _, p := range cell.Pieces(source) {
			if p.Kind == cell.FunctionDeclaration || p.Kind == cell.VariableDeclaration {
				j.mention(p.Kind, source[p.Code:p.CodeEnd])
			}
		}
	}
	for _, source := range cells {
		for _, p := range cell.Pieces(source) {
			j.add(p.Kind, source[p.Code:p.CodeEnd])
		}
	}
	text := fmt.Sprintf("package main\n%s\nfunc main() {\n%s\n}\n", strings.Join(j.declarations, "\n\n"), strings.Join(j.statements, "\n"))
	file, err := parser.ParseFile(token.NewFileSet(), "", text, parser.SkipObjectResolution)
	if err != nil {
		return "", err
	}
	j.addImports(file)
	var specs []string
	for spec := range j.imports {
		specs = append(specs, spec)
	}
	sort.Strings(specs)
	text = strings.Replace(text, "package main\n", "package main\nimport (\n"+strings.Join(specs, "\n")+"\n)\n", 1)
	formatted, err := format.Source([]byte(text))
	return string(formatted), err
}

// mention collects the names in functions: a variable that a function uses must be a
// package variable.
func (j *joiner) mention(kind cell.Kind, code string) {
	file, err := parser.ParseFile(token.NewFileSet(), "", "package p\n"+code, parser.SkipObjectResolution)
	if err != nil {
		return
	}
	if kind == cell.VariableDeclaration {
		return
	}
	ast.Inspect(file, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok {
			j.used[id.Name] = true
		}
		return true
	})
}

func (j *joiner) add(kind cell.Kind, code string) {
	switch kind {
	case cell.Import:
		file, err := parser.ParseFile(token.NewFileSet(), "", "package p\n"+code, parser.ImportsOnly)
		if err != nil {
			return
		}
		for _, spec := range file.Imports {
			text := spec.Path.Value
			if spec.Name != nil {
				text = spec.Name.Name + " " + text
			}
			j.imports[text] = true
		}
	case cell.FunctionDeclaration, cell.TypeDeclaration, cell.ConstantDeclaration:
		j.declarations = append(j.declarations, code)
	case cell.VariableDeclaration:
		j.addVariables(code)
	case cell.Statement:
		j.statements = append(j.statements, code)
		j.use(code)
	}
}

// addVariables puts a var declaration at package level if a function uses it, else into
// main, where it runs between its neighbors as it does in cells.
func (j *joiner) addVariables(code string) {
	file, err := parser.ParseFile(token.NewFileSet(), "", "package p\n"+code, parser.SkipObjectResolution)
	if err != nil {
		j.statements = append(j.statements, code)
		return
	}
	var names []string
	shared := false
	for _, spec := range file.Decls[0].(*ast.GenDecl).Specs {
		for _, name := range spec.(*ast.ValueSpec).Names {
			shared = shared || j.used[name.Name]
			if name.Name != "_" {
				names = append(names, name.Name)
			}
		}
	}
	if shared {
		j.declarations = append(j.declarations, code)
		return
	}
	j.statements = append(j.statements, code)
	for _, name := range names {
		j.statements = append(j.statements, "_ = "+name)
	}
}

// use makes the variables of a definition at the top level used, which cells do not ask for.
func (j *joiner) use(code string) {
	file, err := parser.ParseFile(token.NewFileSet(), "", "package p\nfunc _() {\n"+code+"\n}", parser.SkipObjectResolution)
	if err != nil {
		return
	}
	for _, statement := range file.Decls[0].(*ast.FuncDecl).Body.List {
		if a, ok := statement.(*ast.AssignStmt); ok && a.Tok == token.DEFINE {
			for _, left := range a.Lhs {
				if id, ok := left.(*ast.Ident); ok && id.Name != "_" {
					j.statements = append(j.statements, "_ = "+id.Name)
				}
			}
		}
	}
}

// addImports imports the packages that the program names before a dot and does not import.
func (j *joiner) addImports(file *ast.File) {
	known := map[string]string{}
	for _, name := range standard {
		known[name] = name
	}
	for name, path := range paths {
		known[name] = path
	}
	for spec := range j.imports {
		name, path, renamed := strings.Cut(spec, " ")
		if !renamed {
			path, _ = strconv.Unquote(name)
			name = path[strings.LastIndex(path, "/")+1:]
			if name == "v2" {
				name = "rand"
			}
		}
		delete(known, name)
	}
	ast.Inspect(file, func(n ast.Node) bool {
		if s, ok := n.(*ast.SelectorExpr); ok {
			if id, ok := s.X.(*ast.Ident); ok && known[id.Name] != "" && ast.IsExported(s.Sel.Name) {
				j.imports[strconv.Quote(known[id.Name])] = true
			}
		}
		return true
	})
}
