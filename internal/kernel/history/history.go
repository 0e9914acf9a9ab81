// Package history remembers the cells that were run, those of earlier sessions in an SQLite
// file that several kernels and terminals share. The tables are those of IPython, so that
// tools which read its file read this one as well.
//
// A session's own cells are in memory too. What is written to the file is written beside the
// execution, on a goroutine that opens the file with the first cell or the first question; a
// file that is damaged, locked or not writable costs the history of other sessions and
// nothing else.
//
// Read history.go, then memory.go, store.go (the goroutine and the file), query.go (the
// statements) and file.go (where the file is, and who may read it).
//
//	log := history.New(history.Options{Path: history.Path()})
//	log.Add(history.Cell{Line: 1, Source: "x := 1"})
//	cells, err := log.Find(protocol.HistoryRequest{HistAccessType: "tail", N: 10})
//	log.Close()
package history

import (
	"cmp"
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"gosphere/internal/kernel/protocol"
)

// A Cell is one cell that was run.
type Cell struct {
	Session int // number of the session; Add sets it
	Line    int // execution count
	Source  string
	Output  string // text of its value; "" for none
}

// Options say where cells are kept.
type Options struct {
	Path string    // of the SQLite file; "" keeps the cells of this session in memory only
	Warn io.Writer // is told, once, why the file cannot be used; nil for none
	// Patience is how long Find waits for the file before it answers from memory, because the
	// other requests of a client wait behind it; 0 for a second.
	Patience time.Duration
}

// A Log is the history of one session. Its methods may be called from any goroutine.
type Log struct {
	memory   memory
	store    *store // nil without a file
	patience time.Duration
}

// maxOutput is how many bytes of a value's text are kept.
const maxOutput = 16 << 10

// New makes a log. It opens nothing yet.
func New(options Options) *Log {
	l := &Log{patience: cmp.Or(options.Patience, time.Second)}
	if options.Path != "" {
		l.store = newStore(options)
	}
	return l
}

// Add remembers a cell. It waits for nothing.
func (l *Log) Add(c Cell) {
	if strings.TrimSpace(c.Source) == "" {
		return
	}
	if len(c.Output) > maxOutput {
		c.Output = strings.ToValidUTF8(c.Output[:maxOutput], "") + "…"
	}
	l.memory.add(c)
	if l.store != nil {
		l.store.add(c)
	}
}

// Find returns the cells that a request asks for, oldest first. The error is about the request.
func (l *Log) Find(request protocol.HistoryRequest) ([]Cell, error) {
	switch request.HistAccessType {
	case "tail", "search", "range":
	default:
		return nil, fmt.Errorf("hist_access_type is %q, want range, tail or search", request.HistAccessType)
	}
	if l.store != nil {
		if cells, ok := l.store.find(request, l.patience); ok {
			return cells, nil
		}
	}
	return l.memory.find(request), nil
}

// Close writes what is left, for the given time at most, and lets go of the file.
func (l *Log) Close(limit time.Duration) {
	if l.store != nil {
		l.store.close(limit, l.store.done)
	}
}

// Leave is Close for a process that is about to end: it does not wait until the file has been
// tidied up, which the next one does.
func (l *Log) Leave(limit time.Duration) {
	if l.store != nil {
		l.store.close(limit, l.store.written)
	}
}

// warnings says each thing once.
type warnings struct {
	mu   sync.Mutex
	to   io.Writer
	said map[string]bool
}

func (w *warnings) say(kind, format string, arguments ...any) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.to == nil || w.said[kind] {
		return
	}
	if w.said == nil {
		w.said = map[string]bool{}
	}
	w.said[kind] = true
	fmt.Fprintf(w.to, "gosphere: history: "+format+"\n", arguments...)
}
