// Package errors holds the generic function of the standard package errors.
package errors

// AsType returns the first error in the tree of err whose type is E. The tree consists of err
// followed by the errors that its method Unwrap returns, in depth-first order. An error whose
// method As(any) bool accepts a pointer to E also matches.
//
// Each step tests the error itself before its method As, and that before the wrapped errors, like
// errors.As. The order is visible to programs whose errors have the methods.
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
		// Nothing follows a list, since an error has only one of the two methods.
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
