package process

import (
	"encoding/json"
	"io"
)

// PrintJSON prints a value as indented JSON with a line end, as all commands with the flag --json
// do.
func PrintJSON(out io.Writer, value any) error {
	encoder := json.NewEncoder(out)
	encoder.SetIndent("", "  ")
	encoder.SetEscapeHTML(false)
	return encoder.Encode(value)
}
