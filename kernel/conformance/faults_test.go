//go:build linux && amd64

package conformance

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"gosphere/internal/testing/faults"
	"gosphere/kernel/internal/connection"
	"gosphere/kernel/internal/socket"
	"gosphere/kernel/internal/wire"
	"gosphere/kernel/protocol"
)

func TestMain(m *testing.M) {
	faults.Launch()
	os.Exit(m.Run())
}

// A visitor is a client that connects again when its connection ends.
type visitor struct {
	where     connection.Connection
	codec     *wire.Codec
	shell     socket.Single
	connected bool
	sent      int
	over      chan struct{} // closed when the kernel has ended
}

const (
	// patience is the time for a reply. The kernel answers sooner unless the request was lost, and on
	// a busy machine the request is sent again.
	patience = 5 * time.Second
	// turn is the time for the start and for the end of a kernel.
	turn = time.Minute
)

// ask sends a request until it is answered, at most three times, and returns the content of the
// reply.
func (v *visitor) ask(kind string, content map[string]any) (string, error) {
	text, err := json.Marshal(content)
	if err != nil {
		return "", err
	}
	for range 3 {
		var answer string
		if answer, err = v.try(kind, text); err == nil {
			return answer, nil
		}
		if v.connected {
			v.shell.Close()
		}
		v.connected = false
	}
	return "", fmt.Errorf("%s %s: %w", kind, text, err)
}

// try sends a request once.
func (v *visitor) try(kind string, content []byte) (string, error) {
	if !v.connected {
		for end := time.Now().Add(turn); ; time.Sleep(20 * time.Millisecond) {
			var err error
			if v.shell, err = socket.DialOne(&v.where, v.where.ShellPort, "visitor"); err == nil {
				break
			}
			select {
			case <-v.over:
				return "", err
			default:
			}
			if time.Now().After(end) {
				return "", err
			}
		}
		v.connected = true
	}
	v.sent++
	id := fmt.Sprint("visitor-", v.sent)
	frames, err := v.codec.Encode(&wire.Message{Content: content, Header: protocol.Header{
		MsgID: id, Session: "visitor", Username: "visitor", Date: time.Now().UTC().Format(protocol.DateFormat), MsgType: kind, Version: "5.4",
	}})
	if err != nil {
		return "", err
	}
	if err := v.shell.Send(frames); err != nil {
		return "", err
	}
	type received struct {
		content string
		err     error
	}
	got := make(chan received, 1)
	shell := v.shell
	go func() { // ends with the connection
		for {
			frames, err := shell.Receive()
			var reply *wire.Message
			if err == nil {
				reply, err = v.codec.Decode(frames)
			}
			if err != nil {
				got <- received{err: err}
				return
			}
			// The reply to an earlier attempt may arrive on this connection.
			if parent, _ := reply.ParentID(); parent == id {
				got <- received{content: string(reply.Content)}
				return
			}
		}
	}()
	select {
	case r := <-got:
		return r.content, r.err
	case <-time.After(patience):
		return "", errors.New("no reply")
	}
}

// A faultyKernel is a kernel of which one operation fails.
type faultyKernel struct {
	binary string
	folder string
}

// serve starts a kernel, uses it, and returns its operations. It returns an error if the kernel
// loses anything.
func (k faultyKernel) serve(t *testing.T, fails func(faults.Operation) bool) (faults.Result, error) {
	c := connection.Connection{Transport: "tcp", IP: "127.0.0.1", SignatureScheme: "hmac-sha256", Key: "visitor"}
	if err := choosePorts(&c); err != nil {
		t.Fatal(err)
	}
	text := fmt.Sprintf(`{"transport":"tcp","ip":"127.0.0.1","signature_scheme":"hmac-sha256","key":"visitor","shell_port":%d,"iopub_port":%d,"stdin_port":%d,"control_port":%d,"hb_port":%d}`,
		c.ShellPort, c.IopubPort, c.StdinPort, c.ControlPort, c.HbPort)
	if err := os.WriteFile(filepath.Join(k.folder, "connection.json"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	codec, err := wire.NewCodec(c.SignatureScheme, c.Key)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), deadline)
	defer cancel()
	program := faults.Program{
		Arguments: []string{k.binary, "kernel", "connection.json"}, Dir: k.folder, Watched: []string{k.folder}, Sockets: true,
		Environment: []string{"HOME=" + k.folder, "TMPDIR=" + k.folder, "PATH=" + os.Getenv("PATH"), "GOMAXPROCS=2"},
	}
	process, err := program.Start(ctx, fails)
	if errors.Is(err, faults.ErrUnsupported) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	over := make(chan struct{})
	var result faults.Result
	go func() {
		result, _ = process.Wait()
		close(over)
	}()
	lost := use(&visitor{where: c, codec: codec, over: over})
	select {
	case <-over:
	case <-time.After(turn):
		_ = process.Process.Signal(syscall.SIGKILL)
		<-over
		lost = errors.Join(lost, errors.New("the kernel does not end"))
	}
	return result, lost
}

// use runs cells, of which the last needs the state of the first.
func use(v *visitor) error {
	defer func() {
		if v.connected {
			v.shell.Close()
		}
	}()
	for _, source := range []string{"import \"os\"\nstate := os.Getpid()", "two := 2", "four := two * two"} {
		if _, err := v.ask("execute_request", map[string]any{"code": source}); err != nil {
			return err
		}
	}
	reply, err := v.ask("execute_request", map[string]any{"code": "", "user_expressions": map[string]string{"sum": "state*0 + four"}})
	if err != nil {
		return err
	}
	if !strings.Contains(reply, `"text/plain":"4"`) {
		return fmt.Errorf("the state is lost: %s", reply)
	}
	if _, err := v.ask("history_request", map[string]any{"hist_access_type": "tail", "n": 5}); err != nil {
		return err
	}
	// The kernel may have ended before its reply has arrived.
	_, _ = v.ask("shutdown_request", map[string]any{"restart": false})
	return nil
}

// A kernel of which one operation on a file or a socket fails keeps its state and serves clients
// that connect again. If it cannot start, it says why.
func TestAKernelSurvivesEachFailingOperation(t *testing.T) {
	if testing.Short() {
		t.Skip("the short tests leave this out")
	}
	binary := filepath.Join(t.TempDir(), "gosphere")
	if out, err := exec.Command("go", "build", "-o", binary, "gosphere").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	reference, err := faultyKernel{binary, t.TempDir()}.serve(t, func(faults.Operation) bool { return false })
	if err != nil || reference.Status != 0 {
		t.Fatalf("without faults: %v, %+v", err, reference)
	}
	operations := faults.Chosen(reference.Operations)
	t.Logf("%d of %d operations fail in turn", len(operations), len(reference.Operations))
	turns := make(chan bool, 3)
	var group sync.WaitGroup
	for _, operation := range operations {
		turns <- true
		folder := t.TempDir()
		group.Go(func() {
			defer func() { <-turns }()
			failed := false
			result, lost := faultyKernel{binary, folder}.serve(t, func(o faults.Operation) bool {
				failed = failed || o == operation
				return o == operation
			})
			if !failed {
				return
			}
			judge(t, operation, result, lost)
		})
	}
	group.Wait()
}

// judge checks the end of a kernel.
func judge(t *testing.T, operation faults.Operation, result faults.Result, lost error) {
	output := result.Stdout + result.Stderr
	// Until a kernel listens, it may end with an error.
	names := []string{faults.Named(operation.Path)}
	if operation.Path == "socket" {
		names = []string{"socket", "listen", "port"}
	}
	if result.Status > 0 && slices.ContainsFunc(names, func(name string) bool { return strings.Contains(output, name) }) && !strings.Contains(output, "goroutine ") {
		return
	}
	if lost != nil || result.Status != 0 || strings.Contains(output, "panic") {
		t.Errorf("%v: %v; status %d\n%s", operation, lost, result.Status, output)
	}
}
