package lower

import "go/token"

// forge makes the layout type of a recursive type that the interpreter cannot declare.
func (s *Session) forge(u *unit, r *record) {
	panic(refuse(token.NoPos, "recursive type %s must go through a struct field in cells", r.display))
}
