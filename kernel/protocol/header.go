package protocol

// Version is the protocol version that the kernel announces.
const Version = "5.6"

// Header is the header of a message.
type Header struct {
	MsgID      string  `json:"msg_id"`
	Session    string  `json:"session"`
	Username   string  `json:"username"`
	Date       string  `json:"date"` // ISO 8601 with time zone
	MsgType    string  `json:"msg_type"`
	Version    string  `json:"version"`
	SubshellID *string `json:"subshell_id,omitempty"`
}

// DateFormat is the layout of Header.Date for time.Time.Format, in UTC.
const DateFormat = "2006-01-02T15:04:05.000000Z"

// Status reports the state of the kernel: "starting", "busy" or "idle".
type Status struct {
	ExecutionState string `json:"execution_state"`
}

// Execution states.
const (
	Starting = "starting"
	Busy     = "busy"
	Idle     = "idle"
)

// MessageType returns "status".
func (Status) MessageType() string { return "status" }

// Values of the status of a reply.
const (
	OK      = "ok"
	Failed  = "error"
	Aborted = "aborted"
)

// ErrorReply answers a request that failed.
type ErrorReply struct {
	Status    string   `json:"status"`
	Ename     string   `json:"ename"`
	Evalue    string   `json:"evalue"`
	Traceback []string `json:"traceback"`
}

// KernelInfoReply describes the kernel.
type KernelInfoReply struct {
	Status                string       `json:"status"`
	ProtocolVersion       string       `json:"protocol_version"`
	Implementation        string       `json:"implementation"`
	ImplementationVersion string       `json:"implementation_version"`
	LanguageInfo          LanguageInfo `json:"language_info"`
	Banner                string       `json:"banner"`
	HelpLinks             []HelpLink   `json:"help_links"`
	SupportedFeatures     []string     `json:"supported_features"`
	Debugger              bool         `json:"debugger"`
}

// ShutdownRequest asks the kernel to exit. Restart reports whether another kernel will be started.
type ShutdownRequest struct {
	Restart bool `json:"restart"`
}

// ShutdownReply answers a ShutdownRequest. It is also published on iopub, to notify other clients.
type ShutdownReply struct {
	Status  string `json:"status"`
	Restart bool   `json:"restart"`
}

// MessageType returns "shutdown_reply".
func (ShutdownReply) MessageType() string { return "shutdown_reply" }

// InterruptReply answers an interrupt_request.
type InterruptReply struct {
	Status string `json:"status"`
}

// HistoryReply answers a history_request.
type HistoryReply struct {
	Status  string  `json:"status"`
	History [][]any `json:"history"`
}

// ConnectReply answers a connect_request with the port numbers.
type ConnectReply struct {
	Status      string `json:"status"`
	ShellPort   int    `json:"shell_port"`
	IopubPort   int    `json:"iopub_port"`
	StdinPort   int    `json:"stdin_port"`
	ControlPort int    `json:"control_port"`
	HbPort      int    `json:"hb_port"`
}

// HistoryRequest asks for past cells: those in a range of counts ("range"), the last N ("tail"), or
// the last N that match a pattern with * and ? ("search").
type HistoryRequest struct {
	Output         bool   `json:"output"`
	Raw            bool   `json:"raw"`
	HistAccessType string `json:"hist_access_type"`
	Session        int    `json:"session"`
	Start          int    `json:"start"`
	Stop           *int   `json:"stop"`
	N              int    `json:"n"`
	Pattern        string `json:"pattern"`
	Unique         bool   `json:"unique"`
}

// InputRequest asks the client for a line of text.
type InputRequest struct {
	Prompt   string `json:"prompt"`
	Password bool   `json:"password"`
}

// InputReply is the client's answer to an InputRequest.
type InputReply struct {
	Value string `json:"value"`
}

// IopubWelcome notifies a client that its subscription has begun.
type IopubWelcome struct {
	Subscription string `json:"subscription"`
}

// MessageType returns "iopub_welcome".
func (IopubWelcome) MessageType() string { return "iopub_welcome" }

// UsageReply answers a usage_request with the resources used by the process, its child processes
// and the machine. Fields that the system does not report are omitted.
type UsageReply struct {
	Status            string         `json:"status"`
	Hostname          string         `json:"hostname"`
	PID               int            `json:"pid"`
	KernelCPU         *float64       `json:"kernel_cpu,omitempty"`    // percent of one CPU
	KernelMemory      uint64         `json:"kernel_memory,omitempty"` // bytes
	HostCPUPercent    *float64       `json:"host_cpu_percent,omitempty"`
	CPUCount          int            `json:"cpu_count"`
	HostVirtualMemory *VirtualMemory `json:"host_virtual_memory,omitempty"`
}

// VirtualMemory is the memory of the machine, in bytes.
type VirtualMemory struct {
	Total     uint64  `json:"total"`
	Available uint64  `json:"available"`
	Percent   float64 `json:"percent"`
	Used      uint64  `json:"used"`
	Free      uint64  `json:"free"`
	Active    uint64  `json:"active"`
	Inactive  uint64  `json:"inactive"`
	Buffers   uint64  `json:"buffers"`
	Cached    uint64  `json:"cached"`
	Shared    uint64  `json:"shared"`
	Slab      uint64  `json:"slab"`
}
