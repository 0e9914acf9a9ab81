package check

import (
	"go/ast"
	"go/token"

	"gosphere/runtime/cell"
)

// A survey describes the names in a cell as far as syntax alone determines them. It is made before
// type checking, because the checker needs to know which names are session variables. For instance
// the cell
//
//	type T struct{}
//	func (T) M() {}
//	for i := range 3 { y := i }
//	x, z := 1, 2
//
// declares T, has the function M and defines the variables x and z; i and y are local.
type survey struct {
	imports  []*ast.ImportSpec
	declared map[string]bool // package-level names of declarations
	// variables contains the names that the statements define at their top level or, in a program,
	// the package variables.
	variables map[string]bool
	order     []string             // variables, in order of appearance
	places    map[token.Pos]bool   // positions of identifiers that define variables
	first     map[string]token.Pos // first definition of each variable
	declaring map[string]token.Pos // first declaration of each name in declared
	functions []*ast.FuncDecl
	constants map[*ast.ValueSpec]*ast.GenDecl
}

// newSurvey examines the declarations and the top-level statements of a cell.
func newSurvey(c *cell.Cell) *survey {
	s := &survey{declared: map[string]bool{}, variables: map[string]bool{},
		places: map[token.Pos]bool{}, first: map[string]token.Pos{}, declaring: map[string]token.Pos{}, constants: map[*ast.ValueSpec]*ast.GenDecl{}}
	for _, declaration := range c.Declarations.Decls {
		switch d := declaration.(type) {
		case *ast.FuncDecl:
			s.functions = append(s.functions, d)
			if d.Recv == nil && d.Name.Name != "init" {
				s.declare(d.Name)
			}
		case *ast.GenDecl:
			s.addGroup(d)
		}
	}
	for _, statement := range c.Body.Body.List {
		s.addStatement(statement)
	}
	return s
}

// declare records a name that is declared at package level.
func (s *survey) declare(name *ast.Ident) {
	if name.Name != "_" {
		if !s.declared[name.Name] {
			s.declaring[name.Name] = name.Pos()
		}
		s.declared[name.Name] = true
	}
}

// define records an identifier that defines a variable.
//
// The first position is what a hint refers to if a statement uses the name too early.
func (s *survey) define(name *ast.Ident) {
	s.places[name.Pos()] = true
	if name.Name != "_" && !s.variables[name.Name] {
		s.variables[name.Name] = true
		s.first[name.Name] = name.Pos()
		s.order = append(s.order, name.Name)
	}
}

// addGroup records the names in a declaration with parentheses or a single spec.
func (s *survey) addGroup(group *ast.GenDecl) {
	for _, spec := range group.Specs {
		switch spec := spec.(type) {
		case *ast.ImportSpec:
			s.imports = append(s.imports, spec)
		case *ast.TypeSpec:
			s.declare(spec.Name)
		case *ast.ValueSpec:
			for _, name := range spec.Names {
				if group.Tok == token.VAR {
					s.define(name)
				} else {
					s.declare(name)
				}
			}
			if group.Tok == token.CONST {
				s.constants[spec] = group
			}
		}
	}
}

// addStatement records the variables that a top-level statement defines. Variables of nested blocks
// are local and do not count. A short variable declaration counts all its names, although some may
// exist already: at the top level of a cell, x, err := f() declares both anew, unless their types
// are identical (see variable).
func (s *survey) addStatement(statement ast.Stmt) {
	switch statement := statement.(type) {
	case *ast.LabeledStmt:
		s.addStatement(statement.Stmt)
	case *ast.AssignStmt:
		if statement.Tok != token.DEFINE {
			return
		}
		for _, left := range statement.Lhs {
			if name, ok := left.(*ast.Ident); ok {
				s.define(name)
			}
		}
	case *ast.DeclStmt:
		if group, ok := statement.Decl.(*ast.GenDecl); ok && group.Tok == token.VAR {
			s.addGroup(group)
		}
	}
}

// mentions are the names that a piece of syntax contains. They are a superset of the names that it
// refers to: scopes are left to go/types. For instance "fmt.Println(p.X)" has the names fmt, p and
// the bases fmt, p, but not Println and X.
type mentions struct {
	names map[string]bool // identifiers that do not follow a dot
	bases map[string]bool // identifiers before a dot
}

func newMentions() mentions { return mentions{map[string]bool{}, map[string]bool{}} }

// add adds the names in a syntax tree.
func (m mentions) add(root ast.Node) {
	ast.Inspect(root, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.SelectorExpr:
			if base, ok := n.X.(*ast.Ident); ok {
				m.bases[base.Name] = true
			}
			m.add(n.X)
			return false
		case *ast.Ident:
			m.names[n.Name] = true
		}
		return true
	})
}

// mentionsOf returns the names in the given syntax.
func mentionsOf(roots ...ast.Node) mentions {
	m := newMentions()
	for _, root := range roots {
		m.add(root)
	}
	return m
}

// merge adds the names of another set.
func (m mentions) merge(other mentions) {
	for name := range other.names {
		m.names[name] = true
	}
	for name := range other.bases {
		m.bases[name] = true
	}
}

// anyOf reports whether one of the names is in the set.
func (m mentions) anyOf(set map[string]bool) bool {
	for name := range set {
		if m.names[name] {
			return true
		}
	}
	return false
}

// stub returns a function with the signature of f and a body that type-checks for every signature:
// an endless loop needs no return statement. A stub has the positions of the body, so it reports no
// errors of its own.
//
// The alternative, a body that is empty, would be rejected for functions with results, and
// IgnoreFuncBodies applies to a whole check.
func stub(f *ast.FuncDecl) *ast.FuncDecl {
	forever := &ast.ForStmt{For: f.Body.Lbrace, Body: &ast.BlockStmt{Lbrace: f.Body.Lbrace, Rbrace: f.Body.Lbrace}}
	return &ast.FuncDecl{Recv: f.Recv, Name: f.Name, Type: f.Type,
		Body: &ast.BlockStmt{Lbrace: f.Body.Lbrace, List: []ast.Stmt{forever}, Rbrace: f.Body.Rbrace}}
}
