// Package early turns the memory profiler off while the packages of the program are initialized.
// It imports only package runtime, and so is initialized before most of them.
//
// Their initialization allocates some MB. For each sample of it the profiler would read the tables
// of functions, which lie in many pages of the program's file, and a profile of cells would contain
// what they did not allocate.
package early

import "runtime"

var rate = func() int {
	rate := runtime.MemProfileRate
	runtime.MemProfileRate = 0
	return rate
}()

// Over sets the rate of the memory profiler that it had at the start of the program.
func Over() { runtime.MemProfileRate = rate }
