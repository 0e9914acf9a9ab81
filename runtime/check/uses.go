package check

import (
	"go/ast"
	"go/types"
)

// findUses records what each declaration uses, and the imports of the cell.
func (b *resultBuilder) findUses() {
	for _, r := range b.todo.records {
		if r.syntax == nil {
			continue
		}
		known := r.imports
		r.uses, r.imports = map[*Symbol]bool{}, nil
		var root ast.Node = r.syntax
		if r.group != nil {
			root = r.group
		}
		b.usesIn(root, r)
		for i := range r.imports {
			r.imports[i].Added = r.imports[i].Added && len(known) == 0
		}
	}
	stated := &record{uses: map[*Symbol]bool{}}
	b.usesIn(b.work.cell.Body, stated)
	if b.work.cell.Program {
		b.usesIn(b.work.cell.Declarations, stated)
	}
	b.out.Imports = append(b.out.Imports, stated.imports...)
	for _, i := range b.work.imports {
		b.out.Imports = append(b.out.Imports, i)
	}
	for _, path := range b.work.dots {
		b.out.Imports = append(b.out.Imports, Import{Name: ".", Path: path})
	}
	for _, r := range b.todo.records {
		b.out.Imports = append(b.out.Imports, r.imports...)
	}
	b.out.Imports = sortImports(b.out.Imports)
}

// usesIn records the symbols and imports that a syntax tree uses.
func (b *resultBuilder) usesIn(root ast.Node, r *record) {
	selected := map[*ast.Ident]bool{}
	ast.Inspect(root, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.SelectorExpr:
			selected[n.Sel] = true
		case *ast.Ident:
			object := b.pass.info.Uses[n]
			switch {
			case object == nil:
			case isPackageName(object):
				path := object.(*types.PkgName).Imported().Path()
				r.imports = append(r.imports, Import{Name: n.Name, Path: path, Added: b.added(n.Name, path)})
			case object.Pkg() == nil:
			case object.Pkg() != b.work.session.main:
				if !selected[n] && object.Parent() == object.Pkg().Scope() {
					r.imports = append(r.imports, Import{Name: ".", Path: object.Pkg().Path()})
				}
			default:
				if symbol := b.out.SymbolOf(object); symbol != nil && symbol != r.symbol {
					r.uses[symbol] = true
				}
			}
		}
		return true
	})
	r.imports = sortImports(r.imports)
}

func isPackageName(object types.Object) bool {
	_, ok := object.(*types.PkgName)
	return ok
}

// added tells whether an import is neither stated nor in force.
func (b *resultBuilder) added(name, path string) bool {
	return b.work.imports[name].Path != path && b.work.session.imports[name] != path
}
