// Package streams connects the standard streams of cells: output goes to the cell of the goroutine
// that prints, also when it is written to the file descriptors of the process, and input comes from
// the user who runs the cell.
//
// Read streams.go, output.go, input.go and descriptors.go.
package streams

import (
	"io"
	"os"
	"slices"
	"sync"
	"sync/atomic"

	"gosphere/internal/goroutine"
	"gosphere/runtime/internal/guard/limits"
)

// A Cell is what streams need of the cell to which they belong.
type Cell interface {
	// Done returns a channel that is closed when the cell must stop.
	Done() <-chan struct{}
	// EndIfStopped ends the calling goroutine if the cell has been stopped.
	EndIfStopped()
	// EndUnanswered stops the cell because no user can answer its question, and ends the calling
	// goroutine.
	EndUnanswered(reason string)
	// Yield yields the execution lock if another cell waits for it.
	Yield()
}

// Streams are the standard streams of one cell.
type Streams struct {
	cell    Cell
	process *Process
	write   func(stream, text string)

	out, err stream
	replaced atomic.Bool // whether invalid UTF-8 was replaced
	quota    *limits.Quota
	rate     limits.Rate
	ask      Ask // overrides that of the session; may be nil
	input    input
}

// StandardStreams returns s. The values of groups of goroutines that have it are cells with
// streams.
func (s *Streams) StandardStreams() *Streams { return s }

// current returns the streams of the calling goroutine's cell, or nil if it belongs to none.
func current() *Streams {
	if c, ok := goroutine.Current().(interface{ StandardStreams() *Streams }); ok {
		return c.StandardStreams()
	}
	return nil
}

// A Process holds what the cells of a session share: the settings of their streams, the source of
// their input and the file descriptors of the process.
type Process struct {
	bytes    atomic.Bool // cells may print bytes that are not text
	output   int64       // bytes that a cell may print; 0 means the limit of the environment
	rate     int64       // bytes per second that a cell may print; 0 means no limit
	ask      atomic.Pointer[Ask]
	reader   atomic.Pointer[io.Reader]
	captured atomic.Pointer[Descriptors] // nil unless descriptors are captured
	direct   atomic.Pointer[direct]      // nil unless the process runs one program
	own      atomic.Pointer[own]         // nil if cells see the variables of package os

	mu      sync.Mutex              // guards running
	running []*Streams              // oldest first
	latest  atomic.Pointer[Streams] // of the most recently started of the running cells, or of the one that ran last
}

// NewStreams returns the streams of a cell. Its output goes to write, with the stream names stdout
// and stderr. write must be safe for concurrent use.
func (p *Process) NewStreams(cell Cell, write func(stream, text string)) *Streams {
	return &Streams{cell: cell, process: p, write: write, quota: limits.NewQuota(p.output)}
}

// KeepBytes lets cells print arbitrary bytes unchanged from now on. By default, invalid UTF-8 is
// replaced, because messages to front ends carry text.
func (p *Process) KeepBytes() { p.bytes.Store(true) }

// WriteTo lets cells write to files of the process, as a compiled program does: unchanged, without
// a limit, and with the errors of the files. It must be called before the first cell runs. Messages
// of the session, such as that of a panic, go to the same files.
func (p *Process) WriteTo(stdout, stderr io.Writer) { p.direct.Store(&direct{stdout, stderr}) }

// own are the variables that cells see in place of those of package os.
type own struct{ stdout, stderr **os.File }

// Own sets the variables that cells see in place of os.Stdout and os.Stderr. They begin with the
// values of these.
func (p *Process) Own(stdout, stderr **os.File) { p.own.Store(&own{stdout, stderr}) }

// direct are the destinations of the output of a program.
type direct struct{ stdout, stderr io.Writer }

// of returns the destination with the name of a stream.
func (d *direct) of(name string) io.Writer {
	if name == "stderr" {
		return d.stderr
	}
	return d.stdout
}

// LimitOutput sets the number of bytes that each cell may print. It must not be called while a cell
// runs.
func (p *Process) LimitOutput(bytes int64) { p.output = bytes }

// LimitRate sets the rate, in bytes per second, at which a cell may print in the long run; 0 means
// no limit. It must not be called while a cell runs.
func (p *Process) LimitRate(bytes int64) { p.rate = bytes }

// An Ask asks the user for one line, with a prompt.
type Ask = func(prompt string, password bool) (string, error)

// BindInput sets the function that answers when a cell wants input.
func (p *Process) BindInput(ask Ask) { p.ask.Store(&ask) }

// ReadInput makes cells that read os.Stdin read from r. The function of BindInput then serves only
// Ask.
func (p *Process) ReadInput(r io.Reader) { p.reader.Store(&r) }

// Begin records that a cell has begun to run. Text that arrives at the descriptors belongs to the
// most recently started running cell, or else to the last one that ran. Begin forwards earlier text
// first.
func (p *Process) Begin(s *Streams) {
	p.drain()
	p.mu.Lock()
	defer p.mu.Unlock()
	p.running = append(p.running, s)
	p.latest.Store(s)
}

// End records that the statements of a cell have ended.
func (p *Process) End(s *Streams) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.running = slices.DeleteFunc(p.running, func(other *Streams) bool { return other == s })
	if n := len(p.running); n > 0 {
		p.latest.Store(p.running[n-1])
	}
}

// Latest returns the streams to which output without a cell goes, or nil before the first cell.
func (p *Process) Latest() *Streams { return p.latest.Load() }
