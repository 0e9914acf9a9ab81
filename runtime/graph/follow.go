package graph

import (
	"go/ast"
	"go/token"
	"reflect"

	"gosphere/runtime/check"
)

// A Follower determines what the cells of a session do, one after another in the order in which
// they run. A cell that runs again counts as a new one.
type Follower struct{ builder *builder }

// NewFollower returns a follower of a session without declarations.
func NewFollower() *Follower {
	f := &Follower{&builder{}}
	f.Reset()
	return f
}

// Reset removes what the cells so far have declared.
func (f *Follower) Reset() { f.builder.forget() }

// Add returns what a cell does that the session has committed. The number must differ from those of
// all cells before. The result has no uses, imports and positions, and its lists are not sorted.
func (f *Follower) Add(number int, checked *check.Checked) *Cell {
	c := &Cell{Number: number, Checked: checked, quick: true}
	f.builder.connect(c)
	c.texts()
	c.Checked = nil // it is large, and a session keeps what it needs of it
	return c
}

// defineQuickly is like define, without positions and the texts of types.
func (b *builder) defineQuickly(c *Cell) (defined []*Name, replaced map[string]*Name) {
	add := func(symbol *check.Symbol) {
		if text := symbolName(symbol); text != "" && text != "init" {
			c.Defines = append(c.Defines, &Name{Text: text, Kind: symbol.Kind, Cell: c.Number, symbol: symbol})
		}
	}
	declared := func(id *ast.Ident) {
		if symbol := c.Checked.SymbolOf(c.Checked.Info.Defs[id]); symbol != nil {
			add(symbol)
		}
	}
	for _, d := range c.Checked.Cell.Declarations.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			declared(d.Name)
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				switch spec := spec.(type) {
				case *ast.TypeSpec:
					declared(spec.Name)
				case *ast.ValueSpec:
					for _, name := range spec.Names {
						declared(name)
					}
				}
			}
		}
	}
	for _, v := range c.Checked.Variables {
		add(v.Symbol)
	}
	return c.Defines, b.enter(c)
}

// texts sets the hashes of the texts of declarations.
func (c *Cell) texts() {
	text := func(id *ast.Ident, of ast.Node) {
		if name := symbolName(c.Checked.SymbolOf(c.Checked.Info.ObjectOf(id))); name != "" {
			if c.Texts == nil {
				c.Texts = map[string]uint64{}
			}
			c.Texts[name] = hashOf(of)
		}
	}
	for _, d := range c.Checked.Cell.Declarations.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			text(d.Name, d)
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				switch spec := spec.(type) {
				case *ast.TypeSpec:
					text(spec.Name, spec)
				case *ast.ValueSpec:
					for _, name := range spec.Names {
						text(name, d) // iota depends on the place in the group
					}
				}
			}
		}
	}
	if c.Checked.Body == nil {
		return
	}
	var literals []*ast.Ident
	for _, s := range c.Checked.Body.Body.List {
		if s, ok := s.(*ast.AssignStmt); ok && len(s.Lhs) == len(s.Rhs) {
			for i, left := range s.Lhs {
				id, named := left.(*ast.Ident)
				if literal, ok := s.Rhs[i].(*ast.FuncLit); ok && named {
					text(id, literal)
					literals = append(literals, id)
				}
			}
		}
	}
	for _, id := range literals {
		if assignments(c.Checked, id) > 1 { // the value may be another one
			delete(c.Texts, id.Name)
		}
	}
}

// assignments returns how often the statements of a cell assign to a variable.
func assignments(checked *check.Checked, of *ast.Ident) (n int) {
	variable := checked.Info.ObjectOf(of)
	ast.Inspect(checked.Body, func(node ast.Node) bool {
		switch node := node.(type) {
		case *ast.AssignStmt:
			for _, left := range node.Lhs {
				if id, ok := left.(*ast.Ident); ok && checked.Info.ObjectOf(id) == variable {
					n++
				}
			}
		case *ast.UnaryExpr:
			if id, ok := node.X.(*ast.Ident); ok && node.Op == token.AND && checked.Info.ObjectOf(id) == variable {
				n++
			}
		case *ast.RangeStmt:
			for _, left := range []ast.Expr{node.Key, node.Value} {
				if id, ok := left.(*ast.Ident); ok && checked.Info.ObjectOf(id) == variable {
					n++
				}
			}
		}
		return true
	})
	return n
}

// hashOf returns a hash of syntax without positions and comments. It is another one in another
// process.
func hashOf(n ast.Node) uint64 {
	h := uint64(14695981039346656037) // FNV-1a
	add := func(text string) {
		for i := range len(text) {
			h = (h ^ uint64(text[i])) * 1099511628211
		}
		h = (h ^ 0xff) * 1099511628211
	}
	token := func(t token.Token) { h = (h ^ uint64(t)) * 1099511628211 }
	ast.Inspect(n, func(n ast.Node) bool {
		if n == nil {
			token(1)
			return true
		}
		switch n := n.(type) {
		case *ast.CommentGroup:
			return false
		case *ast.Ident:
			add(n.Name)
			return true
		case *ast.BasicLit:
			add(n.Value)
			return true
		case *ast.BinaryExpr:
			token(n.Op)
		case *ast.UnaryExpr:
			token(n.Op)
		case *ast.AssignStmt:
			token(n.Tok)
		case *ast.IncDecStmt:
			token(n.Tok)
		case *ast.BranchStmt:
			token(n.Tok)
		case *ast.RangeStmt:
			token(n.Tok)
		case *ast.GenDecl:
			token(n.Tok)
		case *ast.CallExpr:
			h ^= uint64(min(n.Ellipsis, 1))
		case *ast.ChanType:
			h ^= uint64(n.Dir)
		case *ast.TypeSpec:
			h ^= uint64(min(n.Assign, 1))
		case *ast.SliceExpr:
			for i, e := range []ast.Expr{n.Low, n.High, n.Max} {
				if e != nil {
					h ^= 1 << i
				}
			}
		case *ast.ForStmt:
			for i, missing := range []bool{n.Init == nil, n.Cond == nil, n.Post == nil} {
				if missing {
					h ^= 1 << i
				}
			}
		}
		h = (h ^ uint64(reflect.ValueOf(reflect.TypeOf(n)).Pointer())) * 1099511628211 // the kind of the node
		return true
	})
	return h
}
