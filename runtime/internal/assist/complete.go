package assist

import (
	"cmp"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"
	"unicode/utf8"

	"gosphere/kernel/protocol"
	"gosphere/runtime/cell"
	"gosphere/runtime/check"
)

// A Match is a single completion. Matches in the cache of a package are copied, so a caller may
// change them. For instance the completion of "math.Sq" has the match with the text Sqrt, the type
// function and the signature func(x float64) float64.
type Match struct {
	Text string // replaces the code from the completion's Start to its End
	// Type is the kind of the match, in the terms for which JupyterLab has icons: module, function,
	// method, field, variable, constant, struct, interface, class (other types), keyword; or path
	// for a file.
	Type      string
	Signature string // Go type or signature; empty for keywords and packages
	Fits      bool   // has the type expected at the cursor
	// Doc is the first sentence of its documentation.
	Doc string

	object types.Object // nil if there is none
}

// A Completion is the answer to Complete. Start and End are in code points. End is the cursor and
// not the end of the word, so the client keeps what follows.
type Completion struct {
	Matches    []Match
	Start, End int
}

// Texts returns the texts of the matches.
func (c Completion) Texts() []string {
	list := make([]string, len(c.Matches))
	for i, m := range c.Matches {
		list[i] = m.Text
	}
	return list
}

// Reply returns the completion as a reply of the protocol, with the types of the matches in the
// metadata that JupyterLab reads. JupyterLab requests documentation by an inspection; other clients
// use the documentation in the metadata.
func (c Completion) Reply() protocol.CompleteReply {
	return protocol.CompleteReply{Status: "ok", Matches: c.Texts(), CursorStart: c.Start, CursorEnd: c.End,
		Metadata: map[string]any{protocol.TypedMatches: c.Typed()}}
}

// Typed returns the matches in the form of the protocol.
func (c Completion) Typed() []protocol.TypedMatch {
	list := make([]protocol.TypedMatch, len(c.Matches))
	for i, m := range c.Matches {
		list[i] = protocol.TypedMatch{Text: m.Text, Type: m.Type, Signature: m.Signature, Documentation: m.Doc, Start: c.Start, End: c.End}
	}
	return list
}

// Complete returns the completions of the identifier before the cursor. Names with the same case
// come first; if there are none, case is ignored.
func (a *Assistant) Complete(code string, cursor int) Completion {
	return a.CompleteWithin(code, cursor, nil)
}

// CompleteWithin is like Complete for code that a debugger evaluates in a function. The names of
// the given objects come before those of the session. The word at the cursor is replaced by a
// placeholder, because a prefix may denote something else: in "fmt.Print|ln" it is a complete name.
// The checker then types everything around the placeholder.
//
// In a string, names of files are completed; in the path of an import, import paths; in a comment,
// nothing.
func (a *Assistant) CompleteWithin(code string, cursor int, around []types.Object) Completion {
	offset := byteOffset(code, cursor)
	where, quoted := surroundingOf(code, offset)
	start, end := wordAround(code, offset)
	switch where {
	case inImportPath:
		start = quoted
	case inString:
		// Only the last element of a path is completed, so that the client displays short names.
		start = quoted + strings.LastIndex(code[quoted:offset], "/") + 1
	}
	f := &finder{assistant: a, around: around, prefix: code[start:offset], seen: map[string]bool{}}
	switch where {
	case inCode:
		if draft := parseDraft(code[:start]+placeholder+code[end:], start+len(placeholder)); draft != nil {
			path := cursorIn(draft)
			a.session.ProbeWithin(draft, around, func(p *check.Probe) {
				f.find(p, path)
				f.document()
			})
			draft.Forget()
		}
	case inImportPath:
		for _, path := range a.packages.Paths() {
			f.add(path, "module")
		}
	case inString:
		f.addPaths(code[quoted:offset])
	}
	return Completion{Matches: f.best(), Start: utf8.RuneCountInString(code[:start]), End: utf8.RuneCountInString(code[:offset])}
}

// A finder collects matching names. It serves one request. Names are added from the nearest scope
// outward, and only the first of each name counts, as in Go.
type finder struct {
	assistant  *Assistant
	around     []types.Object // see CompleteWithin
	prefix     string
	probe      *check.Probe
	expected   types.Type // type expected at the cursor, nil if unknown
	matches    []Match
	ordered    bool // the matches are sorted
	documented bool // the matches have signatures and documentation
	seen       map[string]bool
}

// add adds a name if it begins with the prefix, ignoring case. Names that this program generates
// and the blank identifier are not offered.
func (f *finder) add(text, kind string) {
	if f.seen[text] || len(text) < len(f.prefix) || !strings.EqualFold(text[:len(f.prefix)], f.prefix) || strings.HasPrefix(text, "cell__") || text == "_" {
		return
	}
	f.seen[text] = true
	f.matches = append(f.matches, Match{Text: text, Type: kind})
}

// addObject adds the name of an object, and reports in the match whether its type fits.
func (f *finder) addObject(object types.Object) {
	before := len(f.matches)
	f.add(object.Name(), kindOf(object))
	if len(f.matches) > before {
		f.matches[before].Fits, f.matches[before].object = f.fits(object), object
	}
}

// best returns the matches in order. If any match has the case of the prefix, only those are
// returned. Ranks are computed once for each match, because folding case in every comparison would
// dominate the sorting of thousands of names.
func (f *finder) best() []Match {
	if f.ordered {
		return f.matches
	}
	type place struct {
		rank string
		at   int
	}
	var exact, all []place
	for i, m := range f.matches {
		p := place{rank(m), i}
		all = append(all, p)
		if strings.HasPrefix(m.Text, f.prefix) {
			exact = append(exact, p)
		}
	}
	if len(exact) == 0 {
		exact = all
	}
	slices.SortFunc(exact, func(a, b place) int { return cmp.Or(strings.Compare(a.rank, b.rank), a.at-b.at) })
	list := make([]Match, len(exact))
	for i, p := range exact {
		list[i] = f.matches[p.at]
	}
	f.matches, f.ordered = list, true
	return list
}

// rank orders the kinds of matches: those of the expected type first, then names of the user, then
// those of Go. Within a kind the order is alphabetical without regard to case. For instance at
// strings.Repeat("a", |) a variable of type int comes before one of type string, whatever their
// names.
func rank(m Match) string {
	order := "1"
	if m.Fits {
		return " " + strings.ToLower(m.Text)
	}
	switch m.Type {
	case "field", "method":
		order = "0"
	case "module":
		order = "2"
	case "keyword":
		order = "3"
	}
	return order + strings.ToLower(m.Text)
}

// cursorIn finds the placeholder in a draft and returns the nodes from the file to it. After a dot
// it renames the placeholder to an invalid name, because the checker would search all members for
// one of similar spelling. The path is nil if the placeholder was cut off when the cell was
// repaired.
func cursorIn(draft *cell.Cell) (path []ast.Node) {
	for _, file := range []*ast.File{draft.Declarations, draft.Statements} {
		var stack []ast.Node
		ast.Inspect(file, func(n ast.Node) bool {
			if n == nil {
				stack = stack[:len(stack)-1]
				return true
			}
			stack = append(stack, n)
			if ident, ok := n.(*ast.Ident); ok && ident.Name == placeholder && path == nil {
				path = append([]ast.Node(nil), stack...)
			}
			return true
		})
	}
	if len(path) > 1 {
		if selector, ok := path[len(path)-2].(*ast.SelectorExpr); ok && selector.Sel == path[len(path)-1] {
			selector.Sel.Name += "?"
		}
	}
	return path
}

// find adds the names that can be written at the end of a path of nodes. After a dot only members
// are possible. Otherwise the placeholder is an operand, a statement, or the key or value of a
// literal.
func (f *finder) find(probe *check.Probe, path []ast.Node) {
	f.probe = probe
	if path == nil {
		return
	}
	ident := path[len(path)-1].(*ast.Ident)
	f.expected = f.expectedAt(path)
	if len(path) > 1 {
		if selector, ok := path[len(path)-2].(*ast.SelectorExpr); ok && selector.Sel == ident {
			// The type is expected of the whole selector.
			f.expected = f.expectedAt(path[:len(path)-1])
			f.addMembers(selector.X)
			return
		}
	}
	f.addLiteralFields(path)
	f.addNames(ident.Pos())
}

// addMembers adds the members that can follow the dot after x. If the checker could not type x,
// there are none.
func (f *finder) addMembers(x ast.Expr) {
	if name, ok := x.(*ast.Ident); ok {
		if imported, ok := f.probe.Info.Uses[name].(*types.PkgName); ok {
			f.addPackageMembers(imported.Imported())
			return
		}
	}
	if t := f.probe.Info.TypeOf(x); t != nil {
		for _, member := range members(t) {
			f.addObject(member)
		}
	}
}

// addLiteralFields adds the fields of a struct literal if the placeholder is one of its elements or
// keys. For instance in image.Point{X|} the fields X and Y are added. They come in addition to
// names, because an element without a key is also possible. A pointer is that of []*T{{X|}}, whose
// elements have no type of their own.
func (f *finder) addLiteralFields(path []ast.Node) {
	parent := len(path) - 2
	if pair, ok := path[parent].(*ast.KeyValueExpr); ok && pair.Key == path[len(path)-1] {
		parent--
	}
	literal, ok := path[parent].(*ast.CompositeLit)
	if !ok || literal.Type == path[len(path)-1] {
		return
	}
	t := f.probe.Info.TypeOf(literal)
	if t == nil {
		return
	}
	if pointer, ok := t.Underlying().(*types.Pointer); ok {
		t = pointer.Elem()
	}
	f.addKeys(t, t)
}

// addKeys adds the fields of a struct type that can be keys of a literal of type t: its own, and
// those that embedded structs promote.
func (f *finder) addKeys(of, t types.Type) {
	structure, ok := of.Underlying().(*types.Struct)
	if !ok {
		return
	}
	for field := range structure.Fields() {
		found, _, indirect := types.LookupFieldOrMethod(t, false, field.Pkg(), field.Name())
		if visible(field) && found == field && !indirect {
			f.addObject(field)
		}
		if field.Embedded() {
			f.addKeys(field.Type(), t)
		}
	}
}

// addNames adds the names that can begin an expression or statement at pos: local ones, those of
// the cell and the session, imports, predeclared names, packages that would be imported
// automatically, and keywords. Without a prefix the last three groups are omitted: hundreds of
// names would hide those of the user.
//
// LookupParent excludes variables that are declared after pos.
func (f *finder) addNames(pos token.Pos) {
	for scope := f.probe.Scope(pos); scope != nil && scope != types.Universe; scope = scope.Parent() {
		for _, name := range scope.Names() {
			if _, object := scope.LookupParent(name, pos); object != nil && !check.IsMust(object) {
				f.addObject(object)
			}
		}
	}
	for _, object := range f.around {
		f.addObject(object)
	}
	for _, object := range f.probe.Variables() {
		f.addObject(object)
	}
	for _, symbol := range f.probe.Symbols() {
		f.addObject(symbol.Object)
	}
	for name := range f.probe.Imports() {
		f.add(name, "module")
	}
	if f.prefix == "" {
		return
	}
	for _, name := range types.Universe.Names() {
		f.addObject(types.Universe.Lookup(name))
	}
	if must := f.probe.Must(); must != nil {
		f.addObject(must)
	}
	for _, path := range f.assistant.packages.Paths() {
		f.add(packageName(path), "module")
	}
	for tok := token.BREAK; tok <= token.VAR; tok++ {
		f.add(tok.String(), "keyword")
	}
}
