package process

import "fmt"

// FindingsStatus is the exit status of a command that did its work and found problems in the data.
const FindingsStatus = 3

// Findings is the error of a command that did its work and found that many problems in the data,
// which it has printed. gosphere exits with FindingsStatus.
type Findings int

// Error says how many problems there are.
func (f Findings) Error() string {
	if f == 1 {
		return "1 problem is named above (exit status 3)"
	}
	return fmt.Sprintf("%d problems are named above (exit status 3)", int(f))
}
