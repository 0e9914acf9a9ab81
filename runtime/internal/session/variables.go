package session

import (
	"errors"
	"fmt"
	"go/types"
	"reflect"
	godebug "runtime/debug"
	"strconv"
	"strings"
	"time"

	"gosphere/kernel/protocol"
	"gosphere/runtime/check"
	"gosphere/runtime/internal/debug"
	"gosphere/runtime/internal/ir"
)

// A debugger reads variables while it holds the execution lock like a cell, so that cells wait at
// their next poll point. Goroutines and compiled code do not wait. While they may be running, only
// numbers are read, which cannot be torn. The exception is a stopped goroutine: inspecting its
// variables is worth the risk that other goroutines change them.

// Targets of variable references. A client gets a reference for each group of variables and for
// each value with parts, and asks for the contents by the reference when the user opens it.
type (
	globalScope struct{}
	localScope  struct{ f *debug.Frame }
	looked      struct {
		debug.Value
		f *debug.Frame // frame in which the value's expression can be evaluated; nil for none
	}
)

// patience is how long a reader waits for the execution lock. Tests extend it for busy machines.
var patience = 2 * time.Second

// notRead is shown instead of a value that may be changing.
const notRead = "(not read while cells run)"

// read calls f while cells wait. turn reports whether the execution lock was acquired in time, and
// still whether all variables can be read safely. A read can nevertheless fault on a torn value, so
// faults are turned into panics.
//
// The reader is a cell without statements: it takes the execution lock, and its timer stops it if
// the lock is not granted in time.
//
// Locks are taken in the order compiling, execution lock, Hold, mu. Hold keeps goroutines of
// compiled packages from entering cells while values are read.
func (d *Debuggee) read(f func(turn, still bool)) {
	s := d.session
	s.compiling.Lock()
	defer s.compiling.Unlock()
	// The setting is per goroutine and restored.
	defer godebug.SetPanicOnFault(godebug.SetPanicOnFault(true))
	c := s.guard.NewCell(0, func(string, string) {})
	defer c.Discard()
	defer time.AfterFunc(patience, c.Stop).Stop()
	turn := c.AcquireLock()
	defer s.guard.Sharing.Hold()()
	still := turn && (s.guard.Still() || len(d.Stopped()) > 0)
	d.mu.Lock()
	defer d.mu.Unlock()
	f(turn, still)
}

// show describes a value and, if it has children, gives it a reference. typ is the type as cells
// write it, or "" for the name of the run-time type. It must be called from read. The children are
// read only when a client asks for them by the reference.
func (d *Debuggee) show(name, typ string, l looked, limit int) (v protocol.DebugVariable) {
	v = protocol.DebugVariable{Name: name, Type: typ, Expression: l.Expression}
	defer func() {
		if recover() != nil { // torn by a concurrent write
			v.Value, v.Reference = "(cannot be read)", 0
		}
	}()
	// A goroutine of a cell may write a map in the value meanwhile, which would end the process.
	if l.Of.IsValid() && l.Of.CanInterface() {
		defer d.session.guard.Sharing.LockMaps(false, l.Of.Interface())()
	}
	if typ == "" {
		v.Type = l.Type()
	}
	if l.Of.Kind() == reflect.Interface && !l.Of.IsNil() {
		v.Type += "(" + debug.TypeName(l.Of.Elem().Type()) + ")"
	}
	v.Value = l.Text(limit)
	if v.Named, v.Indexed = l.Count(); v.Named+v.Indexed > 0 {
		v.Reference = d.references.Add(l)
	}
	return v
}

// Globals returns the variables of the session.
func (d *Debuggee) Globals() (list []protocol.DebugVariable) {
	d.read(func(turn, still bool) {
		d.references.Renew()
		list = d.globals(turn, still)
	})
	return list
}

// globals describes the session variables. The values of all are shown only if nothing else runs;
// otherwise only numbers are read.
//
// The list itself is complete in any case, since a client would take a missing variable for one
// that does not exist.
func (d *Debuggee) globals(turn, still bool) (list []protocol.DebugVariable) {
	s := d.session
	for _, symbol := range s.checker.Symbols() {
		if symbol.Kind != check.Variable {
			continue
		}
		list = append(list, d.global(symbol, turn && (still || oneWord(symbol))))
	}
	return list
}

// global describes a session variable. Its value is omitted unless it is readable, and then has no
// children either. A client then shows, for instance, p *P = (not read while cells run).
func (d *Debuggee) global(symbol *check.Symbol, readable bool) protocol.DebugVariable {
	written := types.TypeString(symbol.Object.Type(), qualifier)
	v := protocol.DebugVariable{Name: symbol.Name, Type: written, Value: notRead, Expression: symbol.Name}
	if !readable {
		return v
	}
	of, ok := d.session.link.Variable(symbol)
	if !ok {
		return v
	}
	return d.variable(symbol.Name, written, of, nil)
}

// variable describes a variable.
func (d *Debuggee) variable(name, written string, of reflect.Value, f *debug.Frame) protocol.DebugVariable {
	return d.show(name, written, looked{debug.Value{Of: of, Expression: name}, f}, debug.ShortOutline)
}

// Scopes returns the groups of variables visible in a frame.
func (d *Debuggee) Scopes(frame int) ([]protocol.DebugScope, error) {
	f, err := d.Frame(frame)
	if err != nil {
		return nil, err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	// A statement of a cell that is in no function and no block has only variables of the session.
	var list []protocol.DebugScope
	if n := len(f.Site().Detail.(*ir.Mark).Vars); n > 0 || f.Site().Function != f.Site().Cell {
		list = append(list, protocol.DebugScope{Name: "Locals", Reference: d.references.Add(localScope{f}), Named: n, Locals: true})
	}
	return append(list, protocol.DebugScope{Name: "Globals", Reference: d.references.Add(globalScope{})}), nil
}

// Variables returns the variables or children that a reference identifies.
//
// References of an earlier stop are unknown, and the client asks for new ones. An error is better
// than the value of another variable.
func (d *Debuggee) Variables(reference int, which protocol.DebugRange) (list []protocol.DebugVariable, err error) {
	d.read(func(turn, still bool) {
		found, ok := d.references.Find(reference)
		switch found := found.(type) {
		case globalScope:
			list = d.globals(turn, still)
		case localScope:
			if turn {
				list = d.locals(found.f)
			}
		case looked:
			if !still {
				err = errors.New("cells are running: what a variable holds can be looked at when they have ended or stopped")
				return
			}
			list = d.parts(found, which)
		}
		if !ok {
			err = fmt.Errorf("the variables %d are not known any more: ask for those of the present", reference)
		}
	})
	return list, err
}

// locals returns the variables of a frame.
func (d *Debuggee) locals(f *debug.Frame) (list []protocol.DebugVariable) {
	values := f.Variables()
	for i, v := range f.Site().Detail.(*ir.Mark).Vars {
		written := types.TypeString(v.Type, qualifier)
		if i >= len(values) || !values[i].IsValid() {
			list = append(list, protocol.DebugVariable{Name: v.Name, Type: written, Value: "(not known)"})
			continue
		}
		list = append(list, d.variable(v.Name, written, values[i], f))
	}
	return list
}

// parts returns the children of a value that a client asks for. A client asks for the elements of a
// long slice in ranges, as the user scrolls. Fields are named children, and elements indexed ones.
//
// Children are computed only for the range that is asked for, so that a long slice is not read as a
// whole.
func (d *Debuggee) parts(l looked, which protocol.DebugRange) (list []protocol.DebugVariable) {
	named, indexed := l.Count()
	if which.Kind == "named" && named == 0 || which.Kind == "indexed" && indexed == 0 {
		return nil
	}
	defer func() {
		if recover() != nil {
			list = nil // a goroutine changed the value concurrently
		}
	}()
	for _, p := range l.Children(which.Start, which.Count) {
		list = append(list, d.show(p.Name, "", looked{p.Value, l.f}, debug.ShortOutline))
	}
	return list
}

// frameOf returns the frame with an identifier, or nil for 0.
func (d *Debuggee) frameOf(frame int) (*debug.Frame, error) {
	if frame == 0 {
		return nil, nil
	}
	return d.Frame(frame)
}

// Evaluate evaluates Go code in a frame; frame 0 means outside any function.
func (d *Debuggee) Evaluate(frame int, text string, statements bool) (protocol.DebugVariable, error) {
	f, err := d.frameOf(frame)
	if err != nil {
		return protocol.DebugVariable{}, err
	}
	kind := onlyExpression
	if statements {
		kind = anyStatement
	}
	return d.evaluate(d.evaluation(f, text, kind), debug.LongOutline)
}

// evaluate runs an evaluation and describes its value, preceded by its output.
//
// The value is described after the evaluation has ended, because describing it may call its
// methods, which are code of cells.
func (d *Debuggee) evaluate(x *evaluation, limit int) (v protocol.DebugVariable, err error) {
	found, printed, err := x.run(false)
	if err != nil {
		return v, err
	}
	if !found.given {
		return protocol.DebugVariable{Value: printed}, nil
	}
	expression := x.text
	if x.kind != onlyExpression {
		expression = ""
	}
	// The evaluation has released the execution lock. Describing the value needs it again.
	d.read(func(_, _ bool) {
		v = d.show(x.text, "", looked{debug.Value{Of: reflect.ValueOf(found.value), Expression: expression}, x.f}, limit)
	})
	if found.value == nil {
		v.Value = "nil"
	}
	v.Value = printed + v.Value
	return v, nil
}

// Assign sets a variable of a scope, or a child of a variable, by evaluating a Go assignment. It
// returns the new value. The type checker thus decides what may be assigned, and the value may be
// any expression. A child that no Go expression denotes cannot be assigned to. For instance,
// setting the child [3] of xs to f() evaluates xs[3] = f().
//
// Setting memory directly would need its own rules for conversions and for variables that are
// shared with goroutines. An assignment is compiled and run like any cell.
func (d *Debuggee) Assign(reference int, name, value string) (v protocol.DebugVariable, err error) {
	expression, f := name, (*debug.Frame)(nil)
	d.read(func(_, still bool) {
		found, ok := d.references.Find(reference)
		switch found := found.(type) {
		case localScope:
			f = found.f
		case looked:
			f, expression = found.f, ""
			if still {
				expression = partNamed(found.Value, name)
			}
		}
		if !ok {
			err = fmt.Errorf("the variables %d are not known any more: ask for those of the present", reference)
		} else if expression == "" {
			err = fmt.Errorf("%s cannot be assigned to: no expression of Go means it here", name)
		}
	})
	if err != nil {
		return v, err
	}
	if _, _, err := d.evaluation(f, expression+" = "+value, anyStatement).run(false); err != nil {
		return v, err
	}
	return d.evaluate(d.evaluation(f, expression, onlyExpression), debug.ShortOutline)
}

// partNamed returns the Go expression of a child of v, or "" if there is none. Clients name a child
// as they display it, such as [3], X or "key". A number is looked up at its index first, so that a
// long slice need not be listed.
//
// The Debug Adapter Protocol identifies a child only by the name in the list that the client has
// shown.
func partNamed(v debug.Value, name string) string {
	start, count := 0, 0
	if i, err := strconv.Atoi(strings.Trim(name, "[]")); err == nil {
		if _, indexed := v.Count(); i < indexed {
			start, count = i, 1
		}
	}
	for range 2 {
		for _, p := range v.Children(start, count) {
			if p.Name == name {
				return p.Expression
			}
		}
		// The second attempt looks at all children, because a map may have a key such as [0].
		start, count = 0, 1<<20
	}
	return ""
}

// Copy declares a session variable with the value of an expression in a frame. It is the only
// evaluation that is committed to the session.
//
// The variable exists after the debugger has continued, unlike the variables of the frame.
func (d *Debuggee) Copy(frame int, source, target string) (v protocol.DebugVariable, err error) {
	f, err := d.Frame(frame)
	if err != nil {
		return v, err
	}
	if _, _, err := d.evaluation(f, target+" := "+source, declaration).run(false); err != nil {
		return v, err
	}
	// The new variable belongs to the session, so it is shown without the frame.
	return d.evaluate(d.evaluation(nil, target, onlyExpression), debug.ShortOutline)
}

// Render returns a variable in all its display forms. It is the rich display of the variable panel,
// for which the value must be evaluated like a cell.
func (d *Debuggee) Render(frame int, name string) (data protocol.MimeBundle, metadata map[string]any, err error) {
	f, err := d.frameOf(frame)
	if err != nil {
		return nil, nil, err
	}
	found, _, err := d.evaluation(f, name, onlyExpression).run(true)
	if err != nil {
		return nil, nil, err
	}
	return found.data, found.metadata, nil
}
