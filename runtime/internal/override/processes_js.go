package override

import (
	"context"
	"errors"
	"io/fs"
	"maps"
	"os"
	"os/exec"
)

// init makes all failures to start a program say that a browser has no processes. On this system
// package os/exec returns exec.ErrNotFound for each name of a program, and package os an error of
// the system for each path.
func init() {
	exec.ErrNotFound = errors.New("a browser has no processes: use Go's packages, for instance os.ReadDir instead of ls")
	maps.Copy(overrides, map[string]string{
		"os/exec.Command": "ExecCommand", "os/exec.CommandContext": "ExecCommandContext", "os.StartProcess": "StartProcess",
	})
}

// processSupport returns the overrides of the functions that start programs.
func processSupport() map[string]any {
	return map[string]any{
		"ExecCommand": func(name string, arg ...string) *exec.Cmd { return refused(exec.Command(name, arg...)) },
		"ExecCommandContext": func(ctx context.Context, name string, arg ...string) *exec.Cmd {
			return refused(exec.CommandContext(ctx, name, arg...))
		},
		"StartProcess": func(name string, _ []string, _ *os.ProcAttr) (*os.Process, error) {
			return nil, &fs.PathError{Op: "fork/exec", Path: name, Err: exec.ErrNotFound}
		},
	}
}

// refused returns a command whose start fails. Package os/exec looks up only names without folders.
func refused(command *exec.Cmd) *exec.Cmd {
	if command.Err == nil {
		command.Err = &exec.Error{Name: command.Path, Err: exec.ErrNotFound}
	}
	return command
}
