package builtin

import (
	"reflect"

	"gosphere/runtime/internal/machine"
)

// Delayed maps the predeclared functions that may be statements to their implementation.
// Calls of them in go and defer statements are rare, so they use package reflect.
//
// Functions with a result, such as append and len, are missing because the language does not permit
// them as statements.
var Delayed = map[string]func(args []reflect.Value){
	"close":   func(args []reflect.Value) { machine.ChanClose(args[0].UnsafePointer()) },
	"clear":   func(args []reflect.Value) { args[0].Clear() },
	"copy":    func(args []reflect.Value) { reflect.Copy(args[0], args[1]) },
	"delete":  func(args []reflect.Value) { args[0].SetMapIndex(args[1], reflect.Value{}) },
	"panic":   func(args []reflect.Value) { panic(args[0].Interface()) },
	"print":   func(args []reflect.Value) { Print(args, false) },
	"println": func(args []reflect.Value) { Print(args, true) },
	"recover": nil, // package exec has it, since it needs the list of deferred calls
}
