package kernel

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime/debug"
	"strconv"
	"strings"
	"sync"

	"gosphere/internal/lazyregexp"
	"gosphere/internal/userfile"
	"gosphere/kernel"
	"gosphere/kernel/protocol"
	"gosphere/runtime/session"
)

// A recovery tells the kernel that a launcher starts in place of one that has ended with a fatal
// error of the runtime what that one ran. Go cannot recover from such an error: two goroutines that
// write one map in compiled code end the process.
//
// Two files beside the connection file, which a restart keeps, hold the text of the fatal error and
// the cells. Only the user can read them, and the end of a kernel removes them.
type recovery struct {
	crash, cells string // names of the files
	before       *ended // the kernel before this one, or nil

	mu      sync.Mutex // guards the following fields
	journal *os.File   // nil if it cannot be written
	told    bool
}

// The ends of the names of the files, which replace that of the connection file.
const (
	crashSuffix = ".gosphere-crash"
	cellsSuffix = ".gosphere-cells"
)

// A storedCell is a line of the file of cells.
type storedCell struct {
	Number int    `json:"number"`
	Code   string `json:"code"`
}

// An ended kernel.
type ended struct {
	text   string // of the fatal error, with the trace
	reason string // its first line
	number int    // of the cell whose goroutine raised the error, or 0
	call   string // the compiled function that the cell had called, or ""
	cells  []storedCell
}

// openRecovery reads what an earlier kernel of the connection file has left, and begins new files.
// From then on fatal errors are written there instead of to the log; the text of an earlier one is
// written to the log. Without files, such as in a folder that cannot be written, nothing is
// recorded.
func openRecovery(connectionFile string, log io.Writer) *recovery {
	stem := strings.TrimSuffix(connectionFile, filepath.Ext(connectionFile))
	r := &recovery{crash: stem + crashSuffix, cells: stem + cellsSuffix}
	if r.before = readEnded(r.crash, r.cells); r.before != nil {
		fmt.Fprintf(log, "the kernel before this one ended with:\n%s\n", r.before.text)
	}
	r.remove()
	removeOrphans(filepath.Dir(connectionFile), filepath.Ext(connectionFile))
	const flags = os.O_WRONLY | os.O_CREATE | os.O_EXCL // no file or link that someone else has made
	crash, err := os.OpenFile(r.crash, flags, 0o600)
	if err != nil {
		return r
	}
	err = debug.SetCrashOutput(crash, debug.CrashOptions{}) // it has its own copy of the descriptor
	if crash.Close(); err == nil {
		r.journal, _ = os.OpenFile(r.cells, flags, 0o600)
	}
	return r
}

// removeOrphans removes the files of kernels that were killed and whose launchers have removed the
// connection files.
func removeOrphans(folder, extension string) {
	for _, suffix := range []string{crashSuffix, cellsSuffix} {
		files, err := filepath.Glob(filepath.Join(folder, "*"+suffix))
		if err != nil { // the name of the folder is no pattern
			return
		}
		for _, file := range files {
			if _, err := os.Lstat(strings.TrimSuffix(file, suffix) + extension); os.IsNotExist(err) {
				os.Remove(file)
			}
		}
	}
}

// remove removes the files.
func (r *recovery) remove() {
	os.Remove(r.crash)
	os.Remove(r.cells)
}

// close ends the recovery of a kernel that ends as it should.
func (r *recovery) close() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.journal != nil {
		r.journal.Close()
		r.journal = nil
	}
	r.remove()
}

// record records a cell that is about to run.
func (r *recovery) record(c storedCell) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.journal == nil {
		return
	}
	if line, err := json.Marshal(c); err == nil {
		_, err = r.journal.Write(append(line, '\n'))
		if err != nil { // the disk is full; half a line would hide the next one
			r.journal.Close()
			r.journal = nil
		}
	}
}

// mostLeft is the number of bytes that are read of each file.
const mostLeft = 64 << 20

// readEnded reads the files of an earlier kernel. It returns nil if that has not ended with a fatal
// error.
func readEnded(crash, cells string) *ended {
	text, err := userfile.ReadFile(crash, mostLeft)
	if err != nil || len(text) == 0 {
		return nil
	}
	e := parseCrash(string(text))
	list, err := userfile.ReadFile(cells, mostLeft)
	if err != nil {
		return e
	}
	for line := range bytes.Lines(list) {
		var c storedCell
		if json.Unmarshal(line, &c) == nil {
			e.cells = append(e.cells, c)
		}
	}
	return e
}

// concurrentMaps is the reason of an error that two goroutines raise with one map.
const concurrentMaps = "fatal error: concurrent map reads or writes"

// labeledCell matches the labels in the first line of the trace of a goroutine of a cell.
var labeledCell = lazyregexp.New(`^goroutine \d+ .*\{.*\bcell: "?(\d+)`)

// parseCrash reads the text that the runtime writes for a fatal error: the reason, and the trace of
// the goroutine that raised it, innermost call first. The compiled function that a cell has called
// is above the trampoline by which cells call.
func parseCrash(text string) *ended {
	e := &ended{text: text, reason: "a fatal error"}
	lines := bufio.NewScanner(strings.NewReader(text))
	lines.Buffer(nil, mostLeft)
	last, began := "", false
	for lines.Scan() {
		line := lines.Text()
		if strings.HasPrefix(line, "goroutine ") {
			if began {
				break
			}
			began = true
			if m := labeledCell.FindStringSubmatch(line); m != nil {
				e.number, _ = strconv.Atoi(m[1])
			}
			continue
		}
		if !began {
			if strings.HasPrefix(line, "fatal error: ") || strings.HasPrefix(line, "panic: ") {
				e.reason = line
			}
			continue
		}
		// The runtime prints the reason of this error before it begins with the crash output.
		if strings.HasPrefix(line, "internal/runtime/maps.fatal(") {
			e.reason = concurrentMaps
		}
		if strings.Contains(line, "/hostcall.trampoline(") {
			e.call = last
			break
		}
		if line != "" && !strings.HasPrefix(line, "\t") {
			if last = line; strings.HasSuffix(line, ")") {
				last = line[:callEnd(line)]
			}
		}
	}
	return e
}

// callEnd returns the index of the parenthesis before the arguments of a call in a trace. The name
// of a method may have parentheses of its own.
func callEnd(line string) int {
	depth := 0
	for i := len(line) - 1; i >= 0; i-- {
		switch line[i] {
		case ')':
			depth++
		case '(':
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return len(line)
}

// source returns the text of a cell.
func (e *ended) source(number int) string {
	for i := len(e.cells) - 1; i >= 0; i-- {
		if e.cells[i].Number == number {
			return e.cells[i].Code
		}
	}
	return ""
}

// describe returns the text that the first cell of the new kernel shows.
func (e *ended) describe() string {
	var b strings.Builder
	fmt.Fprintf(&b, "The kernel ended and was started again, without its variables: %s\n", e.reason)
	name := e.call[strings.LastIndex(e.call, ".")+1:]
	found := false
	if e.number > 0 {
		number := 0
		for line := range strings.Lines(e.source(e.number)) {
			number++
			if name != "" && strings.Contains(line, name+"(") {
				found = true
				fmt.Fprintf(&b, "    Cell [%d], line %d: %s\n", e.number, number, strings.TrimSpace(line))
			}
		}
		if !found {
			fmt.Fprintf(&b, "    in a goroutine of Cell [%d]\n", e.number)
		}
	}
	if e.call != "" {
		fmt.Fprintf(&b, "    in %s\n", e.call)
	}
	if e.reason == concurrentMaps {
		fmt.Fprintln(&b, "    hint: goroutines use one map at the same time; hold a sync.Mutex where they do")
	}
	if len(e.cells) > 0 {
		fmt.Fprintln(&b, "    %rerun writes the cells that ran before into the next one, to run them again")
	}
	return b.String()
}

// rerun returns the cells that ran before the one that raised the fatal error, or before the last
// one, as one cell. Cells for other languages cannot be part of another cell.
func (e *ended) rerun() string {
	var texts []string
	for i, c := range e.cells {
		if c.Number == e.number || e.number == 0 && i == len(e.cells)-1 {
			continue
		}
		text := strings.TrimSpace(c.Code)
		if strings.HasPrefix(text, "%%") {
			continue
		}
		texts = append(texts, fmt.Sprintf("// Cell [%d]\n%s", c.Number, text))
	}
	return strings.Join(texts, "\n\n")
}

// A recovering language records its cells and tells what an earlier kernel has left.
type recovering struct {
	*session.Language
	*recovery
}

// Execute runs a cell.
func (r recovering) Execute(ctx context.Context, x *kernel.Execution) error {
	if x.Silent || !x.Stored {
		return r.Language.Execute(ctx, x)
	}
	if r.before != nil {
		if strings.TrimSpace(x.Code) == "%rerun" {
			text := r.before.rerun()
			if text == "" {
				return &kernel.Error{Name: "magic error", Value: "%rerun: no cell ran before", Traceback: []string{"magic error: %rerun: no cell ran before"}}
			}
			x.Payload(map[string]any{"source": "set_next_input", "text": text, "replace": true})
			return nil
		}
		r.mu.Lock()
		tell := !r.told
		r.told = true
		r.mu.Unlock()
		if tell {
			x.Publish(protocol.Stream{Name: "stderr", Text: r.before.describe()})
		}
	}
	r.record(storedCell{x.Count, x.Code})
	return r.Language.Execute(ctx, x)
}

// A recovering language offers all that the language does.
var (
	_ kernel.Interpreter = recovering{}
	_ kernel.Completer   = recovering{}
	_ kernel.Inspector   = recovering{}
	_ kernel.Evaluator   = recovering{}
	_ kernel.Settler     = recovering{}
	_ kernel.Debugger    = recovering{}
)
