package ir

import (
	"fmt"
	"go/token"
	"go/types"
	"strings"
)

// String returns the text of the program: the functions in order, each followed by its function
// literals, and finally the statements of the cell.
//
// The order of functions is that of the builder and therefore the same in each run.
func (p *Program) String() string {
	var out strings.Builder
	for i, f := range p.Funcs {
		if i > 0 {
			out.WriteByte('\n')
		}
		out.WriteString(f.String())
	}
	if p.Body != nil {
		if len(p.Funcs) > 0 {
			out.WriteByte('\n')
		}
		out.WriteString(p.Body.String())
	}
	return out.String()
}

// String returns the text of the function, followed by those of its function literals.
//
// Each statement is on its own line, which begins with the line number of its position. An unnamed
// local is $n, where n is its index. If several locals of the function share a name, the index is
// appended, as in x.3. Conversions are convert[T](x), iface[T](x) for a conversion from a concrete
// to an interface type, and change[T](x) between interface types. The statements of a Seq follow
// the line that contains it.
//
// For instance, func f(n int) func() int { k := 0; return func() int { k++; return n + k } } is
// printed as
//
//	1  func main.f(n int) ($1 func() int)
//	   	locals k boxed int
//	1  	declare k = 0
//	1  	return literal main.f.func1{k, n}
//
//	1  func main.f.func1() ($0 int)
//	   	captures k boxed int, n int
//	1  	k += 1
//	1  	return (n + k)
func (f *Func) String() string {
	p := &printer{}
	p.function(f)
	// A literal may contain further ones, which extend the list.
	for i := 0; i < len(p.literals); i++ {
		p.out.WriteByte('\n')
		p.function(p.literals[i])
	}
	return p.out.String()
}

// A printer writes functions as text. The text is for tests and traces: every change of the builder
// shows as a difference in a few golden files.
type printer struct {
	out      strings.Builder
	depth    int
	fn       *Func
	shared   map[string]bool // names of several locals of fn
	seqs     []*Seq          // statement sequences of fn, numbered from 1 in order
	printed  int             // number of seqs whose statements have been or are being printed
	literals []*Func         // found so far
}

// function writes one function: a line with its name and signature, lines with its captures and
// other locals, and its statements.
func (p *printer) function(f *Func) {
	p.fn, p.shared, p.seqs, p.printed, p.depth = f, map[string]bool{}, nil, 0, 0
	seen := map[string]bool{}
	for _, l := range f.Locals {
		if l == nil {
			continue
		}
		// Variables that shadow each other have one name.
		p.shared[l.Name] = p.shared[l.Name] || seen[l.Name]
		seen[l.Name] = true
	}
	header := "func " + f.Name + p.signature(f)
	for _, note := range []struct {
		set  bool
		text string
	}{{f.Defers, " defers"}, {f.Recovers, " recovers"}, {f.Wrapper, " wrapper"}} {
		if note.set {
			header += note.text
		}
	}
	p.line(f.Pos, header)
	p.depth++
	listed := map[*Local]bool{}
	for _, list := range [][]*Local{f.Params, f.Results, f.Captures} {
		for _, l := range list {
			listed[l] = true
		}
	}
	p.declarations("captures", f.Captures)
	var rest []*Local
	for _, l := range f.Locals {
		if !listed[l] {
			rest = append(rest, l)
		}
	}
	p.declarations("locals", rest)
	if f.Body != nil {
		p.stmts(f.Body.List)
	}
}

// signature returns the parameters and results of a function.
func (p *printer) signature(f *Func) string {
	text := "(" + p.typedLocals(f.Params) + ")"
	if len(f.Results) > 0 {
		text += " (" + p.typedLocals(f.Results) + ")"
	}
	return text
}

// declarations writes a line that lists locals of one kind, unless there are none.
func (p *printer) declarations(kind string, list []*Local) {
	if len(list) > 0 {
		p.line(token.NoPos, kind+" "+p.typedLocals(list))
	}
}

func (p *printer) typedLocals(list []*Local) string {
	var parts []string
	for _, l := range list {
		if l == nil {
			parts = append(parts, "nil?")
			continue
		}
		text := p.local(l) + " "
		if l.Boxed {
			text += "boxed "
		}
		parts = append(parts, text+TypeText(l.Type))
	}
	return strings.Join(parts, ", ")
}

// local returns the name of a local of the current function.
func (p *printer) local(l *Local) string {
	switch {
	case l == nil:
		return "_"
	case l.Name == "":
		return fmt.Sprintf("$%d", l.Index)
	case p.shared[l.Name]:
		return fmt.Sprintf("%s.%d", l.Name, l.Index)
	}
	return l.Name
}

// TypeText returns the text of a type, qualified by package names except for main. Types of package
// main have no qualifier, since nearly all types of cells are of this package.
//
// Two packages of one name cannot be distinguished in the text, which tests avoid.
func TypeText(t types.Type) string {
	if t == nil {
		return "nil"
	}
	return types.TypeString(t, func(p *types.Package) string {
		if p.Name() == "main" {
			return ""
		}
		return p.Name()
	})
}

// line writes a line, followed by the statements of the sequences that its text mentions.
//
// Line numbers are those of the cell, so that a golden file shows which source each statement comes
// from.
func (p *printer) line(pos token.Pos, text string) {
	number := ""
	if p.fn.Fset != nil && pos.IsValid() {
		number = fmt.Sprint(p.fn.Fset.Position(pos).Line)
	}
	fmt.Fprintf(&p.out, "%4s  %s%s\n", number, strings.Repeat("\t", p.depth), text)
	// The statements of a sequence may contain sequences of their own, which their lines print.
	first := p.printed
	p.printed = len(p.seqs)
	for i, s := range p.seqs[first:] {
		p.sequence(s, first+i+1)
	}
}

// sequence writes the statements and the value of a Seq.
func (p *printer) sequence(s *Seq, number int) {
	p.depth++
	p.line(s.P, fmt.Sprintf("seq%d:", number))
	p.depth++
	p.stmts(s.Stmts)
	p.line(s.P, "= "+p.expr(s.X))
	p.depth -= 2
}

func (p *printer) stmts(list []Stmt) {
	for _, s := range list {
		p.stmt(s)
	}
}

// block writes the statements of a block one level deeper.
func (p *printer) block(b *Block) {
	if b == nil {
		return
	}
	p.depth++
	p.stmts(b.List)
	p.depth--
}
