package link

import "go/types"

// relations are what a verifier of package ir asks about types of several cells.
type relations struct{ u *universe }

// Identical reports whether two types are one type at run time.
func (r relations) Identical(a, b types.Type) bool { return r.u.key(a) == r.u.key(b) }

// Implements reports whether t has the methods of an interface type now, also those that a later
// cell than that of its declaration declared.
func (r relations) Implements(t, iface types.Type) bool { return r.u.Of(t).Implements(r.u.Of(iface)) }
