package check

import (
	"go/ast"
	"go/token"
	"go/types"
)

// programBody returns the body of a program. It begins with the declarations of the package
// variables, in the order in which Go initializes them. go/types has computed that order
// (Info.InitOrder) from the dependences between package variables, also through functions.
// Variables without a value come first: their order has no effect. Each statement keeps the
// position of its declaration. For instance var a = b; var b = 1 becomes var b = 1; var a = b.
//
// Making them statements of the body lets the session stop between two initializations and report
// errors with their lines, as for other statements of a cell.
func (b *resultBuilder) programBody() *ast.FuncDecl {
	names := map[types.Object]*ast.Ident{}
	kinds := map[*ast.Ident]ast.Expr{}
	var list []ast.Stmt
	declare := func(spec *ast.ValueSpec) {
		group := &ast.GenDecl{TokPos: spec.Pos(), Tok: token.VAR, Specs: []ast.Spec{spec}}
		list = append(list, &ast.DeclStmt{Decl: group})
	}
	for _, declaration := range b.work.cell.Declarations.Decls {
		group, ok := declaration.(*ast.GenDecl)
		if !ok || group.Tok != token.VAR {
			continue
		}
		for _, spec := range group.Specs {
			spec := spec.(*ast.ValueSpec)
			for _, name := range spec.Names {
				names[b.pass.info.Defs[name]] = name
				kinds[name] = spec.Type
			}
			if len(spec.Values) == 0 {
				declare(spec)
			}
		}
	}
	for _, initializer := range b.pass.info.InitOrder {
		spec := &ast.ValueSpec{Values: []ast.Expr{initializer.Rhs}}
		for _, object := range initializer.Lhs {
			spec.Names = append(spec.Names, names[object])
			spec.Type = kinds[names[object]]
		}
		if len(spec.Names) > 0 && spec.Names[0] != nil {
			declare(spec)
		}
	}
	body := b.work.cell.Body
	list = append(list, body.Body.List...)
	return &ast.FuncDecl{Name: body.Name, Type: body.Type,
		Body: &ast.BlockStmt{Lbrace: body.Body.Lbrace, List: list, Rbrace: body.Body.Rbrace}}
}
