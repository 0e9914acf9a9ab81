package link

import (
	"go/types"
	"reflect"

	"gosphere/runtime/check"
	"gosphere/runtime/internal/source"
)

// Functions returns functions of cells and of packages from source as values. The functions in
// first initialize the packages and must be called before the values. c is a check of a cell
// without declarations. Package session runs the test functions of %test this way: package testing
// calls the values as it calls compiled functions.
func (s *Session) Functions(c *check.Checked, packages []*source.Package, list []*types.Func) (first []func(), values []reflect.Value, err error) {
	err = s.whole(unit{checked: c}, func() error {
		if first, _, err = s.start(packages); err != nil {
			return err
		}
		// A reference queues the code of its function, so this must happen within the unit.
		for _, f := range list {
			if ref, _ := s.funcRef(f, nil, c); ref == nil {
				return refuse(0, "internal: %s has no source", f.FullName())
			}
		}
		_, err := s.finish(c, nil)
		return err
	})
	if err != nil {
		return nil, nil, err
	}
	// Function values are made after the unit has succeeded, so none refers to code that was
	// undone.
	for _, f := range list {
		known := s.functionOf(f, c)
		values = append(values, s.machine.FuncValue(known.ref, s.typeOf(plain(f.Signature()))))
	}
	return first, values, nil
}
