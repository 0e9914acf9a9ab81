//go:build !race

package hostcall

// haveEntry reports whether func values are entered by assembly.
const haveEntry = true
