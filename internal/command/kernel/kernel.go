// Package kernel implements the subcommand that Jupyter starts. It serves one client until the
// client shuts it down or the launcher ends.
package kernel

import (
	"context"
	"fmt"
	"os"
	"time"

	"gosphere/internal/command/cells"
	"gosphere/internal/command/process"
	"gosphere/kernel"
	"gosphere/kernel/history/disk"
	"gosphere/runtime/session"
)

// Kernel serves the clients of one connection file.
type Kernel struct {
	ConnectionFile string `arg:"" help:"Connection file written by the client, or registration file of a launcher." type:"path"`

	Limits
	process.Compute
}

// lastWrite bounds the time that the exit waits for the history file.
const lastWrite = 100 * time.Millisecond

// Run serves until a client shuts the kernel down or the launcher ends, and then ends the process.
func (k Kernel) Run() error {
	if _, err := os.Stat(k.ConnectionFile); err != nil {
		return fmt.Errorf("connection: %w", err)
	}
	if err := k.Limits.apply(k.ConnectionFile); err != nil {
		return err
	}
	goSession, err := cells.NewSession(true)
	if err != nil {
		return err
	}
	goSession.LimitRate(session.DefaultRate)
	goSession.TrimWhenIdle()
	descriptors, err := goSession.CaptureDescriptors()
	if err != nil {
		return err
	}
	log := descriptors.Log
	language := session.NewLanguage(goSession, process.Release())
	recovery := openRecovery(k.ConnectionFile, log)
	path := disk.Path()
	if k.Confine != "" {
		path = "" // the file is shared with other kernels, and outside of the folder
	}
	past := disk.New(disk.Options{Path: path, Warn: log})
	releasePages()
	err = kernel.Serve(context.Background(), k.ConnectionFile, recovering{language, recovery},
		kernel.OwnProcess(), kernel.WithComms(language.Comms), kernel.WithHistory(past), kernel.WithLog(log))
	recovery.close()
	if err != nil {
		// The error goes to the original stderr. The end of the process would lose the content of
		// the pipe.
		descriptors.Release()
		return err
	}
	past.Leave(lastWrite)
	if err := language.Close(); err != nil {
		fmt.Fprintln(log, "gosphere: removing the files of the debugger:", err)
	}
	session.EndChildren()
	os.Exit(0) // a cell that is still running must not delay the exit
	return nil
}
