package server

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"gosphere/kernel/internal/wire"
)

// required names the fields of each message and their types, according to the specification: s
// string, n number, b bool, o object, l list, t list of strings. A field after "ok:" or "error:"
// belongs to replies of that status, and one after "/" to those without a status.
var required = map[string]string{
	"status":                "execution_state:s",
	"stream":                "name:s text:s",
	"display_data":          "data:o metadata:o transient:o",
	"update_display_data":   "data:o metadata:o transient:o",
	"execute_result":        "execution_count:n data:o metadata:o",
	"execute_input":         "code:s execution_count:n",
	"error":                 "ename:s evalue:s traceback:t",
	"clear_output":          "wait:b",
	"comm_open":             "comm_id:s target_name:s data:o",
	"comm_msg":              "comm_id:s data:o",
	"comm_close":            "comm_id:s data:o",
	"debug_event":           "type:s seq:n event:s",
	"debug_reply":           "/type:s /seq:n /request_seq:n /success:b /command:s",
	"iopub_welcome":         "subscription:s",
	"input_request":         "prompt:s password:b",
	"execute_reply":         "status:s ok/execution_count:n ok/user_expressions:o ok/payload:l",
	"complete_reply":        "status:s ok/matches:t ok/cursor_start:n ok/cursor_end:n ok/metadata:o",
	"inspect_reply":         "status:s ok/found:b ok/data:o ok/metadata:o",
	"is_complete_reply":     "status:s",
	"history_reply":         "status:s ok/history:l",
	"comm_info_reply":       "status:s ok/comms:o",
	"connect_reply":         "status:s ok/shell_port:n ok/hb_port:n",
	"shutdown_reply":        "status:s restart:b",
	"interrupt_reply":       "status:s",
	"usage_reply":           "status:s hostname:s pid:n cpu_count:n",
	"create_subshell_reply": "status:s ok/subshell_id:s",
	"delete_subshell_reply": "status:s",
	"list_subshell_reply":   "status:s ok/subshell_id:t",
	"kernel_info_reply":     "status:s ok/protocol_version:s ok/implementation:s ok/implementation_version:s ok/language_info:o ok/banner:s ok/help_links:l ok/supported_features:t",
}

// validate describes how a message violates the specification.
func validate(m *wire.Message) []string {
	var complaints []string
	complain := func(format string, arguments ...any) {
		complaints = append(complaints, fmt.Sprintf(format, arguments...))
	}
	h := m.Header
	for name, value := range map[string]string{
		"msg_id": h.MsgID, "session": h.Session, "username": h.Username, "date": h.Date, "msg_type": h.MsgType, "version": h.Version,
	} {
		if value == "" {
			complain("header without %s", name)
		}
	}
	if _, err := time.Parse(time.RFC3339Nano, h.Date); err != nil {
		complain("header.date: %v", err)
	}
	var content map[string]any
	if err := json.Unmarshal(m.Content, &content); err != nil {
		complain("content: %v", err)
	}
	fields := strings.Fields(required[h.MsgType])
	status, _ := content["status"].(string)
	if status == "error" {
		fields = append(fields, "ename:s", "evalue:s", "traceback:t")
	} else if len(fields) == 0 {
		complain("unknown message type")
	}
	for _, field := range fields {
		name, kind, _ := strings.Cut(field, ":")
		if when, rest, found := strings.Cut(name, "/"); found {
			if status != when {
				continue
			}
			name = rest
		}
		if !isKind(content[name], kind) && !(status == "error" && name == "restart") {
			complain("field %s is %v", name, content[name])
		}
	}
	return complaints
}

func isKind(value any, kind string) bool {
	switch value := value.(type) {
	case string:
		return kind == "s"
	case float64:
		return kind == "n"
	case bool:
		return kind == "b"
	case map[string]any:
		return kind == "o"
	case []any:
		return kind == "l" || kind == "t" && !slices.ContainsFunc(value, func(v any) bool { _, ok := v.(string); return !ok })
	}
	return false
}
