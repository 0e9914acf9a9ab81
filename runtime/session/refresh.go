package session

import (
	"fmt"
	"strings"

	"gosphere/kernel/protocol"
	"gosphere/runtime/lower"
)

// refresh brings values in interfaces up to date whose types have got other methods. While
// goroutines may use them it cannot, and says so; the next cell that finds none does it.
func (s *Session) refresh(renewed []lower.Renewal, publish func(protocol.Content)) {
	s.outdated = s.outdated || len(renewed) > 0
	if !s.outdated {
		return
	}
	warn := func(format string, arguments ...any) {
		publish(protocol.Stream{Name: "stderr", Text: "warning: " + fmt.Sprintf(format, arguments...) + "\n"})
	}
	if s.guard.Quiet() {
		s.outdated = false
		if missed := s.lowerer.Refresh(); len(missed) > 0 {
			warn("interface values in values of type %s, whose locks are held, keep the methods that their types had before this cell", strings.Join(missed, ", "))
		}
		return
	}
	if len(renewed) == 0 {
		return
	}
	var types []string
	for _, r := range renewed {
		types = append(types, r.String())
	}
	list := strings.Join(types, ", ")
	if by := s.guard.SharedBy(); by != "" {
		warn("%s, which this session has used, may call its functions at any time, so interface values made before this cell keep the methods that %s had then; make them again", by, list)
	} else {
		warn("goroutines are running, so interface values made before this cell keep the methods that %s had then, until a cell runs after they have ended", list)
	}
}
