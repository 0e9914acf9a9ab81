package protocol

import (
	"encoding/json"
	"testing"
)

func TestMessageTypesAreTheProtocolsNames(t *testing.T) {
	for want, content := range map[string]Content{
		"stream": Stream{}, "display_data": DisplayData{}, "update_display_data": UpdateDisplayData{},
		"execute_result": ExecuteResult{}, "clear_output": ClearOutput{}, "error": Error{}, "execute_input": ExecuteInput{},
		"status": Status{}, "shutdown_reply": ShutdownReply{}, "comm_close": CommClose{}, "iopub_welcome": IopubWelcome{},
	} {
		if got := content.MessageType(); got != want {
			t.Errorf("%T has the type %s, want %s", content, got, want)
		}
	}
}

func TestExecuteReplyHasErrorFieldsExactlyWhenItFailed(t *testing.T) {
	for want, reply := range map[string]ExecuteReply{
		`{"status":"ok","execution_count":1,"payload":null,"user_expressions":null}`:                                          {Status: OK, ExecutionCount: 1, Ename: "left over"},
		`{"status":"error","execution_count":2,"payload":null,"user_expressions":null,"ename":"","evalue":"","traceback":[]}`: {Status: Failed, ExecutionCount: 2},
	} {
		got, err := json.Marshal(reply)
		if err != nil || string(got) != want {
			t.Errorf("%s, %v; want %s", got, err, want)
		}
	}
}

func TestRequestsReadWhatClientsSend(t *testing.T) {
	var request ExecuteRequest
	text := `{"code":"1","silent":true,"store_history":true,"user_expressions":{"a":"b"},"allow_stdin":true,"stop_on_error":true}`
	if err := json.Unmarshal([]byte(text), &request); err != nil {
		t.Fatal(err)
	}
	if request.Code != "1" || !request.Silent || !request.StoreHistory || !request.AllowStdin || !request.StopOnError || request.UserExpressions["a"] != "b" {
		t.Errorf("read %+v", request)
	}
	again, err := json.Marshal(request)
	if err != nil || string(again) != text {
		t.Errorf("wrote %s, %v", again, err)
	}
}
