package source

import (
	"bytes"
	"cmp"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"runtime"
	"strings"

	"gosphere/runtime/goembed"
)

// A pragma is a comment of the form //go:name in a program.
type pragma struct {
	pos   token.Pos // after the slashes, as the compiler shows it
	text  string    // without the slashes, such as "go:noinline"
	alone bool      // whether it is in a line of its own
}

// pragmasOf returns the pragmas of a file in their order.
func pragmasOf(fset *token.FileSet, f *ast.File, text []byte) (list []pragma) {
	file := fset.File(f.FileStart)
	for _, group := range f.Comments {
		for _, c := range group.List {
			rest, ok := strings.CutPrefix(c.Text, "//")
			if !ok || !strings.HasPrefix(rest, "go:") {
				continue
			}
			end := file.Offset(c.Pos())
			start := bytes.LastIndexByte(text[:end], '\n') + 1
			list = append(list, pragma{c.Pos() + 2, rest, len(bytes.TrimSpace(text[start:end])) == 0})
		}
	}
	return list
}

// functionPragmas are the directives that a function may have. The compiler ignores those that it
// does not know.
var functionPragmas = map[string]bool{
	"go:noescape": true, "go:norace": true, "go:nosplit": true, "go:noinline": true, "go:nocheckptr": true, "go:registerparams": true,
	"go:uintptrescapes": true, "go:cgo_unsafe_args": true,
}

// runtimePragmas are the directives that belong to the standard library, with the text that says
// so.
var runtimePragmas = map[string]string{
	"go:systemstack": "only allowed in runtime", "go:nowritebarrier": "only allowed in runtime", "go:nowritebarrierrec": "only allowed in runtime",
	"go:yeswritebarrierrec": "only allowed in runtime", "go:uintptrkeepalive": "is only allowed in the standard library",
}

// directiveErrors returns an error for each misused directive, in the words of the compiler, and
// records the functions and variables that directives link.
func (p *Package) directiveErrors() (list []error) {
	p.links = map[string]bool{}
	for i, f := range p.Files {
		for _, d := range p.pragmas[i] {
			if text := p.misused(f, d); text != "" {
				list = append(list, p.errorAt(d.pos, text))
			}
		}
	}
	for _, f := range p.Files {
		for _, d := range f.Decls {
			function, ok := d.(*ast.FuncDecl)
			if ok && function.Body != nil && function.Doc != nil && strings.Contains("\n"+commentLines(function.Doc), "\n//go:noescape\n") {
				list = append(list, p.errorAt(namePos(function), "can only use //go:noescape with external func implementations"))
			}
		}
	}
	return list
}

// commentLines returns the comments of a group, each with a line break.
func commentLines(group *ast.CommentGroup) string {
	var b strings.Builder
	for _, c := range group.List {
		b.WriteString(c.Text + "\n")
	}
	return b.String()
}

// misused returns what is wrong with a directive, or "".
func (p *Package) misused(f *ast.File, d pragma) string {
	const misplaced = "misplaced compiler directive"
	words := strings.Fields(d.text)
	verb := words[0]
	next := follower(f, d.pos)
	_, beforeFunction := next.(*ast.FuncDecl)
	switch {
	case !d.alone:
		return misplaced
	case verb == "go:embed" && (d.text == verb || strings.HasPrefix(d.text, "go:embed ")):
		return p.misusedEmbed(f, d, next)
	case verb == "go:linkname" && d.text != verb:
		return p.misusedLink(f, words)
	case verb == "go:wasmimport" && d.text != verb && len(words) != 3:
		return "usage: //go:wasmimport importmodule importname"
	case verb == "go:wasmexport" && d.text != verb && len(words) != 2:
		return "usage: //go:wasmexport exportname"
	case (verb == "go:wasmimport" || verb == "go:wasmexport") && runtime.GOARCH == "wasm" && !beforeFunction:
		return "misplaced " + verb + " directive"
	case verb == "go:cgo_import_dynamic" && len(words) >= 4:
		if library := strings.Trim(words[3], `"`); library != "" && !startsPlainly(library) {
			return fmt.Sprintf("invalid library name %q in cgo_import_dynamic directive", library)
		}
	case strings.HasPrefix(verb, "go:cgo_"):
		return "//" + d.text + " only allowed in cgo-generated code"
	case runtimePragmas[verb] != "":
		return "//" + verb + " " + runtimePragmas[verb]
	case functionPragmas[verb] && !beforeFunction, verb == "go:build" && d.pos > f.Package:
		return misplaced
	}
	return ""
}

// startsPlainly reports whether a word cannot be a flag of a command.
func startsPlainly(word string) bool {
	c := word[0]
	return '0' <= c && c <= '9' || 'A' <= c && c <= 'Z' || 'a' <= c && c <= 'z' || strings.IndexByte("._/", c) >= 0 || c >= 0x80
}

// follower returns what a directive at a position applies to: a function, the specification of a
// variable, constant, type or import, or nil for nothing. Within a function only specifications
// have directives, so that other uses are errors of their kind.
func follower(f *ast.File, pos token.Pos) ast.Node {
	if pos < f.Package {
		return nil
	}
	for _, d := range f.Decls {
		switch {
		case d.End() <= pos:
		case pos < d.Pos():
			if group, ok := d.(*ast.GenDecl); ok {
				if group.Lparen.IsValid() {
					return nil // the directive would belong to the group, and groups have none
				}
				return group.Specs[0]
			}
			return d
		default:
			return followerWithin(d, pos)
		}
	}
	return nil
}

// followerWithin returns the first specification after a position in a declaration, or nil.
func followerWithin(d ast.Decl, pos token.Pos) (found ast.Node) {
	ast.Inspect(d, func(n ast.Node) bool {
		if found != nil || n == nil || n.End() <= pos {
			return false
		}
		switch n := n.(type) {
		case ast.Spec:
			if n.Pos() > pos {
				found = n
				return false
			}
		case ast.Stmt:
			if _, declares := n.(*ast.DeclStmt); !declares && n.Pos() > pos {
				return false // a statement before the specification: the directive belongs to nothing
			}
		}
		return true
	})
	return found
}

// imports reports whether a file imports a package.
func imports(f *ast.File, path string) bool {
	for _, i := range f.Imports {
		if i.Path.Value == `"`+path+`"` {
			return true
		}
	}
	return false
}

// misusedEmbed returns what is wrong with a go:embed directive before its files are looked for, or
// "".
func (p *Package) misusedEmbed(f *ast.File, d pragma, next ast.Node) string {
	patterns, err := goembed.Patterns(strings.TrimPrefix(d.text, "go:embed"))
	spec, _ := next.(*ast.ValueSpec)
	switch {
	case err != nil:
		return "invalid quoted string in //go:embed:" + strings.TrimPrefix(d.text, "go:embed")
	case len(patterns) == 0:
		return "usage: //go:embed pattern..."
	case spec == nil || p.isConstant(spec):
		return "misplaced go:embed directive"
	case !imports(f, "embed"):
		return `go:embed requires import "embed" (or import _ "embed", if package is not used)`
	case len(spec.Names) > 1:
		return "go:embed cannot apply to multiple vars"
	case len(spec.Values) > 0:
		return "go:embed cannot apply to var with initializer"
	case !isPackageLevel(f, spec):
		return "go:embed cannot apply to var inside func"
	}
	return ""
}

// isConstant reports whether a specification declares constants.
func (p *Package) isConstant(spec *ast.ValueSpec) bool {
	_, ok := p.Info.Defs[spec.Names[0]].(*types.Const)
	return ok || spec.Names[0].Name == "_" && spec.Type == nil && len(spec.Values) == 0
}

// isPackageLevel reports whether a specification is outside of functions.
func isPackageLevel(f *ast.File, spec ast.Spec) bool {
	for _, d := range f.Decls {
		if group, ok := d.(*ast.GenDecl); ok {
			for _, s := range group.Specs {
				if s == spec {
					return true
				}
			}
		}
	}
	return false
}

// misusedLink returns what is wrong with a go:linkname directive, or "".
func (p *Package) misusedLink(f *ast.File, words []string) string {
	if len(words) < 2 || len(words) > 3 {
		return "usage: //go:linkname localname [linkname]"
	}
	local, remote := words[1], cmp.Or(strings.Join(words[2:], ""), words[1])
	switch {
	case !imports(f, "unsafe"):
		return `//go:linkname only allowed in Go files that import "unsafe"`
	case strings.Contains(remote, "[") && strings.Contains(remote, "]"):
		return "//go:linkname reference of an instantiation is not allowed"
	case p.links[local]:
		return "duplicate //go:linkname for " + local
	}
	switch p.Types.Scope().Lookup(local).(type) {
	case *types.Func, *types.Var:
		p.links[local] = true
		return ""
	}
	return "//go:linkname must refer to declared function or variable"
}
