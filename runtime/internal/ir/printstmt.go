package ir

import (
	"fmt"
	"strings"
)

// stmt writes a statement.
func (p *printer) stmt(s Stmt) {
	switch s := s.(type) {
	case *Declare:
		if s.X == nil {
			p.line(s.P, "declare "+p.local(s.Local))
		} else {
			p.line(s.P, "declare "+p.local(s.Local)+" = "+p.expr(s.X))
		}
	case *Assign:
		dst := "_"
		if s.Dst != nil {
			dst = p.expr(s.Dst)
		}
		p.line(s.P, dst+" = "+p.expr(s.X))
	case *AssignOp:
		p.line(s.P, p.expr(s.Dst)+" "+s.Op.String()+"= "+p.expr(s.X))
	case *AssignAll:
		var dst []string
		for _, l := range s.Dst {
			dst = append(dst, p.local(l))
		}
		p.line(s.P, strings.Join(dst, ", ")+" = "+p.expr(s.X))
	case *Eval:
		p.line(s.P, "eval "+p.expr(s.X))
	case *Send:
		p.line(s.P, p.expr(s.Ch)+" <- "+p.expr(s.X))
	case *Go:
		p.line(s.P, "go "+p.expr(s.Call))
	case *Defer:
		text := "defer "
		if s.List != nil {
			text += "to " + p.expr(s.List) + " "
		}
		p.line(s.P, text+p.expr(s.Call))
	case *Return:
		p.line(s.P, strings.TrimSpace("return "+p.list(s.Values)))
	case *Break:
		p.line(s.P, "break "+labelText(s.Label))
	case *Continue:
		p.line(s.P, "continue "+labelText(s.Label))
	case *Goto:
		p.line(s.P, "goto "+labelText(s.Label))
	case *Hook:
		p.line(s.P, "hook "+p.expr(s.X))
	case *Mark:
		p.line(s.P, strings.TrimSpace("mark "+p.locals(s.Vars)))
	default:
		p.structured(s)
	}
}

// structured writes a statement that contains others.
//
// An unknown statement panics, because a text without it would let a golden file pass.
func (p *printer) structured(s Stmt) {
	switch s := s.(type) {
	case *Block:
		p.line(s.P, "block")
		p.block(s)
	case *Labeled:
		text := "labeled " + labelText(s.Label)
		if s.Label != nil && s.Label.Jumped {
			text += " jumped"
		}
		p.line(s.P, text)
		p.depth++
		p.stmt(s.Body)
		p.depth--
	case *If:
		p.line(s.P, "if "+p.expr(s.Cond))
		p.block(s.Then)
		p.otherwise(s.Else)
	case *For:
		p.forLoop(s)
	case *RangeInt:
		p.rangeLoop(s, s.Label, "int "+p.expr(s.N), []*Local{s.Key}, s.Body)
	case *RangeSlice:
		p.rangeLoop(s, s.Label, "slice "+p.expr(s.X), []*Local{s.Key, s.Elem}, s.Body)
	case *RangeString:
		p.rangeLoop(s, s.Label, "string "+p.expr(s.X), []*Local{s.Key, s.Elem}, s.Body)
	case *RangeMap:
		p.rangeLoop(s, s.Label, "map "+p.expr(s.X), []*Local{s.Key, s.Elem}, s.Body)
	case *RangeChan:
		p.rangeLoop(s, s.Label, "chan "+p.expr(s.X), []*Local{s.Elem}, s.Body)
	case *Switch:
		p.line(s.P, "switch "+labelText(s.Label))
		for _, c := range s.Cases {
			p.switchCase(c)
		}
	case *Select:
		p.line(s.P, "select "+labelText(s.Label))
		for _, c := range s.Cases {
			p.comm(c)
		}
	default:
		panic(fmt.Sprintf("ir: no text for a statement %T", s))
	}
}

// otherwise writes the else branch of an If.
func (p *printer) otherwise(s Stmt) {
	if s == nil {
		return
	}
	p.line(s.Pos(), "else")
	if b, ok := s.(*Block); ok {
		p.block(b)
		return
	}
	p.depth++
	p.stmt(s)
	p.depth--
}

// forLoop writes a For, with its post statements after the body.
//
// The copies in Fresh are made where the line post is, although the list is part of the first line.
func (p *printer) forLoop(s *For) {
	text := "for " + labelText(s.Label)
	if s.Cond != nil {
		text += " " + p.expr(s.Cond)
	}
	if len(s.Fresh) > 0 {
		text += " fresh " + p.locals(s.Fresh)
	}
	p.line(s.P, text)
	p.block(s.Body)
	if len(s.Post) > 0 {
		p.line(s.P, "post "+labelText(s.Label))
		p.depth++
		p.stmts(s.Post)
		p.depth--
	}
}

// rangeLoop writes a loop over the values of an operand.
func (p *printer) rangeLoop(s Stmt, label *Label, operand string, vars []*Local, body *Block) {
	p.line(s.Pos(), "range "+labelText(label)+" "+p.locals(vars)+" of "+operand)
	p.block(body)
}

// switchCase writes a clause of a switch.
func (p *printer) switchCase(c *Case) {
	text := "case " + p.list(c.Conds)
	if c.Default {
		text = "default"
	}
	if c.Fallthrough {
		text += " fallthrough"
	}
	p.line(c.P, text)
	p.block(c.Body)
}

// comm writes a clause of a select statement.
func (p *printer) comm(c *Comm) {
	switch {
	case c.Ch == nil:
		p.line(c.P, "default")
	case c.Value != nil:
		p.line(c.P, "case "+p.expr(c.Ch)+" <- "+p.expr(c.Value))
	default:
		p.line(c.P, "case "+p.locals([]*Local{c.Elem, c.Ok})+" = <-"+p.expr(c.Ch))
	}
	p.block(c.Body)
}

// locals returns a list of names, with _ for nil.
func (p *printer) locals(list []*Local) string {
	var names []string
	for _, l := range list {
		names = append(names, p.local(l))
	}
	return strings.Join(names, ", ")
}

// labelText returns the text of a label: L and its ID, followed by the name in the source if it has
// one.
//
// Labels are numbered per function, so inserting a loop changes the texts of the loops after it.
func labelText(l *Label) string {
	switch {
	case l == nil:
		return "L?"
	case l.Name == "":
		return fmt.Sprintf("L%d", l.ID)
	}
	return fmt.Sprintf("L%d(%s)", l.ID, l.Name)
}
