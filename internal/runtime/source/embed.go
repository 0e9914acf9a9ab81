package source

import (
	"fmt"
	"go/ast"
	"go/types"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// An Embed is a variable that a go:embed directive initializes. The linker fills the variable,
// which is a string, a []byte or an embed.FS, before the package is initialized. Folders are listed
// because embed.FS needs them. For instance //go:embed data over a folder with one file has the
// files "data/" and "data/a.txt".
type Embed struct {
	Var *types.Var
	// Files maps slash-separated names of files and folders to contents. The names of folders end
	// in a slash and have no content.
	Files map[string]string
}

// embeds records the go:embed directives of a declaration. The directive is in the comment of the
// declaration or, within parentheses, of the spec.
//
// The checks that the compiler makes, such as the import of package embed, are not repeated.
// Modules that are published have passed them.
func (p *Package) embeds(d *ast.GenDecl, tree fs.FS) error {
	for _, spec := range d.Specs {
		spec := spec.(*ast.ValueSpec)
		doc := spec.Doc
		if doc == nil && len(d.Specs) == 1 {
			doc = d.Doc
		}
		if doc == nil {
			continue
		}
		var patterns []string
		for _, c := range doc.List {
			if rest, ok := strings.CutPrefix(c.Text, "//go:embed"); ok && strings.HasPrefix(rest, " ") {
				list, err := splitPatterns(rest)
				if err != nil {
					return err
				}
				patterns = append(patterns, list...)
			}
		}
		// The compiler rejects a directive for several variables.
		if len(patterns) == 0 || len(spec.Names) != 1 {
			continue
		}
		files, err := embedded(tree, patterns)
		if err != nil {
			return fmt.Errorf("go:embed of %s: %w", spec.Names[0].Name, err)
		}
		p.Embeds = append(p.Embeds, Embed{p.variable(spec.Names[0].Name), files})
	}
	return nil
}

// splitPatterns splits the arguments of a directive, which may be quoted. For instance
// "images/*.png "my file.txt"" has two patterns.
//
// Any white space separates patterns outside quotes, as for the compiler.
func splitPatterns(text string) ([]string, error) {
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
			return nil, fmt.Errorf("go:embed %s: %w", text, err)
		}
		word, err := strconv.Unquote(quoted)
		if err != nil {
			return nil, err
		}
		list, text = append(list, word), text[len(quoted):]
	}
	return list, nil
}

// embedded reads the files that the patterns match. The rules are those of package embed: patterns
// are relative to the folder of the package, cannot leave it, and must match something. The prefix
// all: includes hidden files of folders.
//
// The files are read through tree, which may be a folder, a module in the program or a notebook's
// folder.
func embedded(tree fs.FS, patterns []string) (map[string]string, error) {
	files := map[string]string{}
	for _, pattern := range patterns {
		glob, all := strings.CutPrefix(pattern, "all:")
		if !fs.ValidPath(strings.TrimPrefix(glob, "all:")) {
			return nil, fmt.Errorf("pattern %s is not valid", pattern)
		}
		matches, err := fs.Glob(tree, glob)
		if err != nil {
			return nil, fmt.Errorf("pattern %s: %w", pattern, err)
		}
		if len(matches) == 0 {
			return nil, fmt.Errorf("pattern %s: no matching files", pattern)
		}
		for _, name := range matches {
			if err := embedTree(files, tree, name, all); err != nil {
				return nil, err
			}
		}
	}
	return files, nil
}

// embedTree reads a file or a folder. In folders, names that begin with a dot or an underscore are
// skipped unless all is set. A file that a pattern names itself is included although it is hidden.
func embedTree(files map[string]string, tree fs.FS, name string, all bool) error {
	if info, err := fs.Lstat(tree, name); err == nil && info.Mode()&fs.ModeSymlink != 0 {
		return fmt.Errorf("%s is not a regular file", name) // WalkDir follows a link that it begins with
	}
	return fs.WalkDir(tree, name, func(slashed string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		hidden := !all && slashed != name && strings.ContainsAny(path.Base(slashed)[:1], "._")
		switch {
		case d.IsDir() && hidden:
			return fs.SkipDir
		case d.IsDir() || hidden:
			return nil
		case !d.Type().IsRegular():
			return fmt.Errorf("%s is not a regular file", slashed)
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
}

// Names returns the sorted names of the files, without folders.
func (e Embed) Names() []string {
	var list []string
	for name := range e.Files {
		if !strings.HasSuffix(name, "/") {
			list = append(list, name)
		}
	}
	slices.Sort(list)
	return list
}
