package server

import (
	"fmt"

	"gosphere/kernel/internal/wire"
	"gosphere/kernel/protocol"
)

// shellHandlers answer shell requests other than execute_request. The executor calls those of
// comms, the answerer all others. A type that is not in the table is answered with busy and idle
// only.
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

// controlHandlers answer control requests, all of them immediately. kernel_info_request is answered
// on both channels (JEP 80), so that a client that connects while a cell runs need not wait for it.
// The debugger's requests are not here, see takeControl.
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

// unsupported returns a handler that refuses a request for the given reason.
func unsupported(reason string) handler {
	return func(_ *Server, m *wire.Message) (any, error) {
		return nil, fmt.Errorf("%s: %s", m.Header.MsgType, reason)
	}
}

// kernelInfo answers a kernel_info_request. Since protocol 5.5 supported_features replaces the
// boolean debugger; both are sent, because older clients know only the latter.
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
		Status: protocol.OK, ProtocolVersion: protocol.Version, Implementation: s.Name, ImplementationVersion: s.Version,
		LanguageInfo: language, Banner: banner, HelpLinks: links, SupportedFeatures: features, Debugger: s.Debugger != nil,
	}, nil
}

// complete answers a complete_request. Having no matches is not an error: the reply is then an
// empty list.
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

// inspect answers an inspect_request. A name that is not known is not an error: the reply then has
// found set to false and empty data.
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

// checkCursor returns an error for a cursor outside the code, counted in code points. Since
// protocol 5.2 clients count code points, neither bytes nor UTF-16 units.
func checkCursor(code string, cursor int) error {
	if length := len([]rune(code)); cursor < 0 || cursor > length {
		return fmt.Errorf("cursor_pos is %d, want 0 to %d", cursor, length)
	}
	return nil
}

// isComplete answers an is_complete_request, which consoles send after each line. They wait for the
// reply for a short time only, and then decide themselves.
func isComplete(s *Server, m *wire.Message) (any, error) {
	var request protocol.IsCompleteRequest
	if err := m.DecodeContent(&request, "code"); err != nil {
		return nil, err
	}
	return s.Interpreter.IsComplete(request), nil
}

// connect answers a connect_request, which protocol 5.1 deprecates and old clients still send.
func connect(s *Server, _ *wire.Message) (any, error) {
	bound := s.Sockets.Bound
	return protocol.ConnectReply{
		Status: protocol.OK, ShellPort: int(bound.ShellPort), IopubPort: int(bound.IopubPort), StdinPort: int(bound.StdinPort),
		ControlPort: int(bound.ControlPort), HbPort: int(bound.HbPort),
	}, nil
}

// measure answers a usage_request, which JupyterLab's resource sidebar sends. The request is not
// part of the protocol. The reply has the fields of ipykernel's.
func measure(s *Server, _ *wire.Message) (any, error) { return s.meter.Read() }

// interrupt answers an interrupt_request, which clients send instead of a signal because the
// kernelspec has the interrupt_mode "message". The reply does not wait until the cells have ended.
func interrupt(s *Server, _ *wire.Message) (any, error) {
	s.Interrupt()
	return protocol.InterruptReply{Status: protocol.OK}, nil
}

// shutdown answers a shutdown_request. It only makes the reply; handle stops the server after the
// reply has been queued. Restart is copied: the launcher, not the kernel, starts the next process.
func shutdown(s *Server, m *wire.Message) (any, error) {
	var request protocol.ShutdownRequest
	if err := m.DecodeContent(&request); err != nil {
		return nil, err
	}
	return protocol.ShutdownReply{Status: protocol.OK, Restart: request.Restart}, nil
}
