package process

import "reflect"

// Preloaded is what the program brings along for cells.
type Preloaded struct {
	Symbol  func(path, name string) (reflect.Value, bool) // finds what a compiled package exports
	Archive func() []byte                                 // type information and documentation of the same packages
}

// Brought is set by Main before any subcommand runs.
var Brought Preloaded
