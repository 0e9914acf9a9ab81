package agent

import (
	"context"
	"fmt"
	"go/token"
	"go/types"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"gosphere/kernel/protocol"
)

// manual are the tools that show documentation.
type manual struct{ *Agent }

type docArguments struct {
	Name     string `json:"name" jsonschema:"a package such as strings or gonum.org/v1/gonum/stat, a symbol such as strings.Cut or bytes.Buffer.Write, or a name of the session"`
	Notebook string `json:"notebook,omitempty" jsonschema:"notebook whose names are looked up in its running kernel"`
}

func (a manual) documentation(ctx context.Context, _ *mcp.CallToolRequest, in docArguments) (*mcp.CallToolResult, any, error) {
	name := strings.Trim(strings.TrimSpace(in.Name), `"`)
	if name == "" {
		return nil, nil, fmt.Errorf("name is empty: want a package, a symbol such as strings.Cut, or a name of the session")
	}
	if found, err := a.sessionDoc(ctx, name, in.Notebook); err != nil || found != "" {
		return a.bounded(found), nil, err
	}
	library := a.options.Packages.Library()
	if paths := a.paths(name); len(paths) > 0 {
		found, err := a.packageDoc(paths[0])
		if len(paths) > 1 {
			found += "\nOther packages of this name: " + strings.Join(paths[1:], ", ") + "\n"
		}
		return a.bounded(found), nil, err
	}
	// The path of a package may contain dots, so the longest prefix that is one decides.
	for i := strings.LastIndexByte(name, '.'); i > 0; i = strings.LastIndexByte(name[:i], '.') {
		for _, path := range a.paths(name[:i]) {
			p, err := library.Import(path)
			if err != nil {
				return nil, nil, err
			}
			if found := a.symbolDoc(p, name[i+1:]); found != "" {
				return a.bounded(found), nil, nil
			}
		}
	}
	return nil, nil, fmt.Errorf("no preloaded package, symbol or running session has the name %s; search_packages looks for words", name)
}

// paths returns the import paths that a name may mean.
func (a manual) paths(name string) []string {
	library := a.options.Packages.Library()
	if slices.Contains(library.Paths(), name) {
		return []string{name}
	}
	if strings.Contains(name, "/") {
		return nil
	}
	return library.PathsNamed(name)
}

// sessionDoc describes a name of a running kernel, or returns "".
func (a manual) sessionDoc(ctx context.Context, name, notebook string) (string, error) {
	path, err := a.pathOf(notebook)
	if err != nil {
		return "", err
	}
	k, err := a.runningKernel(path)
	if k == nil || err != nil {
		return "", err
	}
	if first, _, _ := strings.Cut(name, "."); !token.IsIdentifier(first) || len(a.paths(first)) > 0 {
		return "", nil
	}
	reply, err := k.client.Inspect(ctx, protocol.InspectRequest{Code: name, CursorPos: utf8.RuneCountInString(name), DetailLevel: 1})
	if err != nil || !reply.Found {
		return "", err
	}
	found, _ := reply.Data["text/plain"].(string)
	return found, nil
}

// packageDoc returns the documentation of a package and the declarations of its exported names.
func (a manual) packageDoc(path string) (string, error) {
	library := a.options.Packages.Library()
	p, err := library.Import(path)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	fmt.Fprintf(&b, "package %s // import %q\n\n%s\n", p.Name(), path, strings.TrimSpace(library.Doc(path, "")))
	for _, name := range p.Scope().Names() {
		if object := p.Scope().Lookup(name); object.Exported() {
			b.WriteString("\n" + declaration(object))
			if doc := firstSentence(library.Doc(path, name)); doc != "" {
				b.WriteString(" // " + doc)
			}
		}
	}
	return b.String() + "\n", nil
}

// symbolDoc returns the declaration and documentation of a name of a package, such as Cut or
// Buffer.Write, or "".
func (a manual) symbolDoc(p *types.Package, name string) string {
	first, member, isMember := strings.Cut(name, ".")
	object := p.Scope().Lookup(first)
	if object == nil || !object.Exported() {
		return ""
	}
	if isMember {
		found, _, _ := types.LookupFieldOrMethod(object.Type(), true, p, member)
		if found == nil || !found.Exported() {
			return ""
		}
		return declaration(found) + "\n\n" + a.options.Packages.Library().Doc(p.Path(), name)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "import %q\n\n%s\n\n%s\n", p.Path(), declaration(object), strings.TrimSpace(a.options.Packages.Library().Doc(p.Path(), first)))
	if named, ok := object.Type().(*types.Named); ok && object == named.Obj() {
		if structure, ok := named.Underlying().(*types.Struct); ok {
			for field := range structure.Fields() {
				if field.Exported() {
					fmt.Fprintf(&b, "\nfield %s %s", field.Name(), types.TypeString(field.Type(), shortly))
				}
			}
		}
		for method := range types.NewMethodSet(types.NewPointer(named)).Methods() {
			if method.Obj().Exported() {
				b.WriteString("\n" + declaration(method.Obj()))
			}
		}
	}
	return b.String() + "\n"
}

// declaration returns the declaration of an object on one line.
func declaration(object types.Object) string {
	if named, ok := object.(*types.TypeName); ok && !named.IsAlias() {
		kind := "type " + named.Name()
		switch under := named.Type().Underlying().(type) {
		case *types.Struct:
			return kind + " struct"
		case *types.Interface:
			return kind + " " + types.TypeString(under, shortly)
		default:
			return kind + " " + types.TypeString(under, shortly)
		}
	}
	return types.ObjectString(object, shortly)
}

// firstSentence returns the first sentence of a documentation on one line.
func firstSentence(doc string) string {
	doc, _, _ = strings.Cut(strings.TrimSpace(doc), "\n\n")
	doc = strings.Join(strings.Fields(doc), " ")
	if i := strings.Index(doc, ". "); i >= 0 {
		doc = doc[:i+1]
	}
	return doc
}

type searchArguments struct {
	Words string `json:"words" jsonschema:"words that a package path, the name of a symbol or the first sentence of its documentation must contain, such as median float64"`
}

// mostFound is the maximum number of lines of a search.
const mostFound = 50

func (a manual) searchPackages(ctx context.Context, _ *mcp.CallToolRequest, in searchArguments) (*mcp.CallToolResult, any, error) {
	words := strings.Fields(strings.ToLower(in.Words))
	if len(words) == 0 {
		return nil, nil, fmt.Errorf("words is empty: want words such as median float64")
	}
	contains := func(text string) bool {
		text = strings.ToLower(text)
		return !slices.ContainsFunc(words, func(w string) bool { return !strings.Contains(text, w) })
	}
	library := a.options.Packages.Library()
	var found []string
	for _, path := range library.Paths() {
		if ctx.Err() != nil {
			return nil, nil, ctx.Err()
		}
		p, err := library.Import(path)
		if err != nil {
			continue
		}
		if doc := firstSentence(library.Doc(path, "")); contains(path + " " + doc) {
			found = append(found, fmt.Sprintf("package %s // %s", path, doc))
		}
		for _, name := range p.Scope().Names() {
			object := p.Scope().Lookup(name)
			if !object.Exported() {
				continue
			}
			if doc := firstSentence(library.Doc(path, name)); contains(path + "." + name + " " + doc) {
				found = append(found, fmt.Sprintf("%s.%s // %s", path, name, doc))
			}
		}
	}
	switch {
	case len(found) == 0:
		return text("nothing found; try fewer or other words"), nil, nil
	case len(found) > mostFound:
		found = append(found[:mostFound], fmt.Sprintf("(%d more; add words)", len(found)-mostFound))
	}
	return a.bounded(strings.Join(found, "\n")), nil, nil
}
