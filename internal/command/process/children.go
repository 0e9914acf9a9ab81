package process

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"time"
)

// Compute has the flags of the commands that train or apply adapters, or run code that may.
type Compute struct {
	Device    string `help:"Device that trains adapters: cpu, cuda, or auto for cuda if it works (default: GOSPHERE_DEVICE, or auto)." placeholder:"NAME"`
	Precision string `help:"Precision of matrix products in trainings: float32, or bfloat16, which is faster on CPUs with AVX512_BF16 (default: GOSPHERE_PRECISION, or float32)." placeholder:"NAME"`
}

// ChildDevice holds the flags of this program, which are passed to its children. They are empty if
// not given.
var ChildDevice Compute

// withDevice returns the arguments of a child with the flags of ChildDevice after the command.
func withDevice(arguments []string) []string {
	list := slices.Clone(arguments[:1])
	for _, flag := range [][2]string{{"--device", ChildDevice.Device}, {"--precision", ChildDevice.Precision}} {
		if flag[1] != "" {
			list = append(list, flag[0]+"="+flag[1])
		}
	}
	return append(list, arguments[1:]...)
}

// childGrace is the time that a child may take to exit after it was asked to.
const childGrace = 15 * time.Second

// RunChildren runs this program with each of the lists of arguments, at most atOnce at a time, and
// writes their outputs in the order of the lists. It returns how many exited with a status other
// than 0.
func RunChildren(ctx context.Context, commands [][]string, atOnce int, stdout io.Writer) (failed int, err error) {
	if atOnce < 1 {
		return 0, fmt.Errorf("%d jobs at once, want 1 or more", atOnce)
	}
	executable, err := os.Executable()
	if err != nil {
		return 0, err
	}
	type outcome struct {
		text []byte
		err  error
	}
	outcomes := make([]chan outcome, len(commands))
	turns := make(chan struct{}, atOnce)
	for i, arguments := range commands {
		outcomes[i] = make(chan outcome, 1)
		// This goroutine ends with its child, which ends with the context. The channel is buffered,
		// so that it can end without a receiver.
		go func() {
			turns <- struct{}{}
			defer func() { <-turns }()
			text, err := runChild(ctx, executable, "", arguments)
			outcomes[i] <- outcome{text, err}
		}()
	}
	for _, each := range outcomes {
		done := <-each
		if _, err := stdout.Write(done.text); err != nil {
			return failed, err
		}
		if exit := (*exec.ExitError)(nil); done.err != nil && !errors.As(done.err, &exit) {
			return failed, done.err
		}
		if done.err != nil {
			failed++
		}
	}
	return failed, ctx.Err()
}

// runChild runs the program in a folder, or the current one if it is empty, and returns its
// outputs.
func runChild(ctx context.Context, executable, folder string, arguments []string) ([]byte, error) {
	var text bytes.Buffer
	child := exec.CommandContext(ctx, executable, withDevice(arguments)...)
	child.Dir, child.Stdout, child.Stderr = folder, &text, &text
	child.Cancel = func() error { return child.Process.Signal(os.Interrupt) }
	child.WaitDelay = childGrace
	err := child.Run()
	return text.Bytes(), err
}

// RunChild runs this program in a folder. If it exits with a status other than 0, the error
// contains what it printed.
func RunChild(ctx context.Context, folder string, arguments ...string) error {
	executable, err := os.Executable()
	if err != nil {
		return err
	}
	text, err := runChild(ctx, executable, folder, arguments)
	if err != nil {
		return fmt.Errorf("%w: %s", err, bytes.TrimSpace(text))
	}
	return nil
}
