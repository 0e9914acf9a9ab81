package check

import (
	"go/ast"
	"go/token"
	"go/types"

	"gosphere/runtime/internal/source"
)

// placeInit determines the position in the body at which functions named init run. Go runs init
// after the initialization of all package variables. In a cell, variables are declared by
// statements that run in order, so init runs after the last declaration that it needs, directly or
// by functions that it calls; later statements see its effects. For instance in
//
//	func init() { table[1] = "one" }
//	table := map[int]string{}
//	fmt.Println(table)
//
// it runs between the second and the third line.
func (b *resultBuilder) placeInit() {
	w := b.work
	used, some := b.usedByInit()
	if !some {
		return
	}
	body := b.out.Body
	place := 0
	// programBody has put the variables before the statements of the cell.
	if w.cell.Program {
		place = len(body.Body.List) - len(w.cell.Body.Body.List)
	}
	place += leadingDeclarations(body.Body.List[place:])
	for i, s := range body.Body.List {
		defined := &survey{variables: map[string]bool{}, places: map[token.Pos]bool{}, first: map[string]token.Pos{}}
		defined.addStatement(s)
		// A later := may define a variable again, so the last definition counts.
		if used.anyOf(defined.variables) {
			place = max(place, i+1)
		}
	}
	// An empty statement is the only one without code of its own.
	b.out.Initialized = &ast.EmptyStmt{Semicolon: body.Body.Lbrace}
	if place > 0 {
		b.out.Initialized.Semicolon = body.Body.List[place-1].End()
	}
	var list []ast.Stmt
	list = append(list, body.Body.List[:place]...)
	list = append(append(list, b.out.Initialized), body.Body.List[place:]...)
	b.out.Body = &ast.FuncDecl{Name: body.Name, Type: body.Type,
		Body: &ast.BlockStmt{Lbrace: body.Body.Lbrace, List: list, Rbrace: body.Body.Rbrace}}
}

// usedByInit returns the names that occur in the init functions of the cell, and in functions and
// methods of the cell that these use. some reports whether there are init functions. A method
// counts as used if its receiver type is mentioned, because calls by interfaces cannot be seen in
// syntax.
func (b *resultBuilder) usedByInit() (used mentions, some bool) {
	w := b.work
	used = newMentions()
	seen := map[*ast.FuncDecl]bool{}
	for grown := true; grown; {
		grown = false
		for _, f := range w.survey.functions {
			wanted := f.Name.Name == "init" && f.Recv == nil
			some = some || wanted
			if f.Recv == nil {
				wanted = wanted || used.names[f.Name.Name]
			} else if name := source.Receiver(f); name != nil {
				wanted = used.names[name.Name]
			}
			if wanted && !seen[f] {
				seen[f], grown = true, true
				b.addUses(used, f)
			}
		}
	}
	return used, some
}

// addUses adds the names that a function uses and does not declare itself. A parameter may have the
// name of a variable of the cell. Names after a dot and fields are not names of the cell.
func (b *resultBuilder) addUses(used mentions, f *ast.FuncDecl) {
	var visit func(n ast.Node) bool
	visit = func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.SelectorExpr:
			ast.Inspect(n.X, visit)
			return false
		case *ast.Ident:
			object := b.pass.info.ObjectOf(n)
			variable, _ := object.(*types.Var)
			field := variable != nil && variable.IsField()
			if object == nil || !field && (object.Pos() < f.Pos() || f.End() <= object.Pos()) {
				used.names[n.Name] = true
			}
		}
		return true
	}
	ast.Inspect(f, visit)
}
