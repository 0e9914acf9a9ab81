package protocol

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// specified lists the fields of each message according to the specification of protocol 5.6, with
// their types: s string, n whole number, f number, b bool, o object, l list, t list of strings, v
// any value. A field with ? is optional.
var specified = []struct {
	message any
	fields  string
}{
	{Header{}, "msg_id:s session:s username:s date:s msg_type:s version:s subshell_id:s?"},
	{ExecuteRequest{}, "code:s silent:b store_history:b user_expressions:o allow_stdin:b stop_on_error:b"},
	{InspectRequest{}, "code:s cursor_pos:n detail_level:n"},
	{CompleteRequest{}, "code:s cursor_pos:n"},
	{HistoryRequest{}, "output:b raw:b hist_access_type:s session:n start:n stop:n n:n pattern:s unique:b"},
	{IsCompleteRequest{}, "code:s"},
	{CommInfoRequest{}, "target_name:s"},
	{ShutdownRequest{}, "restart:b"},
	{DeleteSubshellRequest{}, "subshell_id:s"},
	{InputReply{}, "value:s"},

	{ExecuteReply{}, "status:s execution_count:n payload:l user_expressions:o ename:s? evalue:s? traceback:t?"},
	{InspectReply{}, "status:s found:b data:o metadata:o"},
	{CompleteReply{}, "status:s matches:t cursor_start:n cursor_end:n metadata:o"},
	{HistoryReply{}, "status:s history:l"},
	{IsCompleteReply{}, "status:s indent:s?"},
	{CommInfoReply{}, "status:s comms:o"},
	{CommInfo{}, "target_name:s"},
	{KernelInfoReply{}, "status:s protocol_version:s implementation:s implementation_version:s language_info:o banner:s help_links:l supported_features:t debugger:b"},
	{LanguageInfo{}, "name:s version:s mimetype:s file_extension:s pygments_lexer:s codemirror_mode:s nbconvert_exporter:s"},
	{HelpLink{}, "text:s url:s"},
	{ConnectReply{}, "status:s shell_port:n iopub_port:n stdin_port:n control_port:n hb_port:n"},
	{ShutdownReply{}, "status:s restart:b"},
	{InterruptReply{}, "status:s"},
	{ErrorReply{}, "status:s ename:s evalue:s traceback:t"},
	{CreateSubshellReply{}, "status:s subshell_id:s"},
	{DeleteSubshellReply{}, "status:s"},
	{ListSubshellReply{}, "status:s subshell_id:t"},
	{UsageReply{}, "status:s hostname:s pid:n kernel_cpu:f? kernel_memory:n? host_cpu_percent:f? cpu_count:n host_virtual_memory:o?"},
	{VirtualMemory{}, "total:n available:n percent:f used:n free:n active:n inactive:n buffers:n cached:n shared:n slab:n"},

	{Status{}, "execution_state:s"},
	{Stream{}, "name:s text:s"},
	{DisplayData{}, "data:o metadata:o transient:o"},
	{UpdateDisplayData{}, "data:o metadata:o transient:o"},
	{Transient{}, "display_id:s?"},
	{ExecuteResult{}, "execution_count:n data:o metadata:o"},
	{ExecuteInput{}, "code:s execution_count:n"},
	{ClearOutput{}, "wait:b"},
	{Error{}, "ename:s evalue:s traceback:t"},
	{IopubWelcome{}, "subscription:s"},
	{InputRequest{}, "prompt:s password:b"},
	{CommOpen{}, "comm_id:s target_name:s data:v"},
	{CommMsg{}, "comm_id:s data:v"},
	{CommClose{}, "comm_id:s data:v"},
	{TypedMatch{}, "text:s type:s signature:s documentation:s start:n end:n"},
}

// fieldsOf lists the JSON fields of a struct in the format of specified.
func fieldsOf(t reflect.Type) []string {
	var list []string
	for i := range t.NumField() {
		name, option, _ := strings.Cut(t.Field(i).Tag.Get("json"), ",")
		if name == "-" {
			continue
		}
		field := name + ":" + letterOf(t.Field(i).Type)
		if option == "omitempty" {
			field += "?"
		}
		list = append(list, field)
	}
	return list
}

// letterOf returns the letter of a type in specified.
func letterOf(t reflect.Type) string {
	switch {
	case t == reflect.TypeFor[json.RawMessage]():
		return "v"
	case t == reflect.TypeFor[[]string]():
		return "t"
	}
	switch t.Kind() {
	case reflect.Pointer:
		return letterOf(t.Elem())
	case reflect.String:
		return "s"
	case reflect.Bool:
		return "b"
	case reflect.Int, reflect.Uint64:
		return "n"
	case reflect.Float64:
		return "f"
	case reflect.Map, reflect.Struct:
		return "o"
	case reflect.Slice:
		return "l"
	}
	return t.String()
}

func TestMessagesHaveTheFieldsOfTheSpecificationAndNoOthers(t *testing.T) {
	for _, s := range specified {
		got, want := fieldsOf(reflect.TypeOf(s.message)), strings.Fields(s.fields)
		slices.Sort(got)
		slices.Sort(want)
		if !slices.Equal(got, want) {
			t.Errorf("%T has\n%s\nwant\n%s", s.message, strings.Join(got, " "), strings.Join(want, " "))
		}
	}
}

func TestFieldsThatMayBeLeftOutAreLeftOutWhenEmpty(t *testing.T) {
	for _, s := range specified {
		text, err := json.Marshal(s.message)
		if err != nil {
			t.Fatalf("%T: %v", s.message, err)
		}
		var object map[string]any
		if err := json.Unmarshal(text, &object); err != nil {
			t.Fatalf("%T: %s: %v", s.message, text, err)
		}
		for field := range strings.FieldsSeq(s.fields) {
			name, kind, _ := strings.Cut(field, ":")
			if _, written := object[name]; written == strings.HasSuffix(kind, "?") {
				t.Errorf("%T, empty: field %s written: %v", s.message, name, written)
			}
		}
	}
}

func TestRequestsComeBackAsTheyWereSent(t *testing.T) {
	stop, subshell := -1, "s"
	for _, sent := range []any{
		&Header{MsgID: "a", Session: "b", Username: "κ", Date: "2026-01-02T03:04:05.000006Z", MsgType: "d", Version: "5.6", SubshellID: &subshell},
		&CompleteRequest{Code: "κ.", CursorPos: 2},
		&InspectRequest{Code: "a\x00b", CursorPos: 1, DetailLevel: 1},
		&HistoryRequest{Output: true, Raw: true, HistAccessType: "range", Session: -1, Start: -2, Stop: &stop, N: 3, Pattern: "*", Unique: true},
		&CommOpen{CommID: "a", TargetName: "b", Data: json.RawMessage(`{"c":[1,null]}`)},
		&InputRequest{Prompt: "Name: ", Password: true},
		&IsCompleteRequest{Code: "<&>\u2028"},
		&ShutdownRequest{Restart: true},
	} {
		text, err := json.Marshal(sent)
		if err != nil {
			t.Fatalf("%T: %v", sent, err)
		}
		got := reflect.New(reflect.TypeOf(sent).Elem()).Interface()
		if err := json.Unmarshal(text, got); err != nil || !reflect.DeepEqual(got, sent) {
			t.Errorf("%+v came back as %+v, %v", sent, got, err)
		}
	}
}

// Clients recognize a failed cell by the status, and some by the field ename.
func TestErrorFieldsOfASuccessfulReplyAreNotWritten(t *testing.T) {
	for _, status := range []string{OK, Aborted} {
		text, err := json.Marshal(ExecuteReply{Status: status, Ename: "E", Evalue: "e", Traceback: []string{"t"}})
		if err != nil || strings.Contains(string(text), "ename") || strings.Contains(string(text), "traceback") {
			t.Errorf("%s: %s, %v", status, text, err)
		}
	}
}
