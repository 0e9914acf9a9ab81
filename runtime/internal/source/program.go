package source

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"go/ast"
	"go/build"
	"go/scanner"
	"go/token"
	"go/types"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"gosphere/runtime/goembed"
)

// LoadProgram loads the package main in a folder under the given path. If files is nil, the build
// constraints select the files. The program's package is available under the path but cannot be
// imported. An error of the program's own files is a *ProgramError.
//
// The compiler would leave a missing function main to the linker, which has no position for it.
func (l *Loader) LoadProgram(ctx context.Context, path string, place Place, files []string) (*Package, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	in := &loading{Loader: l, ctx: ctx, program: path, files: files}
	p, err := in.read(path, place)
	if err != nil {
		return nil, programError(path, err)
	}
	if _, ok := p.Types.Scope().Lookup("main").(*types.Func); !ok {
		return nil, &ProgramError{Mistakes: []Mistake{{Message: "runtime.main_main·f: function main is undeclared in the main package"}}}
	}
	l.known.Lock()
	defer l.known.Unlock()
	l.keep(append(in.fresh, p))
	return p, nil
}

// A Mistake is an error at a position of a program. The position is that of no file if the whole
// program is wrong, as when it has no function main.
//
// The position and the message are apart, because the command line shows paths relative to the
// working directory, as the go command does.
type Mistake struct {
	token.Position
	Message string
}

// A ProgramError reports that a program does not compile.
type ProgramError struct {
	Mistakes []Mistake // sorted by position
	// Imports reports whether the mistakes are imports without a package or files to embed that do
	// not exist. The go command finds these before it compiles the program.
	Imports bool
}

// mostMistakes is the number of errors after which the compiler stops. Later ones often follow from
// the first, and a long list hides it.
const mostMistakes = 10

// Error returns the errors as the compiler prints them, one in a line.
func (e *ProgramError) Error() string {
	var lines []string
	for i, m := range e.Mistakes {
		if i == mostMistakes {
			lines = append(lines, "too many errors")
			break
		}
		line := m.Message
		if m.IsValid() {
			line = fmt.Sprintf("%v: %s", m.Position, m.Message)
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "\n")
}

// refusedPath returns why the go command refuses an import path in a program without looking for
// the package, or "". A program imports the folders of its module by the path of the module.
func refusedPath(path string) string {
	switch {
	case build.IsLocalImport(path):
		return fmt.Sprintf("%q is relative, but relative import paths are not supported in module mode", path)
	case strings.HasPrefix(path, "/"):
		return fmt.Sprintf("%q is not a package path; see 'go help packages'", path)
	case path == "" || strings.ContainsFunc(path, func(r rune) bool {
		return !unicode.IsGraphic(r) || unicode.IsSpace(r) || strings.ContainsRune("!\"#$%&'()*,:;<=>?[]^`{|}\\\uFFFD", r)
	}):
		return "invalid import path: " + path
	}
	return ""
}

// needsCgo are the packages of the standard library that are no use without cgo. Symbol tables
// cannot hold them.
var needsCgo = map[string]bool{"plugin": true, "runtime/cgo": true, "runtime/race": true, "runtime/msan": true, "runtime/asan": true}

// missingImport returns the error of an import in a program, in the words of the go command if no
// module provides the package. The advice for cells, to write %require, does not apply: a program
// names its modules in a go.mod file.
func (p *Package) missingImport(spec *ast.ImportSpec, path string, err error) Mistake {
	at := p.Fset.Position(spec.Pos())
	var unknown interface{ Missing() string }
	var nested *importError
	switch first, _, _ := strings.Cut(path, "/"); {
	case errors.As(err, &nested) || !errors.As(err, &unknown) || unknown.Missing() != path:
		return Mistake{at, err.Error()}
	case needsCgo[path]:
		return Mistake{at, "package " + path + " needs cgo, which gosphere does not have"}
	case !strings.Contains(first, ".") && slices.Contains(strings.Split(path, "/"), "internal"):
		return Mistake{at, "use of internal package " + path + " not allowed"}
	case !strings.Contains(first, "."):
		return Mistake{at, "package " + path + " is not in std"}
	case !inModule(p.Dir):
		return Mistake{at, "no required module provides package " + path + ": go.mod file not found in current directory or any parent directory; see 'go help modules'"}
	}
	return Mistake{at, "no required module provides package " + path + "; to add it:\n\tgo get " + path}
}

// inModule reports whether a folder or one that contains it has a go.mod file.
func inModule(dir string) bool {
	for {
		if info, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil && !info.IsDir() {
			return true
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return false
		}
		dir = parent
	}
}

// programError converts an error of the files of a program to a *ProgramError. It returns other
// errors, such as those of an imported package, as they are: the author of the program
// cannot correct these, and one error is enough to say that the package cannot be used.
//
// The checker finds errors in an order of its own, and reports an unused variable at the end of its
// function. They are sorted by position, so that a reader finds the first one first.
func programError(path string, err error) error {
	var list []error
	var broken *compileError
	var syntax scanner.ErrorList
	switch {
	case errors.As(err, &broken) && broken.path == path:
		list = broken.list
	case errors.As(err, &syntax) && !errors.As(err, new(*importError)):
		for _, e := range syntax {
			list = append(list, e)
		}
	default:
		return err // also a *ProgramError
	}
	found := &ProgramError{}
	for _, one := range list {
		var checked types.Error
		var parsed *scanner.Error
		var m Mistake
		switch {
		case errors.As(one, &checked):
			m = Mistake{checked.Fset.Position(checked.Pos), compilerText(checked.Msg)}
		case errors.As(one, &parsed):
			m = Mistake{parsed.Pos, syntaxText(parsed.Msg)}
		default:
			m = Mistake{Message: one.Error()}
		}
		// A message that begins with a tab continues the one before.
		if rest, ok := strings.CutPrefix(m.Message, "\t"); ok && len(found.Mistakes) > 0 {
			found.Mistakes[len(found.Mistakes)-1].Message += "\n\t" + fmt.Sprintf("%v: %s", m.Position, rest)
			continue
		}
		found.Mistakes = append(found.Mistakes, m)
	}
	slices.SortStableFunc(found.Mistakes, func(a, b Mistake) int {
		if a.Filename != b.Filename {
			return strings.Compare(a.Filename, b.Filename)
		}
		return a.Offset - b.Offset
	})
	return found
}

// compilerText returns the words of the compiler for an error of go/types, which has other ones for
// some errors of labels.
func compilerText(text string) string {
	label := strings.HasPrefix(text, "label ")
	switch {
	case label && strings.HasSuffix(text, " declared and not used"):
		return strings.TrimSuffix(text, " declared and not used") + " defined and not used"
	case text == "break not in for, switch, or select statement":
		return "break is not in a loop, switch, or select"
	case text == "continue not in for statement":
		return "continue is not in a loop"
	}
	return text
}

// Errors of literals and of single characters in the words of go/scanner and of the compiler, which
// does not call them syntax errors. An empty text stands for the same words.
var lexical = [][2]string{
	{"illegal byte order mark", "invalid BOM in the middle of the file"},
	{"illegal character NUL", "invalid NUL character"},
	{"illegal UTF-8 encoding", "invalid UTF-8 encoding"},
	{"illegal character ", "invalid character "},
	{"unknown escape sequence", "unknown escape"},
	{"raw string literal not terminated", "string not terminated"},
	{"string literal not terminated", "newline in string"},
	{"comment not terminated", ""},
	{"invalid digit ", ""},
	{"'_' must separate ", ""},
	{"hexadecimal mantissa requires ", ""},
	{"exponent has no digits", ""},
	{"can only use ... with final parameter", ""},
	{"invalid use of ...", ""},
	{"expression in defer must ", ""},
	{"expression in go must ", ""},
}

// syntaxText returns the compiler's text for an error of go/parser.
func syntaxText(text string) string {
	for _, pair := range lexical {
		if rest, ok := strings.CutPrefix(text, pair[0]); ok {
			return cmp.Or(pair[1], pair[0]) + rest
		}
	}
	return "syntax error: " + text
}

// embedMistake returns the error of a program for a wrong go:embed directive. The go command looks
// for the files, and the compiler checks the directive.
func embedMistake(fset *token.FileSet, comments []*ast.CommentGroup, wrong *goembed.Error) error {
	at := fset.Position(wrong.Pos)
	rest, isPattern := strings.CutPrefix(wrong.Message, "pattern ")
	pattern, _, _ := strings.Cut(rest, ":")
	at.Column += len("//")
	for _, group := range comments {
		for _, c := range group.List {
			if i := strings.Index(c.Text, " "+pattern); isPattern && c.Pos() == wrong.Pos && i > 0 {
				at.Column += i - 1
			}
		}
	}
	return &ProgramError{Mistakes: []Mistake{{at, wrong.Message}}, Imports: isPattern}
}

// A Directive is the rest of a comment such as //go:debug.
type Directive struct{ Text, Position string }

// Directives returns the comments that begin with a prefix, such as "//go:debug ", above the
// package clauses of the files. Their text is without the prefix. The go command ignores such
// comments below a package clause.
func (p *Package) Directives(prefix string) (list []Directive) {
	for _, f := range p.Files {
		for _, group := range f.Comments {
			if group.Pos() > f.Package {
				break
			}
			for _, c := range group.List {
				if text, ok := strings.CutPrefix(c.Text, prefix); ok {
					at := p.Fset.Position(c.Pos())
					list = append(list, Directive{strings.TrimSpace(text), fmt.Sprintf("%s:%d", at.Filename, at.Line)})
				}
			}
		}
	}
	return list
}

// withoutMark turns the first line of a script that begins with #! into a comment. It keeps the
// length of the text, and so the positions. The text is copied, because its tree may keep it.
func withoutMark(text []byte) []byte {
	if len(text) > 1 && text[0] == '#' && text[1] == '!' {
		text = slices.Clone(text)
		copy(text, "//")
	}
	return text
}

// OneFile returns a tree with one file, such as a program that was read from standard input, in
// place of those of a folder. The tree cannot be listed, so a directive that embeds other files is
// an error that names them.
func OneFile(name string, text []byte) fs.FS { return oneFile{name, text} }

type oneFile struct {
	name string
	text []byte
}

// Open implements fs.FS. The file cannot be listed or embedded.
func (f oneFile) Open(name string) (fs.File, error) {
	return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
}

// ReadFile implements fs.ReadFileFS.
func (f oneFile) ReadFile(name string) ([]byte, error) {
	if name == f.name {
		return f.text, nil
	}
	return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
}
