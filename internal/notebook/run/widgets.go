package run

import (
	"encoding/json"
	"maps"

	"gosphere/kernel/protocol"
)

// Names of the protocol of Jupyter's widgets.
const (
	widgetTarget = "jupyter.widget"
	widgetState  = "application/vnd.jupyter.widget-state+json"
)

// widgets holds the models that cells open, so that a page made from the notebook can draw them
// without a kernel. It has one entry per open comm, with the attributes of the model.
type widgets map[string]map[string]any

// take records the changes in a message about a model.
func (w widgets) take(content protocol.Content) {
	switch m := content.(type) {
	case protocol.CommOpen:
		var data struct{ State map[string]any }
		if m.TargetName == widgetTarget && json.Unmarshal(m.Data, &data) == nil && data.State != nil {
			w[m.CommID] = data.State
		}
	case protocol.CommMsg:
		var data struct {
			Method string
			State  map[string]any
		}
		if model := w[m.CommID]; model != nil && json.Unmarshal(m.Data, &data) == nil && data.Method == "update" {
			maps.Copy(model, data.State)
		}
	case protocol.CommClose:
		delete(w, m.CommID)
	}
}

// metadata returns the widget state in the notebook format, or nil for none.
func (w widgets) metadata() map[string]any {
	if len(w) == 0 {
		return nil
	}
	models := map[string]any{}
	for id, state := range w {
		models[id] = map[string]any{
			"model_name": state["_model_name"], "model_module": state["_model_module"],
			"model_module_version": state["_model_module_version"], "state": state,
		}
	}
	return map[string]any{widgetState: map[string]any{"version_major": 2, "version_minor": 0, "state": models}}
}
