package lsp

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"testing"

	"gosphere/internal/lsp/rpc"
)

// invalid are parameters that no request has, the last ones for an open document.
func invalid(uri string) (list []string) {
	list = []string{"", "null", "7", `"text"`, "[]", "{}", `{"textDocument":7}`, `{"textDocument":{"uri":"file:///nothing.cells.go"},"position":{"line":0,"character":0}}`,
		`{"textDocument":{"uri":"` + strings.Repeat("x", 1<<16) + `"}}`, strings.Repeat("[", 5000) + strings.Repeat("]", 5000)}
	for _, place := range []string{`{"line":-1,"character":-1}`, `{"line":0,"character":-1}`, `{"line":1000000,"character":3}`, `{"line":2147483647,"character":2147483647}`, `{"line":0,"character":1000000}`} {
		list = append(list, fmt.Sprintf(`{"textDocument":{"uri":%q,"version":-1},"position":%s,"range":{"start":%[2]s,"end":{"line":0,"character":0}},"newName":"","context":{},`+
			`"contentChanges":[{"range":{"start":%[2]s,"end":%[2]s},"text":"x"}],"options":{"tabSize":-1}}`, uri, place))
	}
	return list
}

// TestInvalidMessagesAreAnsweredWithErrors sends each request and notification with parameters of
// other shapes, positions outside of the text, texts that are no messages, and ids of other types.
// No handler panics, and the server keeps answering.
func TestInvalidMessagesAreAnsweredWithErrors(t *testing.T) {
	var log strings.Builder
	c := connect(t, Options{Packages: compiled(t), Log: &log})
	c.ask("textDocument/hover", json.RawMessage("{}")) // before the first request that is permitted
	c.ask("initialize", json.RawMessage(`{"capabilities":{}}`))
	c.tell("initialized", json.RawMessage("{}"))
	const uri = "file:///a.cells.go"
	text := func(version int) json.RawMessage {
		return json.RawMessage(fmt.Sprintf(`{"textDocument":{"uri":%q,"languageId":"go","version":%d,"text":"x := 1\n// %%%%\nx + y\nπ\n"}}`, uri, version))
	}
	for _, frame := range []string{"", "7", "{}", `{"jsonrpc":"1.0"}`, "\x00", strings.Repeat("[", 200_000), `{"jsonrpc":"2.0","id":`} {
		if _, err := fmt.Fprintf(c.in, "Content-Length: %d\r\n\r\n%s", len(frame), frame); err != nil {
			t.Fatal(err)
		}
	}
	for _, id := range []string{`"a"`, `-1`, `1.5`, `{"a":1}`, `[]`} {
		if err := c.writer.Write(&rpc.Message{ID: json.RawMessage(id), Method: "test/unknown"}); err != nil {
			t.Fatal(err)
		}
		answers := c.receive(id)
		if last := answers[len(answers)-1]; last.Error == nil || last.Error.Code != rpc.MethodNotFound {
			t.Errorf("an unknown method with the id %s: %+v", id, last.Error)
		}
	}
	for _, method := range slices.Sorted(maps.Keys(requests)) {
		if method == "initialize" || method == "shutdown" {
			continue
		}
		c.tell("textDocument/didOpen", text(1))
		for _, params := range invalid(uri) {
			answers := c.ask(method, json.RawMessage(params))
			if last := answers[len(answers)-1]; last.Error != nil && last.Error.Code == rpc.InternalError {
				t.Errorf("%s %.200s: %v", method, params, last.Error)
			}
		}
	}
	for _, method := range slices.Sorted(maps.Keys(notifications)) {
		c.tell("textDocument/didOpen", text(2))
		for _, params := range invalid(uri) {
			c.tell(method, json.RawMessage(params))
		}
	}
	answers := c.ask("shutdown", nil)
	if last := answers[len(answers)-1]; last.Error != nil {
		t.Errorf("shutdown: %v", last.Error)
	}
	c.writer.Write(&rpc.Message{Method: "exit"})
	go io.Copy(io.Discard, c.out)
	if err := <-c.ended; err != nil {
		t.Error(err)
	}
	if strings.Contains(log.String(), "internal error") {
		t.Errorf("the server has panicked:\n%s", &log)
	}
}
