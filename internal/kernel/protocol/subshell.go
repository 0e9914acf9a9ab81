package protocol

// CreateSubshellReply answers a create_subshell_request with the id that requests carry in
// their header to be served by the new subshell.
type CreateSubshellReply struct {
	Status     string `json:"status"`
	SubshellID string `json:"subshell_id"`
}

// DeleteSubshellRequest asks to end a subshell.
type DeleteSubshellRequest struct {
	SubshellID string `json:"subshell_id"`
}

// DeleteSubshellReply answers a DeleteSubshellRequest.
type DeleteSubshellReply struct {
	Status string `json:"status"`
}

// ListSubshellReply answers a list_subshell_request. The parent shell is not in the list.
type ListSubshellReply struct {
	Status     string   `json:"status"`
	SubshellID []string `json:"subshell_id"`
}

// The names of what a kernel can do in KernelInfoReply.SupportedFeatures.
const (
	FeatureSubshells = "kernel subshells"
	FeatureDebugger  = "debugger"
)
