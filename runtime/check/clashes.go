package check

import (
	"fmt"
	"go/token"

	"gosphere/runtime/cell"
)

// findClashes reports names that the cell declares and also defines as variables. In a function
// body that would be shadowing, but in a session a name has one meaning. For instance "func f() {};
// f := 1" in one cell is an error. In different cells it is a redeclaration. The same holds for
// names that the cell imports, which are declared in the file of a program.
func (w *work) findClashes() error {
	var list cell.Errors
	// go/types accepts the variable of the body, which shadows the declaration.
	for _, name := range w.survey.order {
		if w.survey.declared[name] && !w.cell.Program {
			list = append(list, w.cell.ErrorAt(w.fset.Position(w.survey.first[name]), name+" redeclared in this block"))
		}
	}
	for _, names := range []map[string]token.Pos{w.survey.declaring, w.survey.first} {
		for name, pos := range names {
			if text := w.imported(name); text != "" {
				list = append(list, w.cell.ErrorAt(w.fset.Position(pos), name+" already declared through "+text))
			}
		}
	}
	if len(list) > 0 {
		return list.Sort()
	}
	return nil
}

// imported says, in the words of the compiler, through which import of the cell a name is declared.
// It returns "" if there is none.
func (w *work) imported(name string) string {
	if i, ok := w.imports[name]; ok {
		if p, err := (importer{w.session.packages}).Import(i.Path); err == nil {
			return fmt.Sprintf("import of package %s (%q)", p.Name(), i.Path)
		}
	}
	for _, path := range w.dots {
		if p, err := (importer{w.session.packages}).Import(path); err == nil && token.IsExported(name) && p.Scope().Lookup(name) != nil {
			return fmt.Sprintf("dot-import of package %s (%q)", p.Name(), path)
		}
	}
	return ""
}
