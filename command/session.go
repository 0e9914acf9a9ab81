package command

import (
	"fmt"

	"gosphere/runtime/generic"
	"gosphere/runtime/packages"
	"gosphere/runtime/session"
)

// newSession makes a session with everything that the program brings along.
func newSession() (*session.Session, error) {
	store, err := packages.Open(preloaded.Archive())
	if err != nil {
		return nil, fmt.Errorf("the embedded type information: %w", err)
	}
	return session.New(session.Options{Tables: preloaded.Tables(), Packages: store, Generic: generic.Source})
}
