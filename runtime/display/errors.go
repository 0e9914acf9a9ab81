package display

import (
	"fmt"
	"strings"
)

// errorDepth is the maximum length of a displayed chain of errors.
const errorDepth = 10

// errorText returns an error, followed by the errors that it wraps with their types.
func errorText(err error) string {
	text := cut(err.Error())
	var chain strings.Builder
	_ = guard("Unwrap", func() error { writeChain(&chain, err, 1); return nil }) // the message is already written
	return text + chain.String()
}

// writeChain writes the errors that an error wraps, indented by depth.
func writeChain(text *strings.Builder, err error, depth int) {
	var wrapped []error
	switch err := err.(type) {
	case interface{ Unwrap() error }:
		if inner := err.Unwrap(); inner != nil {
			wrapped = []error{inner}
		}
	case interface{ Unwrap() []error }:
		wrapped = err.Unwrap()
	}
	if len(wrapped) == 0 {
		return
	}
	if depth > errorDepth {
		fmt.Fprintf(text, "\n%s…", strings.Repeat("  ", depth))
		return
	}
	if depth == 1 {
		fmt.Fprintf(text, "\n  %T wraps", err)
	}
	for _, inner := range wrapped {
		if inner == nil {
			continue
		}
		message, _, more := strings.Cut(inner.Error(), "\n")
		if more {
			message += " …"
		}
		fmt.Fprintf(text, "\n%s%T: %s", strings.Repeat("  ", depth+1), inner, message)
		writeChain(text, inner, depth+1)
	}
}
