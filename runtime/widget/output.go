package widget

import (
	"slices"

	"gosphere/internal/kernel/protocol"
	"gosphere/runtime/comm"
	"gosphere/runtime/display"
)

// An Output is a place on the page for what a function prints and shows.
type Output struct{ *Model }

// NewOutput returns an empty place.
func NewOutput() *Output { return &Output{newModel(outputKind, nil)} }

// Do runs f and adds what it prints and shows. A panic of f is shown there too. It tells
// whether f came to its end.
func (o *Output) Do(f func()) bool {
	outputs, finished := collect(f)
	o.add(outputs)
	return finished
}

// Replace is Do in place of what was there. Nothing flickers: the page changes once.
func (o *Output) Replace(f func()) bool {
	outputs, finished := collect(f)
	o.Set("outputs", outputs)
	return finished
}

// Print adds text.
func (o *Output) Print(text string) { o.add([]any{streamOutput("stdout", text)}) }

// Show adds the display of values.
func (o *Output) Show(values ...any) {
	for _, value := range values {
		data, metadata := display.Bundle(value)
		o.add([]any{dataOutput(data, metadata)})
	}
}

// Clear empties the place.
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

// collect runs f and returns what it publishes as the outputs of a notebook.
func collect(f func()) (outputs []any, finished bool) {
	contents, finished := comm.Collect(f)
	return outputsOf(contents), finished
}

// outputsOf turns messages into the outputs that stand in the end.
func outputsOf(contents []protocol.Content) []any {
	outputs := []any{}
	places := map[string]int{} // of displays that can be updated, by their ids
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

// join appends an output; text goes to the end of text of the same stream.
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
