package lsp

import (
	"errors"
	"go/ast"
	"go/scanner"
	"go/token"
	"go/types"
	"maps"
	"slices"
	"strconv"
	"strings"

	"gosphere/internal/notebook/imports"
	"gosphere/runtime/cell"
	"gosphere/runtime/cell/magics"
	"gosphere/runtime/check"
	"gosphere/runtime/session"
)

// An analysis checks the cells of a document in their order, as a session would, and checks again
// only what an edit can have changed.
type analysis struct {
	packages *imports.Packages
	live     *live // the cells of a running kernel, below which every cell is checked; or nil
	results  map[*cellText]*result
	prefixes []*prefix // the latest last
}

// A result is what the check of one cell has found.
type result struct {
	text     string
	errors   cell.Errors
	declares map[string]string // names that later cells can use, with their types; "" in a cell that does not compile
	mentions map[string]bool   // all identifiers
	resets   bool
	checked  *check.Checked // nil for a cell that does not compile
	shift    map[int]int    // by line from 1: columns by which Go was moved to the right
}

// A prefix is a checker that has accepted the first cells of a document.
type prefix struct {
	checker   *check.Session
	cells     int
	assistant *session.Assistant
}

// mostPrefixes is the maximum number of prefixes that are kept: one for the cell that is edited,
// and one for a cell that the user looks at.
const mostPrefixes = 2

func newAnalysis(packages *imports.Packages, kernel *live) *analysis {
	return &analysis{packages: packages, live: kernel, results: map[*cellText]*result{}}
}

// changed forgets what depends on the text of the cell with an index.
func (a *analysis) changed(index int) {
	a.prefixes = slices.DeleteFunc(a.prefixes, func(p *prefix) bool { return p.cells > index })
}

// before returns a checker with the cells above the one with an index. It continues the longest
// prefix that fits.
func (a *analysis) before(cells []*cellText, index int) *prefix {
	if a.live != nil {
		return a.live.prefix(a.packages)
	}
	var best *prefix
	for _, p := range a.prefixes {
		if p.cells <= index && (best == nil || p.cells > best.cells) {
			best = p
		}
	}
	if best == nil {
		checker := check.NewSession(a.packages)
		best = &prefix{checker, 0, session.NewAssistant(checker, a.packages)}
	}
	for ; best.cells < index; best.cells++ {
		a.accept(best.checker, cells[best.cells])
	}
	a.prefixes = append(slices.DeleteFunc(a.prefixes, func(p *prefix) bool { return p == best }), best)
	if len(a.prefixes) > mostPrefixes {
		a.prefixes = a.prefixes[1:]
	}
	return best
}

// accept checks a cell and adds what it declares to a checker.
func (a *analysis) accept(checker *check.Session, c *cellText) *result {
	r := a.check(checker, c)
	if r.resets {
		checker.Reset()
	} else if r.checked != nil {
		checker.Commit(r.checked)
	}
	return r
}

// check checks a cell. The checker does not change.
func (a *analysis) check(checker *check.Session, c *cellText) *result {
	r := &result{text: c.text, declares: map[string]string{}, mentions: map[string]bool{}}
	if !c.isCode || strings.TrimSpace(c.text) == "" {
		return r
	}
	if magics.IsReset(c.text) {
		r.resets = true
		return r
	}
	expansion, err := magics.ExpandAmong(c.text, checker.VariableType)
	if place := (*magics.PlaceError)(nil); errors.As(err, &place) {
		r.errors = cell.Errors{{Cell: c.number, Line: place.Line, Column: place.Column, Message: place.Message}}
		return r
	}
	r.shift = expansion.Shift
	r.mention(expansion.Source)
	parsed, err := cell.Parse(c.number, expansion.Source)
	if err != nil {
		r.fail(c, err)
		for _, name := range declaredIn(expansion.Source) {
			r.declares[name] = ""
		}
		return r
	}
	if err := a.load(expansion, parsed); err != nil {
		parsed.Forget()
		r.errors = cell.Errors{{Cell: c.number, Line: 1, Column: 1, Message: err.Error()}}
		if len(expansion.Requires) > 0 {
			r.errors[0].Line, r.errors[0].Column = expansion.Requires[0].Line, expansion.Requires[0].Column
		}
		return r
	}
	r.checked, err = checker.Check(parsed)
	if err != nil {
		r.checked = nil
		r.fail(c, err)
		for _, name := range declaredIn(expansion.Source) {
			r.declares[name] = ""
		}
		parsed.Forget()
		return r
	}
	r.declare()
	return r
}

// mention records all identifiers of a text.
func (r *result) mention(source string) {
	var s scanner.Scanner
	s.Init(token.NewFileSet().AddFile("", -1, len(source)), []byte(source), func(token.Position, string) {}, 0)
	for {
		_, kind, literal := s.Scan()
		switch kind {
		case token.EOF:
			return
		case token.IDENT:
			r.mentions[literal] = true
		}
	}
}

// fail records errors, with the columns of the text before magics were expanded.
func (r *result) fail(c *cellText, err error) {
	if !errors.As(err, &r.errors) {
		r.errors = cell.Errors{{Cell: c.number, Line: 1, Column: 1, Message: err.Error()}}
	}
	r.errors = slices.Clone(r.errors)
	for i := range r.errors {
		e := &r.errors[i]
		e.Column = max(e.Column-r.shift[e.Line], 1)
	}
}

// load fetches the modules that a cell requires and loads the packages that it imports.
func (a *analysis) load(expansion magics.Expansion, parsed *cell.Cell) error {
	var requires, paths []string
	for _, r := range expansion.Requires {
		requires = append(requires, r.Modules...)
	}
	for _, spec := range parsed.Declarations.Imports {
		if path, err := strconv.Unquote(spec.Path.Value); err == nil {
			paths = append(paths, path)
		}
	}
	if len(requires) == 0 && len(paths) == 0 {
		return nil
	}
	return a.packages.Load(requires, paths)
}

// declare records what later cells can use of a cell that compiles: if the texts are the same after
// an edit, no other cell is checked again.
func (r *result) declare() {
	c := r.checked
	for id, object := range c.Info.Defs {
		if object == nil || object.Name() == "_" {
			continue
		}
		symbol := c.SymbolOf(object)
		if symbol == nil || strings.Contains(object.Name(), "__") {
			continue
		}
		name := object.Name()
		if symbol.Receiver != nil {
			name = symbol.Receiver.Name // uses of a method mention its type, or a variable that has it
		}
		text := signatureOf(object)
		if syntax, ok := symbol.Syntax.(*ast.TypeSpec); ok && syntax.Name == id {
			text = types.TypeString(object.Type().Underlying(), nil) + " " + text
		}
		r.declares[name] += object.Name() + " " + text + "\n"
	}
	for _, i := range c.Imports {
		if !i.Added {
			r.declares[i.Name] += "import " + i.Path
		}
	}
	for name, text := range r.declares { // the order of a map is random
		lines := strings.Split(text, "\n")
		slices.Sort(lines)
		r.declares[name] = strings.Join(lines, "\n")
	}
}

// signatureOf describes the type of an object, and the value of a constant.
func signatureOf(object types.Object) string {
	text := types.TypeString(object.Type(), nil)
	if constant, ok := object.(*types.Const); ok {
		text += " " + constant.Val().ExactString()
	}
	return text
}

// declaredIn returns the names that a text which may not compile probably declares.
func declaredIn(source string) (names []string) {
	for _, piece := range cell.Pieces(source) {
		words := strings.FieldsFunc(source[piece.Code:piece.CodeEnd], func(r rune) bool { return strings.ContainsRune(" \t\n,()[]{}", r) })
		switch {
		case len(words) < 2:
		case words[0] == "func" || words[0] == "type" || words[0] == "var" || words[0] == "const":
			names = append(names, words[1])
		default:
			for _, w := range words {
				if strings.HasPrefix(w, ":=") {
					break
				}
				if !token.IsIdentifier(w) {
					names = nil
					break
				}
				names = append(names, w)
			}
		}
	}
	return names
}

// update checks the cells whose results an edit of the cell with an index may have changed: the
// cell, and those below it that depend on what it declares. It returns these cells.
func (a *analysis) update(cells []*cellText, index int) []*cellText {
	c := cells[index]
	old := a.results[c]
	now := a.check(a.before(cells, index).checker, c)
	a.results[c] = now
	done := []*cellText{c}
	if a.live != nil {
		return done
	}
	if old == nil || old.resets != now.resets || strings.Contains(c.text, "%require") {
		return a.from(cells, index)
	}
	changed := map[string]bool{}
	for name := range maps.Keys(old.declares) {
		changed[name] = old.declares[name] != now.declares[name]
	}
	for name := range maps.Keys(now.declares) {
		text, was := old.declares[name]
		changed[name] = !was || text != now.declares[name]
	}
	maps.DeleteFunc(changed, func(_ string, differs bool) bool { return !differs })
	if len(changed) == 0 {
		return done
	}
	affected := a.affected(cells, index, changed)
	needed := a.needed(cells, index, affected)
	checker := check.NewSession(a.packages)
	for i, other := range cells {
		if !needed[i] && !affected[i] && i != index {
			continue
		}
		r := a.accept(checker, other)
		if affected[i] {
			a.results[other] = r
			done = append(done, other)
		}
	}
	return done
}

// affected returns the indices of the cells below one that may use changed names, directly or by
// what they declare themselves. It adds names to changed.
func (a *analysis) affected(cells []*cellText, index int, changed map[string]bool) map[int]bool {
	found := map[int]bool{}
	for i := index + 1; i < len(cells); i++ {
		r := a.results[cells[i]]
		if r == nil || len(r.errors) > 0 || mentionsAny(r, changed) {
			found[i] = true
			if r != nil {
				for name := range r.declares {
					changed[name] = true
				}
			}
		}
	}
	return found
}

// needed returns the indices of the cells that must be checked so that the affected ones can be:
// those that declare what they mention, and so on.
func (a *analysis) needed(cells []*cellText, index int, affected map[int]bool) map[int]bool {
	found, names := map[int]bool{}, map[string]bool{}
	want := func(i int) {
		if r := a.results[cells[i]]; r != nil {
			maps.Copy(names, r.mentions)
		}
	}
	for i := len(cells) - 1; i >= 0; i-- {
		r := a.results[cells[i]]
		switch {
		case i == index || affected[i]:
			want(i)
		case r == nil || r.resets || declaresAny(r, names):
			found[i] = true
			want(i)
		}
	}
	return found
}

func mentionsAny(r *result, names map[string]bool) bool {
	for name := range names {
		if r.mentions[name] {
			return true
		}
	}
	return false
}

func declaresAny(r *result, names map[string]bool) bool {
	for name := range r.declares {
		if names[name] {
			return true
		}
	}
	return false
}

// from checks all cells from the one with an index on.
func (a *analysis) from(cells []*cellText, index int) []*cellText {
	for i := index; i < len(cells); i++ {
		a.results[cells[i]] = a.check(a.before(cells, i).checker, cells[i])
	}
	return slices.Clone(cells[index:])
}

// replay checks all cells with one checker, whose symbols and objects can then be compared between
// cells.
func (a *analysis) replay(cells []*cellText) (*check.Session, []*result) {
	checker := check.NewSession(a.packages)
	list := make([]*result, len(cells))
	for i, c := range cells {
		list[i] = a.accept(checker, c)
	}
	return checker, list
}
