//go:build unix && !race

package editing_test

import (
	"bufio"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"gosphere/kernel/protocol"
)

func executeRequest(code string) protocol.ExecuteRequest {
	return protocol.ExecuteRequest{Code: code, StoreHistory: true}
}

func dropOutput(protocol.Content) {}

// TestTheMessagesOfASession replays a session byte by byte on the standard streams: the handshake,
// the list of tools with their schemas, and calls.
func TestTheMessagesOfASession(t *testing.T) {
	const file = "testdata/messages.jsonl"
	stored, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	folder, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	command := program("mcp", folder)
	in, err := command.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := command.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	answers := bufio.NewReader(out)
	var now strings.Builder
	for line := range strings.Lines(string(stored)) {
		if !strings.HasPrefix(line, "> ") {
			continue
		}
		now.WriteString(line)
		if _, err := io.WriteString(in, line[2:]); err != nil {
			t.Fatal(err)
		}
		var request struct{ ID any }
		if err := json.Unmarshal([]byte(line[2:]), &request); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		if request.ID != nil {
			answer, err := answers.ReadString('\n')
			if err != nil {
				t.Fatal(err)
			}
			now.WriteString(strings.ReplaceAll(answer, folder, "FOLDER"))
		}
	}
	in.Close()
	if rest, _ := io.ReadAll(answers); len(rest) > 0 {
		t.Errorf("the server wrote more than its answers: %s", rest)
	}
	if err := command.Wait(); err != nil {
		t.Errorf("the end of the input ended the server with %v", err)
	}
	if *update {
		if err := os.WriteFile(file, []byte(now.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	} else if now.String() != string(stored) {
		t.Errorf("the messages differ from %s; now\n%s", file, now.String())
	}
}

// TestHTTPNeedsTheToken serves HTTP and connects with and without the token.
func TestHTTPNeedsTheToken(t *testing.T) {
	command := program("mcp", t.TempDir(), "--http=0", "--read-only")
	stderr, err := command.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() {
		command.Process.Signal(os.Interrupt)
		if err := command.Wait(); err != nil {
			t.Errorf("an interrupt ended the server with %v", err)
		}
	}()
	lines := bufio.NewScanner(stderr)
	said := map[string]string{}
	for len(said) < 2 && lines.Scan() {
		if words := strings.Fields(lines.Text()); len(words) == 2 {
			said[words[0]] = words[1]
		}
	}
	if len(said) < 2 {
		t.Fatalf("the server printed %v, want its address and token", said)
	}
	for _, c := range []struct {
		token, origin string
		want          int
	}{
		{"", "", http.StatusUnauthorized},
		{said["token"] + "x", "", http.StatusUnauthorized},
		{said["token"], "https://example.com", http.StatusForbidden},
	} {
		request, err := http.NewRequest(http.MethodPost, said["url"], strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"ping"}`))
		if err != nil {
			t.Fatal(err)
		}
		request.Header.Set("Content-Type", "application/json")
		request.Header.Set("Accept", "application/json, text/event-stream")
		if c.token != "" {
			request.Header.Set("Authorization", "Bearer "+c.token)
		}
		if c.origin != "" {
			request.Header.Set("Origin", c.origin)
			request.Header.Set("Sec-Fetch-Site", "cross-site")
		}
		response, err := http.DefaultClient.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		response.Body.Close()
		if response.StatusCode != c.want {
			t.Errorf("token %q, origin %q: status %d, want %d", c.token, c.origin, response.StatusCode, c.want)
		}
	}
	transport := &mcp.StreamableClientTransport{Endpoint: said["url"], HTTPClient: &http.Client{Transport: bearer(said["token"])}}
	session, err := mcp.NewClient(&mcp.Implementation{Name: "script", Version: "1"}, nil).Connect(t.Context(), transport, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer session.Close()
	result, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "list_notebooks", Arguments: map[string]any{}})
	if err != nil || result.IsError {
		t.Errorf("list_notebooks over HTTP: %+v, %v", result, err)
	}
}

// bearer adds a token to requests.
type bearer string

func (b bearer) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+string(b))
	return http.DefaultTransport.RoundTrip(r)
}

// TestContradictingFlagsAreRefused has command lines that cannot be served.
func TestContradictingFlagsAreRefused(t *testing.T) {
	file := filepath.Join(t.TempDir(), "kernel.json")
	if err := os.WriteFile(file, []byte("{}"), 0o600); err != nil {
		t.Fatal(err)
	}
	for arguments, want := range map[string]string{
		"--timeout=0s":                           "--timeout 0s: want a duration above 0",
		"--http=70000":                           "--http 70000: want a port",
		"--connection=" + file + " --no-network": "a kernel that is running cannot be limited",
		"--connection=" + file:                   "the file has no key",
	} {
		out, err := program(append([]string{"mcp", t.TempDir()}, strings.Fields(arguments)...)...).CombinedOutput()
		if err == nil || !strings.Contains(string(out), want) {
			t.Errorf("gosphere mcp %s: %v\n%s\nwant %s", arguments, err, out, want)
		}
	}
}
