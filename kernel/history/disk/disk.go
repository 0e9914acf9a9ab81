// Package disk records the cells that were run in an SQLite file, which several kernels and
// terminals share. The tables are those of IPython, so that tools for its file can read this one as
// well.
//
// The cells of the current session are also in memory. They are written asynchronously, by a
// goroutine that opens the file with the first cell or the first query. If the file is damaged,
// locked or not writable, only the history of other sessions is lost.
//
// Read disk.go, then store.go (the goroutine and the file), query.go (the statements) and file.go
// (location and permissions of the file).
//
//	log := disk.New(disk.Options{Path: disk.Path()})
//	log.Add(history.Cell{Line: 1, Source: "x := 1"})
//	cells, err := log.Find(protocol.HistoryRequest{HistAccessType: "tail", N: 10})
//	log.Close(time.Second)
//
// There is one lock for the cells in memory and one for the queue of the file. Neither is held
// during an operation on the file, so Add does not wait for a disk, nor for another process that
// has locked the file.
package disk

import (
	"cmp"
	"fmt"
	"io"
	"sync"
	"time"

	"gosphere/kernel/history"
	"gosphere/kernel/protocol"
)

// Options configure a Log.
type Options struct {
	Path string    // path of the SQLite file; if empty, the cells of this session are kept only in memory
	Warn io.Writer // receives, once, the reason why the file cannot be used; nil for none
	// Patience is how long Find waits for the file before it answers from memory, because other
	// requests of a client wait for it; 0 means one second.
	Patience time.Duration
}

// A Log is the history of one session. Its methods may be called from any goroutine. If there is a
// file it answers all requests, and memory is used only while the file cannot.
type Log struct {
	memory   history.Memory
	store    *store // nil if there is no file
	patience time.Duration
}

// New returns a log. It does not open the file yet.
func New(options Options) *Log {
	l := &Log{patience: cmp.Or(options.Patience, time.Second)}
	if options.Path != "" {
		l.store = newStore(options)
	}
	return l
}

// Add records a cell. It never blocks. An empty cell is not recorded, as in IPython.
func (l *Log) Add(c history.Cell) {
	c, kept := c.Trimmed()
	if !kept {
		return
	}
	l.memory.Add(c)
	if l.store != nil {
		l.store.add(c)
	}
}

// Find returns the cells that match a request, oldest first. An error means that the request is
// invalid. A file that cannot be read is not an error: the cells in memory are returned, of this
// session only.
func (l *Log) Find(request protocol.HistoryRequest) ([]history.Cell, error) {
	if err := history.Check(request); err != nil {
		return nil, err
	}
	if l.store != nil {
		if cells, ok := l.store.find(request, l.patience); ok {
			return cells, nil
		}
	}
	return l.memory.Find(request)
}

// Close writes the remaining cells, for at most the given time, and closes the file.
func (l *Log) Close(limit time.Duration) {
	if l.store != nil {
		l.store.close(limit, l.store.done)
	}
}

// Leave is like Close for a process that is about to exit: it skips the cleanup of the file, which
// the next process does. The cleanup is SQLite's checkpoint at the close of the last connection,
// which copies the log (-wal) into the file.
func (l *Log) Leave(limit time.Duration) {
	if l.store != nil {
		l.store.close(limit, l.store.written)
	}
}

// warnings writes each message once. The kind, not the text, decides what is the same: texts
// contain changing errors of the system.
type warnings struct {
	mu   sync.Mutex
	to   io.Writer
	said map[string]bool
}

// say writes a message unless one of its kind was written before.
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
