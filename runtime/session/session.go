// Package session makes the sessions of Go cells that notebooks, the REPL and "gosphere run" use:
// interp with all that a notebook has beyond Go. Cells may begin with magics, import the packages
// of a table without naming them, require modules, display values and talk to widgets; a Language
// makes a session the interpreter of a kernel.
//
// Programs that evaluate Go use package interp, which is smaller and restricts what the code may
// do.
//
// Read session.go, packages.go (what cells may import), program.go (Go programs), finder.go
// (packages for tools that run nothing), assistant.go (editors) and language.go.
package session

import (
	"context"
	"io"
	"slices"

	"gosphere/kernel/debug"
	"gosphere/kernel/protocol"
	"gosphere/runtime/comm"
	"gosphere/runtime/internal/engine"
	"gosphere/runtime/internal/generic"
	"gosphere/runtime/internal/guard"
	"gosphere/runtime/internal/guard/children"
	"gosphere/runtime/internal/guard/limits"
	"gosphere/runtime/internal/notebook"
	inner "gosphere/runtime/internal/session"
)

// Options configure a session.
type Options struct {
	// Packages are the compiled packages that cells may import.
	Packages Packages
	// Version returns the text of %version, one line for each component. It may be nil.
	Version func() string
	// Offers are values that cells offer to the packages that they import, such as progress bars of
	// long work; see package host.
	Offers []any
	// Unfollowed has the session not know which of its cells are stale.
	Unfollowed bool
	// Verify has the representation of each cell verified before it is compiled. Tests set it.
	Verify bool
}

// A Session evaluates cells one after another. What they declare stays until Close. One session of
// a process runs at a time with the streams of the process.
type Session struct {
	inner *inner.Session
	flow  *flow
}

// New returns a session that owns the process: the default logger and the flags of the command line
// write to the cells that use them, handlers and flags that compiled packages have registered are
// removed until a cell imports these packages, and the garbage collector gets a limit. Nothing
// undoes it. A program that has another purpose uses interp.New, which changes no variable of the
// process.
func New(o Options) (*Session, error) {
	compiled, err := o.Packages.Open()
	if err != nil {
		return nil, err
	}
	skeletons, err := engine.NewSkeletons(inner.RunOperation)
	if err != nil {
		return nil, err
	}
	f, offers := newFlow(), o.Offers
	var follower inner.Follower
	if !o.Unfollowed {
		follower, offers = f, append(slices.Clip(o.Offers), f)
	}
	s, err := inner.New(inner.Options{
		Process: inner.TakeProcess(o.Packages.Symbol), Notebook: notebook.Notebook{}, Skeletons: skeletons, Symbol: o.Packages.Symbol, Packages: compiled.store, Generic: generic.Source, Instance: generic.Compiled,
		Carried: compiled.carried, Licenses: o.Packages.licenses(), Version: o.Version, Offers: offers, Verify: o.Verify, Follower: follower,
	})
	if err != nil {
		return nil, err
	}
	return &Session{s, f}, nil
}

// Close ends what cells have started and frees what they declared.
func (s *Session) Close() { s.inner.Close() }

// Execute runs a cell and publishes its outputs. Goroutines of the cell may publish after it has
// returned, and from several goroutines at once. A done context interrupts the cell.
func (s *Session) Execute(ctx context.Context, request protocol.ExecuteRequest, publish func(protocol.Content)) protocol.ExecuteReply {
	defer s.Settle()
	return s.Reply(ctx, request, publish)
}

// Reply is like Execute, but does not say which cells have become stale. Settle must be called
// after it, when the reply has been sent.
func (s *Session) Reply(ctx context.Context, request protocol.ExecuteRequest, publish func(protocol.Content)) protocol.ExecuteReply {
	if isRerun(request.Code) && !request.Silent {
		return s.rerun(ctx, request, publish)
	}
	return s.inner.Execute(ctx, request, publish)
}

// Settle determines which cells have become stale by those that have ended. It publishes the result
// as an output of the last of them, or to the clients that mark cells.
func (s *Session) Settle() { s.inner.Settle() }

// Evaluate evaluates an expression with the number of a cell and returns its value in all forms, as
// for user_expressions.
func (s *Session) Evaluate(ctx context.Context, expression string, number int, publish func(protocol.Content)) (protocol.MimeBundle, protocol.ExecuteReply) {
	return s.inner.Evaluate(ctx, expression, number, publish)
}

// Interrupt stops all running cells and callbacks.
func (s *Session) Interrupt() { s.inner.Interrupt() }

// Complete completes the name before the cursor.
func (s *Session) Complete(request protocol.CompleteRequest) protocol.CompleteReply {
	return s.inner.Complete(request)
}

// Inspect describes the name at the cursor.
func (s *Session) Inspect(request protocol.InspectRequest) protocol.InspectReply {
	return s.inner.Inspect(request)
}

// IsComplete reports whether a text can be run as a cell.
func (s *Session) IsComplete(request protocol.IsCompleteRequest) protocol.IsCompleteReply {
	return s.inner.IsComplete(request)
}

// UnreadErrors describes the errors that cells have stored in variables of the session and that no
// cell has read. Each has the position of its statement, such as Cell [3], line 2.
func (s *Session) UnreadErrors() (list []string) {
	for _, u := range s.inner.UnreadErrors() {
		list = append(list, u.String())
	}
	return list
}

// Info describes Go, with the banner and the links of a kernel.
func (s *Session) Info() (protocol.LanguageInfo, string, []protocol.HelpLink) { return s.inner.Info() }

// BindInput sets the function that asks the user a question for a cell. password asks for text that
// is not shown.
func (s *Session) BindInput(ask func(prompt string, password bool) (string, error)) {
	s.inner.BindInput(ask)
}

// BindQuestions is like BindInput. ask gets the context of the cell that asks.
func (s *Session) BindQuestions(ask func(ctx context.Context, prompt string, password bool) (string, error)) {
	s.inner.BindQuestions(ask)
}

// BindComms sets the table of the comms that cells open.
func (s *Session) BindComms(table comm.Router) { s.inner.BindComms(table) }

// ReadInput has cells read standard input from a reader instead of asking.
func (s *Session) ReadInput(input io.Reader) { s.inner.ReadInput(input) }

// KeepBytes has outputs keep bytes that are not UTF-8, which clients of a kernel could not read.
func (s *Session) KeepBytes() { s.inner.KeepBytes() }

// ImportFrom sets the folder in which relative imports, files to embed and go.mod are looked up.
func (s *Session) ImportFrom(dir string) { s.inner.ImportFrom(dir) }

// LockModules fixes the versions and checksums of modules that cells require. With only, no other
// modules may be required.
func (s *Session) LockModules(requires, sums []string, only bool) {
	s.inner.LockModules(requires, sums, only)
}

// ModuleLock returns the modules that cells have required, as PATH@VERSION, and their checksums, as
// LockModules takes them.
func (s *Session) ModuleLock() (requires, sums []string) { return s.inner.ModuleLock() }

// DefaultRate is the rate of output, in bytes per second, that kernels permit a cell.
const DefaultRate = limits.DefaultRate

// LimitRate bounds the output of each cell, in bytes per second; 0 removes the bound.
func (s *Session) LimitRate(bytes int64) { s.inner.LimitRate(bytes) }

// TrimWhenIdle returns freed memory to the system when no cell runs.
func (s *Session) TrimWhenIdle() { s.inner.TrimWhenIdle() }

// Descriptors are the captured standard streams of the process.
type Descriptors struct {
	// Log is the stderr that the process had.
	Log io.Writer

	release func()
}

// Release gives the streams back to the process, after what is still in them has been read.
func (d *Descriptors) Release() { d.release() }

// CaptureDescriptors redirects output to the file descriptors 1 and 2 of the process to cells. This
// covers output of child processes and of variables that hold the original os.Stdout.
func (s *Session) CaptureDescriptors() (*Descriptors, error) {
	d, err := s.inner.CaptureDescriptors()
	if err != nil {
		return nil, err
	}
	return &Descriptors{d.Log, d.Release}, nil
}

// Debuggee returns the session as a debugger sees it.
func (s *Session) Debuggee() debug.Debuggee { return s.inner.Debuggee() }

// ErrStopped is the error of work that ends because the cell that started it was interrupted.
var ErrStopped error = guard.ErrStopped

// Stopped reports whether the cell of the calling goroutine was interrupted.
func Stopped() bool { return guard.Stopped() }

// EndChildren ends the processes that cells have started.
func EndChildren() { children.End() }

// ErrClosed is the error of a call of a method of a type whose session is closed.
var ErrClosed = inner.ErrClosed
