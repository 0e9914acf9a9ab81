package process

import "reflect"

// Preloaded holds the packages that are compiled in for cells.
type Preloaded struct {
	Symbol  func(path, name string) (reflect.Value, bool) // looks up an exported name of a compiled package
	Archive func() []byte                                 // type information and documentation of the same packages
}

// Brought is set by Main before any subcommand runs.
var Brought Preloaded
