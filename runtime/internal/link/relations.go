package link

import "go/types"

// relations implements the type relations of package ir's verifier for types of several cells.
type relations struct{ u *Session }

// Identical reports whether two types have the same run-time type.
func (r relations) Identical(a, b types.Type) bool { return r.u.key(a) == r.u.key(b) }

// Implements reports whether t has the methods of an interface type. It counts methods that were
// declared after the cell that declared the type.
func (r relations) Implements(t, iface types.Type) bool {
	return r.u.typeOf(t).Implements(r.u.typeOf(iface))
}
