package lsp

import (
	"bufio"
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"gosphere/internal/lsp/rpc"
	"gosphere/internal/testing/sessiontest"
	"gosphere/runtime/session"
)

var update = flag.Bool("update", false, "write the transcripts in testdata")

// compiled are the packages of the program, which all tests share.
func compiled(t testing.TB) *session.Compiled {
	t.Helper()
	c, err := sessiontest.Preloaded.Open()
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// An editor speaks with a server over pipes.
type editor struct {
	t      testing.TB
	in     io.WriteCloser
	out    *bufio.Reader
	writer *rpc.Writer
	ended  chan error
	count  int
}

func connect(t testing.TB, o Options) *editor {
	t.Helper()
	fromClient, in := io.Pipe()
	out, toClient := io.Pipe()
	c := &editor{t: t, in: in, out: bufio.NewReader(out), writer: rpc.NewWriter(in), ended: make(chan error, 1)}
	go func() {
		err := Serve(t.Context(), fromClient, toClient, o)
		toClient.Close()
		c.ended <- err
	}()
	return c
}

// receive returns the messages up to and with the response to a request.
func (c *editor) receive(id string) (list []*rpc.Message) {
	c.t.Helper()
	for {
		m, err := rpc.Read(c.out)
		if err != nil {
			c.t.Fatalf("waiting for the response to %s: %v", id, err)
		}
		list = append(list, m)
		if string(m.ID) == id {
			return list
		}
	}
}

// ask sends a request and returns all messages up to its response.
func (c *editor) ask(method string, params json.RawMessage) []*rpc.Message {
	c.t.Helper()
	c.count++
	id := fmt.Sprint(c.count)
	if err := c.writer.Write(&rpc.Message{ID: json.RawMessage(id), Method: method, Params: params}); err != nil {
		c.t.Fatal(err)
	}
	return c.receive(id)
}

// tell sends a notification and returns what the server sends because of it. A further request,
// which the server does not know, shows where that ends.
func (c *editor) tell(method string, params json.RawMessage) []*rpc.Message {
	c.t.Helper()
	if err := c.writer.Write(&rpc.Message{Method: method, Params: params}); err != nil {
		c.t.Fatal(err)
	}
	list := c.ask("test/sync", nil)
	return list[:len(list)-1]
}

// isNotification reports whether a method has no response.
func isNotification(method string) bool {
	_, ok := notifications[method]
	return ok || method == "initialized" || method == "exit"
}

// replay sends the messages of a transcript and returns it with the answers of this run.
//
//	# comment
//	> METHOD PARAMETERS
//	< METHOD PARAMETERS     what the server sends by itself
//	< RESULT
func replay(t *testing.T, c *editor, text string) string {
	var now strings.Builder
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		switch {
		case strings.HasPrefix(line, "> "):
			fmt.Fprintln(&now, line)
			method, params, _ := strings.Cut(line[2:], " ")
			if params == "" {
				params = "null"
			}
			if !json.Valid([]byte(params)) {
				t.Fatalf("not JSON: %s", params)
			}
			var answers []*rpc.Message
			if isNotification(method) {
				answers = c.tell(method, json.RawMessage(params))
			} else {
				answers = c.ask(method, json.RawMessage(params))
			}
			for _, m := range answers {
				switch {
				case m.Method != "":
					fmt.Fprintf(&now, "< %s %s\n", m.Method, pretty(m.Params))
				case m.Error != nil:
					fmt.Fprintf(&now, "< error %d: %s\n", m.Error.Code, m.Error.Message)
				default:
					fmt.Fprintf(&now, "< %s\n", pretty(m.Result))
				}
			}
		case strings.HasPrefix(line, "#") || line == "":
			fmt.Fprintln(&now, line)
		}
	}
	return now.String()
}

// pretty returns a result with one line for each element of a list of objects.
func pretty(text json.RawMessage) string {
	var b bytes.Buffer
	if err := json.Compact(&b, text); err != nil {
		return string(text)
	}
	shown := b.String()
	if root := goRoot(); root != "" {
		shown = strings.ReplaceAll(shown, root, "/GOROOT")
	}
	return strings.ReplaceAll(shown, `},{"`, "},\n  {\"")
}

// TestTranscripts replays sessions of editors and compares all messages.
func TestTranscripts(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatalf("%d transcripts, %v", len(files), err)
	}
	packages := compiled(t)
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txt"), func(t *testing.T) {
			want, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			c := connect(t, Options{Packages: packages, Version: "0", Log: io.Discard})
			got := replay(t, c, string(want))
			c.in.Close()
			<-c.ended
			if *update {
				if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			} else if difference := cmp.Diff(string(want), got); difference != "" {
				t.Errorf("%s (-stored +now):\n%s", file, difference)
			}
		})
	}
}
