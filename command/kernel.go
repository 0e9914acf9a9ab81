package command

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"strconv"
	"syscall"
	"time"

	"gosphere/kernel/connection"
	"gosphere/kernel/protocol"
	"gosphere/kernel/server"
	"gosphere/kernel/socket"
	"gosphere/kernel/wire"
)

// Kernel is the subcommand that Jupyter starts.
type Kernel struct {
	ConnectionFile string `arg:"" help:"Connection file that the client wrote." type:"path"`
}

// lastWords is how long the transport gets to send what it was given; zmq4 does not tell
// when its queue is empty.
const lastWords = 5 * time.Millisecond

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
	defer sockets.Close()
	session, err := newSession()
	if err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	interrupts := make(chan os.Signal, 1)
	signal.Notify(interrupts, os.Interrupt)
	// Forwards SIGINT, which process groups deliver unasked; ends with the process.
	go func() {
		for range interrupts {
			session.Interrupt()
		}
	}()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	go endWithParent(ctx, cancel)

	server.New(server.Options{
		Sockets: sockets, Codec: codec, Interpreter: session, Version: Release, Log: os.Stderr,
		Ports: protocol.ConnectReply{ShellPort: int(file.ShellPort), IopubPort: int(file.IopubPort), StdinPort: int(file.StdinPort),
			ControlPort: int(file.ControlPort), HbPort: int(file.HbPort)},
	}).Serve(ctx)
	time.Sleep(lastWords)
	os.Exit(0) // a cell that still runs must not hold up the end
	return nil
}

// endWithParent cancels when the launcher has died, so that no orphan stays behind. Launchers
// of Jupyter tell their process id; without it the kernel was started by hand and stays.
func endWithParent(ctx context.Context, cancel context.CancelFunc) {
	launcher, err := strconv.Atoi(os.Getenv("JPY_PARENT_PID"))
	if err != nil || launcher <= 1 || os.Getppid() != launcher {
		return
	}
	for ctx.Err() == nil {
		if os.Getppid() != launcher {
			fmt.Fprintln(os.Stderr, "gosphere: the launcher is gone, ending")
			cancel()
			return
		}
		select {
		case <-ctx.Done():
		case <-time.After(time.Second):
		}
	}
}
