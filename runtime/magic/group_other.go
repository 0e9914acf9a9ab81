//go:build !unix

package magic

import "os/exec"

func ownGroup(*exec.Cmd) {}

// endGroup kills a command. Processes that it has started keep running.
func endGroup(command *exec.Cmd) { _ = command.Process.Kill() }
