// Package protocol declares the messages of the Jupyter messaging protocol 5.6 as Go structs, under
// the protocol's own names. It contains no behavior.
//
// Files: header.go (header and status), request.go (requests and replies), output.go (messages
// published on iopub).
package protocol

// Content is the content of a message published on iopub.
type Content interface {
	// MessageType returns the protocol's name of the message, such as "stream".
	MessageType() string
}

// MimeBundle holds one value in several forms, by MIME type. Binary forms are base64 strings,
// application/json is an object, and all others are strings.
type MimeBundle = map[string]any

// Stream is text written to standard output ("stdout") or standard error ("stderr").
type Stream struct {
	Name string `json:"name"`
	Text string `json:"text"`
}

// Transient is information about a display that is not stored in notebooks.
type Transient struct {
	DisplayID string `json:"display_id,omitempty"`
	Stage     Stage  `json:"-"` // for programs that print outputs as text
}

// A Stage is the progress of an output that is updated in place. Front ends ignore it.
type Stage int

// Stages of an output.
const (
	Still   Stage = iota // not updated, or only on demand
	Passing              // the next update follows soon: a terminal overwrites it, a log omits it
	Marked               // like Passing, but worth a line in a log
	Final                // the last state after Passing
)

// DisplayData shows a value.
type DisplayData struct {
	Data      MimeBundle     `json:"data"`
	Metadata  map[string]any `json:"metadata"`
	Transient Transient      `json:"transient"`
}

// UpdateDisplayData updates every output with its display id.
type UpdateDisplayData struct {
	Data      MimeBundle     `json:"data"`
	Metadata  map[string]any `json:"metadata"`
	Transient Transient      `json:"transient"`
}

// ExecuteResult is the value of a cell.
type ExecuteResult struct {
	ExecutionCount int            `json:"execution_count"`
	Data           MimeBundle     `json:"data"`
	Metadata       map[string]any `json:"metadata"`
}

// ClearOutput removes the outputs of the cell, immediately or with the next output.
type ClearOutput struct {
	Wait bool `json:"wait"`
}

// Error reports that a cell failed. Traceback is never nil.
type Error struct {
	Ename     string   `json:"ename"`
	Evalue    string   `json:"evalue"`
	Traceback []string `json:"traceback"`
}

// ExecuteInput notifies all clients of the code being executed.
type ExecuteInput struct {
	Code           string `json:"code"`
	ExecutionCount int    `json:"execution_count"`
}

// MessageType returns "stream".
func (Stream) MessageType() string { return "stream" }

// MessageType returns "display_data".
func (DisplayData) MessageType() string { return "display_data" }

// MessageType returns "update_display_data".
func (UpdateDisplayData) MessageType() string { return "update_display_data" }

// MessageType returns "execute_result".
func (ExecuteResult) MessageType() string { return "execute_result" }

// MessageType returns "clear_output".
func (ClearOutput) MessageType() string { return "clear_output" }

// MessageType returns "error".
func (Error) MessageType() string { return "error" }

// MessageType returns "execute_input".
func (ExecuteInput) MessageType() string { return "execute_input" }
