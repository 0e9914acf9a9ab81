package debug

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"

	"github.com/google/go-dap"

	"gosphere/kernel/protocol"
)

// panicFilter is the only kind of exception: a panic. DAP lets an adapter name its own filters;
// ipykernel's raised and uncaught have no counterpart.
const panicFilter = "panic"

// nothing answers a command that only reports what the client has done.
func nothing(*Adapter, json.RawMessage) (any, error) { return nil, nil }

// noBreakpoints answers a client that sets an empty list of breakpoints of an unsupported kind.
func noBreakpoints(_ *Adapter, arguments json.RawMessage) (any, error) {
	wanted, err := read[dap.SetFunctionBreakpointsArguments](arguments)
	if err == nil && len(wanted.Breakpoints) > 0 {
		err = errors.New("there are no breakpoints on functions: set one on the first line of its body")
	}
	return dap.SetFunctionBreakpointsResponseBody{Breakpoints: []dap.Breakpoint{}}, err
}

// debugInfo returns everything that a client needs to attach. A client whose page is loaded again
// restores breakpoints and stopped threads from it (JEP 47). The hash and its seed let the client
// compute the path of a cell before it sends the cell. Lists must not be null.
func debugInfo(a *Adapter, _ json.RawMessage) (any, error) {
	stopped := a.debuggee.Stopped()
	a.mu.Lock()
	defer a.mu.Unlock()
	return map[string]any{
		"isStarted": a.started, "hashMethod": hashMethod, "hashSeed": hashSeed,
		"tmpFilePrefix": a.sources.prefix, "tmpFileSuffix": suffix,
		"breakpoints": a.setSoFar(), "stoppedThreads": append([]int{}, stopped...),
		"richRendering": true, "exceptionPaths": []string{}, "copyToGlobals": true,
	}, nil
}

// setSoFar lists the breakpoints of all cells. The caller holds the lock. They are sorted by path,
// so that the reply does not depend on the order of a map.
func (a *Adapter) setSoFar() []any {
	list := []any{}
	for path, found := range a.breakpoints {
		var lines []dap.SourceBreakpoint
		for _, b := range found {
			lines = append(lines, dap.SourceBreakpoint{Line: b.Line, Condition: b.Condition, HitCondition: b.HitCondition, LogMessage: b.LogMessage})
		}
		if len(lines) > 0 {
			list = append(list, map[string]any{"source": path, "breakpoints": lines})
		}
	}
	slices.SortFunc(list, func(x, y any) int {
		if x.(map[string]any)["source"].(string) < y.(map[string]any)["source"].(string) {
			return -1
		}
		return 1
	})
	return list
}

// It reports the capabilities. A client that counts from 0 is refused, because all positions are
// passed on as they are. The two flags are pointers, since DAP's default for absent ones is true.
func initialize(a *Adapter, arguments json.RawMessage) (any, error) {
	wanted, err := read[struct {
		dap.InitializeRequestArguments
		LinesStartAt1   *bool `json:"linesStartAt1"`
		ColumnsStartAt1 *bool `json:"columnsStartAt1"`
	}](arguments)
	if err != nil {
		return nil, err
	}
	if wanted.LinesStartAt1 != nil && !*wanted.LinesStartAt1 {
		return nil, errors.New("initialize: lines must count from 1 (linesStartAt1)")
	}
	if wanted.ColumnsStartAt1 != nil && !*wanted.ColumnsStartAt1 {
		return nil, errors.New("initialize: columns must count from 1 (columnsStartAt1)")
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.started = true
	// JupyterLab's ID is the only sign of its way to display variables, see variable.
	a.untyped = wanted.ClientID == "jupyterlab"
	return dap.Capabilities{
		SupportsConfigurationDoneRequest: true, SupportsConditionalBreakpoints: true, SupportsHitConditionalBreakpoints: true,
		SupportsLogPoints: true, SupportsEvaluateForHovers: true, SupportsSetVariable: true, SupportsSetExpression: true,
		SupportsExceptionInfoRequest: true, SupportsModulesRequest: true, SupportsBreakpointLocationsRequest: true,
		SupportsTerminateRequest: true, SupportsCompletionsRequest: true, CompletionTriggerCharacters: []string{"."},
		SupportsClipboardContext: true, SupportsDelayedStackTraceLoading: true,
		ExceptionBreakpointFilters: []dap.ExceptionBreakpointsFilter{{
			Filter: panicFilter, Label: "Panics", Description: "Stop where a function of a cell panics, also if the panic will be recovered",
		}},
	}, nil
}

// attach answers attach and launch alike: the cells run in this process, so there is no program to
// start.
func attach(a *Adapter, _ json.RawMessage) (any, error) {
	a.debuggee.Attach()
	return nil, nil
}

// disconnect ends debugging. It also succeeds if debugging was not started. Detaching first resumes
// all stopped goroutines: without a client they would wait forever. Breakpoints end with the
// connection, and the client sets them again after the next attach.
func disconnect(a *Adapter, _ json.RawMessage) (any, error) {
	a.debuggee.Detach()
	a.mu.Lock()
	was := a.started
	a.started = false
	clear(a.breakpoints)
	a.mu.Unlock()
	if was {
		a.event("terminated", map[string]any{})
	}
	return nil, nil
}

// dumpCell stores the text of a cell and returns its path. Clients send it before they set
// breakpoints in the cell, and before they run it.
func dumpCell(a *Adapter, arguments json.RawMessage) (any, error) {
	cell, err := read[struct{ Code *string }](arguments)
	if err != nil {
		return nil, err
	}
	if cell.Code == nil {
		return nil, errors.New("dumpCell: the code is missing")
	}
	path, err := a.sources.dump(*cell.Code)
	return map[string]string{"sourcePath": path}, err
}

// source returns the text of a dumped cell, or of any file named by a client. A client that may
// send requests may run code, so reading a file is no additional right.
func source(a *Adapter, arguments json.RawMessage) (any, error) {
	wanted, err := read[dap.SourceArguments](arguments)
	if err != nil {
		return nil, err
	}
	if wanted.Source == nil || wanted.Source.Path == "" {
		return nil, errors.New("source: the path is missing")
	}
	text, err := a.textOf(wanted.Source.Path)
	return dap.SourceResponseBody{Content: text, MimeType: "text/x-go"}, err
}

// textOf returns the text of a dumped cell, or else of a file.
func (a *Adapter) textOf(path string) (string, error) {
	if text, ok := a.sources.find(path); ok {
		return text, nil
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return "", fmt.Errorf("source: the text of %s is not known", path)
	}
	return string(text), nil
}

// setBreakpoints replaces all breakpoints of one cell, as DAP prescribes: an empty list removes
// them. The answers are in the order of the request, and each has the line to which the breakpoint
// has moved, or the reason why it cannot be hit. A breakpoint may be set before its cell has run; a
// later event then reports that it has become valid.
func setBreakpoints(a *Adapter, arguments json.RawMessage) (any, error) {
	wanted, err := read[dap.SetBreakpointsArguments](arguments)
	if err != nil {
		return nil, err
	}
	path := wanted.Source.Path
	if path == "" {
		return nil, errors.New("setBreakpoints: the path is missing")
	}
	if len(wanted.Breakpoints) == 0 {
		for _, line := range wanted.Lines { // the older form
			wanted.Breakpoints = append(wanted.Breakpoints, dap.SourceBreakpoint{Line: line})
		}
	}
	var list []protocol.DebugBreakpoint
	for _, b := range wanted.Breakpoints {
		list = append(list, protocol.DebugBreakpoint{Line: b.Line, Condition: b.Condition, HitCondition: b.HitCondition, LogMessage: b.LogMessage})
	}
	text, _ := a.textOf(path) // "" if the text is unknown
	found := a.debuggee.SetBreakpoints(path, text, list)
	a.mu.Lock()
	defer a.mu.Unlock()
	a.breakpoints[path] = found
	answers := make([]dap.Breakpoint, len(found))
	for i, b := range found {
		answers[i] = breakpoint(path, b)
	}
	return dap.SetBreakpointsResponseBody{Breakpoints: answers}, nil
}

// breakpoint describes a breakpoint to the client. Its Id stays the same when its line or state
// changes.
func breakpoint(path string, b protocol.DebugBreakpoint) dap.Breakpoint {
	return dap.Breakpoint{Id: b.ID, Verified: b.Verified, Message: b.Message, Line: b.Line, Source: &dap.Source{Path: path}}
}

// breakpointLocations lists the lines of a range that can have breakpoints, so that a client offers
// no others. A client that asks for a single line omits EndLine.
func breakpointLocations(a *Adapter, arguments json.RawMessage) (any, error) {
	wanted, err := read[dap.BreakpointLocationsArguments](arguments)
	if err != nil {
		return nil, err
	}
	if wanted.Source.Path == "" {
		return nil, errors.New("breakpointLocations: the path is missing")
	}
	text, err := a.textOf(wanted.Source.Path)
	if err != nil {
		return nil, err
	}
	list := []dap.BreakpointLocation{}
	for _, line := range a.debuggee.Lines(text) {
		if line == wanted.Line || line > wanted.Line && line <= wanted.EndLine {
			list = append(list, dap.BreakpointLocation{Line: line})
		}
	}
	return dap.BreakpointLocationsResponseBody{Breakpoints: list}, nil
}

// setExceptionBreakpoints sets whether panics stop. An empty list of filters switches it off.
func setExceptionBreakpoints(a *Adapter, arguments json.RawMessage) (any, error) {
	wanted, err := read[dap.SetExceptionBreakpointsArguments](arguments)
	if err != nil {
		return nil, err
	}
	for _, filter := range wanted.Filters {
		if filter != panicFilter {
			return nil, fmt.Errorf("setExceptionBreakpoints: there is no filter %q", filter)
		}
	}
	a.debuggee.StopOnPanic(len(wanted.Filters) > 0)
	return nil, nil
}

// modules returns an empty list: cells are not modules. Clients may ask for them because initialize
// announces the request.
func modules(*Adapter, json.RawMessage) (any, error) {
	return map[string]any{"modules": []dap.Module{}, "totalModules": 0}, nil
}
