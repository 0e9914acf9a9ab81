package server

import (
	"fmt"
	"os"
	"runtime"
	"strconv"
	"strings"

	"gosphere/kernel/protocol"
	"gosphere/kernel/wire"
)

// usage answers a usage_request, which the resource sidebar of JupyterLab sends. What comes
// from the files of Linux's /proc is left out elsewhere.
func usage(*Server, *wire.Message) (any, error) {
	host, err := os.Hostname()
	if err != nil {
		return nil, fmt.Errorf("usage_request: %w", err)
	}
	reply := protocol.UsageReply{Status: protocol.OK, Hostname: host, PID: os.Getpid(), CPUCount: runtime.NumCPU()}
	if text, err := os.ReadFile("/proc/self/statm"); err == nil {
		if fields := strings.Fields(string(text)); len(fields) > 1 {
			pages, _ := strconv.ParseUint(fields[1], 10, 64) // 0 is left out, as if unknown
			reply.KernelMemory = pages * uint64(os.Getpagesize())
		}
	}
	if text, err := os.ReadFile("/proc/meminfo"); err == nil {
		reply.HostVirtualMemory = virtualMemory(string(text))
	}
	return reply, nil
}

// virtualMemory reads the text of /proc/meminfo; nil if it does not tell enough.
func virtualMemory(text string) *protocol.VirtualMemory {
	kilobytes := map[string]uint64{}
	for line := range strings.Lines(text) {
		name, rest, found := strings.Cut(line, ":")
		fields := strings.Fields(rest)
		if !found || len(fields) == 0 {
			continue
		}
		if n, err := strconv.ParseUint(fields[0], 10, 64); err == nil {
			kilobytes[name] = n
		}
	}
	total, available := kilobytes["MemTotal"]<<10, kilobytes["MemAvailable"]<<10
	if total == 0 || available > total {
		return nil
	}
	used := total - available
	return &protocol.VirtualMemory{
		Total: total, Available: available, Used: used, Free: kilobytes["MemFree"] << 10,
		Percent: 100 * float64(used) / float64(total),
	}
}
