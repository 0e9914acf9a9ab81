package protocol

// CreateSubshellReply answers a create_subshell_request with the id of the new subshell, which
// requests to it carry in their header.
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

// ListSubshellReply answers a list_subshell_request. The list does not include the parent shell.
type ListSubshellReply struct {
	Status     string   `json:"status"`
	SubshellID []string `json:"subshell_id"`
}

// Names of features in KernelInfoReply.SupportedFeatures.
const (
	FeatureSubshells = "kernel subshells"
	FeatureDebugger  = "debugger"
)
