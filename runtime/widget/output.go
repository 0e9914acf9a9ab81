package widget

import (
	"slices"

	"gosphere/kernel/protocol"
	"gosphere/runtime/comm"
	"gosphere/runtime/display"
)

// An Output is a widget that shows the output of functions.
type Output struct{ *Model }

// NewOutput returns an empty Output.
func NewOutput() *Output { return &Output{newModel(outputKind, nil)} }

// Do runs f and appends its output. A panic of f is shown there too. Do reports whether f returned
// normally.
func (o *Output) Do(f func()) bool {
	outputs, finished := collect(f)
	o.add(outputs)
	return finished
}

// Replace is like Do but replaces the previous output. The front end updates once, so nothing
// flickers.
func (o *Output) Replace(f func()) bool {
	outputs, finished := collect(f)
	o.Set("outputs", outputs)
	return finished
}

// Print appends text.
func (o *Output) Print(text string) { o.add([]any{streamOutput("stdout", text)}) }

// Show appends the display of values.
func (o *Output) Show(values ...any) {
	for _, value := range values {
		data, metadata := display.Bundle(value)
		o.add([]any{dataOutput(data, metadata)})
	}
}

// Clear removes all output.
func (o *Output) Clear() { o.Set("outputs", []any{}) }

// add appends outputs.
func (o *Output) add(outputs []any) {
	if len(outputs) == 0 {
		return
	}
	list := slices.Clone(o.Get("outputs").([]any))
	for _, output := range outputs {
		list = join(list, output)
	}
	o.Set("outputs", list)
}

// collect runs f and returns its published messages as the outputs of a notebook.
func collect(f func()) (outputs []any, finished bool) {
	contents, finished := comm.Collect(f)
	return outputsOf(contents), finished
}

// outputsOf converts messages to the outputs that remain after updates and clearing.
func outputsOf(contents []protocol.Content) []any {
	outputs := []any{}
	places := map[string]int{} // indexes of displays that can be updated, by id
	for _, content := range contents {
		switch content := content.(type) {
		case protocol.Stream:
			outputs = join(outputs, streamOutput(content.Name, content.Text))
		case protocol.DisplayData:
			if id := content.Transient.DisplayID; id != "" {
				places[id] = len(outputs)
			}
			outputs = append(outputs, dataOutput(content.Data, content.Metadata))
		case protocol.UpdateDisplayData:
			if at, known := places[content.Transient.DisplayID]; known {
				outputs[at] = dataOutput(content.Data, content.Metadata)
			}
		case protocol.ClearOutput:
			outputs, places = []any{}, map[string]int{}
		}
	}
	return outputs
}

// join appends an output. Text is appended to a preceding output of the same stream.
func join(list []any, output any) []any {
	if n := len(list); n > 0 {
		last, _ := list[n-1].(map[string]any)
		next, _ := output.(map[string]any)
		if last["output_type"] == "stream" && next["output_type"] == "stream" && last["name"] == next["name"] {
			joined := map[string]any{"output_type": "stream", "name": last["name"], "text": last["text"].(string) + next["text"].(string)}
			return append(list[:n-1:n-1], joined)
		}
	}
	return append(list, output)
}

func streamOutput(name, text string) map[string]any {
	return map[string]any{"output_type": "stream", "name": name, "text": text}
}

func dataOutput(data protocol.MimeBundle, metadata map[string]any) map[string]any {
	return map[string]any{"output_type": "display_data", "data": data, "metadata": metadata}
}
