package session

import (
	"fmt"
	"strings"

	"gosphere/kernel/protocol"
	"gosphere/runtime/internal/link"
)

// warnRenewed warns about types that have gained methods in a cell: interface values that already
// exist keep the type with which they were created, without these methods.
func warnRenewed(list []link.Renewal, publish func(protocol.Content)) {
	for _, r := range list {
		var differences []string
		if len(r.Methods) > 0 {
			differences = append(differences, "without "+strings.Join(r.Methods, ", "))
		}
		if len(r.Changed) > 0 {
			differences = append(differences, "with the earlier "+strings.Join(r.Changed, ", "))
		}
		text := fmt.Sprintf("warning: values of type %s that interface values hold already keep the methods that they were made with, %s; make them again\n", r.Type, strings.Join(differences, " and "))
		publish(protocol.Stream{Name: "stderr", Text: text})
	}
}
