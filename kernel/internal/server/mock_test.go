package server

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"

	"gosphere/kernel/protocol"
)

// mock is a language of a few words: "print a b", "value x", "fail why", "show", "lines n",
// "wait" (until released, interrupted or shut down), "late x" (printed after release), "ask
// prompt", "remember" (its context), "panic", "bad" (a display that JSON cannot hold).
type mock struct {
	release   chan struct{}
	began     chan string // the code of each cell that begins
	interrupt chan struct{}
	contexts  chan context.Context // of the cells "remember"
	late      sync.WaitGroup
	ask       func(ctx context.Context, prompt string, password bool) (string, error)

	mu          sync.Mutex // guards the fields below
	count       int
	requests    []protocol.ExecuteRequest
	interrupted int
}

func newMock() *mock {
	return &mock{release: make(chan struct{}), began: make(chan string, 100), interrupt: make(chan struct{}, 100), contexts: make(chan context.Context, 1)}
}

// cells returns the requests that have been executed.
func (m *mock) cells() []protocol.ExecuteRequest {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Clone(m.requests)
}

func (m *mock) BindQuestions(ask func(context.Context, string, bool) (string, error)) { m.ask = ask }

func (m *mock) Execute(ctx context.Context, request protocol.ExecuteRequest, publish func(protocol.Content)) protocol.ExecuteReply {
	m.mu.Lock()
	m.requests = append(m.requests, request)
	if request.StoreHistory {
		m.count++
	}
	count := m.count
	m.mu.Unlock()
	select {
	case m.began <- request.Code:
	default: // a benchmark, which does not look
	}
	if !request.Silent {
		publish(protocol.ExecuteInput{Code: request.Code, ExecutionCount: count})
	}
	ename, evalue := m.run(ctx, request.Code, publish)
	reply := protocol.ExecuteReply{Status: "ok", ExecutionCount: count}
	if ename != "" {
		publish(protocol.Error{Ename: ename, Evalue: evalue, Traceback: []string{evalue}})
		reply.Status, reply.Ename, reply.Evalue, reply.Traceback = "error", ename, evalue, []string{evalue}
	}
	return reply
}

func (m *mock) run(ctx context.Context, code string, publish func(protocol.Content)) (ename, evalue string) {
	word, rest, _ := strings.Cut(code, " ")
	print := func(name, text string) { publish(protocol.Stream{Name: name, Text: text}) }
	switch word {
	case "print":
		for _, text := range strings.Fields(rest) {
			print("stdout", text+"\n")
		}
	case "both":
		print("stdout", "out")
		print("stderr", "err")
		print("stdout", "out")
	case "value":
		publish(protocol.ExecuteResult{ExecutionCount: 1, Data: protocol.MimeBundle{"text/plain": rest}, Metadata: map[string]any{}})
	case "fail":
		return "Failure", rest
	case "show":
		bundle := protocol.MimeBundle{"text/html": "<b>1</b>"}
		publish(protocol.DisplayData{Data: bundle, Metadata: map[string]any{}, Transient: protocol.Transient{DisplayID: "d"}})
		publish(protocol.ClearOutput{Wait: true})
		publish(protocol.UpdateDisplayData{Data: bundle, Metadata: map[string]any{}, Transient: protocol.Transient{DisplayID: "d"}})
	case "lines":
		var n int
		fmt.Sscan(rest, &n)
		for i := range n {
			if ctx.Err() != nil {
				return "KeyboardInterrupt", "ended"
			}
			print("stdout", fmt.Sprintf("line %d\n", i))
		}
	case "wait":
		select {
		case <-m.release:
		case <-m.interrupt:
			return "KeyboardInterrupt", "interrupted"
		case <-ctx.Done():
			return "KeyboardInterrupt", "ended"
		}
		if rest != "" {
			return m.run(ctx, rest, publish)
		}
	case "late":
		m.late.Go(func() {
			<-m.release
			print("stdout", rest)
		})
	case "ask":
		line, err := m.ask(ctx, rest, rest == "password")
		if err != nil {
			return "InputError", err.Error()
		}
		print("stdout", "got "+line)
	case "remember":
		m.contexts <- ctx
	case "panic":
		panic("defect")
	case "bad":
		publish(protocol.DisplayData{Data: protocol.MimeBundle{"x": func() {}}, Metadata: map[string]any{}})
	}
	return "", ""
}

func (m *mock) Complete(request protocol.CompleteRequest) protocol.CompleteReply {
	if request.Code == "panic" {
		panic("defect")
	}
	return protocol.CompleteReply{Matches: []string{"print"}, CursorEnd: request.CursorPos}
}

func (m *mock) Inspect(request protocol.InspectRequest) protocol.InspectReply {
	return protocol.InspectReply{Found: request.Code == "print"}
}

func (m *mock) IsComplete(protocol.IsCompleteRequest) protocol.IsCompleteReply {
	return protocol.IsCompleteReply{Status: "complete"}
}

func (m *mock) Interrupt() {
	m.mu.Lock()
	m.interrupted++
	m.mu.Unlock()
	select {
	case m.interrupt <- struct{}{}:
	default:
	}
}

func (m *mock) Info() (protocol.LanguageInfo, string, []protocol.HelpLink) {
	return protocol.LanguageInfo{Name: "mock", Version: "1", Mimetype: "text/x-mock", FileExtension: ".mock"}, "a mock", nil
}
