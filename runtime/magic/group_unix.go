//go:build unix

package magic

import (
	"os/exec"
	"syscall"
)

// ownGroup gives a command a process group of its own, so that all it starts ends with it.
func ownGroup(command *exec.Cmd) {
	command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
}

// endGroup ends a command and what it has started.
func endGroup(command *exec.Cmd) {
	_ = syscall.Kill(-command.Process.Pid, syscall.SIGKILL)
}
