package realtype

import (
	"reflect"
	"sync"
)

// A Switch is the table of a type switch: which clause takes which dynamic type.
type Switch struct {
	build   func() [][]reflect.Type
	once    sync.Once
	clauses [][]reflect.Type
	found   sync.Map // *abiType to the number of the clause
}

// standIns are types whose values count as those of another type.
var standIns sync.Map // reflect.Type to reflect.Type

// StandIn lets type switches take values of one type for values of another, which has the
// same methods.
func StandIn(one, other reflect.Type) { standIns.Store(one, other) }

// NewSwitch returns the table for the clauses, each a list of types in which nil stands
// for case nil. The function is called at the first use, when all types are complete.
func NewSwitch(clauses func() [][]reflect.Type) *Switch { return &Switch{build: clauses} }

// Pick returns the number of the clause that a type switch on v takes, counted from 1,
// and 0 if there is none. It may be called from any goroutine.
func Pick(s *Switch, v any) int {
	word := typeWord(v)
	if clause, ok := s.found.Load(word); ok {
		return clause.(int)
	}
	s.once.Do(func() { s.clauses = s.build() })
	clause := settled(func() int { return s.find(word) })
	s.found.Store(word, clause)
	return clause
}

func (s *Switch) find(word *abiType) int {
	var dynamic reflect.Type
	if word != nil {
		dynamic = reflectOf(word)
	}
	if other, ok := standIns.Load(dynamic); ok {
		dynamic = other.(reflect.Type)
	}
	for i, clause := range s.clauses {
		for _, t := range clause {
			if takes(t, dynamic) {
				return i + 1
			}
		}
	}
	return 0
}

// takes tells whether case t takes a value of the dynamic type. Types that were
// renewed count as one, but an interface takes a value only if compiled code agrees.
func takes(t, dynamic reflect.Type) bool {
	switch {
	case t == dynamic:
		return true
	case t == nil || dynamic == nil:
		return false
	case t.Kind() == reflect.Interface:
		return dynamic.Implements(t)
	}
	return canonical(abiOf(t)) == canonical(abiOf(dynamic))
}
