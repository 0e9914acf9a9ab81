package machine

import "testing"

// Code of cells must find the closure in the func value of every entry.
func TestFuncValuesOfCallbacksHaveTheirClosure(t *testing.T) {
	for key, enter := range callbacks {
		cl := new(Closure)
		if got := ClosureOf(enter(cl)); got != cl {
			t.Errorf("the entry for classes %v does not have its closure after the code", []byte(key))
		}
	}
}
