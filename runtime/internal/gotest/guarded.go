package gotest

import (
	"fmt"
	"os"
	"reflect"
	"testing"

	"gosphere/runtime/internal/gotest/suite"
)

// A guarded function fails its test where it would otherwise end the process. That is so for a
// panic, and for runtime.Goexit in a test that has neither failed nor been skipped, which package
// testing turns into a panic. Both os.Exit and an interrupt end a goroutine of cells by
// runtime.Goexit.

// guardedTests returns the tests with guarded functions that are counted.
func (r *run) guardedTests() (list []testing.InternalTest) {
	for _, t := range r.tests.tests {
		f := guarded(t.F)
		list = append(list, testing.InternalTest{Name: t.Name, F: func(t *testing.T) {
			// Deferred, because FailNow ends the goroutine.
			defer r.count(t)
			f(t)
		}})
	}
	return list
}

// fuzzTests returns the fuzz tests, of which only the seeds run.
func (r *run) fuzzTests() (list []testing.InternalFuzzTarget) {
	for _, t := range r.tests.fuzz {
		list = append(list, testing.InternalFuzzTarget{Name: t.Name, Fn: func(f *testing.F) {
			defer r.count(f)
			guarded(t.Fn)(f)
		}})
	}
	return list
}

// benchmarkList returns the benchmarks. A benchmark is called several times with growing b.N, hence
// the set of names.
func (r *run) benchmarkList() (list []testing.InternalBenchmark) {
	for _, t := range r.tests.benchmarks {
		f := guarded(t.F)
		list = append(list, testing.InternalBenchmark{Name: t.Name, F: func(b *testing.B) {
			r.mu.Lock()
			r.timed[t.Name] = true
			r.mu.Unlock()
			f(b)
		}})
	}
	return list
}

// exampleList returns the examples. Package testing compares what an example prints, so its
// description of a panic makes it fail.
func (r *run) exampleList() (list []testing.InternalExample) {
	for _, e := range r.tests.examples {
		f := e.F
		e.F = func() {
			r.mu.Lock()
			r.summary.Examples++
			r.mu.Unlock()
			if text := r.protected(f); text != "" {
				fmt.Fprint(os.Stdout, text) // differs from the expected output, so the example fails
			}
		}
		list = append(list, e)
	}
	return list
}

// count records a test that ends.
func (r *run) count(t testing.TB) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.summary.Tests++
	if t.Skipped() {
		r.summary.Skipped++
	}
}

// guarded returns a function that fails its test instead of ending the process. A flag detects
// runtime.Goexit, which calls deferred functions but leaves nothing to recover. FailNow and SkipNow
// end a goroutine in the same way, and their tests need no further failure.
func guarded[T testing.TB](f func(T)) func(T) {
	return func(t T) {
		finished := false
		defer func() {
			if finished {
				return
			}
			value := recover()
			r := current.Load()
			switch {
			case value != nil && r != nil:
				fmt.Fprint(t.Output(), r.Describe(value))
			case value != nil:
				fmt.Fprintf(t.Output(), "panic: %v\n", value)
			case !t.Failed() && !t.Skipped():
				fmt.Fprintln(t.Output(), "the test has ended its goroutine by os.Exit, runtime.Goexit or an interrupt")
			// SkipNow ends the goroutine on purpose.
			case t.Skipped():
				return
			}
			t.FailNow()
		}()
		if r := current.Load(); r != nil {
			r.Within(func() { f(t) })
		} else {
			f(t)
		}
		finished = true
	}
}

// methods returns replacements for methods of package testing in code under test, by the names of
// go/types. They guard functions that run on other goroutines. A test starts such functions itself,
// by t.Run, so they are not among those that tests wraps. The linker replaces calls of these
// methods in the code under test.
func methods(calls func() []suite.Call) map[string]reflect.Value {
	methods := map[string]any{
		"(*testing.T).Run":  func(t *testing.T, name string, f func(*testing.T)) bool { return t.Run(name, guarded(f)) },
		"(*testing.B).Run":  func(b *testing.B, name string, f func(*testing.B)) bool { return b.Run(name, guarded(f)) },
		"(*testing.F).Fuzz": fuzz,
		"(*testing.common).Cleanup": func(t *testing.T, f func()) {
			// A function of Cleanup runs after its test has returned, so it needs a guard of its
			// own.
			t.Cleanup(func() {
				finished := false
				defer func() {
					if finished {
						return
					}
					if value := recover(); value != nil {
						if r := current.Load(); r != nil {
							fmt.Fprint(t.Output(), r.Describe(value))
						}
						t.Fail()
					}
				}()
				f()
				finished = true
			})
		},
	}
	logging(methods, calls)
	list := map[string]reflect.Value{}
	for name, f := range methods {
		list[name] = reflect.ValueOf(f)
	}
	return list
}

// fuzz is like (*testing.F).Fuzz with a guarded function. The function has any number of
// parameters, so it is wrapped by reflection.
func fuzz(f *testing.F, target any) {
	v := reflect.ValueOf(target)
	if v.Kind() != reflect.Func || v.Type().NumIn() == 0 || v.Type().In(0) != reflect.TypeFor[*testing.T]() {
		f.Fuzz(target) // Fuzz reports the error
		return
	}
	// Fuzz examines the parameters of its argument, so the wrapper must have the same type.
	f.Fuzz(reflect.MakeFunc(v.Type(), func(arguments []reflect.Value) (results []reflect.Value) {
		guarded(func(*testing.T) { results = v.Call(arguments) })(arguments[0].Interface().(*testing.T))
		return results
	}).Interface())
}
