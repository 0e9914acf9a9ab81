package lower

import (
	"fmt"
	"go/ast"
	"go/types"
	"strings"
)

// A call costs the interpreter as much as twenty operations, and each of its variables and
// intermediate results as much as two. So a function that only compares, computes, calls itself
// and returns (recursion.go) is emitted in two: one that is called from elsewhere, and one that
// calls itself, in which what its calls do stands several times, one in the other. Where that
// ends it compares before it calls, so that no call is made for what ends the recursion.
// Variables that this needs are parameters that get zero: the interpreter makes those once, and
// other variables twice.

const (
	depthOfOne  = 6 // where a result needs one call
	depthOfMany = 2
)

// zeros stands for the arguments of slots until all slots are known.
const zeros = "\x00"

// An unfolding is the state of emitting such a function.
type unfolding struct {
	*recursion
	e     *emitter
	inner string // name of the function that calls itself
	slots []slot
	names []string // of the parameters
	depth int      // how many calls stand in each other
}

// A slot is a variable that is a parameter.
type slot struct {
	name, key string
	typ       types.Type
}

// unfolded emits a function as described above; "" for most functions.
func (e *emitter) unfolded(name string, d *ast.FuncDecl, check string) string {
	found := e.recursionOf(d)
	if found == nil {
		return ""
	}
	w := &unfolding{recursion: found, e: e, inner: name + localMark + "r", depth: depthOfMany}
	if w.most == 1 {
		w.depth = depthOfOne
	}
	for _, v := range w.parameters {
		w.names = append(w.names, e.define(v))
	}
	for ; w.depth > 0; w.depth-- {
		if outer, inner := w.functions(name, check); len(inner) <= longText {
			frame, _ := e.u.s.Frame(name)
			e.u.s.noteFunction(w.inner, frame)
			return outer + "\n" + e.copies(w.inner, inner, check)
		}
	}
	return ""
}

// functions emits the function that is called from elsewhere, and the one that calls itself.
func (w *unfolding) functions(name, check string) (outer, inner string) {
	w.slots = nil
	give := func(text string) string { return "return " + text }
	var parameters []string
	for i, v := range w.parameters {
		parameters = append(parameters, w.names[i]+" "+w.e.spell(v.Type()))
	}
	header := func(name string) string {
		return "func " + name + "(" + strings.Join(parameters, ", ") + ") " + w.e.results(w.e.fn.signature) + " {\n"
	}
	outer = header(name) + w.from(w.tree, w.names, w.depth, give) + "\n}"
	body, empty := "", ""
	if only := w.onlyCalling(); only != nil { // what comes before has been asked by whoever calls
		body = w.expand(only, w.names, 0, give)
	} else {
		body = w.from(w.tree, w.names, 0, give)
	}
	for _, s := range w.slots {
		parameters = append(parameters, s.name+" "+w.e.spell(s.typ))
		empty += ", " + w.empty(s.typ)
	}
	inner = header(w.inner) + check + body + "\n}"
	return strings.ReplaceAll(outer, zeros, empty), strings.ReplaceAll(inner, zeros, empty)
}

// from emits a decision, with what the parameters are, as statements that give the result away.
func (w *unfolding) from(c *decision, values []string, level int, give func(string) string) string {
	if c.condition != nil {
		return "if " + w.emitter(values).alone(c.condition) + " {\n" + w.from(c.yes, values, level, give) +
			"\n} else {\n" + w.from(c.no, values, level, give) + "\n}"
	}
	switch {
	case len(w.calls[c]) == 0:
		return give(w.result(w.emitter(values), c))
	case level == w.depth:
		return give(w.inner + "(" + strings.Join(values, ", ") + zeros + ")")
	}
	return w.expand(c, values, level, give)
}

// expand emits a result that needs calls: first what each of them does, with its result in a slot.
func (w *unfolding) expand(c *decision, values []string, level int, give func(string) string) string {
	e := w.emitter(values)
	e.replaced = map[*ast.CallExpr]string{}
	var b strings.Builder
	for i, call := range w.calls[c] {
		before, arguments := w.arguments(e, call, values, level)
		b.WriteString(before)
		if ast.Unparen(c.result) == ast.Expr(call) {
			return b.String() + w.from(w.tree, arguments, level+1, give)
		}
		key := fmt.Sprintf("r%d.%d", level, i)
		if w.most == 1 {
			key = "r" // nothing else is waited for
		}
		result := w.slot(key, w.function.Signature().Results().At(0).Type())
		b.WriteString(w.from(w.tree, arguments, level+1, func(text string) string { return result + " = " + text }) + "\n")
		e.replaced[call] = result
	}
	return b.String() + give(w.result(e, c))
}

// arguments emits the assignment of those arguments of a call that are no parameters to slots, and gives the names of all.
func (w *unfolding) arguments(e *emitter, call *ast.CallExpr, values []string, level int) (before string, names []string) {
	operands := w.operands(call)
	for i, x := range operands {
		if id, ok := ast.Unparen(x).(*ast.Ident); ok && e.src.info.Types[x].Value == nil {
			names = append(names, e.names[e.src.info.Uses[id]])
			continue
		}
		t := w.parameters[i].Type()
		name := values[i]
		if !w.inPlace {
			name = w.slot(fmt.Sprintf("p%d.%d", level, i), t)
		}
		before += name + " = " + bareText(e.convert(x, t)) + "\n"
		names = append(names, name)
	}
	return before, names
}

// slot is the variable with a key, which tells who uses it at the same time.
func (w *unfolding) slot(key string, t types.Type) string {
	for _, s := range w.slots {
		if s.key == key {
			return s.name
		}
	}
	w.slots = append(w.slots, slot{w.e.temporary("u"), key, t})
	return w.slots[len(w.slots)-1].name
}

// empty is what a slot gets first: zero or, because of a nil the interpreter would have to know
// more, another pointer.
func (w *unfolding) empty(t types.Type) string {
	b, basic := t.Underlying().(*types.Basic)
	for i, v := range w.parameters {
		if !basic && types.Identical(v.Type(), t) {
			return w.names[i]
		}
	}
	switch {
	case b.Info()&types.IsBoolean != 0:
		return "false"
	case b.Info()&types.IsString != 0:
		return `""`
	case b.Info()&types.IsFloat != 0:
		return "0.0"
	}
	return "0"
}

// emitter is one for the expressions of the function with other names for the parameters.
func (w *unfolding) emitter(values []string) *emitter {
	e := w.e.u.emitter(w.e.src)
	e.fn = w.e.fn
	for i, v := range w.parameters {
		e.names[v] = values[i]
	}
	return e
}

func (w *unfolding) result(e *emitter, c *decision) string {
	return bareText(e.convert(c.result, w.function.Signature().Results().At(0).Type()))
}
