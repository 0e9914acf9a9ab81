package schedule

// nonBlockingPackages lists compiled packages whose functions and methods return quickly, or take
// no longer than their input requires. The execution lock is not taken from a cell in such a call:
// the stack sample would cost more than the wait.
var nonBlockingPackages = map[string]bool{
	"math": true, "math/bits": true, "math/cmplx": true, "math/rand": true, "math/rand/v2": true,
	"strconv": true, "strings": true, "unicode": true, "unicode/utf16": true, "unicode/utf8": true,
	"errors": true, "cmp": true, "time": true, "sync/atomic": true, "path": true,
}

// nonBlockingFunctions lists such functions and methods of other packages, by package and name.
var nonBlockingFunctions = map[string]bool{
	"fmt.Sprint": true, "fmt.Sprintf": true, "fmt.Sprintln": true, "fmt.Errorf": true, "fmt.Append": true, "fmt.Appendf": true, "fmt.Appendln": true,
	"fmt.Print": true, "fmt.Printf": true, "fmt.Println": true, // their writer polls
	"sync.Unlock": true, "sync.RUnlock": true, "sync.Add": true, "sync.Done": true,
	"bytes.WriteByte": true, "bytes.WriteString": true, "bytes.WriteRune": true, "bytes.Len": true, "bytes.String": true, "bytes.Reset": true,
}

// NeverBlocks reports whether a function or method of a compiled package returns so quickly that
// the calling cell can keep the execution lock.
func NeverBlocks(path, name string) bool {
	return nonBlockingPackages[path] && path+"."+name != "time.Sleep" || nonBlockingFunctions[path+"."+name]
}
