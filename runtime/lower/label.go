package lower

import (
	"go/ast"
	"go/token"
	"go/types"
)

// A label of Go is two of the interpreter's: one that goto names, before everything that the
// statement evaluates, and one that break and continue name, right before the for, switch or
// select. Between them is what the statement needs before its header. Both have names that are
// nothing else's, because the interpreter has one name space for labels, types and variables.
type labels struct {
	gotos   map[types.Object]bool   // the labels that goto statements of the function name
	targets map[types.Object]string // the names of those
}

// unlabelled takes the labels from a statement. It emits the place that goto statements jump to
// and gives the name that break and continue use.
func (e *emitter) unlabelled(s ast.Stmt) (inner ast.Stmt, target, label string) {
	for {
		l, ok := s.(*ast.LabeledStmt)
		if !ok {
			return s, target, label
		}
		if e.isTarget(l.Label) {
			target += e.gotoLabel(l.Label) + ":\n_ = 0\n"
			e.line = 0
		}
		s, label = l.Stmt, e.label(l.Label)
	}
}

// label is the name of a label in break and continue statements.
func (e *emitter) label(id *ast.Ident) string {
	o := e.objectOf(id)
	if e.names[o] == "" {
		e.names[o] = e.temporary(id.Name)
	}
	return e.names[o]
}

// gotoLabel is the name of a label in goto statements.
func (e *emitter) gotoLabel(id *ast.Ident) string {
	o := e.objectOf(id)
	if e.labels.targets[o] == "" {
		if e.labels.targets == nil {
			e.labels.targets = map[types.Object]string{}
		}
		e.labels.targets[o] = e.temporary(id.Name)
	}
	return e.labels.targets[o]
}

// isTarget reports whether a goto statement of the function names a label.
func (e *emitter) isTarget(id *ast.Ident) bool {
	if e.labels.gotos == nil {
		e.labels.gotos = map[types.Object]bool{}
		ast.Inspect(e.src.declaration, func(n ast.Node) bool {
			if b, ok := n.(*ast.BranchStmt); ok && b.Tok == token.GOTO {
				e.labels.gotos[e.objectOf(b.Label)] = true
			}
			return true
		})
	}
	return e.labels.gotos[e.objectOf(id)]
}
