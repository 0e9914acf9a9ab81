package protocol

import "encoding/json"

// ExecuteRequest asks to run a cell.
type ExecuteRequest struct {
	Code            string            `json:"code"`
	Silent          bool              `json:"silent"`
	StoreHistory    bool              `json:"store_history"`
	UserExpressions map[string]string `json:"user_expressions"`
	AllowStdin      bool              `json:"allow_stdin"`
	StopOnError     bool              `json:"stop_on_error"`

	// The fields below are not part of the content. Count is the execution count; 0 lets the
	// language count. Cell is the cellId in the metadata of the message, or "". File and Line say
	// where the code begins in a Go file. File is "" for cells of notebooks.
	Count int    `json:"-"`
	Cell  string `json:"-"`
	File  string `json:"-"`
	Line  int    `json:"-"`
}

// ExecuteReply answers an ExecuteRequest.
type ExecuteReply struct {
	Status          string           `json:"status"`
	ExecutionCount  int              `json:"execution_count"`
	Payload         []map[string]any `json:"payload"`
	UserExpressions map[string]any   `json:"user_expressions"`
	Ename           string           `json:"ename,omitempty"`
	Evalue          string           `json:"evalue,omitempty"`
	Traceback       []string         `json:"traceback,omitempty"`
}

// MarshalJSON writes the three error fields of a reply if and only if its status is "error", even
// if they are empty. Clients rely on them in that case, and take them for an error otherwise.
func (r ExecuteReply) MarshalJSON() ([]byte, error) {
	type fields ExecuteReply // without this method
	if r.Status != Failed {
		r.Ename, r.Evalue, r.Traceback = "", "", nil
		return json.Marshal(fields(r))
	}
	if r.Traceback == nil {
		r.Traceback = []string{}
	}
	return json.Marshal(struct {
		fields
		Ename     string   `json:"ename"`
		Evalue    string   `json:"evalue"`
		Traceback []string `json:"traceback"`
	}{fields(r), r.Ename, r.Evalue, r.Traceback})
}

// CompleteRequest asks for completions at the cursor. CursorPos counts code points.
type CompleteRequest struct {
	Code      string `json:"code"`
	CursorPos int    `json:"cursor_pos"`
}

// CompleteReply answers a CompleteRequest: each match replaces the code points from
// CursorStart to CursorEnd.
type CompleteReply struct {
	Status      string         `json:"status"`
	Matches     []string       `json:"matches"`
	CursorStart int            `json:"cursor_start"`
	CursorEnd   int            `json:"cursor_end"`
	Metadata    map[string]any `json:"metadata"`
}

// A TypedMatch is additional information about a match: the kind, which determines an icon, the
// signature, and the first sentence of the documentation. Start and End are those of the reply.
type TypedMatch struct {
	Text          string `json:"text"`
	Type          string `json:"type"`
	Signature     string `json:"signature"`
	Documentation string `json:"documentation"`
	Start         int    `json:"start"`
	End           int    `json:"end"`
}

// TypedMatches is the metadata field of a CompleteReply for a list of TypedMatch, of the same
// length as the matches.
const TypedMatches = "_jupyter_types_experimental"

// InspectRequest asks for a description of the name at the cursor. CursorPos counts code points,
// DetailLevel is 0 or 1.
type InspectRequest struct {
	Code        string `json:"code"`
	CursorPos   int    `json:"cursor_pos"`
	DetailLevel int    `json:"detail_level"`
}

// InspectReply answers an InspectRequest.
type InspectReply struct {
	Status   string         `json:"status"`
	Found    bool           `json:"found"`
	Data     MimeBundle     `json:"data"`
	Metadata map[string]any `json:"metadata"`
}

// IsCompleteRequest asks whether code is complete.
type IsCompleteRequest struct {
	Code string `json:"code"`
}

// IsCompleteReply answers an IsCompleteRequest with the status "complete", "incomplete", "invalid"
// or "unknown". Indent is set for "incomplete".
type IsCompleteReply struct {
	Status string `json:"status"`
	Indent string `json:"indent,omitempty"`
}

// HelpLink is one entry of the client's help menu.
type HelpLink struct {
	Text string `json:"text"`
	URL  string `json:"url"`
}

// LanguageInfo describes the language of the cells to clients and converters.
type LanguageInfo struct {
	Name              string `json:"name"`
	Version           string `json:"version"`
	Mimetype          string `json:"mimetype"`
	FileExtension     string `json:"file_extension"`
	PygmentsLexer     string `json:"pygments_lexer"`
	CodemirrorMode    string `json:"codemirror_mode"`
	NbconvertExporter string `json:"nbconvert_exporter"`
}
