package process

import (
	"reflect"
	"strings"

	"gosphere/internal/runtime/source"
)

// Preloaded holds the packages that are compiled in for cells.
type Preloaded struct {
	Symbol   func(path, name string) (reflect.Value, bool) // looks up an exported name of a compiled package
	Archives func() []string                               // type information and documentation of the same packages
	Source   func() string                                 // archive of packages from source; may be nil

	Licenses string // the file dependencies.txt
}

// LicensesByModule returns the licenses of the modules in the program, by path.
func (p Preloaded) LicensesByModule() map[string]string {
	list := map[string]string{}
	for line := range strings.Lines(p.Licenses) {
		if before, names, linked := strings.Cut(line, "  binary  "); linked {
			list[strings.Fields(before)[0]] = strings.TrimSpace(names)
		}
	}
	return list
}

// Store returns the packages whose source the program carries.
func (p Preloaded) Store() (*source.Store, error) {
	if p.Source == nil {
		return nil, nil
	}
	return source.OpenStore(p.Source())
}

// Brought is set by Main before any subcommand runs.
var Brought Preloaded
