// Package confine takes abilities from this process for the rest of its life: opening network
// connections, starting programs, and using files outside of a folder. It uses seccomp and Landlock
// of Linux, which need no privileges, and covers all code of the process, also compiled code and
// assembly.
//
// The kernel of an agent is confined so that cells which a model has written cannot do more than
// the user has permitted.
package confine

// Limits are the abilities that Apply takes.
type Limits struct {
	// Network refuses sockets other than those of the Unix domain, and connections of these: the
	// process may accept clients, and does not become one. Sockets that are open already stay open.
	Network bool
	// Processes refuses the start of programs.
	Processes bool
	// Folder is the folder with the only files that the process may use, except those of Write and
	// Read and the system's own programs and libraries, which it may read. If it is "", files are
	// not limited.
	Folder string
	// Write and Read are further files and folders. Those that do not exist are left out.
	Write, Read []string
}

// None reports whether nothing is limited.
func (l Limits) None() bool { return !l.Network && !l.Processes && l.Folder == "" }
