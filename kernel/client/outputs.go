package client

import (
	"encoding/json"

	"gosphere/kernel/internal/wire"
	"gosphere/kernel/protocol"
)

// takeOutput passes a publication to the request that caused it.
func (c *Client) takeOutput(m *wire.Message) {
	if m.Header.MsgType == "iopub_welcome" {
		c.greeted.Do(func() { close(c.welcome) })
		return
	}
	p := c.of(m)
	if p == nil || p.publish == nil {
		return
	}
	if m.Header.MsgType == "status" {
		var status protocol.Status
		if json.Unmarshal(m.Content, &status) == nil && status.ExecutionState == protocol.Idle {
			p.once.Do(func() { close(p.idle) })
		}
		return
	}
	if content := decode(m.Header.MsgType, m.Content); content != nil {
		p.publish(content)
	}
}

// decode returns the content of an output, or nil for other publications and for an output that is
// not valid.
func decode(kind string, text json.RawMessage) protocol.Content {
	switch kind {
	case "stream":
		return decodeAs[protocol.Stream](text)
	case "display_data":
		return decodeAs[protocol.DisplayData](text)
	case "update_display_data":
		return decodeAs[protocol.UpdateDisplayData](text)
	case "execute_result":
		return decodeAs[protocol.ExecuteResult](text)
	case "error":
		return decodeAs[protocol.Error](text)
	case "clear_output":
		return decodeAs[protocol.ClearOutput](text)
	}
	return nil
}

func decodeAs[T protocol.Content](text json.RawMessage) protocol.Content {
	var content T
	if json.Unmarshal(text, &content) != nil {
		return nil
	}
	return content
}
