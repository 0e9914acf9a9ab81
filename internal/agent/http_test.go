package agent

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// secret is the token of the servers of these tests.
const secret = "a token of the tests"

// patience bounds waits that should take milliseconds.
const patience = time.Minute

// serve serves an agent of an empty folder and returns its address.
func serve(t *testing.T) string {
	t.Helper()
	a, err := New(Options{Folder: t.TempDir(), ReadOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error)
	go func() { ended <- a.Serve(ctx, listener, secret) }()
	t.Cleanup(func() {
		stop()
		if err := <-ended; err != nil {
			t.Error(err)
		}
		a.Close()
	})
	return listener.Addr().String()
}

// exchange sends bytes and returns the status line of the answer, or the error.
func exchange(t *testing.T, address, request string) string {
	t.Helper()
	c, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	c.SetDeadline(time.Now().Add(patience))
	go io.WriteString(c, request) // the server may answer and close before it has read all
	line, err := bufio.NewReader(c).ReadString('\n')
	if err != nil {
		return err.Error()
	}
	return strings.TrimSpace(line)
}

// TestInvalidRequestsAreRefused sends requests without the token, for other hosts, of other
// origins, and those that are no requests.
func TestInvalidRequestsAreRefused(t *testing.T) {
	address := serve(t)
	body := `{"jsonrpc":"2.0","id":1,"method":"nothing"}`
	post := func(host, rest, body string) string {
		return fmt.Sprintf("POST / HTTP/1.1\r\nHost: %s\r\nContent-Type: application/json\r\nAccept: application/json, text/event-stream\r\nContent-Length: %d\r\n%s\r\n%s", host, len(body), rest, body)
	}
	token := "Authorization: Bearer " + secret + "\r\n"
	for _, c := range []struct{ name, request, want string }{
		{"no token", post(address, "", body), "401"},
		{"a wrong token", post(address, "Authorization: Bearer "+secret+"x\r\n", body), "401"},
		{"a token of another kind", post(address, "Authorization: Basic "+secret+"\r\n", body), "401"},
		{"a name that resolves to this machine", post("attacker.example:80", token, body), "403"},
		{"an address of another machine", post("192.0.2.1", token, body), "403"},
		{"no host", "POST / HTTP/1.0\r\n" + token + "\r\n", "403"},
		{"a page of another origin", post(address, token+"Origin: http://attacker.example\r\n", body), "403"},
		{"a page of another port", post(address, token+"Origin: http://127.0.0.1:1\r\n", body), "403"},
		{"a long header", post(address, "X: "+strings.Repeat("x", 20<<10)+"\r\n", body), "431"},
		{"a body that is announced and not sent", fmt.Sprintf("POST / HTTP/1.1\r\nHost: %s\r\nContent-Length: 99999999999\r\n\r\n", address), "401"},
		{"no HTTP", "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n", "400"},
		{"an unknown method without a session", post(address, token, body), "400"},
		{"deep JSON", post(address, token, strings.Repeat("[", 100_000)), "400"},
		{"no JSON", post(address, token, "\x00\xff"), "400"},
	} {
		if got := exchange(t, address, c.request); !strings.Contains(got, " "+c.want+" ") {
			t.Errorf("%s: %q, want status %s", c.name, got, c.want)
		}
	}
}

// bearer adds the token to requests.
type bearer struct{ *http.Transport }

func (b bearer) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+secret)
	return b.Transport.RoundTrip(r)
}

// use connects a client and calls a tool.
func use(t *testing.T, address string) {
	transport := &mcp.StreamableClientTransport{Endpoint: "http://" + address, HTTPClient: &http.Client{Transport: bearer{new(http.Transport)}}}
	session, err := mcp.NewClient(&mcp.Implementation{Name: "script", Version: "1"}, nil).Connect(t.Context(), transport, nil)
	if err != nil {
		t.Error(err)
		return
	}
	defer session.Close()
	for range 5 {
		result, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "list_notebooks", Arguments: map[string]any{}})
		if err != nil || result.IsError {
			t.Errorf("list_notebooks: %+v, %v", result, err)
		}
		result, err = session.CallTool(t.Context(), &mcp.CallToolParams{Name: "read_cells", Arguments: map[string]any{"notebook": 7}})
		if err == nil && !result.IsError {
			t.Error("a number is a notebook")
		}
	}
}

// TestSeveralClientsAreServedAtOnce has two clients that call tools at the same time.
func TestSeveralClientsAreServedAtOnce(t *testing.T) {
	address := serve(t)
	var clients sync.WaitGroup
	for range 2 {
		clients.Go(func() { use(t, address) })
	}
	clients.Wait()
}

// costWithoutToken is the number of bytes that a connection without the token may cost: the longest
// header, in the buffer that grows with it by doubling, with the buffers and stacks of net/http.
const costWithoutToken = 64 << 10

// TestClientsWithoutTheTokenHaveABound opens more connections than the server takes, and sends on
// each a header without an end. The memory is that of the connections that it takes, and clients
// with the token are served afterward.
func TestClientsWithoutTheTokenHaveABound(t *testing.T) {
	address := serve(t)
	header := "GET / HTTP/1.1\r\nHost: " + address + "\r\nX: " + strings.Repeat("x", longestHeader)
	before := used()
	var open []net.Conn
	for range mostConnections + 44 {
		c, err := net.Dial("tcp", address)
		if err != nil {
			t.Fatal(err)
		}
		c.SetDeadline(time.Now().Add(patience))
		if _, err := io.WriteString(c, header); err != nil {
			t.Fatal(err)
		}
		open = append(open, c)
	}
	// The server has read a header when it needs more memory for none.
	cost := int64(0)
	for last := int64(-1); cost != last; {
		last, cost = cost, used()-before
	}
	if cost > mostConnections*costWithoutToken {
		t.Errorf("%d connections cost %d bytes each, want at most %d", mostConnections, cost/mostConnections, costWithoutToken)
	}
	t.Logf("%d connections cost %d bytes each", mostConnections, cost/mostConnections)
	for _, c := range open {
		c.Close()
	}
	use(t, address)
}

// used returns the number of bytes of the heap and the stacks that are in use.
func used() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapInuse + m.StackInuse)
}
