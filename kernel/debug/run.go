package debug

import (
	"encoding/json"

	"github.com/google/go-dap"
)

// resume returns the command that resumes a thread in the given way. The arguments of continue,
// next, stepIn and stepOut begin with the same field threadId. AllThreadsContinued has to be sent,
// because DAP takes its absence for true.
func resume(how string) command {
	return func(a *Adapter, arguments json.RawMessage) (any, error) {
		wanted, err := read[dap.ContinueArguments](arguments)
		if err != nil {
			return nil, err
		}
		if err := a.debuggee.Resume(wanted.ThreadId, how); err != nil {
			return nil, err
		}
		return map[string]any{"allThreadsContinued": false}, nil
	}
}

// pause answers a pause request. Its thread is ignored.
func pause(a *Adapter, _ json.RawMessage) (any, error) { return nil, a.debuggee.Pause() }
