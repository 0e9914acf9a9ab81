package server

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"runtime"
	"sync"

	"gosphere/kernel/protocol"
	"gosphere/kernel/wire"
)

// shellHandlers answer the requests of shell other than execute_request.
var shellHandlers = map[string]handler{
	"kernel_info_request": kernelInfo,
	"complete_request":    complete,
	"inspect_request":     inspect,
	"is_complete_request": isComplete,
	"history_request":     history,
	"comm_info_request":   commInfo,
	"comm_open":           commOpen,
	"comm_msg":            commMessage,
	"comm_close":          commClose,
	"connect_request":     connect,
	"shutdown_request":    shutdown,  // deprecated here since 5.4, but old clients send it
	"interrupt_request":   interrupt, // belongs to control; some clients know no better
}

// controlHandlers answer the requests of control.
var controlHandlers = map[string]handler{
	"kernel_info_request":     kernelInfo,
	"interrupt_request":       interrupt,
	"shutdown_request":        shutdown,
	"usage_request":           usage,
	"connect_request":         connect,
	"debug_request":           unsupported("this kernel has no debugger"),
	"create_subshell_request": unsupported("this kernel has no subshells"),
	"delete_subshell_request": unsupported("this kernel has no subshells"),
	"list_subshell_request":   unsupported("this kernel has no subshells"),
}

func unsupported(reason string) handler {
	return func(_ *Server, m *wire.Message) (any, error) {
		return nil, fmt.Errorf("%s: %s", m.Header.MsgType, reason)
	}
}

func kernelInfo(s *Server, _ *wire.Message) (any, error) {
	language, banner, links := s.Interpreter.Info()
	if links == nil {
		links = []protocol.HelpLink{}
	}
	return protocol.KernelInfoReply{
		Status: protocol.OK, ProtocolVersion: protocol.Version, Implementation: "gosphere", ImplementationVersion: s.Version,
		LanguageInfo: language, Banner: banner, HelpLinks: links, SupportedFeatures: []string{},
	}, nil
}

func complete(s *Server, m *wire.Message) (any, error) {
	var request protocol.CompleteRequest
	if err := m.DecodeContent(&request, "code", "cursor_pos"); err != nil {
		return nil, err
	}
	if err := checkCursor(request.Code, request.CursorPos); err != nil {
		return nil, err
	}
	reply := s.Interpreter.Complete(request)
	if reply.Matches == nil {
		reply.Matches = []string{}
	}
	if reply.Metadata == nil {
		reply.Metadata = map[string]any{}
	}
	reply.Status = protocol.OK
	return reply, nil
}

func inspect(s *Server, m *wire.Message) (any, error) {
	var request protocol.InspectRequest
	if err := m.DecodeContent(&request, "code", "cursor_pos"); err != nil {
		return nil, err
	}
	if err := checkCursor(request.Code, request.CursorPos); err != nil {
		return nil, err
	}
	reply := s.Interpreter.Inspect(request)
	if reply.Data == nil {
		reply.Data = protocol.MimeBundle{}
	}
	if reply.Metadata == nil {
		reply.Metadata = map[string]any{}
	}
	reply.Status = protocol.OK
	return reply, nil
}

// checkCursor refuses cursors outside the code, counted in code points.
func checkCursor(code string, cursor int) error {
	if length := len([]rune(code)); cursor < 0 || cursor > length {
		return fmt.Errorf("cursor_pos is %d, want 0 to %d", cursor, length)
	}
	return nil
}

func isComplete(s *Server, m *wire.Message) (any, error) {
	var request protocol.IsCompleteRequest
	if err := m.DecodeContent(&request, "code"); err != nil {
		return nil, err
	}
	return s.Interpreter.IsComplete(request), nil
}

// history answers with nothing: this kernel keeps none.
func history(_ *Server, m *wire.Message) (any, error) {
	var request struct {
		Access string `json:"hist_access_type"`
	}
	if err := m.DecodeContent(&request); err != nil {
		return nil, err
	}
	switch request.Access {
	case "", "range", "tail", "search":
		return protocol.HistoryReply{Status: protocol.OK, History: [][]any{}}, nil
	}
	return nil, fmt.Errorf("hist_access_type is %q, want range, tail or search", request.Access)
}

func commInfo(_ *Server, m *wire.Message) (any, error) {
	var request protocol.CommInfoRequest
	if err := m.DecodeContent(&request); err != nil {
		return nil, err
	}
	return protocol.CommInfoReply{Status: protocol.OK, Comms: map[string]protocol.CommInfo{}}, nil
}

// commOpen refuses every target, as the protocol wants it: by closing the comm.
func commOpen(s *Server, m *wire.Message) (any, error) {
	var request protocol.CommOpen
	if err := m.DecodeContent(&request); err != nil || request.CommID == "" {
		return nil, nil
	}
	s.publish(m, protocol.CommClose{CommID: request.CommID, Data: map[string]any{}})
	return nil, nil
}

// commMessage and commClose concern comms that do not exist here.
func commMessage(*Server, *wire.Message) (any, error) { return nil, nil }

func commClose(*Server, *wire.Message) (any, error) { return nil, nil }

func connect(s *Server, _ *wire.Message) (any, error) {
	reply := s.Ports
	reply.Status = protocol.OK
	return reply, nil
}

func interrupt(s *Server, _ *wire.Message) (any, error) {
	s.Interpreter.Interrupt()
	return protocol.InterruptReply{Status: protocol.OK}, nil
}

func shutdown(s *Server, m *wire.Message) (any, error) {
	var request protocol.ShutdownRequest
	if err := m.DecodeContent(&request); err != nil {
		return nil, err
	}
	return protocol.ShutdownReply{Status: protocol.OK, Restart: request.Restart}, nil
}

func usage(*Server, *wire.Message) (any, error) {
	host, err := os.Hostname()
	if err != nil {
		return nil, fmt.Errorf("usage_request: %w", err)
	}
	var memory runtime.MemStats
	runtime.ReadMemStats(&memory)
	return protocol.UsageReply{Status: protocol.OK, Hostname: host, PID: os.Getpid(), KernelMemory: memory.Sys, CPUCount: runtime.NumCPU()}, nil
}

// refusals counts messages that could not be read, by reason.
type refusals struct {
	mu     sync.Mutex // guards counts
	counts map[string]int
}

// refuse notes a message that could not be read; the first of each kind is logged.
func (s *Server) refuse(m *wire.Message, out chan<- [][]byte, err error) {
	kind := err.Error()
	switch {
	case errors.Is(err, wire.ErrSignature), errors.Is(err, wire.ErrReplay):
	case m != nil && json.Valid(m.RawHeader) && m.Header.MsgType != "":
		// Its header could be read and its signature was right: the sender gets a reason.
		s.enqueue(m, protocol.Status{ExecutionState: protocol.Busy})
		s.reply(m, out, errorReply(err))
		s.enqueue(m, protocol.Status{ExecutionState: protocol.Idle})
	}
	s.refusals.mu.Lock()
	defer s.refusals.mu.Unlock()
	if s.refusals.counts == nil {
		s.refusals.counts = map[string]int{}
	}
	s.refusals.counts[kind]++
	if s.refusals.counts[kind] == 1 && len(s.refusals.counts) < 100 && s.Log != nil {
		fmt.Fprintf(s.Log, "gosphere: ignored a message: %s (further ones are counted only)\n", kind)
	}
}
