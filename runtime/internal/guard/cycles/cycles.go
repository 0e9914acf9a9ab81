// Package cycles finds values that contain themselves. Compiled functions that format or encode
// such a value call themselves until the stack is used up, which ends the process and cannot be
// recovered.
package cycles

import (
	"fmt"
	"reflect"
	"sync"
)

// A Walk describes which parts of a value a function visits.
type Walk struct {
	// Pointers reports that the function follows all pointers. Otherwise it follows a pointer only
	// at the beginning, as fmt does.
	Pointers bool
	// Addresses reports that a pointer inside a formatted value is formatted as an address, so that
	// a cycle through a pointer is harmless.
	Addresses bool
	// Unexported reports that the function visits unexported fields.
	Unexported bool
	// Methods lists methods that the function calls instead of visiting a value. Methods of cells
	// cannot exhaust the stack.
	Methods []string
}

// Format is the walk of package fmt for verbs that use methods, and Bare for other verbs. Encode is
// that of encoders, Template that of templates, which format any part of their data, and Tree that
// of package go/ast, which prints what a pointer points to once.
var (
	Tree     = Walk{Pointers: true, Addresses: true}
	Template = Walk{Pointers: true, Addresses: true, Methods: []string{"Format", "Error", "String"}}

	Format = Walk{Unexported: true, Methods: []string{"Format", "Error", "String"}}
	Bare   = Walk{Unexported: true, Methods: []string{"Format"}}
	Encode = Walk{Pointers: true, Methods: []string{"MarshalXML", "MarshalText", "GobEncode", "MarshalBinary", "MarshalYAML", "MarshalTOML"}}
)

// An Error describes a value that contains itself.
type Error struct {
	Name        string // of the value, such as argument 1
	Path, Again string // where the value is met again, and where it was met first
	Deep        bool   // the value does not contain itself, but has too many levels
}

// Error returns the text.
func (e *Error) Error() string {
	if e.Deep {
		return fmt.Sprintf("%s has more than %d levels, for which the stack does not suffice: %s...", e.Name, deepest, e.Path)
	}
	return fmt.Sprintf("%s contains itself and cannot be formatted or encoded: %s is %s again", e.Name, e.Path, e.Again)
}

// RuntimeError marks the error as one of the runtime: compiled Go ends with a stack overflow.
func (e *Error) RuntimeError() {}

// deepest is the number of levels at which the search ends. Compiled functions need up to 1 KB of
// the stack for a level and the search 1.5 KB, and the stack is limited to 1 GB.
const deepest = 100_000

// Find returns an error if value contains itself in parts that the walk visits. The name is that
// of the value in the error, whose paths begin with v.
func (w Walk) Find(name string, value any) error {
	v := reflect.ValueOf(value)
	if held, ok := value.(reflect.Value); ok {
		v = held
	}
	if !v.IsValid() || !recursive(v.Type()) {
		return nil
	}
	s := &search{Walk: w, state: map[node]*mark{}, name: name, path: []step{{text: "v"}}}
	if v.Kind() == reflect.Pointer && !w.Pointers && !v.IsNil() && !s.handled(v) {
		v = v.Elem()
	}
	return s.visit(v)
}

// A node identifies a slice, a map or what a pointer points to.
type node struct {
	at  uintptr
	len int
	typ reflect.Type
}

// A mark is the state of a node: it is being visited, or has been.
type mark struct {
	done  bool
	depth int
}

// A step is a part of a path. Its text is made only for an error.
type step struct {
	text  string
	index int
	key   reflect.Value
}

func (s step) String() string {
	switch {
	case s.text != "":
		return s.text
	case s.key.IsValid():
		switch s.key.Kind() {
		case reflect.String:
			return fmt.Sprintf("[%q]", s.key.String())
		case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
			return fmt.Sprintf("[%d]", s.key.Int())
		}
		return "[" + s.key.Type().String() + "]"
	}
	return fmt.Sprintf("[%d]", s.index)
}

// A search visits one value.
type search struct {
	Walk
	name  string
	state map[node]*mark
	path  []step
	// pointers has the length of the path at each pointer on it.
	pointers []int
}

// handled reports whether the function calls a method instead of visiting v.
func (s *search) handled(v reflect.Value) bool {
	if !v.CanInterface() {
		return false
	}
	for _, name := range s.Methods {
		if _, ok := v.Type().MethodByName(name); ok {
			return true
		}
	}
	return false
}

func (s *search) visit(v reflect.Value) error {
	if !v.IsValid() || !recursive(v.Type()) || s.handled(v) {
		return nil
	}
	switch v.Kind() {
	case reflect.Interface:
		return s.visit(v.Elem())
	case reflect.Struct:
		for i := range v.NumField() {
			f := v.Type().Field(i)
			if !s.Unexported && !f.IsExported() && !f.Anonymous {
				continue
			}
			if err := s.enter(step{text: "." + f.Name}, v.Field(i)); err != nil {
				return err
			}
		}
	case reflect.Array:
		return s.elements(v)
	case reflect.Slice:
		if v.Len() == 0 {
			return nil
		}
		return s.within(node{v.Pointer(), v.Len(), v.Type()}, func() error { return s.elements(v) })
	case reflect.Map:
		return s.within(node{v.Pointer(), 0, v.Type()}, func() error {
			for entries := v.MapRange(); entries.Next(); {
				if err := s.enter(step{key: entries.Key()}, entries.Value()); err != nil {
					return err
				}
			}
			return nil
		})
	case reflect.Pointer:
		if !s.Pointers || v.IsNil() {
			return nil
		}
		return s.within(node{v.Pointer(), -1, v.Type()}, func() error {
			s.pointers = append(s.pointers, len(s.path))
			defer func() { s.pointers = s.pointers[:len(s.pointers)-1] }()
			return s.visit(v.Elem())
		})
	}
	return nil
}

func (s *search) elements(v reflect.Value) error {
	for i := range v.Len() {
		if err := s.enter(step{index: i}, v.Index(i)); err != nil {
			return err
		}
	}
	return nil
}

// enter visits a part of a value.
func (s *search) enter(by step, v reflect.Value) error {
	s.path = append(s.path, by)
	defer func() { s.path = s.path[:len(s.path)-1] }()
	if len(s.path) > deepest {
		return &Error{Name: s.name, Path: s.text(min(len(s.path), 8)), Deep: true}
	}
	return s.visit(v)
}

// within visits the parts of a node, unless it has been visited.
func (s *search) within(n node, parts func() error) error {
	if known := s.state[n]; known != nil {
		if n := len(s.pointers); known.done || s.Addresses && n > 0 && s.pointers[n-1] >= known.depth {
			return nil
		}
		return &Error{Name: s.name, Path: s.text(len(s.path)), Again: s.text(known.depth)}
	}
	m := &mark{depth: len(s.path)}
	s.state[n] = m
	err := parts()
	m.done = true
	return err
}

// text returns the first steps of the path. A long path is cut in the middle.
func (s *search) text(steps int) string {
	text := ""
	for i, by := range s.path[:steps] {
		if i == 10 && steps > 20 {
			text += "..."
		}
		if i < 10 || i >= steps-10 || steps <= 20 {
			text += by.String()
		}
	}
	return text
}

// known has whether types are recursive, by reflect.Type.
var known sync.Map

// recursive reports whether a value of a type may contain itself. An interface value may contain
// anything.
func recursive(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.Interface:
		return true
	case reflect.Struct, reflect.Array, reflect.Slice, reflect.Map, reflect.Pointer:
	default:
		return false
	}
	if found, ok := known.Load(t); ok {
		return found.(bool)
	}
	found := reaches(t, map[reflect.Type]bool{}, map[reflect.Type]bool{})
	known.Store(t, found)
	return found
}

// reaches reports whether a type leads to an interface type or to a type that it has been reached
// from. Above are the types on the way, and plain those that lead to none.
func reaches(t reflect.Type, above, plain map[reflect.Type]bool) (found bool) {
	if above[t] || plain[t] {
		return above[t]
	}
	above[t] = true
	defer func() {
		delete(above, t)
		plain[t] = !found
	}()
	switch t.Kind() {
	case reflect.Interface:
		return true
	case reflect.Array, reflect.Slice, reflect.Pointer, reflect.Map:
		return reaches(t.Elem(), above, plain)
	case reflect.Struct:
		for i := range t.NumField() {
			if reaches(t.Field(i).Type, above, plain) {
				return true
			}
		}
	}
	return false
}
