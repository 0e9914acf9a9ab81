package lower

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"strings"
)

// Asking how deep the stack is costs as much as most of a call. So a short function that calls
// itself exists several times: each copy calls the next one, and only the first asks. From
// elsewhere, and through values, the first is called.

const (
	longText  = 2000 // bytes; in longer functions the question costs little beside the rest
	shortText = 500
)

// unrolled adds the copies to the text of a function that calls itself.
func (e *emitter) unrolled(name string, d *ast.FuncDecl, text, check string) string {
	if e.asks() || len(text) > longText || check == "" || callsRecover(d.Body) || !e.callsItself(d) {
		return text
	}
	return e.copies(name, text, check)
}

// copies are the copies of a function that calls itself.
func (e *emitter) copies(name, text, check string) string {
	copies := 4
	if len(text) < shortText {
		copies = 8
	}
	frame, _ := e.u.s.Frame(name)
	var list []string
	for i := range copies {
		from, to := copyName(name, i), copyName(name, (i+1)%copies)
		one := strings.ReplaceAll(text, name+"(", to+"(")
		one = strings.Replace(one, "func "+to+"(", "func "+from+"(", 1)
		if i > 0 {
			one = strings.Replace(one, check, "", 1) // it stands at the beginning of the body
			e.u.s.noteFunction(from, frame)
		}
		list = append(list, one)
	}
	return strings.Join(list, "\n")
}

func copyName(name string, i int) string {
	if i == 0 {
		return name
	}
	return fmt.Sprintf("%s%s%d", name, localMark, i)
}

// callsItself tells whether a function calls itself by its name. Literals that could be taken
// for the emitted name do not occur, or it is said that it does not.
func (e *emitter) callsItself(d *ast.FuncDecl) bool {
	calls, doubtful := false, false
	ast.Inspect(d.Body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr:
			if f := (&quietWalk{e: e}).callee(n); f != nil && types.Object(f.Origin()) == e.src.info.Defs[d.Name] {
				calls = true
			}
		case *ast.BasicLit:
			doubtful = doubtful || n.Kind == token.STRING && strings.Contains(n.Value, globalMark)
		}
		return !doubtful
	})
	return calls && !doubtful
}
