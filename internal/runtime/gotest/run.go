package gotest

import (
	"bufio"
	"errors"
	"flag"
	"fmt"
	"os"
	"reflect"
	"regexp"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// A Summary counts the results of a run.
type Summary struct {
	Tests, Skipped, Examples, Benchmarks int
	Failed                               []string // tests, examples and benchmarks at the top level
	Code                                 int      // the exit status of the program that go test would have made
	Took                                 time.Duration
}

// ErrBusy is the error of a run while another one is in progress: package testing has one state for a process.
var ErrBusy = errors.New("another run of tests is in progress in this process")

// ErrStopped is the error of a run that was stopped.
var ErrStopped = errors.New("the run was stopped")

var (
	busy    sync.Mutex
	current atomic.Pointer[run]
)

// A run is a suite in progress.
type run struct {
	*Suite
	write func(text string)

	mu         sync.Mutex // guards what follows
	summary    Summary
	benchmarks map[string]bool
	exited     *int // status of a call of os.Exit
}

// Run runs what the options select. Write gets the output in whole lines, with what tests print. While it runs, the
// working directory, os.Stdout, os.Stderr and flag.CommandLine of the process are those of the tests. When stop is
// closed, Run returns; tests that are still running are abandoned.
func (s *Suite) Run(o Options, stop <-chan struct{}, write func(text string)) (Summary, error) {
	if !busy.TryLock() {
		return Summary{}, ErrBusy
	}
	r := &run{Suite: s, write: write, benchmarks: map[string]bool{}}
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
		restore()
		go func() { // package testing is in use until the tests have ended
			<-done
			release()
		}()
		return Summary{}, ErrStopped
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.summary.Benchmarks, r.summary.Took = len(r.benchmarks), time.Since(begun)
	return r.summary, err
}

// enter puts the state of the process in place and returns what takes it back and waits for the rest of the output.
func (r *run) enter(o Options) (restore func(), err error) {
	before := ""
	if r.Dir != "" {
		if before, err = os.Getwd(); err != nil {
			return nil, err
		}
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
	reader, writer, err := os.Pipe()
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
		<-read
		_ = reader.Close()
		undo()
	}, nil
}

// ofTesting are the flags of package testing, which makes them once.
var ofTesting = sync.OnceValue(func() *flag.FlagSet {
	before := flag.CommandLine
	defer func() { flag.CommandLine = before }()
	if before.Lookup("test.run") == nil { // in tests of ours they are there
		flag.CommandLine = flag.NewFlagSet(os.Args[0], flag.ContinueOnError)
		testing.Init()
	}
	return flag.CommandLine
})

// flagValues returns what gives the flags the values that they have now.
func flagValues() (restore func()) {
	kept := map[*flag.Flag]string{}
	ofTesting().VisitAll(func(f *flag.Flag) { kept[f] = f.Value.String() })
	return func() {
		for f, value := range kept {
			_ = f.Value.Set(value)
		}
	}
}

// flagSet returns a command line with the flags of package testing, which packages under test may add to.
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
			value = "0" // it would end the process
		case !given:
			value = f.DefValue
		}
		if failure := f.Value.Set(value); failure != nil && given {
			err = fmt.Errorf("-%s %s: %w", name, value, failure)
		}
		set.Var(f.Value, f.Name, f.Usage)
	})
	return set, errors.Join(err, set.Parse(nil))
}

// outcome matches the lines of package testing that tell how a test at the top level has ended.
var outcome = regexp.MustCompile(`^--- FAIL: (\S+)`)

// read hands on the output and notes what fails. The lines with the whole result are left out, because the caller
// has a last line of its own.
func (r *run) read(from *os.File) {
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

// inside matches the place that package testing finds for a line that is logged through an interface value: it is one
// in the code that calls compiled functions.
var inside = regexp.MustCompile(`^(\s+)(?:` + strings.Join([]string{"asm_\\w+\\.s", "trampoline\\w*\\.s", "hostcall\\w*\\.(?:go|s)", "call\\w*\\.(?:go|s)", "value\\.go", "makefunc\\.go", "guarded\\.go", "log\\.go"}, "|") + `):\d+: `)

func withoutPlace(line string) string { return inside.ReplaceAllString(line, "$1") }

// all initializes the package and runs what there is.
func (r *run) all() error {
	if r.Start != nil {
		if text := r.protected(r.Start); text != "" {
			r.summary.Code = 2
			return errors.New("the package cannot be initialized: " + strings.TrimSpace(text))
		}
	}
	m := testing.MainStart(&deps{path: r.Path, patterns: map[string]*regexp.Regexp{}}, r.tests(), r.benchmarkList(), r.fuzzTests(), r.examples())
	if r.Main == nil {
		r.summary.Code = m.Run()
		return nil
	}
	finished := make(chan string, 1)
	go func() { // os.Exit ends it
		text := ""
		defer func() { finished <- text }()
		text = r.protected(func() { r.Main(m) })
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

// protected calls a function and describes its panic; "" for none.
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

// Exit ends the calling goroutine of a run in place of the process and reports false if there is no run.
func Exit(code int) bool {
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
