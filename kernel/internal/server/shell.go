package server

import (
	"context"
	"crypto/rand"
	"fmt"
	"slices"
	"sync"

	"gosphere/kernel/internal/wire"
	"gosphere/kernel/protocol"
)

// A shell serves the shell requests whose header carries its id, or no id for the parent shell.
// Cells of one shell run one after another, cells of different shells concurrently. It needs no
// socket of its own: all shells share the shell socket, and takeShell distributes.
type shell struct {
	executor *executor
	answers  chan *wire.Message
	ended    chan struct{} // closed when the shell has been deleted
}

// shells are the parent shell and its subshells (JEP 91).
type shells struct {
	parent *shell

	mu       sync.Mutex // guards the fields below
	children map[string]*shell
	order    []string // ids of the children, oldest first
}

// maxSubshells is the maximum number of subshells. JupyterLab creates one for each console and one
// for each comm target.
const maxSubshells = 1000

// waitingRequests is the number of queued quick requests above which the shell socket is not read.
// The limit counts requests of one shell, but it stops reading for all of them, because they share
// the socket. The requests of control are not affected.
const waitingRequests = 256

func newShell() *shell {
	return &shell{executor: newExecutor(), answers: make(chan *wire.Message, waitingRequests), ended: make(chan struct{})}
}

// start starts the goroutines of a shell. They end with the context or when the shell is deleted.
// Only a subshell is deleted; the parent shell lives as long as the server.
func (h *shell) start(ctx context.Context, s *Server) {
	go h.executor.run(ctx, s)
	go h.answerAll(ctx, s)
}

// take passes a request to the executor or to the answerer. It is called by the receiver of the
// shell socket and waits only while the queue of the answerer is full. A request to a shell that
// has been deleted, or whose executor is full, gets an error reply, since a client waits for a
// reply without a time limit.
func (h *shell) take(m *wire.Message, s *Server) {
	if h.executor.keepsOrder(m) {
		if err := h.executor.add(m); err != nil {
			s.handle(m, s.Sockets.Shell, unsupported(err.Error()))
		}
		return
	}
	select {
	case h.answers <- m:
		// If the shell has ended meanwhile, answerAll may have returned before it saw the request.
		select {
		case <-h.ended:
			h.answerQueued(s)
		default:
		}
	case <-h.ended:
		s.handle(m, s.Sockets.Shell, unsupported(errEnded.Error()))
	case <-s.ctx.Done():
	}
}

// answerAll answers quick requests one after another, including those queued when the shell is
// deleted.
func (h *shell) answerAll(ctx context.Context, s *Server) {
	for {
		select {
		case m := <-h.answers:
			s.handle(m, s.Sockets.Shell, shellHandlers[m.Header.MsgType])
			continue
		case <-ctx.Done():
			return
		case <-h.ended:
			h.answerQueued(s)
			return
		}
	}
}

// answerQueued answers the quick requests that are queued. The shell has ended.
func (h *shell) answerQueued(s *Server) {
	for {
		select {
		case m := <-h.answers:
			s.handle(m, s.Sockets.Shell, shellHandlers[m.Header.MsgType])
		default:
			return
		}
	}
}

// takeShell passes a request to its shell. It is called by the receiver of the shell socket. A
// missing or null subshell_id names the parent shell. A request to an unknown subshell gets busy,
// an error reply and idle, as from ipykernel, because the client would wait for them.
func (s *Server) takeShell(m *wire.Message) {
	id := m.Header.SubshellID
	if id == nil {
		s.shells.parent.take(m, s)
		return
	}
	s.shells.mu.Lock()
	child := s.shells.children[*id]
	s.shells.mu.Unlock()
	if child == nil {
		s.handle(m, s.Sockets.Shell, unsupported(unknownSubshell(*id).Error()))
		return
	}
	child.take(m, s)
}

func unknownSubshell(id string) error { return fmt.Errorf("there is no subshell %q", id) }

// Interrupt stops the running cells and callbacks of all shells, as an interrupt_request does: the
// request names no shell, and no client may be left with a cell that does not end. The interpreter
// ends the calls that it is running. Canceling the contexts also ends questions that wait on stdin,
// and a cell that its executor has begun but not yet passed to the interpreter.
//
// It is called by the receiver of control and by the handler of the signal SIGINT.
func (s *Server) Interrupt() {
	s.Interpreter.Interrupt()
	// The reply of a cell follows its outputs.
	s.Sockets.Hurry()
	s.shells.mu.Lock()
	all := []*shell{s.shells.parent}
	for _, id := range s.shells.order {
		all = append(all, s.shells.children[id])
	}
	s.shells.mu.Unlock()
	for _, h := range all {
		h.executor.interrupt()
	}
}

// createSubshell answers a create_subshell_request. The client sends the id in the header of
// further requests.
func createSubshell(s *Server, m *wire.Message) (any, error) {
	s.shells.mu.Lock()
	defer s.shells.mu.Unlock()
	if len(s.shells.children) >= maxSubshells {
		return nil, fmt.Errorf("%s: there are %d subshells already", m.Header.MsgType, maxSubshells)
	}
	id, child := rand.Text(), newShell()
	s.shells.children[id] = child
	s.shells.order = append(s.shells.order, id)
	child.start(s.ctx, s)
	return protocol.CreateSubshellReply{Status: protocol.OK, SubshellID: id}, nil
}

// deleteSubshell deletes a subshell. Its running cell is interrupted and queued requests are
// refused.
func deleteSubshell(s *Server, m *wire.Message) (any, error) {
	var request protocol.DeleteSubshellRequest
	if err := m.DecodeContent(&request, "subshell_id"); err != nil {
		return nil, err
	}
	s.shells.mu.Lock()
	child := s.shells.children[request.SubshellID]
	delete(s.shells.children, request.SubshellID)
	s.shells.order = slices.DeleteFunc(s.shells.order, func(id string) bool { return id == request.SubshellID })
	s.shells.mu.Unlock()
	if child == nil {
		return nil, fmt.Errorf("%s: %w", m.Header.MsgType, unknownSubshell(request.SubshellID))
	}
	// The shell is no longer in the table, so takeShell finds it only if it looked before. Closing
	// ended first makes the answerer refuse or serve what is queued; closing the executor then
	// cancels its cell.
	close(child.ended)
	child.executor.close()
	return protocol.DeleteSubshellReply{Status: protocol.OK}, nil
}

// listSubshells answers a list_subshell_request. The list is never null and, as JEP 91 requires,
// does not include the parent shell.
func listSubshells(s *Server, _ *wire.Message) (any, error) {
	s.shells.mu.Lock()
	defer s.shells.mu.Unlock()
	return protocol.ListSubshellReply{Status: protocol.OK, SubshellID: append([]string{}, s.shells.order...)}, nil
}
