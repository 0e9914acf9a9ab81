package guard

import (
	"fmt"
	"reflect"
)

// choose is a select statement. The interpreter keeps the cases of each statement in one place,
// where goroutines that reach it at the same time find each other's. Every letter of clauses
// stands for a clause and says which of the arguments belong to it:
//
//	d  default
//	s  a send: the channel, a pointer to the value
//	r  a receive: the channel
//	v  a receive: the channel, a pointer to the variable for the value
//	k  a receive: the channel, a pointer to the variable that tells of a value
//	b  a receive: the channel, both pointers
//
// It returns the number of the chosen clause, the first being 1. The calling goroutine ends
// when its cell is told to stop while it waits.
func choose(clauses string, arguments ...any) int {
	next := func() reflect.Value {
		v := reflect.ValueOf(arguments[0])
		arguments = arguments[1:]
		return v
	}
	cases := make([]reflect.SelectCase, 0, len(clauses)+1)
	values, oks := make([]reflect.Value, len(clauses)), make([]reflect.Value, len(clauses))
	waits := true
	for i, clause := range clauses {
		switch clause {
		case 'd':
			cases, waits = append(cases, reflect.SelectCase{Dir: reflect.SelectDefault}), false
			continue
		case 's':
			channel := next()
			cases = append(cases, reflect.SelectCase{Dir: reflect.SelectSend, Chan: channel, Send: next().Elem()})
			continue
		case 'r', 'v', 'k', 'b':
		default:
			panic(fmt.Sprintf("select has no clause %q", clause))
		}
		cases = append(cases, reflect.SelectCase{Dir: reflect.SelectRecv, Chan: next()})
		if clause == 'v' || clause == 'b' {
			values[i] = next().Elem()
		}
		if clause == 'k' || clause == 'b' {
			oks[i] = next().Elem()
		}
	}
	cell := Current()
	if waits && cell != nil {
		cases = append(cases, reflect.SelectCase{Dir: reflect.SelectRecv, Chan: reflect.ValueOf(cell.done)})
	}
	chosen, value, ok := reflect.Select(cases)
	if chosen == len(clauses) {
		cell.stopHere(0)
	}
	if waits && cell != nil {
		cell.LetOthers() // another may have had the turn meanwhile
	}
	if values[chosen].IsValid() {
		values[chosen].Set(value)
	}
	if oks[chosen].IsValid() {
		oks[chosen].SetBool(ok)
	}
	return chosen + 1
}
