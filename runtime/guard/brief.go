package guard

// briefPackages are the compiled packages whose functions and methods never take long, or not
// longer than the work that they are given, which no other cell can be spared. No turn is taken from a
// cell in one of these.
var briefPackages = map[string]bool{
	"math": true, "math/bits": true, "math/cmplx": true, "math/rand": true, "math/rand/v2": true,
	"strconv": true, "strings": true, "unicode": true, "unicode/utf16": true, "unicode/utf8": true,
	"errors": true, "cmp": true, "time": true, "sync/atomic": true, "path": true,
}

// briefFunctions are those of other packages, by the package and the name of the function or
// method.
var briefFunctions = map[string]bool{
	"fmt.Sprint": true, "fmt.Sprintf": true, "fmt.Sprintln": true, "fmt.Errorf": true, "fmt.Append": true, "fmt.Appendf": true, "fmt.Appendln": true,
	"fmt.Print": true, "fmt.Printf": true, "fmt.Println": true, // their writer polls
	"sync.Unlock": true, "sync.RUnlock": true, "sync.Add": true, "sync.Done": true,
	"bytes.WriteByte": true, "bytes.WriteString": true, "bytes.WriteRune": true, "bytes.Len": true, "bytes.String": true, "bytes.Reset": true,
}

// Brief reports whether a function or method of a compiled package never takes so long that the
// turn could be taken from the cell that calls it.
func Brief(path, name string) bool {
	return briefPackages[path] && path+"."+name != "time.Sleep" || briefFunctions[path+"."+name]
}
