package client_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"gosphere/kernel"
	"gosphere/kernel/client"
	"gosphere/kernel/protocol"
)

// patience bounds waits that should take milliseconds.
const patience = time.Minute

// TestMain runs this test binary as a kernel if a test requests it.
func TestMain(m *testing.M) {
	switch os.Getenv("GOSPHERE_TEST_AS_KERNEL") {
	case "serve":
		kernel.Main(echo{})
	case "fail":
		fmt.Fprintln(os.Stderr, "no license")
		os.Exit(3)
	}
	os.Exit(m.Run())
}

// An echo is a language whose cells are their own values, except for a few words.
type echo struct{}

func (echo) Info() kernel.Info { return kernel.Info{Name: "echo", Version: "1"} }

func (echo) Execute(ctx context.Context, x *kernel.Execution) error {
	switch word, rest, _ := strings.Cut(x.Code, " "); word {
	case "print":
		fmt.Fprint(x.Stdout(), rest)
	case "fail":
		return errors.New(rest)
	case "wait":
		<-ctx.Done()
		return context.Cause(ctx)
	case "exit":
		os.Stderr.WriteString("the cell ends the process")
		os.Exit(7)
	default:
		x.Result(kernel.Text(x.Code))
	}
	return nil
}

func start(t *testing.T, mode string) (*client.Process, error) {
	t.Helper()
	return client.Start(t.Context(), func(file string) (*exec.Cmd, error) {
		command := exec.Command(os.Args[0], file)
		command.Env = append(os.Environ(), "GOSPHERE_TEST_AS_KERNEL="+mode)
		return command, nil
	})
}

func running(t *testing.T) *client.Process {
	t.Helper()
	p, err := start(t, "serve")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.End(patience) })
	return p
}

// execute returns what a cell publishes, one line for each output.
func execute(t *testing.T, p *client.Process, code string) (protocol.ExecuteReply, []string) {
	t.Helper()
	var shown []string
	reply, err := p.Execute(t.Context(), protocol.ExecuteRequest{Code: code, StoreHistory: true}, func(content protocol.Content) {
		switch c := content.(type) {
		case protocol.Stream:
			shown = append(shown, c.Name+" "+c.Text)
		case protocol.ExecuteResult:
			shown = append(shown, fmt.Sprint(c.Data["text/plain"]))
		case protocol.Error:
			shown = append(shown, "error "+c.Evalue)
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	return reply, shown
}

func TestACellReturnsItsReplyAfterItsOutputs(t *testing.T) {
	p := running(t)
	reply, shown := execute(t, p, "print hello")
	if want := []string{"stdout hello"}; reply.Status != protocol.OK || reply.ExecutionCount != 1 || !slices.Equal(shown, want) {
		t.Errorf("reply %+v, outputs %q, want %q", reply, shown, want)
	}
	if _, shown = execute(t, p, "x"); !slices.Equal(shown, []string{"x"}) {
		t.Errorf("outputs %q, want the value x", shown)
	}
	reply, shown = execute(t, p, "fail no such thing")
	if reply.Status != protocol.Failed || reply.Evalue != "no such thing" || !slices.Equal(shown, []string{"error no such thing"}) {
		t.Errorf("reply %+v, outputs %q, want an error", reply, shown)
	}
}

func TestTheHistoryHasTheCellsOfTheSession(t *testing.T) {
	p := running(t)
	for _, code := range []string{"a", "print b", "c"} {
		execute(t, p, code)
	}
	got, err := p.History(t.Context())
	want := []client.Entry{{1, "a"}, {2, "print b"}, {3, "c"}}
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("history %v, %v, want %v", got, err, want)
	}
}

func TestAnInterruptedCellEndsAndTheNextRuns(t *testing.T) {
	p := running(t)
	ended := make(chan protocol.ExecuteReply, 1)
	go func() {
		reply, _ := p.Execute(context.Background(), protocol.ExecuteRequest{Code: "wait"}, drop)
		ended <- reply
	}()
	for deadline := time.Now().Add(patience); ; { // an interrupt before the cell begins has no effect
		if err := p.Interrupt(t.Context()); err != nil {
			t.Fatal(err)
		}
		select {
		case reply := <-ended:
			if reply.Status != protocol.Failed {
				t.Errorf("status %s of an interrupted cell, want error", reply.Status)
			}
		default:
			if time.Now().Before(deadline) {
				continue
			}
			t.Fatal("the cell was not interrupted")
		}
		break
	}
	if _, shown := execute(t, p, "after"); !slices.Equal(shown, []string{"after"}) {
		t.Errorf("outputs %q after an interrupt", shown)
	}
}

// drop drops outputs.
func drop(protocol.Content) {}

func TestACellThatEndsTheProcessIsAnErrorWithItsLastWords(t *testing.T) {
	p := running(t)
	_, err := p.Execute(t.Context(), protocol.ExecuteRequest{Code: "exit"}, drop)
	if !errors.Is(err, client.ErrGone) {
		t.Errorf("error %v, want %v", err, client.ErrGone)
	}
	<-p.Exited()
	if got := p.Failure().Error(); !strings.Contains(got, "the cell ends the process") {
		t.Errorf("failure %q", got)
	}
	if _, err := p.Complete(t.Context(), protocol.CompleteRequest{}); !errors.Is(err, client.ErrGone) {
		t.Errorf("error %v of a request to a kernel that has ended, want %v", err, client.ErrGone)
	}
}

func TestAKernelThatEndsAtItsStartIsAnErrorWithTheReason(t *testing.T) {
	if _, err := start(t, "fail"); err == nil || !strings.Contains(err.Error(), "no license") {
		t.Errorf("error %v, want the kernel's own words", err)
	}
}

func TestAContextEndsTheWaitAndNotTheCell(t *testing.T) {
	p := running(t)
	ctx, stop := context.WithCancelCause(t.Context())
	reason := errors.New("enough")
	stop(reason)
	if _, err := p.Execute(ctx, protocol.ExecuteRequest{Code: "wait"}, drop); !errors.Is(err, reason) {
		t.Errorf("error %v, want %v", err, reason)
	}
	if info, err := p.Info(t.Context()); err == nil && info.LanguageInfo.Name != "echo" {
		t.Errorf("info %+v", info)
	}
}
