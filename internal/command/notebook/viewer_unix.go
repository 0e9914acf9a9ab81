//go:build unix

package notebook

import (
	"os/exec"
	"syscall"
)

// apart puts a command in its own process group, so that Ctrl-C in the terminal does not end it.
func apart(command *exec.Cmd) { command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }
