//go:build race

package hostcall

// haveEntry reports whether func values are entered by assembly. Under the race detector package
// reflect makes them, which reports its accesses to the detector.
const haveEntry = false
