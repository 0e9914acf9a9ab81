package session

import (
	"go/types"
	"os"
	"reflect"
	"strings"

	"gosphere/runtime/cell"
	"gosphere/runtime/check"
	"gosphere/runtime/exec"
	"gosphere/runtime/guard"
	"gosphere/runtime/ir"
	"gosphere/runtime/link"
	"gosphere/runtime/lower"
)

// compiled runs cells as closures that package exec compiles from package ir, in place of
// interpreted text. Options.Compiled chooses it.
type compiled struct {
	session *Session
	link    *link.Session
}

func newCompiled(s *Session, support map[string]reflect.Value) *compiled {
	c := &compiled{session: s}
	c.link = link.New(link.Options{
		Symbol: s.engine.Symbol,
		Override: func(path, name string) (reflect.Value, bool) {
			if v, ok := callers[path+"."+name]; ok {
				return v, true
			}
			if path == "runtime" && name == "SetFinalizer" {
				return reflect.ValueOf(c.setFinalizer), true
			}
			v, ok := support[guard.Override(path, name)]
			return v, ok
		},
		OverrideMethod: func(f *types.Func) (reflect.Value, bool) {
			v, ok := support[guard.OverrideMethod(f.FullName())]
			return v, ok
		},
		Import: s.options.Packages.Import, Generic: s.options.Generic, Instance: s.options.Instance,
		Show: keepResult, ShowAll: keepResults, Main: s.checker.Main(), Runtime: c, Share: s.guard.Uses,
	})
	m := c.link.Machine()
	s.guard.OnStop(m.SetStop)
	m.StandIn(reflect.TypeFor[*os.File](), reflect.TypeFor[*guard.File](), guard.StandIns)
	return c
}

// compile makes steps of a checked cell.
func (c *compiled) compile(e *call, checked *check.Checked, parsed *cell.Cell, source string) ([]func(), func(), *failure) {
	s := c.session
	program, err := c.link.Cell(checked)
	if err != nil {
		parsed.Forget()
		return nil, nil, s.failureOf(asLowered(err), e.number, source)
	}
	s.warnings.show(s.checker, checked, source, e.publish)
	s.checker.Commit(checked)
	s.setRunning(e)
	var steps []func()
	for _, step := range program.Steps {
		steps = append(steps, func() { c.noted(step) })
	}
	return steps, func() {}, nil
}

// asLowered gives the errors of package link the types that the session knows.
func asLowered(err error) error {
	switch err := err.(type) {
	case *link.Refusal:
		return &lower.Refusal{Pos: err.Pos, Message: err.Message}
	case *link.Defect:
		return &lower.Defect{Text: err.Text, Stack: err.Stack}
	}
	return err
}

// noted runs a step and tells the guard where a panic comes from.
func (c *compiled) noted(step func()) {
	finished := false
	defer func() {
		if finished {
			return
		}
		value := recover()
		if value == nil {
			return
		}
		if p, ok := value.(*exec.Panic); ok {
			list, line := frames(p.Frames)
			c.session.guard.NotePanic(list, line)
			value = p.Value
		}
		panic(value)
	}()
	step()
	finished = true
}

// frames writes the calls of a stack.
func frames(list []exec.Frame) (out []guard.Frame, line int) {
	for i, f := range list {
		if i == 0 {
			line = f.Line
		}
		if text := describeCall(f); text != "" {
			out = append(out, guard.Frame{File: f.File, Line: f.Line, Text: text})
		}
	}
	return out, line
}

// describeCall writes a call; "" for one that is no code of cells.
func describeCall(f exec.Frame) string {
	root := f.Func
	for root.Parent != nil {
		root = root.Parent
	}
	position := root.Fset
	if position == nil {
		return ""
	}
	p := position.Position(root.Pos)
	file := f.File
	if file == "" {
		file = p.Filename
	}
	if !strings.HasPrefix(file, "Cell") && !strings.HasSuffix(file, ".go") {
		return ""
	}
	name := nameInTrace(root)
	return describeFrame(lower.Frame{File: file, Name: name, First: f.Line, Last: f.Line, Literal: f.Func != root}, f.Line)
}

// nameInTrace is the name of a function as users know it; "" for the statements of a cell.
func nameInTrace(f *ir.Func) string {
	name := strings.TrimPrefix(f.Name, "main.")
	if name == "cell" {
		return ""
	}
	name = strings.NewReplacer("(*", "", ")", "").Replace(name)
	return name
}

// Poll, Overflow, Go, Done and Shared are what running code asks of the guard.

func (c *compiled) Poll(line int) { c.session.guard.Poll(line) }

func (c *compiled) Overflow(list []exec.Frame) {
	out, _ := frames(list)
	c.session.guard.Overflow(out)
}

func (c *compiled) Go(body func()) { c.session.guard.Go(func() { c.noted(body) }) }

func (c *compiled) Done() <-chan struct{} {
	if current := guard.Current(); current != nil {
		return current.Done()
	}
	return nil
}

func (c *compiled) Shared() bool { return c.session.guard.Shared() }

func (c *compiled) LockMap(address uintptr, write bool) func() {
	return guard.LockMap(address, write)
}

func (c *compiled) Room(n, size int, text string) int { return c.session.guard.Room(n, size, text) }
