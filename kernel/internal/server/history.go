package server

import (
	"gosphere/kernel/internal/wire"
	"gosphere/kernel/protocol"
)

// pastCells answers a history_request with (session, count, code), or (session, count, (code,
// output)), where the output is null for a cell without a value. The shape of the entries depends
// on whether the request asks for outputs. The kernel does not transform the text of cells, so the
// request's field raw makes no difference.
func pastCells(s *Server, m *wire.Message) (any, error) {
	var request protocol.HistoryRequest
	if err := m.DecodeContent(&request, "hist_access_type"); err != nil {
		return nil, err
	}
	cells, err := s.History.Find(request)
	if err != nil {
		return nil, err
	}
	reply := protocol.HistoryReply{Status: protocol.OK, History: make([][]any, 0, len(cells))}
	for _, c := range cells {
		entry := []any{c.Session, c.Line, c.Source}
		if request.Output {
			var output any
			if c.Output != "" {
				output = c.Output
			}
			entry[2] = []any{c.Source, output}
		}
		reply.History = append(reply.History, entry)
	}
	return reply, nil
}
