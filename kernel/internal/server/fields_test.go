package server

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"gosphere/kernel/protocol"
)

// wholeRequests are all requests with fields, with every field set to a valid value. A required
// field is marked by a star.
var wholeRequests = []struct{ on, kind, content string }{
	{"shell", "execute_request", `{"code*":"print a","silent":false,"store_history":true,"user_expressions":{},"allow_stdin":false,"stop_on_error":false}`},
	{"shell", "complete_request", `{"code*":"pr","cursor_pos*":2}`},
	{"shell", "inspect_request", `{"code*":"print","cursor_pos*":2,"detail_level":0}`},
	{"shell", "is_complete_request", `{"code*":"print"}`},
	{"shell", "history_request", `{"hist_access_type*":"tail","output":false,"raw":true,"session":0,"start":1,"stop":2,"n":2,"pattern":"*","unique":false}`},
	{"shell", "comm_info_request", `{"target_name":"echo"}`},
	{"control", "delete_subshell_request", `{"subshell_id*":"unknown"}`},
	{"control", "shutdown_request", `{"restart":true}`},
	{"shell", "shutdown_request", `{"restart":true}`},
}

// wrongValues are values of every JSON type, by the names used in errors.
var wrongValues = []struct{ kind, text string }{
	{"null", "null"}, {"bool", "true"}, {"number", "7"}, {"number", "-1.5"}, {"number", "1e300"}, {"string", `"text"`},
	{"array", "[]"}, {"array", `["a",1]`}, {"object", "{}"}, {"object", `{"a":{"b":[1]}}`},
}

// fieldsOfRequest reads the content of one of wholeRequests.
func fieldsOfRequest(t *testing.T, content string) (fields map[string]json.RawMessage, required map[string]bool) {
	t.Helper()
	marked := map[string]json.RawMessage{}
	if err := json.Unmarshal([]byte(content), &marked); err != nil {
		t.Fatal(err)
	}
	fields, required = map[string]json.RawMessage{}, map[string]bool{}
	for name, value := range marked {
		plain, must := strings.CutSuffix(name, "*")
		fields[plain], required[plain] = value, must
	}
	return fields, required
}

// kindOfJSON returns the name of the type of a value as used in errors.
func kindOfJSON(value json.RawMessage) string {
	switch value[0] {
	case '"':
		return "string"
	case '{':
		return "object"
	case '[':
		return "array"
	case 't', 'f':
		return "bool"
	case 'n':
		return "null"
	}
	return "number"
}

// TestEveryFieldWithAValueOfAWrongTypeIsNamed sends every request with each of its fields in each
// wrong type. A null represents a missing field.
func TestEveryFieldWithAValueOfAWrongTypeIsNamed(t *testing.T) {
	k := start(t, "memory", testKey)
	c := k.dial("me", testKey)
	for _, r := range wholeRequests {
		fields, required := fieldsOfRequest(t, r.content)
		for _, name := range slices.Sorted(maps.Keys(fields)) {
			for _, wrong := range wrongValues {
				kind := kindOfJSON(fields[name])
				if whole := wrong.text == "7"; wrong.kind == kind && (kind != "number" || whole) && (kind != "object" || wrong.text == "{}") {
					continue // is right
				}
				if wrong.kind == "null" && !required[name] {
					continue // is right as well
				}
				content := maps.Clone(fields)
				content[name] = json.RawMessage(wrong.text)
				text, err := json.Marshal(content)
				if err != nil {
					t.Fatal(err)
				}
				to := c.sockets.Shell
				if r.on == "control" {
					to = c.sockets.Control
				}
				var reply protocol.ErrorReply
				id := c.send(to, r.kind, string(text))
				c.done(id)[id].decode(t, &reply)
				if reply.Status != "error" || !strings.Contains(reply.Evalue, `"`+name) {
					t.Errorf("%s with %s: %s is answered by %s %q, want an error that names the field", r.kind, name, wrong.text, reply.Status, reply.Evalue)
				}
			}
		}
	}
	if n := len(k.mock.cells()); n != 0 {
		t.Errorf("%d of the cells were run", n)
	}
}

func TestFieldsThatAreNotRequiredMayBeNullOrAbsentAndUnknownOnesAreIgnored(t *testing.T) {
	k := start(t, "memory", testKey)
	c := k.dial("me", testKey)
	for _, r := range wholeRequests {
		if r.on == "control" || r.kind == "shutdown_request" {
			continue // these change what is there
		}
		fields, required := fieldsOfRequest(t, r.content)
		for _, absent := range []bool{false, true} {
			content := map[string]json.RawMessage{"of_a_later_version": json.RawMessage(`[{"a":null}]`)}
			for name, value := range fields {
				switch {
				case required[name]:
					content[name] = value
				case !absent:
					content[name] = json.RawMessage("null")
				}
			}
			text, err := json.Marshal(content)
			if err != nil {
				t.Fatal(err)
			}
			id := c.send(c.sockets.Shell, r.kind, string(text))
			if got := c.done(id)[id]; strings.Contains(got.text(), "error") {
				t.Errorf("%s %s is answered by %s", r.kind, text, got.Content)
			}
		}
	}
}

// Comms have no reply, so an error is reported on stderr with the message as its parent.
func TestFieldsOfCommsWithAWrongTypeAreNamedOnStderr(t *testing.T) {
	k := start(t, "memory", testKey)
	serveEcho(k)
	c := k.dial("me", testKey)
	for kind, fields := range map[string][]string{"comm_open": {"comm_id", "target_name"}, "comm_msg": {"comm_id"}, "comm_close": {"comm_id"}} {
		for _, name := range fields {
			for _, wrong := range wrongValues {
				if wrong.kind == "string" {
					continue
				}
				content := map[string]json.RawMessage{"comm_id": []byte(`"x"`), "data": []byte("{}")}
				if kind == "comm_open" {
					content["target_name"] = []byte(`"echo"`)
				}
				content[name] = json.RawMessage(wrong.text)
				text, err := json.Marshal(content)
				if err != nil {
					t.Fatal(err)
				}
				id := c.send(c.sockets.Shell, kind, string(text))
				c.idle(id)
				if got := c.printed(id); !strings.Contains(got, `"`+name+`"`) || !strings.HasSuffix(got, "\n") {
					t.Errorf("%s with %s: %s prints %q", kind, name, wrong.text, got)
				}
			}
		}
	}
	id := c.send(c.sockets.Shell, "comm_info_request", `{}`)
	if got := c.done(id)[id]; string(got.Content) != `{"status":"ok","comms":{}}` {
		t.Errorf("after them these comms are open: %s", got.Content)
	}
}

// TestHeadersWithAFieldOfAWrongTypeAreAnswered keeps the id and type of a message, without which no
// reply is possible.
func TestHeadersWithAFieldOfAWrongTypeAreAnswered(t *testing.T) {
	k := start(t, "memory", testKey)
	c := k.dial("me", testKey)
	right := map[string]string{
		"msg_id": `"ID"`, "msg_type": `"kernel_info_request"`, "session": `"me"`, "username": `"u"`, "date": `""`, "version": `"5.3"`, "subshell_id": "null",
	}
	header := func(id, field, value string) []byte {
		parts := []string{}
		for name, text := range right {
			if name == field {
				text = value
			}
			parts = append(parts, fmt.Sprintf("%q:%s", name, strings.Replace(text, "ID", id, 1)))
		}
		return []byte("{" + strings.Join(parts, ",") + "}")
	}
	for name := range right {
		for i, wrong := range wrongValues {
			id := fmt.Sprintf("%s-%d", name, i)
			if wrong.kind == "string" || wrong.kind == "null" && name != "msg_id" && name != "msg_type" {
				continue // is right, or names another subshell
			}
			sendSigned(c, c.sockets.Shell, [][]byte{header(id, name, wrong.text), []byte("{}"), []byte("{}"), []byte("{}")})
			if name == "msg_id" || name == "msg_type" {
				continue // dropped
			}
			var reply protocol.ErrorReply
			got := c.done(id)[id]
			got.decode(t, &reply)
			if got.Header.MsgType != "kernel_info_reply" || reply.Status != "error" || !strings.Contains(reply.Evalue, `"`+name+`"`) {
				t.Errorf("a header with %s: %s is answered by %s %s", name, wrong.text, got.Header.MsgType, got.Content)
			}
		}
	}
	before := len(c.all)
	id := c.send(c.sockets.Shell, "kernel_info_request", `{}`)
	c.done(id)
	for _, r := range c.all[before:] {
		if parentOf(r) != id {
			t.Errorf("a message without an id or a type is answered by %s", r.text())
		}
	}
}

// TestPartsThatAreNoObjectsAreAnsweredWithTheReason sends parent headers and metadata of every
// type.
func TestPartsThatAreNoObjectsAreAnsweredWithTheReason(t *testing.T) {
	k := start(t, "memory", testKey)
	c := k.dial("me", testKey)
	for part, name := range []string{"parent header", "metadata", "content"} {
		for i, wrong := range append(wrongValues, struct{ kind, text string }{"", ""}, struct{ kind, text string }{"", `{"a":1`}, struct{ kind, text string }{"", "{\"a\":\"\xff\"}"}) {
			if wrong.kind == "object" {
				continue
			}
			id, frames := c.frames("kernel_info_request", "{}", "")
			parts := [][]byte{frames[2], []byte("{}"), []byte("{}"), []byte("{}")}
			parts[1+part] = []byte(wrong.text)
			sendSigned(c, c.sockets.Shell, parts)
			var reply protocol.ErrorReply
			c.done(id)[id].decode(t, &reply)
			if reply.Status != "error" || !strings.Contains(reply.Evalue, name) {
				t.Errorf("%s %d, %q: %s %q", name, i, wrong.text, reply.Status, reply.Evalue)
			}
		}
	}
}
