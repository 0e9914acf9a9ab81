package graph

import (
	"cmp"
	"errors"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strconv"
	"strings"

	"gosphere/kernel/nbformat"
	"gosphere/runtime/cell"
	"gosphere/runtime/cell/magics"
	"gosphere/runtime/check"
)

// A Loader is implemented by packages that can fetch the modules of %require and load packages of
// modules.
type Loader interface {
	Load(requires, paths []string) error
}

// tagSkip is the tag of cells that are not run.
const tagSkip = "skip-execution"

// Build returns the graph of a notebook. Packages are those that its cells may import. A cell with
// the tag skip-execution is left out.
func Build(notebook *nbformat.Notebook, packages check.Packages) *Graph {
	b := &builder{packages: packages, checker: check.NewSession(packages), graph: &Graph{}}
	b.forget()
	for i, c := range notebook.Cells {
		if c.Type == nbformat.Code && strings.TrimSpace(c.Source) != "" && !c.HasTag(tagSkip) {
			b.cell(i+1, c)
		}
	}
	return b.graph
}

// A builder holds the state of a notebook after the cells so far.
type builder struct {
	packages check.Packages
	checker  *check.Session
	graph    *Graph

	names     map[string]*Name     // the latest declarations
	functions map[string]*effects  // of functions, methods, and variables that hold function literals
	types     map[string]*effects  // what declarations of types and constants mention
	values    map[string]*valueSet // functions that function values may be, by signature
	shares    sharing
	addressed map[string]bool    // variables to which something may refer
	imports   map[string]*Import // by path, the latest that is stated
}

// forget removes what the cells so far have declared.
func (b *builder) forget() {
	b.names, b.functions, b.types = map[string]*Name{}, map[string]*effects{}, map[string]*effects{}
	b.shares, b.imports, b.values, b.addressed = sharing{}, map[string]*Import{}, map[string]*valueSet{}, map[string]bool{}
}

// cell adds a cell.
func (b *builder) cell(number int, from *nbformat.Cell) {
	c := &Cell{Number: number, ID: from.ID, Source: from.Source}
	b.graph.Cells = append(b.graph.Cells, c)
	if magics.IsReset(from.Source) {
		b.checker.Reset()
		b.forget()
		c.Reset = true
		return
	}
	expansion, err := magics.ExpandAmong(strings.TrimPrefix(from.Source, "\ufeff"), b.checker.VariableType)
	if place := (*magics.PlaceError)(nil); errors.As(err, &place) {
		c.Errors = cell.Errors{{Cell: number, Line: place.Line, Column: place.Column, Message: place.Message}}
		return
	}
	parsed, err := cell.Parse(number, expansion.Source)
	if err != nil {
		c.fail(err, expansion.Shift)
		return
	}
	c.Declares = declared(parsed)
	if err := b.load(expansion, parsed); err != nil {
		at := expansion.Requires
		e := cell.Error{Cell: number, Line: 1, Column: 1, Message: err.Error()}
		if len(at) > 0 {
			e.Line, e.Column = at[0].Line, at[0].Column
		}
		c.Errors = cell.Errors{e}
		return
	}
	checked, err := b.checker.Check(parsed)
	if err != nil {
		c.fail(err, expansion.Shift)
		return
	}
	c.Checked = checked
	b.connect(c)
	b.checker.Commit(checked)
	shiftAll(c, expansion.Shift)
}

// fail records the errors of a cell. Columns are those of the text before magics were expanded.
func (c *Cell) fail(err error, shift map[int]int) {
	if !errors.As(err, &c.Errors) {
		c.Errors = cell.Errors{{Cell: c.Number, Line: 1, Column: 1, Message: err.Error()}}
	}
	for i := range c.Errors {
		e := &c.Errors[i]
		e.Column = max(e.Column-shift[e.Line], 1)
	}
}

// shiftAll makes the columns of a cell those of the text before magics were expanded.
func shiftAll(c *Cell, shift map[int]int) {
	if len(shift) == 0 {
		return
	}
	move := func(line int, column *int) { *column = max(*column-shift[line], 1) }
	for _, n := range c.Defines {
		move(n.Line, &n.Column)
	}
	for i := range c.Uses {
		move(c.Uses[i].Line, &c.Uses[i].Column)
	}
	for _, list := range [][]Effect{c.Reads, c.Changes} {
		for i := range list {
			move(list[i].Line, &list[i].Column)
		}
	}
	for i := range c.Unknown {
		move(c.Unknown[i].Line, &c.Unknown[i].Column)
	}
	for i := range c.Imports {
		move(c.Imports[i].Line, &c.Imports[i].Column)
	}
}

// load fetches the modules that a cell requires and loads the packages that it imports.
func (b *builder) load(expansion magics.Expansion, parsed *cell.Cell) error {
	loader, ok := b.packages.(Loader)
	if !ok {
		return nil
	}
	var requires, paths []string
	for _, r := range expansion.Requires {
		requires = append(requires, r.Modules...)
	}
	for _, spec := range parsed.Declarations.Imports {
		if path, err := strconv.Unquote(spec.Path.Value); err == nil {
			paths = append(paths, path)
		}
	}
	return loader.Load(requires, paths)
}

// declared returns the names that a cell declares according to its syntax.
func declared(c *cell.Cell) (list []string) {
	add := func(id *ast.Ident) {
		if id != nil && id.Name != "_" {
			list = append(list, id.Name)
		}
	}
	specs := func(d *ast.GenDecl) {
		for _, spec := range d.Specs {
			switch spec := spec.(type) {
			case *ast.TypeSpec:
				add(spec.Name)
			case *ast.ValueSpec:
				for _, name := range spec.Names {
					add(name)
				}
			}
		}
	}
	for _, d := range c.Declarations.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			if d.Recv == nil {
				add(d.Name)
			}
		case *ast.GenDecl:
			specs(d)
		}
	}
	if c.Body != nil {
		for _, s := range c.Body.Body.List {
			switch s := s.(type) {
			case *ast.AssignStmt:
				for _, left := range s.Lhs {
					if id, ok := left.(*ast.Ident); ok && s.Tok == token.DEFINE {
						add(id)
					}
				}
			case *ast.DeclStmt:
				if d, ok := s.Decl.(*ast.GenDecl); ok {
					specs(d)
				}
			}
		}
	}
	return list
}

// connect determines what a checked cell defines, uses, reads and changes.
func (b *builder) connect(c *Cell) {
	checked := c.Checked
	var defined []*Name
	var replaced map[string]*Name
	if c.quick {
		defined, replaced = b.defineQuickly(c)
	} else {
		defined, replaced = b.define(c)
		b.importsOf(c)
	}
	b.summarize(c)

	// The statements in order: names that one defines or assigns as a whole are not those of
	// earlier cells in the next one.
	whole := newEffects()
	own := map[string]bool{}
	for _, n := range defined {
		if n.Kind != check.Variable {
			own[n.Text] = true
		}
	}
	w := &walker{checked: checked, out: whole, own: own, defers: c.quick}
	assigned := func(s ast.Stmt) {
		b.addressOf(w.out)
		for _, id := range assignedWhole(s) {
			if name := w.nameOf(w.object(id)); name != "" {
				w.own[name] = true
				if !b.addressed[name] && !slices.ContainsFunc(w.out.shares, func(p [2]string) bool { return p[0] == name }) {
					b.shares.leave(name)
				}
			}
		}
	}
	statements := b.statements(checked)
	var parts []*effects // of the statements
	for _, s := range statements {
		if c.quick && len(statements) > 1 {
			w.out = newEffects()
			parts = append(parts, w.out)
		}
		if w.top = nil; c.quick {
			w.top, _ = s.(*ast.AssignStmt)
		}
		if begin := beginning(s); begin != nil {
			w.walk(begin)
			assigned(begin)
		}
		w.walk(s)
		assigned(s)
		if w.out != whole {
			whole.join(w.out)
		}
	}
	w.out = whole
	if checked.Value != nil {
		w.methodsOf(w.typeOf(checked.Value), checked.Value.Pos(), 0)
	}
	b.joinAll(whole.shares)
	b.linked(whole)
	b.holdLiterals(w, checked)
	b.keepLiterals(checked, whole)
	own = map[string]bool{}
	for _, n := range defined {
		own[n.Text] = true
	}
	earlier := func(name string) *Name {
		if own[name] {
			return replaced[name]
		}
		return b.names[name]
	}
	all := b.closure(whole, !c.quick)
	if !c.quick {
		b.uses(c, whole, all, earlier)
	}
	b.finish(c, whole, all, earlier)
	if parts != nil && len(c.Unknown) == 0 {
		b.divide(c, statements, parts)
	}
}

// statements returns the statements of a cell and the constants and variables that its declarations
// contain.
func (b *builder) statements(checked *check.Checked) (list []ast.Stmt) {
	if checked.Body == nil || checked.Body.Body == nil {
		return nil
	}
	return checked.Body.Body.List
}

// assignedWhole returns the variables that a statement at the top level of a cell assigns or
// defines as a whole.
func assignedWhole(s ast.Stmt) (list []*ast.Ident) {
	switch s := s.(type) {
	case *ast.AssignStmt:
		if s.Tok != token.ASSIGN && s.Tok != token.DEFINE {
			return nil
		}
		for _, left := range s.Lhs {
			if id, ok := ast.Unparen(left).(*ast.Ident); ok {
				list = append(list, id)
			}
		}
	case *ast.DeclStmt:
		if d, ok := s.Decl.(*ast.GenDecl); ok {
			for _, spec := range d.Specs {
				if spec, ok := spec.(*ast.ValueSpec); ok {
					list = append(list, spec.Names...)
				}
			}
		}
	}
	return list
}

// beginning returns the statement that runs first in an if, switch or for statement, or nil.
func beginning(s ast.Stmt) ast.Stmt {
	switch s := s.(type) {
	case *ast.IfStmt:
		return s.Init
	case *ast.SwitchStmt:
		return s.Init
	case *ast.TypeSwitchStmt:
		return s.Init
	case *ast.ForStmt:
		return s.Init
	}
	return nil
}

// define records the names that a cell declares, and returns them in the order of their positions,
// with the earlier declarations of the same names.
func (b *builder) define(c *Cell) (defined []*Name, replaced map[string]*Name) {
	checked := c.Checked
	seen := map[string]bool{}
	add := func(id *ast.Ident) {
		object := checked.Info.Defs[id]
		symbol := checked.SymbolOf(object)
		text := symbolName(symbol)
		if text == "" || seen[text] || strings.Contains(text, "__") || text == "init" {
			return
		}
		seen[text] = true
		n := &Name{Text: text, Kind: symbol.Kind, Cell: c.Number, symbol: symbol}
		n.Line, n.Column = c.Place(id.Pos())
		if object.Type() != nil {
			n.Type = types.TypeString(object.Type(), func(p *types.Package) string {
				if p.Path() == "main" {
					return ""
				}
				return p.Name()
			})
		}
		c.Defines = append(c.Defines, n)
	}
	inspect := func(n ast.Node) {
		ast.Inspect(n, func(n ast.Node) bool {
			if id, ok := n.(*ast.Ident); ok && checked.Info.Defs[id] != nil {
				add(id)
			}
			return true
		})
	}
	for _, d := range checked.Cell.Declarations.Decls {
		inspect(d)
	}
	for _, s := range b.statements(checked) {
		inspect(s)
	}
	slices.SortStableFunc(c.Defines, func(m, n *Name) int { return cmp.Or(m.Line-n.Line, m.Column-n.Column) })
	return c.Defines, b.enter(c)
}

// enter makes the names that a cell defines the latest ones, and returns those that they replace.
func (b *builder) enter(c *Cell) (replaced map[string]*Name) {
	for _, n := range c.Defines {
		if old := b.names[n.Text]; old != nil {
			old.Replaced = c.Number
			if replaced == nil {
				replaced = map[string]*Name{}
			}
			replaced[n.Text] = old
		}
		b.names[n.Text] = n
	}
	return replaced
}

// importsOf records the imports that a cell states and those that it uses.
func (b *builder) importsOf(c *Cell) {
	for _, spec := range c.Checked.Cell.Declarations.Imports {
		path, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			continue
		}
		i := Import{Path: path}
		if spec.Name != nil {
			i.Name = spec.Name.Name
		}
		i.Used = i.Name == "_" || i.Name == "."
		i.Line, i.Column = c.Place(spec.Pos())
		c.Imports = append(c.Imports, i)
	}
	for i := range c.Imports {
		b.imports[c.Imports[i].Path] = &c.Imports[i]
	}
	use := func(n ast.Node) {
		ast.Inspect(n, func(n ast.Node) bool {
			if id, ok := n.(*ast.Ident); ok {
				if p, ok := c.Checked.Info.Uses[id].(*types.PkgName); ok {
					if stated := b.imports[p.Imported().Path()]; stated != nil {
						stated.Used = true
					}
				}
			}
			return true
		})
	}
	for _, d := range c.Checked.Cell.Declarations.Decls {
		use(d)
	}
	for _, s := range b.statements(c.Checked) {
		use(s)
	}
}

// summarize records the effects of the functions that a cell declares, and what its types and
// constants mention.
func (b *builder) summarize(c *Cell) {
	for _, d := range c.Checked.Cell.Declarations.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			if name := symbolName(c.Checked.SymbolOf(c.Checked.Info.Defs[d.Name])); name != "" {
				e := functionEffects(c.Checked, d.Recv, d.Type, d.Body)
				b.functions[name] = e
				b.keepLiterals(c.Checked, e)
				b.joinAll(e.shares)
				b.addressOf(e)
				if f, ok := c.Checked.Info.Defs[d.Name].(*types.Func); ok {
					b.addValue(f.Signature(), name, e)
					b.results(c.Checked, name, f.Signature(), e)
				}
			}
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				e := newEffects()
				w := &walker{checked: c.Checked, out: e, own: map[string]bool{}}
				switch spec := spec.(type) {
				case *ast.TypeSpec:
					w.mention(spec.Type)
					b.types[spec.Name.Name] = e
				case *ast.ValueSpec:
					for _, v := range spec.Values {
						w.mention(v)
					}
					for _, name := range spec.Names {
						b.types[name.Name] = e
					}
				}
			}
		}
	}
}

// keepLiterals records the effects of the function literals that effects have collected.
func (b *builder) keepLiterals(checked *check.Checked, e *effects) {
	for _, literal := range e.literals {
		signature, ok := under(checked.Info.TypeOf(literal)).(*types.Signature)
		if !ok {
			continue
		}
		inner := functionEffects(checked, nil, literal.Type, literal.Body)
		inner.literals = nil // e has them, too
		b.joinAll(inner.shares)
		b.addressOf(inner)
		b.addValue(signature, "", inner)
	}
	e.literals = nil
}

// holdLiterals records the effects of function literals that the statements of a cell assign to
// session variables, so that calls of the variables have them.
func (b *builder) holdLiterals(w *walker, checked *check.Checked) {
	hold := func(left, right ast.Expr) {
		id, ok := ast.Unparen(left).(*ast.Ident)
		literal, isLiteral := ast.Unparen(right).(*ast.FuncLit)
		if !ok {
			return
		}
		name := w.nameOf(w.object(id))
		if _, function := under(w.typeOf(left)).(*types.Signature); name == "" || !function {
			return
		}
		if !isLiteral {
			delete(b.functions, name)
			return
		}
		b.functions[name] = functionEffects(checked, nil, literal.Type, literal.Body)
	}
	for _, s := range b.statements(checked) {
		ast.Inspect(s, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.AssignStmt:
				if len(n.Lhs) == len(n.Rhs) {
					for i := range n.Lhs {
						hold(n.Lhs[i], n.Rhs[i])
					}
				}
			case *ast.ValueSpec:
				if len(n.Names) == len(n.Values) {
					for i := range n.Names {
						hold(n.Names[i], n.Values[i])
					}
				}
			}
			return true
		})
	}
}

// uses sets the uses of a cell, and records which names are used.
func (b *builder) uses(c *Cell, whole *effects, all *closed, earlier func(string) *Name) {
	texts := newEffects() // of declarations, for what the text mentions
	for _, d := range c.Checked.Declarations {
		if !d.Again {
			(&walker{checked: c.Checked, out: texts, own: map[string]bool{}}).mention(d.Syntax)
		}
	}
	for _, e := range []*effects{whole, texts} {
		for _, m := range e.mentions {
			name, pos := m.name, m.pos
			n := b.names[name]
			if n == nil || n.Cell == c.Number && earlier(name) == nil {
				continue
			}
			if n.Cell == c.Number { // declared again below: the mention may be of the earlier one
				if pos >= positionOf(c, n) {
					continue
				}
				n = earlier(name)
			}
			u := Use{Name: n}
			u.Line, u.Column = c.Place(pos)
			c.Uses = append(c.Uses, u)
		}
	}
	for name := range all.mentions {
		if n := b.names[name]; n != nil {
			n.Used = true
		}
		if n := earlier(name); n != nil && n.Cell != c.Number {
			n.Used = true
		}
	}
	for _, m := range texts.mentions {
		name := m.name
		if n := b.names[name]; n != nil {
			n.Used = true
		}
	}
}

// finish sets the reads and changes of a cell.
func (b *builder) finish(c *Cell, whole *effects, all *closed, earlier func(string) *Name) {
	for name, r := range all.reads {
		n := b.names[name]
		if n != nil && n.Cell == c.Number {
			n = earlier(name) // the statement that defines it anew reads the earlier one
			if n == nil || !whole.readsDirectly(name) {
				continue
			}
		}
		if n == nil {
			continue
		}
		e := Effect{Name: n, Certain: r.certain, Why: r.why, Paths: r.paths}
		e.Line, e.Column = c.Place(r.pos)
		c.Reads = append(c.Reads, e)
	}
	b.deferred(c, whole, all, earlier)
	for name, r := range all.changes {
		n := b.names[name]
		if n == nil {
			continue
		}
		if n.Cell != c.Number && n.Kind == check.Variable {
			e := Effect{Name: n, Certain: r.certain, Updates: r.updates, Whole: r.whole, Why: r.why, Paths: r.paths}
			e.Line, e.Column = c.Place(r.pos)
			c.Changes = append(c.Changes, e)
		}
		if r.through || b.addressed[name] {
			b.changeOthers(c, name, r.pos, all)
		}
	}
	for _, n := range c.Defines {
		if b.addressed[n.Text] && earlier(n.Text) != nil { // it may be the same variable
			b.changeOthers(c, n.Text, token.NoPos, all)
		}
	}
	for i := range c.Reads {
		r := &c.Reads[i]
		if len(r.Paths) > 0 && slices.ContainsFunc(c.Changes, func(e Effect) bool { return e.Name == r.Name }) {
			r.Paths = nil
		}
	}
	for _, u := range all.unknown {
		line, column := c.Place(u.pos)
		c.Unknown = append(c.Unknown, Unknown{u.what, line, column})
	}
	if !c.quick {
		sortAll(c)
	}
}

// changeOthers adds possible changes of the variables that may refer to the same memory as a name.
func (b *builder) changeOthers(c *Cell, name string, pos token.Pos, all *closed) {
	for _, other := range b.shares.with(name, b.names) {
		o := b.names[other]
		if _, direct := all.changes[other]; direct || o.Cell == c.Number || o.Kind != check.Variable ||
			slices.ContainsFunc(c.Changes, func(e Effect) bool { return e.Name == o }) {
			continue
		}
		e := Effect{Name: o, By: name, Why: "by " + name + ", which may refer to the same memory"}
		e.Line, e.Column = c.Place(pos)
		c.Changes = append(c.Changes, e)
	}
}

// deferred adds the reads of names that function literals hold or that are only the base of places
// which are assigned to.
func (b *builder) deferred(c *Cell, whole *effects, all *closed, earlier func(string) *Name) {
	latest := func(name string) *Name {
		if n := b.names[name]; n != nil && n.Cell != c.Number {
			return n
		}
		return earlier(name)
	}
	for name, places := range whole.bases {
		if _, ok := all.reads[name]; !ok && latest(name) != nil {
			c.Reads = append(c.Reads, Effect{Name: latest(name), Certain: true, Places: places})
			all.reads[name] = reached{}
		}
	}
	for _, m := range whole.held {
		name := m.name
		if _, ok := all.reads[name]; !ok && latest(name) != nil {
			n := latest(name)
			c.Reads = append(c.Reads, Effect{Name: n, Certain: true, Held: n.Kind == check.Variable})
		}
	}
}

// positionOf returns the position of the declaration of a name in a cell.
func positionOf(c *Cell, n *Name) token.Pos {
	for id, object := range c.Checked.Info.Defs {
		if object != nil && symbolName(c.Checked.SymbolOf(object)) == n.Text {
			return id.Pos()
		}
	}
	return token.NoPos
}

// readsDirectly reports whether the statements themselves read a name.
func (e *effects) readsDirectly(name string) bool { return e.reads.has(name) }

// sortAll sorts the lists of a cell by position and name.
func sortAll(c *Cell) {
	slices.SortFunc(c.Uses, func(a, b Use) int {
		return cmp.Or(a.Line-b.Line, a.Column-b.Column, strings.Compare(a.Name.Text, b.Name.Text))
	})
	c.Uses = slices.CompactFunc(c.Uses, func(a, b Use) bool { return a.Name == b.Name })
	seen := map[*Name]bool{}
	c.Uses = slices.DeleteFunc(c.Uses, func(u Use) bool { again := seen[u.Name]; seen[u.Name] = true; return again })
	for _, list := range [][]Effect{c.Reads, c.Changes} {
		slices.SortFunc(list, func(a, b Effect) int {
			return cmp.Or(a.Line-b.Line, a.Column-b.Column, strings.Compare(a.Name.Text, b.Name.Text))
		})
	}
}
