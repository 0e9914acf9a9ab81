package override

// EncodeBesideWriter is for the tests of overrides that other packages have.
var EncodeBesideWriter = encodeBesideWriter

// ToolsOfTests returns the tools of a session with two goroutines.
func ToolsOfTests() Tools { return Tools{functions{Guard: sharingGuard()}} }
