package gotest

import (
	"bufio"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"reflect"
	"regexp"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"gosphere/internal/lazyregexp"
	"gosphere/runtime/internal/gotest/suite"
)

// A Summary counts the results of a run. Failed contains no subtests: their parents fail with them.
type Summary struct {
	Tests, Skipped, Examples, Benchmarks int
	Failed                               []string // top-level tests, examples and benchmarks that failed
	Code                                 int      // exit status of the equivalent test program of go test
	Took                                 time.Duration
}

// ErrBusy is returned by a run while another one is in progress: package testing has one state per
// process.
var ErrBusy = errors.New("another run of tests is in progress in this process")

var (
	busy    sync.Mutex
	current atomic.Pointer[run]
)

// A run is a suite in progress. It embeds the tests, which does not change during the run.
type run struct {
	*tests
	write func(text string)

	mu      sync.Mutex // guards the fields below
	summary Summary
	timed   map[string]bool // names of benchmarks
	exited  *int            // status of a call of os.Exit
}

// run runs the tests selected by the options. It passes the output to write in whole lines,
// including text printed by tests. During the run, the working directory, os.Stdout, os.Stderr and
// flag.CommandLine of the process are those of the tests. When stop is closed, Run returns and
// abandons tests that are still running. A test that is still running after a stop cannot be ended
// from outside; it ends at its next poll point. Until then package testing is in use, and further
// runs return ErrBusy.
func (s *tests) run(o Options, stop <-chan struct{}, write func(text string)) (Summary, error) {
	if !busy.TryLock() {
		return Summary{}, ErrBusy
	}
	r := &run{tests: s, write: write, timed: map[string]bool{}}
	// Kept before enter, which sets the flags of this run.
	values := flagValues()
	restore, err := r.enter(o)
	if err != nil {
		values()
		busy.Unlock()
		return Summary{}, err
	}
	release := func() {
		values()
		busy.Unlock()
	}
	begun := time.Now()
	done := make(chan error, 1)
	go func() {
		err := errors.New("the tests have ended by runtime.Goexit")
		defer func() { done <- err }()
		err = r.all()
	}()
	select {
	case err = <-done:
		restore()
		release()
	case <-stop:
		// The streams of the process must be its own again when Run returns. Tests that continue
		// write to a closed pipe.
		restore()
		go func() { // package testing is in use until the tests have ended
			<-done
			release()
		}()
		return Summary{}, suite.ErrStopped
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.summary.Benchmarks, r.summary.Took = len(r.timed), time.Since(begun)
	return r.summary, err
}

// enter sets the state of the process for the run. The returned function restores it and waits for
// the rest of the output. Output goes through a pipe, because package testing and compiled code
// write to os.Stdout directly. The returned function closes the writing end, so that read ends.
func (r *run) enter(o Options) (restore func(), err error) {
	helpers.Clear() // a function of an earlier run may have the same name
	before := ""
	if r.Dir != "" {
		if before, err = os.Getwd(); err != nil {
			return nil, err
		}
		// Tests of a package expect its folder as the working directory, as under go test.
		if err := os.Chdir(r.Dir); err != nil {
			return nil, err
		}
	}
	undo := func() {
		if before != "" {
			_ = os.Chdir(before)
		}
	}
	flags, err := flagSet(o)
	if err != nil {
		undo()
		return nil, err
	}
	reader, writer, err := newPipe()
	if err != nil {
		undo()
		return nil, err
	}
	stdout, stderr, commandLine := os.Stdout, os.Stderr, flag.CommandLine
	os.Stdout, os.Stderr, flag.CommandLine = writer, writer, flags
	read := make(chan bool)
	go func() {
		defer close(read)
		r.read(reader)
	}()
	current.Store(r)
	return func() {
		current.Store(nil)
		os.Stdout, os.Stderr, flag.CommandLine = stdout, stderr, commandLine
		_ = writer.Close()
		reader.finish()
		<-read
		_ = reader.Close()
		undo()
	}, nil
}

// ofTesting returns the flags of package testing, which can be created only once. testing.Init
// panics if the flags are defined twice in a command line, so they are created in a set of their
// own and shared by all runs.
var ofTesting = sync.OnceValue(func() *flag.FlagSet {
	before := flag.CommandLine
	defer func() { flag.CommandLine = before }()
	if before.Lookup("test.run") == nil { // in our own tests they already exist
		flag.CommandLine = flag.NewFlagSet(os.Args[0], flag.ContinueOnError)
		testing.Init()
	}
	return flag.CommandLine
})

// flagValues returns a function that restores the current values of the flags. The flags are
// variables of package testing. A run within the tests of this module must not change those of the
// outer run.
func flagValues() (restore func()) {
	kept := map[*flag.Flag]string{}
	ofTesting().VisitAll(func(f *flag.Flag) { kept[f] = f.Value.String() })
	return func() {
		for f, value := range kept {
			_ = f.Value.Set(value)
		}
	}
}

// flagSet returns a command line with the flags of package testing, set to the options. Packages
// under test may define flags of their own in it, in TestMain or init.
func flagSet(o Options) (*flag.FlagSet, error) {
	set := flag.NewFlagSet(os.Args[0], flag.ContinueOnError)
	var err error
	ofTesting().VisitAll(func(f *flag.Flag) {
		name, ok := strings.CutPrefix(f.Name, "test.")
		if !ok {
			return
		}
		value, given := o[name]
		switch {
		case name == "timeout":
			value = "0" // any other value would end the process
		case !given:
			value = f.DefValue
		}
		// An error concerns a value of the caller; a default is always valid.
		if failure := f.Value.Set(value); failure != nil && given {
			err = fmt.Errorf("-%s %s: %w", name, value, failure)
		}
		set.Var(f.Value, f.Name, f.Usage)
	})
	return set, errors.Join(err, set.Parse(nil))
}

// outcome matches the lines of package testing that report the failure of a top-level test.
var outcome = lazyregexp.New(`^--- FAIL: (\S+)`)

// read forwards the output and records failures. It omits the lines with the overall result,
// because the caller writes its own last line. It runs on a goroutine of its own until the pipe is
// closed. A failing test is known only from its line, since package testing does not report results
// by name. For instance "--- FAIL: TestSum (0.00s)" records the failure of TestSum; the line of a
// subtest is indented and does not match.
func (r *run) read(from io.Reader) {
	lines := bufio.NewReader(from)
	for {
		line, err := lines.ReadString('\n')
		switch strings.TrimSuffix(line, "\n") {
		case "PASS", "FAIL", "testing: warning: no tests to run", "":
			if line == "\n" {
				r.write(line)
			}
		default:
			if m := outcome.FindStringSubmatch(line); m != nil {
				r.mu.Lock()
				r.summary.Failed = append(r.summary.Failed, m[1])
				r.mu.Unlock()
			}
			r.write(withoutPlace(line))
		}
		if err != nil {
			return
		}
	}
}

// inside matches the position that package testing reports for a line that is logged through an
// interface value, which is in the code that calls compiled functions.
var inside = lazyregexp.New(`^(\s+)(?:` + strings.Join([]string{"asm_\\w+\\.s", "trampoline\\w*\\.s", "hostcall\\w*\\.(?:go|s)", "call\\w*\\.(?:go|s)", "value\\.go", "makefunc\\.go", "guarded\\.go", "log\\.go"}, "|") + `):\d+: `)

// withoutPlace removes such a position. For instance "    value.go:581: got 3" becomes "    got 3".
func withoutPlace(line string) string { return inside.ReplaceAllString(line, "$1") }

// all initializes the package and runs the suite. It runs on a goroutine of its own, which Goexit
// may end.
//
// m.Run returns the status, but TestMain may call os.Exit with it or return; since Go 1.15 the
// status is then read from the field exitCode of m, which is not exported.
func (r *run) all() error {
	if r.Start != nil {
		if text := r.protected(r.Start); text != "" {
			r.summary.Code = 2
			return errors.New("the package cannot be initialized: " + strings.TrimSpace(text))
		}
	}
	// MainStart only makes the M; nothing runs before m.Run.
	m := testing.MainStart(&deps{path: r.Path, patterns: map[string]*regexp.Regexp{}}, r.guardedTests(), r.benchmarkList(), r.fuzzTests(), r.exampleList())
	if r.main == nil {
		r.summary.Code = m.Run()
		return nil
	}
	finished := make(chan string, 1)
	go func() { // os.Exit ends this goroutine
		text := ""
		defer func() { finished <- text }()
		text = r.protected(func() { r.main(m) })
	}()
	text := <-finished
	r.mu.Lock()
	defer r.mu.Unlock()
	r.summary.Code = int(reflect.ValueOf(m).Elem().FieldByName("exitCode").Int())
	if r.exited != nil {
		r.summary.Code = *r.exited
	}
	if text != "" {
		r.summary.Code = 2
		return errors.New("TestMain: " + strings.TrimSpace(text))
	}
	return nil
}

// protected calls a function and returns the description of its panic, or "" for none. If f calls
// runtime.Goexit, protected does not return.
func (r *run) protected(f func()) (text string) {
	finished := false
	defer func() {
		if finished {
			return
		}
		if value := recover(); value != nil {
			text = r.Describe(value)
		}
	}()
	r.Within(f)
	finished = true
	return ""
}

// exit ends the calling goroutine of a run instead of the process. It returns false if there is no
// run. It is the os.Exit of code under test, on any goroutine that the tests have started.
func exit(code int) bool {
	r := current.Load()
	if r == nil {
		return false
	}
	r.mu.Lock()
	r.exited = &code
	r.mu.Unlock()
	runtime.Goexit()
	return true
}
