package session

import (
	"fmt"
	"strings"

	"gosphere/internal/kernel/protocol"
	"gosphere/internal/runtime/link"
)

// warnRenewed warns about types that have gained methods in a cell: interface values that already
// exist keep the type with which they were created, without these methods.
func warnRenewed(list []link.Renewal, publish func(protocol.Content)) {
	for _, r := range list {
		text := fmt.Sprintf("warning: values of type %s that interface values hold already keep the methods that they were made with, without %s; make them again\n", r.Type, strings.Join(r.Methods, ", "))
		publish(protocol.Stream{Name: "stderr", Text: text})
	}
}
