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
)

// shell runs a command line with the system's shell. A status other than 0 is told on
// stderr; only a shell that cannot be started is an error.
func shell(name, line string) error {
	program, flag := "sh", "-c"
	if runtime.GOOS == "windows" {
		program, flag = "cmd", "/C"
	}
	err := execute(exec.Command(program, flag, line), "")
	var status *exec.ExitError
	if errors.As(err, &status) {
		_, _ = fmt.Fprintln(guard.Stderr, "!"+strings.TrimSpace(line)+": "+status.Error())
		return nil
	}
	if err != nil {
		return &Error{Command: name, Reason: err.Error()}
	}
	return nil
}

// bash is %%bash.
func bash(i invocation) error {
	program, err := exec.LookPath("bash")
	if err != nil {
		return errors.New("there is no bash on this machine; write !COMMAND for a single command, or exec.Command in Go")
	}
	err = execute(exec.Command(program, append([]string{"-s", "--"}, strings.Fields(i.arguments)...)...), i.body)
	return err
}

// stopPeriod is how often a running command looks whether its cell was interrupted.
const stopPeriod = 5 * time.Millisecond

// execute runs a command with its output in the cell. When the cell is interrupted the
// command and all that it has started are ended.
func execute(command *exec.Cmd, input string) error {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	command.Stdin = strings.NewReader(input)
	command.Stdout, command.Stderr = cellWriter(guard.Stdout), cellWriter(guard.Stderr)
	ownGroup(command)
	if err := command.Start(); err != nil {
		return err
	}
	go func() { // carries the cell's label, so that Stopped means this cell
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

// A quietWriter writes to the cell until the cell was stopped. The goroutines that copy a
// command's output must come to their end then.
type quietWriter struct{ to *guard.Writer }

func cellWriter(w *guard.Writer) quietWriter { return quietWriter{w} }

// Write writes p, or refuses it once the cell was stopped.
func (w quietWriter) Write(p []byte) (int, error) {
	if guard.Stopped() {
		return 0, guard.ErrStopped
	}
	return w.to.Write(p)
}
