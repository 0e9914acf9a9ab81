package magic

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"time"

	"gosphere/runtime/internal/guard"
	"gosphere/runtime/internal/guard/children"
	"gosphere/runtime/internal/guard/streams"
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

// bash implements %%bash. With --bg it does not wait for the script.
func bash(i invocation) error {
	if runtime.GOOS == "js" {
		return exec.ErrNotFound
	}
	program, err := exec.LookPath("bash")
	if err != nil {
		return errors.New("bash is not installed: use !COMMAND for a single command, or exec.Command in Go")
	}
	arguments := strings.Fields(i.arguments)
	if at := slices.Index(arguments, "--bg"); at >= 0 {
		arguments = slices.Delete(arguments, at, at+1)
		r, err := start(exec.Command(program, append([]string{"-s", "--"}, arguments...)...), i.body)
		if err == nil {
			go r.wait()
		}
		return err
	}
	return execute(exec.Command(program, append([]string{"-s", "--"}, arguments...)...), i.body)
}

// stopPeriod is the interval at which a running command checks whether its cell was interrupted.
const stopPeriod = 5 * time.Millisecond

// execute runs a command and shows its output in the cell. If the cell is interrupted, it kills the
// command and all processes that it has started. Processes that the command has left in the
// background are not waited for; their output still appears in the cell.
func execute(command *exec.Cmd, input string) error {
	r, err := start(command, input)
	if err != nil {
		return err
	}
	return r.wait()
}

// A running command and the goroutines that copy its output.
type running struct {
	command *exec.Cmd
	copies  []*copying
}

// start starts a command with its output going to the cell.
func start(command *exec.Cmd, input string) (*running, error) {
	command.Stdin = strings.NewReader(input)
	ownGroup(command)
	r := &running{command: command}
	for _, stream := range []struct {
		end *io.Writer
		to  *streams.Writer
	}{{&command.Stdout, streams.Stdout}, {&command.Stderr, streams.Stderr}} {
		from, end, err := os.Pipe()
		if err != nil {
			r.drop()
			return nil, err
		}
		defer end.Close() // the command has its own
		*stream.end = end
		r.copies = append(r.copies, &copying{from: from, to: cellWriter(stream.to), drained: make(chan struct{})})
	}
	if err := command.Start(); err != nil {
		r.drop()
		return nil, err
	}
	children.Track(command.Process.Pid)
	for _, c := range r.copies {
		go c.run() // inherits the cell's label; ends with the last process that has the other end
	}
	return r, nil
}

// drop closes the pipes of a command that was not started.
func (r *running) drop() {
	for _, c := range r.copies {
		c.from.Close()
	}
}

// wait waits until the command has ended and its output is shown.
func (r *running) wait() error {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	go func() { // inherits the cell's label, so that Stopped refers to this cell
		ticks := time.NewTicker(stopPeriod)
		defer ticks.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-ticks.C:
				if guard.Stopped() {
					endGroup(r.command)
					return
				}
			}
		}
	}()
	err := r.command.Wait()
	for _, c := range r.copies {
		// Output of the command itself is in the pipe. If a process in the background has the pipe,
		// there is no end to wait for. A system without deadlines for pipes waits for the end.
		_ = c.from.SetReadDeadline(time.Now().Add(drainTime))
		<-c.drained
	}
	// The error of a command that was killed because of an interrupt is none of the cell.
	if c := guard.Current(); c != nil {
		c.EndIfStopped()
	}
	return err
}

// drainTime is how long the output of a command that has ended is read before the cell goes on.
const drainTime = 20 * time.Millisecond

// A copying copies the output of a command to the cell.
type copying struct {
	from    *os.File
	to      io.Writer
	drained chan struct{} // closed at the end of the output or after drainTime
}

func (c *copying) run() {
	defer c.from.Close()
	_, err := io.Copy(c.to, c.from)
	close(c.drained)
	if errors.Is(err, os.ErrDeadlineExceeded) {
		_ = c.from.SetReadDeadline(time.Time{})
		_, _ = io.Copy(c.to, c.from)
	}
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
