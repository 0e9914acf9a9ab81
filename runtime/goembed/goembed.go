// Package goembed reads the go:embed directives of Go files and of cells.
package goembed

import (
	"errors"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"golang.org/x/mod/module"

	"gosphere/runtime/cell"
)

// A Variable is a variable that go:embed directives initialize. The linker fills the variable
// before the package is initialized. Its type is embed.FS, or the underlying type is string or a
// slice of bytes. Folders are listed because embed.FS needs them. For instance //go:embed data over
// a folder with one file has the files "data/" and "data/a.txt".
type Variable struct {
	Var        *types.Var // may be the blank identifier
	Directives []*ast.Comment
	Patterns   []string
	// Files maps slash-separated names of files and folders to contents. The names of folders end
	// in a slash and have no content.
	Files map[string]string
}

// An Error is an error in a go:embed directive or its variable. Its position is apart from the
// message, because cells and packages show positions in different forms.
type Error struct {
	Pos     token.Pos
	Message string
}

// Error returns the message.
func (e *Error) Error() string { return e.Message }

// errorf returns an *Error.
func errorf(pos token.Pos, format string, arguments ...any) error {
	return &Error{pos, fmt.Sprintf(format, arguments...)}
}

// A directive is the go:embed directives of one variable.
type directive struct {
	comments []*ast.Comment
	patterns []string
	spec     *ast.ValueSpec
}

// Variables returns the variables of a file that have go:embed directives, with the files of tree
// that they name. nodes are the declarations of the file, or the statements of a function whose
// variables belong to a package, in their order. An error of a directive is an *Error, in the words
// of the compiler. Unlike the compiler, Variables does not require an import of package embed.
func Variables(fset *token.FileSet, comments []*ast.CommentGroup, nodes []ast.Node, info *types.Info, tree fs.FS) ([]Variable, error) {
	list, err := directives(fset, comments, nodes)
	if err != nil {
		return nil, err
	}
	var embeds []Variable
	for _, d := range list {
		e, err := d.read(info, tree)
		if err != nil {
			return nil, err
		}
		embeds = append(embeds, e)
	}
	return embeds, nil
}

// OfCell is like Variables for the package variables of a cell. An error is of type cell.Errors.
//
// Variables of a program are among its declarations, those of another cell among its statements. A
// comment is in the file of the piece that it precedes, so each file has its own directives. For
// instance, in //go:embed a.txt before func f() the directive is in the file of declarations, where
// it is misplaced.
func OfCell(c *cell.Cell, info *types.Info, tree fs.FS) (list []Variable, err error) {
	if !strings.Contains(c.Source, "//go:embed") {
		return nil, nil
	}
	var statements, declarations []ast.Node
	for _, statement := range c.Body.Body.List {
		statements = append(statements, statement)
	}
	for _, declaration := range c.Declarations.Decls {
		declarations = append(declarations, declaration)
	}
	list, err = Variables(c.Fset, c.Declarations.Comments, declarations, info, tree)
	if err == nil {
		var more []Variable
		more, err = Variables(c.Fset, c.Statements.Comments, statements, info, tree)
		list = append(list, more...)
	}
	if wrong := (*Error)(nil); errors.As(err, &wrong) {
		return nil, cell.Errors{c.ErrorAt(c.Fset.Position(wrong.Pos), wrong.Message)}
	}
	return list, err
}

// directives finds the go:embed directives. Several in a row belong to one variable. As for the
// compiler, a word that only begins with go:embed is no directive, nor is one that a tab follows.
func directives(fset *token.FileSet, comments []*ast.CommentGroup, nodes []ast.Node) (list []directive, err error) {
	for _, group := range comments {
		for _, c := range group.List {
			rest, ok := strings.CutPrefix(c.Text, "//go:embed")
			if !ok || rest != "" && rest[0] != ' ' {
				continue
			}
			patterns, err := Patterns(rest)
			if err != nil {
				return nil, errorf(c.Pos(), "invalid quoted string in //go:embed:%s", rest)
			}
			spec := variableAfter(fset, nodes, c)
			switch n := len(list); {
			case len(patterns) == 0:
				return nil, errorf(c.Pos(), "usage: //go:embed pattern...")
			case spec == nil:
				return nil, errorf(c.Pos(), "misplaced go:embed directive: it belongs before a variable outside of functions")
			case n > 0 && list[n-1].spec == spec:
				list[n-1].comments, list[n-1].patterns = append(list[n-1].comments, c), append(list[n-1].patterns, patterns...)
			default:
				list = append(list, directive{[]*ast.Comment{c}, patterns, spec})
			}
		}
	}
	return list, nil
}

// variableAfter returns the declaration of variables that begins with the first token after a
// comment, or nil if something else does, or the comment ends the line of a declaration.
//
// Empty lines and other comments may be between the two, so the comment of the declaration in the
// syntax tree does not suffice: it must be adjacent. In a group the directive precedes a line of
// the group. Before the group it is an error, as for the compiler, even if the group has one line.
func variableAfter(fset *token.FileSet, nodes []ast.Node, c *ast.Comment) *ast.ValueSpec {
	precedes := func(n ast.Node) bool {
		return n.End() <= c.Pos() && fset.Position(n.End()).Line < fset.Position(c.Pos()).Line
	}
	for _, n := range nodes {
		if precedes(n) {
			continue
		}
		if statement, ok := n.(*ast.DeclStmt); ok {
			n = statement.Decl
		}
		group, ok := n.(*ast.GenDecl)
		if !ok || group.Tok != token.VAR {
			return nil
		}
		specs := group.Specs
		if c.Pos() > group.Pos() { // within the group
			specs = slices.DeleteFunc(slices.Clone(specs), func(s ast.Spec) bool { return precedes(s) })
		} else if group.Lparen.IsValid() {
			return nil
		}
		if len(specs) == 0 || specs[0].Pos() < c.Pos() {
			return nil
		}
		spec, _ := specs[0].(*ast.ValueSpec)
		return spec
	}
	return nil
}

// read returns the variable of a directive with its files. The files are read at once, although the
// variable gets them later: an edit in between has no effect, and an error is that of the cell.
func (d directive) read(info *types.Info, tree fs.FS) (e Variable, err error) {
	pos := d.comments[0].Pos()
	switch {
	case len(d.spec.Names) != 1:
		return e, errorf(pos, "go:embed cannot apply to multiple vars")
	case len(d.spec.Values) > 0:
		return e, errorf(pos, "go:embed cannot apply to var with initializer")
	}
	v := info.Defs[d.spec.Names[0]].(*types.Var)
	whole := isFS(v.Type())
	if !whole && !isBytes(v.Type()) {
		return e, errorf(pos, "go:embed cannot apply to var of type %v", types.TypeString(v.Type(), types.RelativeTo(v.Pkg())))
	}
	e = Variable{Var: v, Directives: d.comments, Patterns: d.patterns}
	if e.Files, err = embedded(tree, d.patterns); err != nil {
		return e, errorf(pos, "%v", err)
	}
	if n := len(e.Names()); n != 1 && !whole {
		return e, errorf(pos, "invalid go:embed: multiple files for type %v", types.TypeString(v.Type(), types.RelativeTo(v.Pkg())))
	}
	return e, nil
}

// isFS reports whether t is embed.FS. A type that is declared as embed.FS is another type, to which
// the compiler applies no directive.
func isFS(t types.Type) bool {
	named, ok := types.Unalias(t).(*types.Named)
	return ok && named.Obj().Name() == "FS" && named.Obj().Pkg() != nil && named.Obj().Pkg().Path() == "embed"
}

// isBytes reports whether the underlying type of t is string or a slice of bytes. The elements may
// have a named type, as in type B byte; var b []B.
func isBytes(t types.Type) bool {
	switch t := t.Underlying().(type) {
	case *types.Basic:
		return t.Kind() == types.String
	case *types.Slice:
		elem, ok := t.Elem().Underlying().(*types.Basic)
		return ok && elem.Kind() == types.Byte
	}
	return false
}

// Patterns splits the arguments of a directive, which may be quoted. For instance
// images/*.png "my file.txt" are two patterns.
//
// Any white space separates patterns outside quotes, as for the compiler.
func Patterns(text string) ([]string, error) {
	var list []string
	for text = strings.TrimSpace(text); text != ""; text = strings.TrimSpace(text) {
		if text[0] != '"' && text[0] != '`' {
			end := strings.IndexFunc(text, unicode.IsSpace)
			if end < 0 {
				end = len(text)
			}
			list, text = append(list, text[:end]), text[end:]
			continue
		}
		quoted, err := strconv.QuotedPrefix(text)
		if err != nil {
			return nil, err
		}
		word, err := strconv.Unquote(quoted)
		if err != nil {
			return nil, err
		}
		list, text = append(list, word), text[len(quoted):]
	}
	return list, nil
}

// embedded reads the files that the patterns match. The rules are those of package embed and of the
// go command: patterns are relative to the folder of the package, cannot leave it, and must match
// something. The prefix all: includes hidden files of folders. Files that would not be part of the
// module are not embedded.
//
// The files are read through tree, which may be a folder, a module in the program or a notebook's
// folder. For instance, with the files data/a.txt, data/_b.txt and data/c/go.mod the pattern data
// selects data/a.txt, the pattern all:data also data/_b.txt, and the pattern data/* is an error: it
// matches the folder data/c, which is another module.
func embedded(tree fs.FS, patterns []string) (map[string]string, error) {
	files := map[string]string{}
	for _, pattern := range patterns {
		glob, all := strings.CutPrefix(pattern, "all:")
		if glob == "." || !fs.ValidPath(glob) {
			return nil, fmt.Errorf("pattern %s: invalid pattern syntax", pattern)
		}
		matches, err := fs.Glob(tree, glob)
		if err != nil {
			return nil, fmt.Errorf("pattern %s: %w", pattern, err)
		}
		if len(matches) == 0 {
			return nil, fmt.Errorf("pattern %s: no matching files found", pattern)
		}
		for _, name := range matches {
			if err := embedMatch(files, tree, name, all); err != nil {
				return nil, fmt.Errorf("pattern %s: cannot embed %s: %w", pattern, name, err)
			}
		}
	}
	return files, nil
}

// embedMatch reads a file or folder that a pattern matches. A file that a pattern names itself is
// embedded although it is hidden. An irregular file, such as a link, is an error if a pattern
// matches it, and is omitted in a folder.
func embedMatch(files map[string]string, tree fs.FS, name string, all bool) error {
	for part := name; part != "."; part = path.Dir(part) {
		info, err := fs.Lstat(tree, part)
		switch {
		case err != nil:
			return err
		case unpackaged(path.Base(part)):
			return fmt.Errorf("invalid name %s", path.Base(part))
		case isModule(tree, part):
			return errors.New("in different module")
		case part != name && !info.IsDir():
			return fmt.Errorf("in non-directory %s", part)
		case !info.IsDir() && !info.Mode().IsRegular():
			return errors.New("irregular file")
		}
	}
	err := fs.WalkDir(tree, name, func(slashed string, d fs.DirEntry, err error) error {
		base := path.Base(slashed)
		switch {
		case err != nil:
			return err
		case slashed != name && (unpackaged(base) || !all && strings.ContainsAny(base[:1], "._")) || d.IsDir() && isModule(tree, slashed):
			if d.IsDir() {
				return fs.SkipDir
			}
			return nil
		case !d.Type().IsRegular():
			return nil
		}
		data, err := fs.ReadFile(tree, slashed)
		if err != nil {
			return err
		}
		files[slashed] = string(data)
		// Folders that contain the file appear in the embed.FS as well.
		for parent := path.Dir(slashed); parent != "."; parent = path.Dir(parent) {
			files[parent+"/"] = ""
		}
		return nil
	})
	_, isFile := files[name]
	_, isFolder := files[name+"/"]
	if err == nil && !isFile && !isFolder {
		return errors.New("contains no embeddable files")
	}
	return err
}

// unpackaged reports whether files of a name are not part of a module, because the name is not
// valid on all systems or is that of a version control system.
func unpackaged(name string) bool {
	return module.CheckFilePath(name) != nil || slices.Contains([]string{".bzr", ".hg", ".git", ".svn"}, name)
}

// isModule reports whether a folder has a go.mod, which begins another module. Its files are not
// embedded, because the module that embeds them would be published without them.
func isModule(tree fs.FS, folder string) bool {
	_, err := fs.Stat(tree, path.Join(folder, "go.mod"))
	return err == nil
}

// Names returns the sorted names of the files, without folders. It is what a copy of the package
// needs beside its Go files.
func (e Variable) Names() []string {
	var list []string
	for name := range e.Files {
		if !strings.HasSuffix(name, "/") {
			list = append(list, name)
		}
	}
	slices.Sort(list)
	return list
}
