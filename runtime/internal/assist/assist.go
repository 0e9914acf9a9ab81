// Package assist answers the questions of an editor about a cell that is being written: the
// completions of an identifier, and the description of the name at the cursor.
//
// The cell is usually incorrect and often not syntactically valid. repair.go converts it to a valid
// cell that keeps everything before the cursor, the checker of the session types it despite any
// errors, and complete.go or inspect.go examines the syntax at the cursor. The session is only
// read, never changed, so answers are available while a cell runs.
//
//	a := assist.New(session, packages)
//	c := a.Complete("math.Sq", 7)   // c.Matches[0].Text == "Sqrt"
//	i := a.Inspect("math.Sqrt", 9, 0) // i.Plain begins "func Sqrt(x float64) float64"
//
// Cursors count code points, as the Jupyter protocol does.
//
// A client waits about a second for a completion, so every step has a bound: the checker types one
// cell, lists are documented up to a limit, and what depends on compiled packages alone is cached.
//
// Read assist.go, repair.go (text), complete.go, expected.go and members.go (completion),
// package.go (the members of a package), document.go, paths.go, then inspect.go and typeheading.go.
package assist

import (
	"sync"
	"unicode"
	"unicode/utf8"

	"gosphere/runtime/check"
)

// Packages provides the type information and documentation of compiled packages. The methods may be
// called concurrently, and Import returns the same package each time.
type Packages interface {
	check.Packages
	// Paths returns the import paths of all packages.
	Paths() []string
	// Doc returns the documentation of a package (name ""), or of a name such as "Sqrt" or
	// "Buffer.Write".
	Doc(path, name string) string
}

// An Assistant answers questions about cells of one session. Its methods may be called from any
// goroutine. It has no state besides caches, which never become invalid: compiled packages do not
// change.
type Assistant struct {
	session  *check.Session
	packages Packages
	// Value returns the current value of a session variable; it is nil if values are not available.
	// It is called without any lock, while a cell may run.
	Value func(*check.Symbol) (value any, ok bool)

	fields  sync.Map // *types.Package to map[*types.Var]string, see fieldsOf
	members sync.Map // *types.Package to *packageMembers, see membersOf
}

// New returns an Assistant for a session.
func New(session *check.Session, packages Packages) *Assistant {
	return &Assistant{session: session, packages: packages}
}

// byteOffset returns the byte offset of a cursor that counts code points. A cursor past the end is
// treated as the end. The Jupyter protocol counts code points, Go's scanner counts bytes.
func byteOffset(code string, cursor int) int {
	offset := 0
	for ; cursor > 0 && offset < len(code); cursor-- {
		_, size := utf8.DecodeRuneInString(code[offset:])
		offset += size
	}
	return offset
}

// wordAround returns the start and end of the identifier that touches an offset. If there is none,
// both equal the offset. A word that begins with a digit is a number and no identifier.
func wordAround(code string, offset int) (start, end int) {
	start, end = offset, offset
	for start > 0 {
		r, size := utf8.DecodeLastRuneInString(code[:start])
		if !isLetter(r) {
			break
		}
		start -= size
	}
	for end < len(code) {
		r, size := utf8.DecodeRuneInString(code[end:])
		if !isLetter(r) {
			break
		}
		end += size
	}
	if r, _ := utf8.DecodeRuneInString(code[start:end]); unicode.IsDigit(r) {
		return offset, offset
	}
	return start, end
}

// isLetter reports whether a character can be part of an identifier.
func isLetter(r rune) bool { return r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) }
