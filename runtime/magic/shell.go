package magic

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"runtime"
	"strings"
	"time"

	"gosphere/internal/runtime/guard"
	"gosphere/internal/runtime/guard/streams"
)

// shell runs a command line with the system's shell. It prints an exit status other than 0 on
// stderr. Only a shell that cannot be started is an error.
func shell(name, line string) error {
	program, flag := "sh", "-c"
	switch runtime.GOOS {
	case "windows":
		program, flag = "cmd", "/C"
	case "js":
		return &Error{Command: name, Reason: exec.ErrNotFound.Error()} // says that a browser has no processes
	}
	err := execute(exec.Command(program, flag, line), "")
	var status *exec.ExitError
	if errors.As(err, &status) {
		_, _ = fmt.Fprintln(streams.Stderr, "!"+strings.TrimSpace(line)+": "+status.Error())
		// Other kernels for Go add modules with this command, which needs a go.mod.
		if words := strings.Fields(line); len(words) > 2 && words[0] == "go" && words[1] == "get" {
			_, _ = fmt.Fprintln(streams.Stderr, "Modules for cells need no go.mod: %require "+words[len(words)-1])
		}
		return nil
	}
	if err != nil {
		return &Error{Command: name, Reason: err.Error()}
	}
	return nil
}

// bash implements %%bash.
func bash(i invocation) error {
	if runtime.GOOS == "js" {
		return exec.ErrNotFound
	}
	program, err := exec.LookPath("bash")
	if err != nil {
		return errors.New("bash is not installed: use !COMMAND for a single command, or exec.Command in Go")
	}
	err = execute(exec.Command(program, append([]string{"-s", "--"}, strings.Fields(i.arguments)...)...), i.body)
	return err
}

// stopPeriod is the interval at which a running command checks whether its cell was interrupted.
const stopPeriod = 5 * time.Millisecond

// execute runs a command and shows its output in the cell. If the cell is interrupted, it kills the
// command and all processes that it has started.
func execute(command *exec.Cmd, input string) error {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	command.Stdin = strings.NewReader(input)
	command.Stdout, command.Stderr = cellWriter(streams.Stdout), cellWriter(streams.Stderr)
	ownGroup(command)
	if err := command.Start(); err != nil {
		return err
	}
	go func() { // inherits the cell's label, so that Stopped refers to this cell
		ticks := time.NewTicker(stopPeriod)
		defer ticks.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-ticks.C:
				if guard.Stopped() {
					endGroup(command)
					return
				}
			}
		}
	}()
	return command.Wait()
}

// A quietWriter writes to the cell until the cell is stopped. The goroutines that copy a command's
// output must end at that point.
type quietWriter struct{ to *streams.Writer }

func cellWriter(w *streams.Writer) quietWriter { return quietWriter{w} }

// Write writes p, or returns an error if the cell was stopped.
func (w quietWriter) Write(p []byte) (int, error) {
	if guard.Stopped() {
		return 0, guard.ErrStopped
	}
	return w.to.Write(p)
}
