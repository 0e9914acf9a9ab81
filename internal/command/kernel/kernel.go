// Package kernel implements the subcommand that Jupyter starts. It serves one client until the
// client shuts it down or the launcher ends.
package kernel

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
	"time"

	"gosphere/internal/command/cells"
	"gosphere/internal/command/process"
	"gosphere/internal/kernel/comm"
	"gosphere/internal/kernel/connection"
	"gosphere/internal/kernel/debug"
	"gosphere/internal/kernel/history"
	"gosphere/internal/kernel/registration"
	"gosphere/internal/kernel/server"
	"gosphere/internal/kernel/socket"
	"gosphere/internal/kernel/wire"
	"gosphere/internal/runtime/guard/limits"
)

// Kernel is the subcommand that Jupyter starts.
type Kernel struct {
	ConnectionFile string `arg:"" help:"Connection file written by the client, or registration file of a launcher." type:"path"`

	process.Compute
}

// Run serves until a client shuts the kernel down, the launcher dies or the process receives
// SIGTERM.
func (k Kernel) Run() error {
	file, launcher, err := readLauncherFile(k.ConnectionFile)
	if err != nil {
		return err
	}
	codec, err := wire.NewCodec(file.SignatureScheme, file.Key)
	if err != nil {
		return err
	}
	sockets, err := socket.Listen(file)
	if err != nil {
		return err
	}
	if connection.Exposed(k.ConnectionFile) {
		fmt.Fprintf(os.Stderr, "gosphere: warning: %s is readable by other users: anyone who has its key can run code as you\n", k.ConnectionFile)
	}
	unregister, err := register(launcher, &sockets.Bound, filepath.Dir(k.ConnectionFile))
	if err != nil {
		sockets.Close()
		return err
	}
	session, err := cells.NewSession()
	if err != nil {
		sockets.Close()
		unregister()
		return err
	}
	session.LimitRate(limits.DefaultRate)
	session.TrimWhenIdle()
	descriptors, err := session.CaptureDescriptors()
	if err != nil {
		sockets.Close()
		unregister()
		return err
	}
	log := descriptors.Log
	comms := comm.NewTable()
	session.BindComms(comms)
	debugger := debug.New(session.Debuggee())
	past := history.New(history.Options{Path: history.Path(), Warn: log})
	kernel := server.New(server.Options{
		Sockets: sockets, Codec: codec, Interpreter: session, Comms: comms, History: past, Debugger: debugger, Version: process.Release(), Log: log,
	})
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	interrupts := make(chan os.Signal, 1)
	signal.Notify(interrupts, os.Interrupt)
	// This goroutine forwards SIGINT, which process groups deliver to the kernel as well. It ends
	// with the process.
	go func() {
		for range interrupts {
			kernel.Interrupt()
		}
	}()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	go endWithLauncher(ctx, func() {
		fmt.Fprintln(log, "gosphere: the launcher has exited: shutting down")
		cancel()
	}, time.Second)
	kernel.Serve(ctx)
	unregister()
	past.Leave(lastWrite)
	if err := debugger.Close(); err != nil {
		fmt.Fprintln(log, "gosphere: removing the files of the debugger:", err)
	}
	os.Exit(0) // a cell that is still running must not delay the exit
	return nil
}

// lastWrite bounds the wait for the history file at exit. Cells are written as they end, so this
// matters only if another program holds the file.
const lastWrite = 100 * time.Millisecond

// readLauncherFile reads the file written by the launcher: a connection file, or a registration
// file, for which it also returns the addresses to listen on.
func readLauncherFile(path string) (*connection.Connection, *registration.Registration, error) {
	text, err := os.ReadFile(path)
	if err != nil || !registration.IsRegistration(text) {
		file, err := connection.Read(path)
		return file, nil, err
	}
	launcher, err := registration.Parse(text)
	if err != nil {
		return nil, nil, fmt.Errorf("registration: %s: %w", path, err)
	}
	return launcher.Connection(), launcher, nil
}

// register reports the kernel's ports to a launcher that waits for them and writes a connection
// file for other clients. The returned function removes that file.
func register(launcher *registration.Registration, bound *connection.Connection, folder string) (unregister func(), err error) {
	if launcher == nil {
		return func() {}, nil
	}
	path, err := registration.WriteConnectionFile(folder, launcher, bound)
	if err != nil {
		return nil, fmt.Errorf("registration: writing the connection file for other clients: %w", err)
	}
	if err := registration.Announce(launcher, bound, registration.Patience); err != nil {
		return nil, errors.Join(err, os.Remove(path))
	}
	return func() { os.Remove(path) }, nil // the file may be gone already
}
