package session

import (
	"database/sql"
	"fmt"
	"reflect"
	"strings"

	"gosphere/runtime/check"
	"gosphere/runtime/internal/packages"
	"gosphere/runtime/internal/source"
)

// Packages are the packages that a program has for cells. Package symbols has those of gosphere.
type Packages struct {
	// Symbol returns an exported object of a compiled package.
	Symbol func(path, name string) (reflect.Value, bool)
	// Archives returns the type information and documentation of the same packages. It is nil if
	// there are none.
	Archives func() []string
	// Source returns the archive of the packages whose source the program has. It may be nil.
	Source func() string
	// Licenses lists the modules of the program, one on a line as in install/licenses.
	Licenses string
}

// open reads the type information. None of it is decoded yet.
func (p Packages) open() (*packages.Store, error) {
	var archives []string
	if p.Archives != nil {
		archives = p.Archives()
	}
	store, err := packages.Open(archives...)
	if err != nil {
		return nil, fmt.Errorf("reading the embedded type information: %w", err)
	}
	store.Drivers = sql.Drivers
	return store, nil
}

// carried returns the packages whose source the program has, or nil.
func (p Packages) carried() (*source.Store, error) {
	if p.Source == nil {
		return nil, nil
	}
	return source.OpenStore(p.Source())
}

// licenses returns the licenses of the modules in the program, by path.
func (p Packages) licenses() map[string]string {
	list := map[string]string{}
	for line := range strings.Lines(p.Licenses) {
		if before, names, linked := strings.Cut(line, "  binary  "); linked {
			list[strings.Fields(before)[0]] = strings.TrimSpace(names)
		}
	}
	return list
}

// A Library has the types and documentation of packages.
type Library interface {
	check.Packages
	// Paths returns the import paths of all packages.
	Paths() []string
	// Doc returns the documentation of a package (name ""), or of a name such as "Sqrt" or
	// "Buffer.Write".
	Doc(path, name string) string
}

// A Compiled has read the type information of Packages, for tools that check cells without running
// them. The finders of one Compiled share what they decode of it.
type Compiled struct {
	store   *packages.Store
	carried *source.Store
}

// Open reads the type information. None of it is decoded before it is used.
func (p Packages) Open() (*Compiled, error) {
	store, err := p.open()
	if err != nil {
		return nil, err
	}
	carried, err := p.carried()
	if err != nil {
		return nil, err
	}
	return &Compiled{store, carried}, nil
}

// Library returns the compiled packages.
func (c *Compiled) Library() Library { return c.store }

// GoVersion returns the release of Go for which the type information was recorded.
func (c *Compiled) GoVersion() string { return c.store.GoVersion() }
