package run

import (
	"encoding/json"
	"testing"

	"gosphere/kernel/protocol"
)

func TestModelsAreKeptAsTheyStandInTheEnd(t *testing.T) {
	w := widgets{}
	if w.metadata() != nil {
		t.Error("a notebook without widgets gets metadata about them")
	}
	open := func(id, target, data string) {
		w.take(protocol.CommOpen{CommID: id, TargetName: target, Data: json.RawMessage(data)})
	}
	open("a", "jupyter.widget", `{"state":{"_model_name":"IntSliderModel","_model_module":"m","_model_module_version":"2.0.0","value":3,"max":9}}`)
	open("b", "jupyter.widget", `{"state":{"_model_name":"LabelModel"}}`)
	open("c", "another", `{"state":{"_model_name":"Other"}}`)
	open("d", "jupyter.widget", `{`)
	for id, data := range map[string]string{"a": `{"method":"update","state":{"value":5}}`, "c": `{"method":"update","state":{"value":5}}`, "b": `[]`} {
		w.take(protocol.CommMsg{CommID: id, Data: json.RawMessage(data)})
	}
	w.take(protocol.CommMsg{CommID: "a", Data: json.RawMessage(`{"method":"echo_update","state":{"value":7}}`)})
	w.take(protocol.CommClose{CommID: "b"})
	got, err := json.Marshal(w.metadata())
	want := `{"application/vnd.jupyter.widget-state+json":{"state":{"a":{"model_module":"m","model_module_version":"2.0.0","model_name":"IntSliderModel",` +
		`"state":{"_model_module":"m","_model_module_version":"2.0.0","_model_name":"IntSliderModel","max":9,"value":5}}},"version_major":2,"version_minor":0}}`
	if err != nil || string(got) != want {
		t.Errorf("kept is\n%s\nwant\n%s", got, want)
	}
}
