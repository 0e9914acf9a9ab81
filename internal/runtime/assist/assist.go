// Package assist answers what an editor asks about a cell that is being written: how an
// identifier can go on, and what the thing under the cursor is.
//
// The cell is usually not yet right, often not even a sentence of Go. repair.go makes one
// of it that keeps everything before the cursor, the checker of the session types it,
// errors and all, and complete.go or inspect.go looks at the place of the cursor. The
// session is read, never changed, so answers come while a cell runs.
//
//	a := assist.New(session, packages)
//	c := a.Complete("math.Sq", 7)   // c.Matches[0].Text == "Sqrt"
//	i := a.Inspect("math.Sqrt", 9)  // i.Plain begins "func Sqrt(x float64) float64"
//
// Cursors count code points, as the Jupyter protocol does.
package assist

import (
	"sync"
	"unicode"
	"unicode/utf8"

	"gosphere/internal/runtime/check"
)

// Packages gives the type information and the documentation of compiled packages.
type Packages interface {
	check.Packages
	// Paths returns the import paths of all packages.
	Paths() []string
	// Doc returns the documentation of a package (name ""), of "Sqrt" or "Buffer.Write".
	Doc(path, name string) string
}

// An Assistant answers questions about cells of one session. Its methods may be called
// from any goroutine.
type Assistant struct {
	session  *check.Session
	packages Packages
	// Value returns the present value of a session variable; nil for none. It is called
	// without any lock, while a cell may run.
	Value func(*check.Symbol) (value any, ok bool)

	fields  sync.Map // *types.Package to map[*types.Var]string, see fieldsOf
	members sync.Map // *types.Package to *packageMembers, see membersOf
}

// New returns an Assistant for a session.
func New(session *check.Session, packages Packages) *Assistant {
	return &Assistant{session: session, packages: packages}
}

// byteOffset returns the offset in bytes of the cursor that stands behind so many code
// points; one behind the end means the end.
func byteOffset(code string, cursor int) int {
	offset := 0
	for ; cursor > 0 && offset < len(code); cursor-- {
		_, size := utf8.DecodeRuneInString(code[offset:])
		offset += size
	}
	return offset
}

// wordAround returns the start and end of the identifier that touches an offset. Where
// there is none, both are the offset.
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

func isLetter(r rune) bool { return r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) }
