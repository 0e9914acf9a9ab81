// Package errors holds the generic function of the standard package errors.
package errors

// AsType returns the first error in the tree of err that has the type E. The tree is
// err, then what its method Unwrap returns, one error or several, depth first. An error
// also counts if its method As(any) bool takes a pointer to E.
func AsType[E error](err error) (E, bool) {
	for err != nil {
		if e, ok := err.(E); ok {
			return e, true
		}
		if x, ok := err.(interface{ As(any) bool }); ok {
			var target E
			if x.As(&target) {
				return target, true
			}
		}
		if x, ok := err.(interface{ Unwrap() []error }); ok {
			for _, inner := range x.Unwrap() {
				if e, ok := AsType[E](inner); ok {
					return e, true
				}
			}
			break
		}
		x, ok := err.(interface{ Unwrap() error })
		if !ok {
			break
		}
		err = x.Unwrap()
	}
	var none E
	return none, false
}
