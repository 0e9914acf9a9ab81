package process

import (
	"encoding/json"
	"os"

	"gosphere/kernel/protocol"
)

// PlainText returns the text form of a bundle. It names a picture, because a terminal cannot show
// it.
func PlainText(data protocol.MimeBundle) string {
	if text, ok := data["text/plain"].(string); ok {
		return text
	}
	text, err := json.Marshal(data)
	if err != nil {
		return err.Error()
	}
	return string(text)
}

// IsTerminal reports whether a file is a character device, as terminals are.
func IsTerminal(file *os.File) bool {
	info, err := file.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}
