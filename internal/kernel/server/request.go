package server

import (
	"fmt"

	"gosphere/internal/kernel/protocol"
	"gosphere/internal/kernel/wire"
)

// shellHandlers answer shell requests other than execute_request.
var shellHandlers = map[string]handler{
	"kernel_info_request": kernelInfo,
	"complete_request":    complete,
	"inspect_request":     inspect,
	"is_complete_request": isComplete,
	"history_request":     pastCells,
	"comm_info_request":   commInfo,
	"comm_open":           commOpen,
	"comm_msg":            commMessage,
	"comm_close":          commClose,
	"connect_request":     connect,
	"shutdown_request":    shutdown,  // deprecated here since 5.4, but older clients send it
	"interrupt_request":   interrupt, // belongs to control, but some clients send it here
}

// controlHandlers answer control requests, all of them immediately.
var controlHandlers = map[string]handler{
	"execute_request":         unsupported("cells are sent on shell"),
	"kernel_info_request":     kernelInfo,
	"interrupt_request":       interrupt,
	"shutdown_request":        shutdown,
	"usage_request":           measure,
	"connect_request":         connect,
	"create_subshell_request": createSubshell,
	"delete_subshell_request": deleteSubshell,
	"list_subshell_request":   listSubshells,
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
	features := []string{protocol.FeatureSubshells}
	if s.Debugger != nil {
		features = append(features, protocol.FeatureDebugger)
	}
	return protocol.KernelInfoReply{
		Status: protocol.OK, ProtocolVersion: protocol.Version, Implementation: "gosphere", ImplementationVersion: s.Version,
		LanguageInfo: language, Banner: banner, HelpLinks: links, SupportedFeatures: features, Debugger: s.Debugger != nil,
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

// checkCursor returns an error for a cursor outside the code, counted in code points.
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

func connect(s *Server, _ *wire.Message) (any, error) {
	bound := s.Sockets.Bound
	return protocol.ConnectReply{
		Status: protocol.OK, ShellPort: int(bound.ShellPort), IopubPort: int(bound.IopubPort), StdinPort: int(bound.StdinPort),
		ControlPort: int(bound.ControlPort), HbPort: int(bound.HbPort),
	}, nil
}

// measure answers a usage_request, which JupyterLab's resource sidebar sends.
func measure(s *Server, _ *wire.Message) (any, error) { return s.meter.Read() }

func interrupt(s *Server, _ *wire.Message) (any, error) {
	s.Interrupt()
	return protocol.InterruptReply{Status: protocol.OK}, nil
}

func shutdown(s *Server, m *wire.Message) (any, error) {
	var request protocol.ShutdownRequest
	if err := m.DecodeContent(&request); err != nil {
		return nil, err
	}
	return protocol.ShutdownReply{Status: protocol.OK, Restart: request.Restart}, nil
}
