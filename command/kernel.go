package command

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"runtime"
	"strconv"
	"syscall"
	"time"

	"gosphere/kernel/comm"
	"gosphere/kernel/connection"
	"gosphere/kernel/history"
	"gosphere/kernel/server"
	"gosphere/kernel/socket"
	"gosphere/kernel/wire"
)

// Kernel is the subcommand that Jupyter starts.
type Kernel struct {
	ConnectionFile string `arg:"" help:"Connection file that the client wrote." type:"path"`
}

// Run serves until a client shuts the kernel down, the launcher dies, or SIGTERM comes.
func (k Kernel) Run() error {
	file, err := connection.Read(k.ConnectionFile)
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
	session, err := newSession()
	if err != nil {
		sockets.Close()
		return err
	}
	descriptors, err := session.CaptureDescriptors()
	if err != nil {
		sockets.Close()
		return err
	}
	log := descriptors.Log
	comms := comm.NewTable()
	session.BindComms(comms)
	past := history.New(history.Options{Path: history.Path(), Warn: log})
	kernel := server.New(server.Options{
		Sockets: sockets, Codec: codec, Interpreter: session, Comms: comms, History: past, Version: Release, Log: log,
	})
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	interrupts := make(chan os.Signal, 1)
	signal.Notify(interrupts, os.Interrupt)
	// Forwards SIGINT, which process groups deliver unasked; ends with the process.
	go func() {
		for range interrupts {
			kernel.Interrupt()
		}
	}()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	go endWithLauncher(ctx, func() {
		fmt.Fprintln(log, "gosphere: the launcher is gone, ending")
		cancel()
	}, time.Second)
	kernel.Serve(ctx)
	past.Leave(lastWrite)
	os.Exit(0) // a cell that still runs must not hold up the end
	return nil
}

// lastWrite is how long the end waits for the history file. Cells are written as they end, so
// that this is for a file that another program holds.
const lastWrite = 100 * time.Millisecond

// endWithLauncher cancels when the launcher has died, so that no orphan stays behind and
// holds memory. Launchers of Jupyter tell their process id; without it the kernel was started
// by hand and stays. It ends with the context.
func endWithLauncher(ctx context.Context, cancel context.CancelFunc, interval time.Duration) {
	launcher, err := strconv.Atoi(os.Getenv("JPY_PARENT_PID"))
	if err != nil || launcher <= 1 || runtime.GOOS == "windows" { // there it is a handle
		return
	}
	parent, known := os.Getppid(), alive(launcher)
	tick := time.NewTicker(interval)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		// The parent can be a wrapper of the launcher, and the launcher's id can be one of
		// another container; each is believed only if it changes.
		if os.Getppid() != parent || known && !alive(launcher) {
			cancel()
			return
		}
	}
}

// alive tells whether a process exists.
func alive(pid int) bool {
	process, err := os.FindProcess(pid)
	if err != nil {
		return false
	}
	err = process.Signal(syscall.Signal(0))
	return err == nil || errors.Is(err, os.ErrPermission)
}
