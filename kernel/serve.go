package kernel

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
	"time"

	"gosphere/kernel/comm"
	"gosphere/kernel/history"
	"gosphere/kernel/internal/connection"
	"gosphere/kernel/internal/registration"
	"gosphere/kernel/internal/server"
	"gosphere/kernel/internal/socket"
	"gosphere/kernel/internal/wire"
)

// An Option changes how a kernel is served.
type Option func(*options)

type options struct {
	history history.Store
	comms   *comm.Table
	log     io.Writer
	process bool
}

// WithHistory sets where cells are recorded. The default keeps those of this session in memory.
func WithHistory(store history.Store) Option { return func(o *options) { o.history = store } }

// WithComms sets the table of comms, for a language that registers targets before the first cell.
func WithComms(table *comm.Table) Option { return func(o *options) { o.comms = table } }

// WithLog sets where warnings and messages that could not be read are reported, each kind once. The
// default is the standard error of the process.
func WithLog(log io.Writer) Option { return func(o *options) { o.log = log } }

// OwnProcess says that the process is that of this kernel, as a launcher starts it: SIGINT
// interrupts the cells, and SIGTERM or the end of the launcher ends the kernel. Without it Serve
// leaves signals to the program.
func OwnProcess() Option { return func(o *options) { o.process = true } }

// Main serves an interpreter as the kernel of the connection file that is the only argument of the
// program, with [OwnProcess], and exits: with status 0 after a shutdown, 1 after an error and 2
// without an argument.
func Main(i Interpreter, o ...Option) {
	if len(os.Args) != 2 {
		fmt.Fprintf(os.Stderr, "usage: %s CONNECTION-FILE\n", filepath.Base(os.Args[0]))
		os.Exit(2)
	}
	if err := Serve(context.Background(), os.Args[1], i, append([]Option{OwnProcess()}, o...)...); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0) // a cell that is still running must not delay the exit
}

// Serve serves an interpreter until a client shuts it down or ctx is done, and then returns nil. A
// running cell is interrupted but not waited for. The file is a connection file, or the
// registration file of a launcher that waits for the kernel's ports. One process may serve several
// kernels. An error names the file, and is returned before the first message is read.
func Serve(ctx context.Context, connectionFile string, i Interpreter, o ...Option) error {
	l, options, err := prepare(i, o)
	if err != nil {
		return err
	}
	file, launcher, err := readLauncherFile(connectionFile)
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
	name := l.implementation()
	warn(options.log, name, connectionFile, file)
	unregister, err := register(launcher, &sockets.Bound, filepath.Dir(connectionFile))
	if err != nil {
		sockets.Close()
		return err
	}
	defer unregister()
	s := newServer(l, options, sockets, codec)
	if options.process {
		var stop func()
		ctx, stop = obeyLauncher(ctx, s, options.log, name)
		defer stop()
	}
	s.Serve(ctx)
	return nil
}

// prepare returns an interpreter as the server uses it, and the options.
func prepare(i Interpreter, list []Option) (*language, *options, error) {
	if err := checkInfo(i.Info()); err != nil {
		return nil, nil, err
	}
	o := &options{log: os.Stderr}
	for _, option := range list {
		option(o)
	}
	if o.comms == nil {
		o.comms = comm.NewTable()
	}
	return &language{Interpreter: i, comms: o.comms}, o, nil
}

// implementation returns the name of the program, for messages.
func (l *language) implementation() string {
	info := l.Interpreter.Info()
	return cmp.Or(info.Implementation, info.Name)
}

func newServer(l *language, o *options, sockets *socket.Sockets, codec *wire.Codec) *server.Server {
	info := l.Interpreter.Info()
	options := server.Options{
		Sockets: sockets, Codec: codec, Interpreter: l, Comms: o.comms, History: o.history, Log: o.log,
		Name: l.implementation(), Version: cmp.Or(info.ImplementationVersion, info.Version),
	}
	if d, ok := l.Interpreter.(Debugger); ok {
		options.Debugger = d
	}
	return server.New(options)
}

// obeyLauncher forwards SIGINT, which process groups deliver to the kernel as well as to its
// launcher, and ends the returned context at SIGTERM and when the launcher has exited.
func obeyLauncher(ctx context.Context, s *server.Server, log io.Writer, name string) (context.Context, func()) {
	ctx, stop := signal.NotifyContext(ctx, syscall.SIGTERM)
	interrupts := make(chan os.Signal, 1)
	signal.Notify(interrupts, os.Interrupt)
	// This goroutine ends with the context.
	go func() {
		for {
			select {
			case <-interrupts:
				s.Interrupt()
			case <-ctx.Done():
				return
			}
		}
	}()
	ctx, cancel := context.WithCancel(ctx)
	go endWithLauncher(ctx, func() {
		fmt.Fprintf(log, "%s: the launcher has exited: shutting down\n", name)
		cancel()
	}, time.Second)
	return ctx, func() {
		cancel()
		signal.Stop(interrupts)
		stop()
	}
}

// warn reports what the user should know about the connection.
func warn(log io.Writer, name, path string, file *connection.Connection) {
	if connection.Exposed(path) {
		fmt.Fprintf(log, "%s: warning: other users can read or change %s: anyone who has its key can run code as you\n", name, path)
	}
	// A system without this file, such as Windows, has no count of users.
	accounts, _ := os.ReadFile("/etc/passwd")
	for _, warning := range file.Warnings(connection.Users(string(accounts), os.Getuid())) {
		fmt.Fprintf(log, "%s: warning: %s\n", name, warning)
	}
}

// readLauncherFile reads the file that a launcher passes. The registration is nil for an ordinary
// connection file.
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

// register reports the ports of the kernel to a launcher that waits for them, and writes the
// connection file for other clients. unregister removes the file.
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
