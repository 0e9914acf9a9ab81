package client

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"time"

	"gosphere/kernel/internal/connection"
)

// starting bounds the time from the start of a kernel's process to its first answer.
const starting = time.Minute

// A Process is a kernel that this program has started, with a connection to it.
type Process struct {
	*Client
	command *exec.Cmd
	folder  string
	exited  chan struct{}
	log     *tail
	clear   sync.Once
}

// Start starts a kernel and connects to it. The function command returns the command for a
// connection file in a folder that only this user can read. The standard output and error of the
// process are kept for error messages.
func Start(ctx context.Context, command func(connectionFile string) (*exec.Cmd, error)) (*Process, error) {
	folder, err := os.MkdirTemp("", "gosphere-")
	if err != nil {
		return nil, fmt.Errorf("client: %w", err)
	}
	p := &Process{folder: folder, exited: make(chan struct{}), log: new(tail)}
	if err := p.start(ctx, command); err != nil {
		p.remove()
		return nil, err
	}
	return p, nil
}

func (p *Process) start(ctx context.Context, command func(string) (*exec.Cmd, error)) error {
	file, err := connectionIn(p.folder)
	if err != nil {
		return err
	}
	text, err := json.Marshal(file)
	if err != nil {
		return fmt.Errorf("client: %w", err)
	}
	path := filepath.Join(p.folder, "kernel.json")
	if err := os.WriteFile(path, text, 0o600); err != nil {
		return fmt.Errorf("client: %w", err)
	}
	if p.command, err = command(path); err != nil {
		return err
	}
	p.command.Stdout, p.command.Stderr = p.log, p.log
	if p.command.Process == nil {
		if err := p.command.Start(); err != nil {
			return fmt.Errorf("client: starting the kernel: %w", err)
		}
	}
	// This goroutine ends with the process.
	go func() {
		p.command.Wait()
		close(p.exited)
	}()
	ctx, stop := context.WithTimeoutCause(ctx, starting, fmt.Errorf("client: the kernel did not answer within %v", starting))
	defer stop()
	for {
		if p.Client, err = dial(ctx, file); err == nil {
			return nil
		}
		select {
		case <-p.exited:
			return fmt.Errorf("client: the kernel ended at its start: %s", p.log.text())
		case <-ctx.Done():
			p.command.Process.Kill()
			<-p.exited
			return context.Cause(ctx)
		case <-time.After(5 * time.Millisecond): // the sockets of the kernel do not exist yet
		}
	}
}

// connectionIn returns the connection of a kernel whose sockets are files in a folder or, where the
// system has none, ports of this machine.
func connectionIn(folder string) (*connection.Connection, error) {
	file := &connection.Connection{SignatureScheme: "hmac-sha256", Key: rand.Text()}
	if runtime.GOOS != "windows" {
		file.Transport, file.IP = "ipc", filepath.Join(folder, "k")
		file.ShellPort, file.IopubPort, file.StdinPort, file.ControlPort, file.HbPort = 1, 2, 3, 4, 5
		return file, nil
	}
	file.Transport, file.IP = "tcp", "127.0.0.1"
	for _, port := range []*connection.Port{&file.ShellPort, &file.IopubPort, &file.StdinPort, &file.ControlPort, &file.HbPort} {
		listener, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return nil, fmt.Errorf("client: %w", err)
		}
		defer listener.Close()
		*port = connection.Port(listener.Addr().(*net.TCPAddr).Port)
	}
	return file, nil
}

// End ends the kernel: it asks for a shutdown and ends the process if it has not ended within the
// given time.
func (p *Process) End(patience time.Duration) {
	ctx, stop := context.WithTimeout(context.Background(), patience)
	defer stop()
	p.Shutdown(ctx)
	select {
	case <-p.exited:
	case <-ctx.Done():
		p.command.Process.Kill()
		<-p.exited
	}
	p.Close()
	p.remove()
}

// Exited returns a channel that is closed when the process has ended.
func (p *Process) Exited() <-chan struct{} { return p.exited }

// Failure describes the end of the process, which must have exited, with the last lines that it
// wrote. They include the reason of a crash.
func (p *Process) Failure() error {
	return errors.New(strings.TrimSpace(p.command.ProcessState.String() + "\n" + p.log.text()))
}

// remove removes the folder with the connection file.
func (p *Process) remove() { p.clear.Do(func() { os.RemoveAll(p.folder) }) }

// tail keeps the end of what is written to it.
type tail struct {
	mu   sync.Mutex // guards last
	last []byte
}

// kept is the number of bytes that a tail keeps.
const kept = 4000

// Write keeps the end of a text.
func (t *tail) Write(text []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.last = append(t.last, text...)
	if more := len(t.last) - kept; more > 0 {
		t.last = append(t.last[:0], t.last[more:]...)
	}
	return len(text), nil
}

func (t *tail) text() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return string(bytes.TrimSpace(t.last))
}
