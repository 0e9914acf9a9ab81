//go:build !unix

package notebook

import "os/exec"

func apart(*exec.Cmd) {}
