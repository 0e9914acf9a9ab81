package ir

import (
	"reflect"
)

// A Hook is a statement that calls a function of the session with values.
type Hook struct {
	at
	// X is the value, or a Call with several results, which are the values.
	X Expr
	// Run gets the values in their static types; one of an interface type as its dynamic value.
	Run func(values []reflect.Value)
}

// CallHook returns the statement that calls run with the value of x.
func CallHook(run func(values []reflect.Value), x Expr) Stmt {
	return &Hook{at{x.Pos()}, x, run}
}
