package gotest

import (
	"errors"
	"fmt"
	"io"
	"os"
	"reflect"
	"regexp"
	"sync"
	"time"

	"gosphere/internal/userfile"
)

// deps implements the operations that package testing requires of its main program. It implements
// the interface testDeps of package testing, which is not exported; MainStart accepts any type with
// its methods, and the compiler reports a method that a new version of Go adds.
type deps struct {
	fuzzing
	path string

	mu       sync.Mutex
	patterns map[string]*regexp.Regexp
}

// An entry is an entry of a corpus, in the form used by package testing. It has to be an alias of
// an unnamed struct, because the interface has one.
type entry = struct {
	Parent     string
	Path       string
	Data       []byte
	Values     []any
	Generation int
	IsSeed     bool
}

// A fuzzing has the methods for -fuzz. They are never called, because Parse does not accept the
// flag.
type fuzzing interface {
	CoordinateFuzzing(time.Duration, int64, time.Duration, int64, int, []entry, []reflect.Type, string, string) error
	RunFuzzWorker(func(entry) error) error
}

func (d *deps) ImportPath() string { return d.path }
func (d *deps) ModulePath() string { return "" }

// MatchString reports whether a pattern of -run matches. Package testing calls it for each test and
// subtest, hence the table.
func (d *deps) MatchString(pattern, text string) (bool, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	compiled := d.patterns[pattern]
	if compiled == nil {
		var err error
		if compiled, err = regexp.Compile(pattern); err != nil {
			return false, err
		}
		d.patterns[pattern] = compiled
	}
	return compiled.MatchString(text), nil
}

// The methods below belong to flags that Parse does not accept.
func (d *deps) SetPanicOnExit0(bool)                        {}
func (d *deps) StartCPUProfile(io.Writer) error             { return errors.New("no profiles here") }
func (d *deps) StopCPUProfile()                             {}
func (d *deps) StartTestLog(io.Writer)                      {}
func (d *deps) StopTestLog() error                          { return nil }
func (d *deps) WriteProfileTo(string, io.Writer, int) error { return errors.New("no profiles here") }
func (d *deps) ResetCoverage()                              {}
func (d *deps) SnapshotCoverage()                           {}

// InitRuntimeCoverage reports no coverage.
func (d *deps) InitRuntimeCoverage() (string, func(string, string) (string, error), func() float64) {
	return "", func(string, string) (string, error) { return "", nil }, func() float64 { return 0 }
}

// ReadCorpus reads the seeds in the files of a folder. A folder that does not exist has no seeds.
func (d *deps) ReadCorpus(dir string, types []reflect.Type) ([]entry, error) {
	files, err := os.ReadDir(dir)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	var list []entry
	for _, file := range files {
		if file.IsDir() {
			continue
		}
		name := dir + string(os.PathSeparator) + file.Name()
		data, err := userfile.ReadFile(name, userfile.Table)
		if err != nil {
			return nil, err
		}
		values, err := seed(string(data))
		if err == nil {
			err = d.CheckCorpus(values, types)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		list = append(list, entry{Path: name, Data: data, Values: values, IsSeed: true})
	}
	return list, err
}

// CheckCorpus returns an error if values do not have the parameter types of a fuzz test.
func (d *deps) CheckCorpus(values []any, types []reflect.Type) error {
	if len(values) != len(types) {
		return fmt.Errorf("the seed has %d values, want %d", len(values), len(types))
	}
	for i, v := range values {
		if reflect.TypeOf(v) != types[i] {
			return fmt.Errorf("value %d of the seed is of type %T, want %v", i+1, v, types[i])
		}
	}
	return nil
}
