package difference

import (
	"fmt"
	"regexp"
	"strings"
)

// A Redeclaration is one kind of type with one change. Its cells and its compiled programs have the
// same uses of values, each with a label.
type Redeclaration struct {
	Name string
	kind redeclaredKind
	change
}

// Redeclarations returns all kinds of types with all changes that are possible for them.
func Redeclarations() []*Redeclaration {
	var list []*Redeclaration
	for _, k := range redeclaredKinds {
		for _, c := range changes {
			switch {
			case c.overrides && k.inner == "", c.removed && k.removed == "":
				continue
			case c.old == promotedField && !strings.Contains(k.decl, "$F"):
				continue
			}
			list = append(list, &Redeclaration{k.name + ", " + c.name, k, c})
		}
	}
	return list
}

// method returns the declaration of the method in a form. The text is part of its result.
func (r *Redeclaration) method(f *form, receiver, text string) string {
	if f == nil || f.field {
		return ""
	}
	see, bump := r.kind.see, r.kind.bump
	if receiver == r.kind.inner && r.kind.seeInner != "" {
		see, bump = r.kind.seeInner, r.kind.bumpInner
	}
	x, star := "x", ""
	if f.pointer {
		x, star = "(*x)", "*"
	}
	result := fmt.Sprintf("%q + fmt.Sprint(%s)", text, see)
	if f.result == "int" {
		result = fmt.Sprintf("%d + len(fmt.Sprint(%s))", 10*len(text), see)
	}
	return strings.ReplaceAll(fmt.Sprintf("func (x %s%s) M%s(%s) %s { %s; return %s }\n", star, receiver, f.generic, f.params, f.result, bump, result), "@", x)
}

// before returns the declarations of the type before the change, and changed what the change
// declares.
func (r *Redeclaration) before() string {
	receiver := r.kind.receiver
	if r.overrides {
		receiver = r.kind.inner
	}
	return r.kind.decl + "\n" + r.method(r.old, receiver, "old")
}

func (r *Redeclaration) changed() string {
	if r.removed {
		return r.kind.removed
	}
	receiver := r.kind.receiver
	if r.overrides {
		receiver = r.kind.outer
	}
	return r.method(r.now, receiver, "changed")
}

// after returns the declarations of the type after the change.
func (r *Redeclaration) after() string {
	switch {
	case r.removed: // a type that is declared again keeps the methods of its name
		return r.kind.removed + "\n" + r.method(r.old, r.kind.receiver, "old")
	case r.overrides:
		return r.before() + r.changed()
	}
	return r.kind.decl + "\n" + r.changed()
}

// needsAddress reports whether a call of the method needs the address of the value.
func (r *Redeclaration) needsAddress(f *form) bool {
	promoted := r.kind.inner != "" && !(r.overrides && f == r.now)
	return f.pointer && !(r.kind.viaPointer && promoted)
}

var word = regexp.MustCompile(`(\.|\b)[A-Z]\b`)

// text fills in the letters of a text of a way for a form of the method.
func (r *Redeclaration) text(text string, f *form) string {
	name, _, _ := strings.Cut(r.kind.typ, "[")
	return word.ReplaceAllStringFunc(text, func(s string) string {
		switch s {
		case "T":
			return r.kind.typ
		case ".N":
			return "." + name
		case "V":
			return "(" + r.kind.value + ")"
		case ".C":
			return "." + f.call()
		case "A":
			return f.args
		case "I":
			return f.iface()
		case "S":
			return strings.ReplaceAll(r.kind.see, "@", "x")
		}
		return s
	})
}

// called returns the statement that uses a value in a way, or "" if the way does not exist for this
// form.
func (r *Redeclaration) called(w *way, f *form) string {
	switch {
	case f == nil || w.interfaces && !f.implements():
		return ""
	case w.use != "":
		return r.text(w.use, f)
	}
	see := "func(x T) any { return S }"
	if r.removed { // T is no longer the type of the values
		see = "func(any) any { return nil }"
	}
	switch {
	case w.pointer:
		return r.text(fmt.Sprintf("x := %s; fmt.Println(x.C, %s(*x))", w.expr, see), f)
	case w.place:
		return r.text(fmt.Sprintf("fmt.Println(%[1]s.C, %[2]s(%[1]s))", w.expr, see), f)
	case r.needsAddress(f):
		return r.text("x := "+w.expr+"; fmt.Println(x.C)", f)
	}
	return r.text("fmt.Println("+w.expr+".C)", f)
}

// decls returns the declarations of the ways that compile with the method in a form.
func (r *Redeclaration) decls(f *form) string {
	var b strings.Builder
	for i := range reached {
		if w := &reached[i]; w.decl != "" && r.declares(w, f) {
			b.WriteString(r.text(w.decl, f) + "\n")
		}
	}
	return b.String()
}

// declares reports whether a declaration of a way is possible.
func (r *Redeclaration) declares(w *way, f *form) bool {
	return !w.rechecked || f != nil && (f.implements() || !w.interfaces)
}

// setup returns the statements that make the values.
func (r *Redeclaration) setup(f *form) string {
	var b strings.Builder
	for i := range reached {
		w := &reached[i]
		if w.setup == "" || w.rechecked && !r.declares(w, f) || w.older && (f == nil || w.interfaces && !f.implements()) {
			continue
		}
		b.WriteString(r.text(w.setup, f) + "\n")
	}
	return b.String()
}

// Expected says where the expected output of a use comes from.
type source int

const (
	afterChange  source = iota // the program with the final declarations
	beforeChange               // the program with the first declarations
	omitted
)

// expected returns which program the use of a way after the change must agree with. The rules that
// differ from compiled Go are those of docs/limits.md: a function literal and a method value keep
// the method unless its signature and receiver stay; an interface value keeps the methods of its
// type, of which those with the same signature get the new body; a value keeps its type; a type
// that is declared again keeps the methods that are declared for its name.
func (r *Redeclaration) expected(w *way) source {
	same := r.old.sameSignature(r.now)
	switch {
	case r.removed && w.mentions:
		return omitted // the values have the earlier type
	case r.removed && !w.fresh:
		return beforeChange
	case r.removed:
		return afterChange
	case w.rechecked && (r.old == nil || r.old.call() != r.now.call() || r.old.iface() != r.now.iface() && w.interfaces):
		return omitted // the change breaks the declaration, or it was not possible before
	case w.older && r.old == nil, w.older && w.interfaces && !r.old.implements():
		return omitted
	case w.older:
		if same && r.old.pointer == r.now.pointer && !r.overrides {
			return afterChange
		}
		return beforeChange
	case w.inInterface == 'p' && same:
		return afterChange
	case w.inInterface == 'v' && same && !r.needsAddress(r.old) && !r.needsAddress(r.now):
		return afterChange
	case w.inInterface != 0:
		return beforeChange
	}
	return afterChange
}

// uses returns the statements of all ways by their numbers, before or after the change.
func (r *Redeclaration) uses(after bool) map[int]string {
	list := map[int]string{}
	for i := range reached {
		w, use := &reached[i], ""
		switch {
		case w.inInterface != 0: // before the change, too, it is asked for the later method
			use = r.called(w, r.now)
		case after:
			use = r.called(w, r.now)
		default:
			use = r.called(w, r.old)
		}
		if use != "" {
			list[i] = use
		}
	}
	return list
}

var madeVariable = regexp.MustCompile(`\b[vw]\d+\b`)

// program returns a program with the mark m that uses every value, before or after the change.
// Additional uses belong to values that keep what they had before it.
func (r *Redeclaration) program(m string, after bool) string {
	types, f := r.before(), r.old
	if after {
		types, f = r.after(), r.now
	}
	var late, body strings.Builder
	uses := r.uses(after)
	for i := range reached {
		use, ok := uses[i]
		if !ok {
			continue
		}
		if w := &reached[i]; w.late != "" {
			late.WriteString(r.text(w.late, f) + "\n")
		}
		fmt.Fprintf(&body, "\tfmt.Println(\"== %d\")\n\tfunc() { %s }()\n", i, use)
	}
	setup := r.setup(f)
	for _, name := range madeVariable.FindAllString(setup, -1) {
		setup += "_ = " + name + "\n"
	}
	text := "package main\n\nimport \"fmt\"\n\n" + types + "\n" + r.decls(f) + late.String() + "func run$m() {\nfmt.Print()\n" + setup + body.String() + "}\n"
	return r.marked(text, m)
}

// marked puts the mark into names.
func (r *Redeclaration) marked(text, m string) string {
	text = strings.NewReplacer("$F", r.field("; M string"), "$V", r.field(`, M: "field"`)).Replace(text)
	return strings.ReplaceAll(text, "$m", m)
}

func (r *Redeclaration) field(text string) string {
	if r.old == promotedField {
		return text
	}
	return ""
}

// A Mode is the order of the cells around a change.
type Mode int

// InLaterCell changes the method in a cell of its own, AfterUse does so after all values have been
// used, and plays the first cells again after %reset, and InSameCell edits the cell with the types
// and the values.
const (
	InLaterCell Mode = iota
	AfterUse
	InSameCell
)

// A Step is a cell of a script. Way is -1 for declarations; otherwise the output must be that of
// the way in the program before or after the change.
type Step struct {
	Code  string
	Way   int
	After bool
}

// Script returns the cells for a mode.
func (r *Redeclaration) Script(mode Mode) []Step {
	var steps []Step
	add := func(code string) { steps = append(steps, Step{Code: r.marked(code, ""), Way: -1}) }
	use := func(after bool) {
		f, uses := r.old, r.uses(after)
		if after {
			f = r.now
		}
		for i := range reached {
			w, from := &reached[i], afterChange
			if !after {
				from = beforeChange
			} else if mode != InSameCell {
				from = r.expected(w)
			}
			code, ok := uses[i]
			if !ok || from == omitted {
				continue
			}
			if w.older && from == beforeChange {
				code = r.called(w, r.old)
			}
			if w.late != "" {
				code = r.text(w.late, f) + "\n" + code
			}
			steps = append(steps, Step{r.marked(code, ""), i, from == afterChange})
		}
	}
	first, values := r.before()+"\n"+r.decls(r.old), r.setup(r.old)
	switch mode {
	case InLaterCell:
		add(first)
		add(values)
		add(r.changed())
		use(true)
	case AfterUse:
		add(first)
		add(values)
		use(false)
		add(values)
		add(r.changed())
		use(true)
		add("%reset")
		add(first)
		add(values)
		use(false)
	case InSameCell:
		add(first + values)
		add(r.after() + "\n" + r.decls(r.now) + r.setup(r.now))
		use(true)
	}
	return steps
}
