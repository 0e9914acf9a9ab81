package client

import (
	"context"
	"encoding/json"
	"testing"

	"gosphere/kernel/internal/wire"
	"gosphere/kernel/protocol"
)

// FuzzMessagesOfAKernel has a client take messages with any content, which a kernel has signed, and
// the same frames with a wrong signature. No message ends the client, outputs are those of the
// request that waits, and a reply is read or an error.
func FuzzMessagesOfAKernel(f *testing.F) {
	f.Add("stream", "request", `{"name":"stdout","text":"a"}`)
	f.Add("execute_result", "request", `{"data":{"text/plain":["a","b"]},"metadata":null,"execution_count":-1}`)
	f.Add("display_data", "request", `{"data":7}`)
	f.Add("update_display_data", "other", `{"transient":{"display_id":7}}`)
	f.Add("error", "request", `{"ename":"a","evalue":null,"traceback":[1]}`)
	f.Add("status", "request", `{"execution_state":"idle"}`)
	f.Add("iopub_welcome", "", `null`)
	f.Add("execute_reply", "request", `{"status":"ok","execution_count":1e99,"payload":[{}]}`)
	f.Add("history_reply", "request", `{"history":[[0,1,"x"],[0,1e300,"x"],[0]]}`)
	f.Fuzz(func(t *testing.T, kind, parent, content string) {
		codec, err := wire.NewCodec("hmac-sha256", "key")
		if err != nil {
			t.Fatal(err)
		}
		var outputs []protocol.Content
		waiting := &pending{reply: make(chan *wire.Message, 1), idle: make(chan struct{}), publish: func(c protocol.Content) { outputs = append(outputs, c) }}
		c := &Client{codec: codec, welcome: make(chan struct{}), ended: make(chan struct{}), pending: map[string]*pending{"request": waiting}}
		frames, err := codec.Encode(&wire.Message{Header: protocol.Header{MsgType: kind, MsgID: "m"}, Parent: json.RawMessage(`{"msg_id":` + quoted(parent) + `}`), Content: json.RawMessage(content)})
		if err != nil {
			return // the content is no JSON
		}
		for range 2 { // a message that comes twice
			m, err := codec.Decode(frames)
			if err != nil {
				return
			}
			c.takeOutput(m)
			c.takeReply(m)
		}
		if parent != "request" && (len(outputs) > 0 || len(waiting.reply) > 0) {
			t.Errorf("a message for %q is one for another request", parent)
		}
		if len(waiting.reply) > 0 {
			var execute protocol.ExecuteReply
			_ = c.await(context.Background(), waiting, kind, &execute)
		}
		var history protocol.HistoryReply
		if json.Unmarshal([]byte(content), &history) == nil {
			if list, err := entries(history); err == nil && len(list) != len(history.History) {
				t.Errorf("%d of %d cells of the history", len(list), len(history.History))
			}
		}
		for _, o := range outputs {
			if _, err := json.Marshal(o); err != nil {
				t.Errorf("output %+v: %v", o, err)
			}
		}
		frames[1] = []byte("00")
		if _, err := codec.Decode(frames); err == nil {
			t.Error("a wrong signature is accepted")
		}
	})
}

func quoted(text string) string {
	data, _ := json.Marshal(text)
	return string(data)
}
