package widget

import (
	"maps"
	"sync"

	"gosphere/runtime/comm"
)

// controlTarget is the comm target with which a front end loaded while the kernel runs asks for the
// existing widgets.
const controlTarget = "jupyter.widget.control"

// models holds the open widgets by id.
var models struct {
	mu   sync.Mutex // guards byID
	byID map[string]*Model
}

// remember records a model and answers front ends that ask for all of them.
func remember(m *Model) {
	models.mu.Lock()
	defer models.mu.Unlock()
	if models.byID == nil {
		models.byID = map[string]*Model{}
	}
	models.byID[m.id] = m
	_ = comm.Register(controlTarget, serveControl) // without a client that can open comms, none will ask
}

func forget(m *Model) {
	models.mu.Lock()
	defer models.mu.Unlock()
	delete(models.byID, m.id)
}

// serveControl answers the requests of one front end.
func serveControl(c *comm.Comm, _ comm.Message) {
	c.OnMsg(func(message comm.Message) {
		data, _ := message.Data.(map[string]any)
		if data["method"] != "request_states" {
			_ = c.Send(map[string]any{"method": "error", "msg": "want the method request_states"})
			return
		}
		_ = c.Send(map[string]any{"method": "update_states", "states": states(), "buffer_paths": []any{}})
	})
}

// states describes all open widgets.
func states() map[string]any {
	models.mu.Lock()
	open := maps.Clone(models.byID)
	models.mu.Unlock()
	all := map[string]any{}
	for id, m := range open {
		m.mu.Lock()
		all[id] = map[string]any{
			"model_name": m.state["_model_name"], "model_module": m.state["_model_module"],
			"model_module_version": m.state["_model_module_version"], "state": maps.Clone(m.state),
		}
		m.mu.Unlock()
	}
	return all
}
