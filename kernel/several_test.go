package kernel

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"gosphere/kernel/internal/connection"
	"gosphere/kernel/internal/socket"
	"gosphere/kernel/internal/wire"
	"gosphere/kernel/protocol"
)

// A counter is a language whose value is the number of its cells.
type counter struct{ cells int }

func (*counter) Info() Info { return Info{Name: "counter"} }

func (c *counter) Execute(_ context.Context, x *Execution) error {
	c.cells++
	x.Result(Text(fmt.Sprint(c.cells)))
	return nil
}

// Kernels in one process share nothing: each has its own sockets, key, count and language, and one
// can end without the others.
func TestOneProcessServesSeveralKernels(t *testing.T) {
	const kernels = 4
	var ended [kernels]chan error
	var stops [kernels]context.CancelFunc
	var clients [kernels]*socket.Sockets
	var codecs [kernels]*wire.Codec
	for i := range kernels {
		folder := t.TempDir()
		file := &connection.Connection{Transport: "ipc", IP: filepath.Join(folder, "k"), ShellPort: 1, IopubPort: 2, StdinPort: 3, ControlPort: 4, HbPort: 5,
			SignatureScheme: "hmac-sha256", Key: fmt.Sprint("key", i)}
		text, err := json.Marshal(file)
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(folder, "kernel.json")
		if err := os.WriteFile(path, text, 0o600); err != nil {
			t.Fatal(err)
		}
		var ctx context.Context
		ctx, stops[i] = context.WithCancel(context.Background())
		ended[i] = make(chan error, 1)
		go func() { ended[i] <- Serve(ctx, path, new(counter)) }()
		t.Cleanup(stops[i])
		if codecs[i], err = wire.NewCodec(file.SignatureScheme, file.Key); err != nil {
			t.Fatal(err)
		}
		for end := time.Now().Add(time.Minute); clients[i] == nil; time.Sleep(time.Millisecond) {
			if clients[i], err = socket.Dial(file, "client"); err != nil && time.Now().After(end) {
				t.Fatal(err)
			}
		}
		t.Cleanup(func() { clients[i].Close() })
	}
	ask := func(i, number int) {
		frames, err := codecs[i].Encode(&wire.Message{Content: json.RawMessage(`{"code":"x"}`), Header: protocol.Header{
			MsgID: fmt.Sprint("m", number), Session: "s", Username: "u", Date: time.Now().UTC().Format(protocol.DateFormat), MsgType: "execute_request", Version: "5.6",
		}})
		if err != nil {
			t.Error(err)
			return
		}
		if err := clients[i].Shell.Send(frames); err != nil {
			t.Errorf("kernel %d: %v", i, err)
			return
		}
		answer, err := clients[i].Shell.Receive()
		if err != nil {
			t.Errorf("kernel %d: %v", i, err)
			return
		}
		m, err := codecs[i].Decode(answer)
		if err != nil {
			t.Errorf("kernel %d: %v", i, err)
			return
		}
		var reply protocol.ExecuteReply
		if err := json.Unmarshal(m.Content, &reply); err != nil || reply.Status != protocol.OK || reply.ExecutionCount != number {
			t.Errorf("kernel %d answers cell %d by %s, %v", i, number, m.Content, err)
		}
	}
	var all sync.WaitGroup
	for i := range kernels {
		all.Go(func() {
			for number := 1; number <= 3+i; number++ {
				ask(i, number)
			}
		})
	}
	all.Wait()
	stops[0]()
	if err := <-ended[0]; err != nil {
		t.Errorf("the first kernel ends with %v", err)
	}
	ask(1, 5) // the others go on
}
