//go:build unix

package magic

import (
	"os/exec"
	"syscall"
)

// ownGroup puts a command in its own process group, so that all processes it starts can be killed
// with it.
func ownGroup(command *exec.Cmd) {
	command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
}

// endGroup kills a command and all processes that it has started.
func endGroup(command *exec.Cmd) {
	_ = syscall.Kill(-command.Process.Pid, syscall.SIGKILL)
}
