package assist

import (
	"go/types"
	"strings"
	"unicode"
	"unicode/utf8"

	"gosphere/runtime/check"
)

const (
	// mostDocumented is the maximum number of documented matches in a list, the best ones. Users
	// read no further, and more would take too long.
	mostDocumented = 300
	// mostSigned is the maximum number of matches with a signature.
	mostSigned = 500
	// mostPackages is the maximum number of packages in a list that are documented, because the
	// documentation of each is decompressed at first use.
	mostPackages = 10
)

// document sets the documentation of the matches that will be shown. It sorts first, since only the
// best matches are documented. It must be called within the probe, because it uses the objects.
func (f *finder) document() {
	if f.documented {
		return
	}
	f.best()
	for i := range min(len(f.matches), mostSigned) {
		if m := &f.matches[i]; m.object != nil {
			m.Signature = signatureOf(m.object)
		}
	}
	paths := f.packagePaths()
	for i := range min(len(f.matches), mostDocumented) {
		m := &f.matches[i]
		switch path := paths[m.Text]; {
		case m.object != nil:
			m.Doc = firstSentence(f.assistant.doc(f.probe, m.object))
		case path != "" && len(paths) <= mostPackages:
			m.Doc = firstSentence(f.assistant.packages.Doc(path, ""))
		}
	}
}

// packagePaths returns the paths of the packages among the matches, by name. An import in force
// decides for names that several packages have.
func (f *finder) packagePaths() map[string]string {
	wanted := map[string]bool{}
	for _, m := range f.matches {
		if m.Type == "module" && m.object == nil {
			wanted[m.Text] = true
		}
	}
	paths := map[string]string{}
	if len(wanted) == 0 || f.probe == nil {
		return paths
	}
	for _, path := range f.assistant.packages.Paths() {
		if name := packageName(path); wanted[name] && paths[name] == "" {
			paths[name] = path
		}
	}
	for name, path := range f.probe.Imports() {
		if wanted[name] {
			paths[name] = path
		}
	}
	return paths
}

// doc returns the documentation of an object. A method or field of an instance has the
// documentation of its origin. That of the package main is in the text of the cells.
func (a *Assistant) doc(p *check.Probe, object types.Object) string {
	switch o := object.(type) {
	case *types.PkgName:
		return a.packages.Doc(o.Imported().Path(), "")
	case *types.Builtin, *types.Nil:
		return predeclared[object.Name()]
	case *types.Func:
		object = o.Origin()
	}
	switch {
	case object.Pkg() == nil:
		return predeclared[object.Name()]
	case object.Pkg().Path() != "main":
		return a.packages.Doc(object.Pkg().Path(), a.docName(object))
	}
	return p.Doc(object)
}

// docName returns the name under which a member of a package is documented. A method is
// "Buffer.Write", a field "Point.X", and any other member has its own name.
func (a *Assistant) docName(o types.Object) string {
	switch o := o.(type) {
	case *types.Func:
		if receiver := o.Signature().Recv(); receiver != nil {
			if name := typeName(receiver.Type()); name != "" {
				return name + "." + o.Name()
			}
		}
	case *types.Var:
		if o.IsField() {
			if owner := a.fieldsOf(o.Pkg())[o.Origin()]; owner != "" {
				return owner + "." + o.Name()
			}
		}
	}
	return o.Name()
}

// fieldsOf returns, for each field in a compiled package, the name of its type. The result is
// cached, because compiled packages do not change. go/types does not record which type a field
// belongs to. A field that several types share, as in type A B, gets the first in alphabetical
// order.
func (a *Assistant) fieldsOf(p *types.Package) map[*types.Var]string {
	if known, ok := a.fields.Load(p); ok {
		return known.(map[*types.Var]string)
	}
	owners := map[*types.Var]string{}
	scope := p.Scope()
	for _, name := range scope.Names() {
		t, ok := scope.Lookup(name).(*types.TypeName)
		if !ok {
			continue
		}
		if structure, ok := t.Type().Underlying().(*types.Struct); ok {
			for field := range structure.Fields() {
				if owners[field] == "" {
					owners[field] = name
				}
			}
		}
	}
	a.fields.Store(p, owners)
	return owners
}

// firstSentence returns the beginning of a comment on one line: up to a period that follows a
// lower-case letter, a digit or a bracket, or up to the end of the paragraph. So the period in
// "e.g. a" and that of an initial, as in "R. Pike", end no sentence. For instance of "Sqrt returns
// the square root of x.\n\nSpecial cases are: ..." it is "Sqrt returns the square root of x.".
func firstSentence(comment string) string {
	paragraph, _, _ := strings.Cut(strings.TrimSpace(comment), "\n\n")
	text := strings.Join(strings.Fields(paragraph), " ")
	for at := 0; ; {
		stop := strings.Index(text[at:], ". ")
		if stop < 0 {
			return text
		}
		at += stop
		r, _ := utf8.DecodeLastRuneInString(text[:at])
		next, _ := utf8.DecodeRuneInString(text[at+2:])
		if !unicode.IsUpper(r) && !unicode.IsLower(next) {
			return text[:at+1]
		}
		at += 2
	}
}

// packageName derives the usual name of a package from its path. A major version suffix is not part
// of the name. The name in the package clause may differ, but reading it would import every
// package.
func packageName(path string) string {
	parts := strings.Split(path, "/")
	last := parts[len(parts)-1]
	if len(parts) > 1 && len(last) > 1 && last[0] == 'v' && strings.Trim(last[1:], "0123456789") == "" {
		last = parts[len(parts)-2]
	}
	return last
}
