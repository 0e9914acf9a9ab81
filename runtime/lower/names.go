package lower

import (
	"fmt"
	"go/token"
)

// Names of the language of cells cannot clash with the emitted ones, because nobody
// types these two modifier letters: a prime marks session-level names and a half
// triangular colon marks everything inside functions.
const (
	globalMark = "ʹ"
	localMark  = "ˑ"
)

// Packages of the emitted source: guards and boxing, and the session's real types.
const (
	supportPackage = "gs"
	cellsPackage   = "cells"
	support        = supportPackage + globalMark
	cells          = cellsPackage + globalMark
	stopFlag       = "stop" + globalMark
	lineMark       = "line" + globalMark
	sharedFlag     = "shared" + globalMark
	debugFlag      = "debug" + globalMark
)

// global returns a fresh engine name for a session-level name.
func (s *Session) global(name string) string {
	s.emission++
	return fmt.Sprintf("%s%s%d", name, globalMark, s.emission)
}

// fieldName is the name of a struct field in the layout type. All are exported, because
// the interpreter reaches fields through reflect.
func fieldName(name string, index int) string {
	switch {
	case name == "_":
		return fmt.Sprintf("B%s%d", localMark, index)
	case token.IsExported(name):
		return name
	}
	return "F" + localMark + name
}
