//go:build unix && !race

package editing_test

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"image"
	_ "image/png"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"gosphere/internal/lazyregexp"
	"gosphere/kernel/client"
)

var update = flag.Bool("update", false, "write the transcripts in testdata")

// patience bounds waits that should take milliseconds.
const patience = time.Minute

// program returns a command that runs this test binary as the program gosphere.
func program(arguments ...string) *exec.Cmd {
	command := exec.Command(os.Args[0], arguments...)
	command.Env = append(os.Environ(), "GOSPHERE_TEST_AS_PROGRAM=1", "GOSPHERE_HISTORY=off")
	return command
}

// A task is a transcript of what an agent does: lines with calls, each followed by its result.
//
//	# comment
//	$ --read-only                 flags of the server, before the first call; LIVE is the connection file of a kernel
//	> edit_cell notebook=a.ipynb cell=2
//	| x := 1                      lines of the argument source or code
//	result of the call
type task struct {
	t       *testing.T
	folder  string
	flags   []string
	session *mcp.ClientSession
	written strings.Builder // the transcript with the results of this run
}

// blockArguments are the arguments that the lines of a call with | are for.
var blockArguments = map[string]string{"insert_cell": "source", "edit_cell": "source", "run_code": "code", "check_code": "code"}

func (k *task) connect() {
	k.t.Helper()
	for i, f := range k.flags {
		k.flags[i] = strings.ReplaceAll(f, "FOLDER", k.folder)
		if strings.HasSuffix(f, "LIVE") {
			k.flags[i] = strings.ReplaceAll(f, "LIVE", k.live())
		}
	}
	command := program(append([]string{"mcp", k.folder}, k.flags...)...)
	c := mcp.NewClient(&mcp.Implementation{Name: "script", Version: "1"}, nil)
	session, err := c.Connect(k.t.Context(), &mcp.CommandTransport{Command: command}, nil)
	if err != nil {
		k.t.Fatal(err)
	}
	k.session = session
	k.t.Cleanup(func() { session.Close() })
}

// live starts a kernel, as a front end does, runs two cells in it and returns its connection file.
func (k *task) live() (file string) {
	p, err := client.Start(k.t.Context(), func(connectionFile string) (*exec.Cmd, error) {
		file = connectionFile
		return program("kernel", connectionFile), nil
	})
	if err != nil {
		k.t.Fatal(err)
	}
	k.t.Cleanup(func() { p.End(patience) })
	for _, code := range []string{"scores := []float64{0.9, 0.4, 0.7}", "best := slices.Max(scores)"} {
		execute(k.t, p.Client, code)
	}
	return file
}

// call makes a call and returns the text of its result.
func (k *task) call(line, block string) string {
	k.t.Helper()
	if k.session == nil {
		k.connect()
	}
	name, rest, _ := strings.Cut(line, " ")
	arguments := map[string]any{}
	for word := range strings.FieldsSeq(rest) {
		key, value, _ := strings.Cut(word, "=")
		var decoded any = value
		if strings.HasPrefix(value, `"`) || strings.HasPrefix(value, "[") || key == "timeout" || value == "true" {
			if err := json.Unmarshal([]byte(value), &decoded); err != nil {
				k.t.Fatalf("%s: %s: %v", line, key, err)
			}
		}
		arguments[key] = decoded
	}
	if block != "" {
		arguments[blockArguments[name]] = strings.TrimSuffix(block, "\n")
	}
	result, err := k.session.CallTool(k.t.Context(), &mcp.CallToolParams{Name: name, Arguments: arguments})
	if err != nil {
		return "refused: " + err.Error() + "\n"
	}
	var b strings.Builder
	if result.IsError {
		b.WriteString("failed: ")
	}
	for _, content := range result.Content {
		switch c := content.(type) {
		case *mcp.TextContent:
			b.WriteString(strings.ReplaceAll(c.Text, k.folder, "FOLDER") + "\n")
		case *mcp.ImageContent:
			picture, kind, err := image.DecodeConfig(bytes.NewReader(c.Data))
			if err != nil {
				k.t.Errorf("a picture of %d bytes: %v", len(c.Data), err)
			}
			fmt.Fprintf(&b, "[picture: %s as %s, %d × %d]\n", kind, c.MIMEType, picture.Width, picture.Height)
		}
	}
	return unstable.ReplaceAllString(temporary.ReplaceAllString(b.String(), "LIVE"), "N bytes")
}

// unstable are the sizes of compressed pictures, which differ between processors.
var unstable = lazyregexp.New(`\d+ bytes`)

// temporary matches the connection file of a kernel that a test has started.
var temporary = lazyregexp.New(`\S*gosphere-\d+/kernel\.json`)

// run replays a transcript.
func (k *task) run(text string) {
	lines := strings.Split(text, "\n")
	for i := 0; i < len(lines); {
		line := lines[i]
		i++
		switch {
		case strings.HasPrefix(line, "$ "):
			k.flags = strings.Fields(line[2:])
			fmt.Fprintln(&k.written, line)
		case strings.HasPrefix(line, "#"):
			fmt.Fprintln(&k.written, line)
		case strings.HasPrefix(line, "> "):
			var block strings.Builder
			fmt.Fprintln(&k.written, line)
			for ; i < len(lines) && (lines[i] == "|" || strings.HasPrefix(lines[i], "| ")); i++ {
				block.WriteString(strings.TrimPrefix(lines[i][1:], " ") + "\n")
				fmt.Fprintln(&k.written, lines[i])
			}
			k.written.WriteString(k.call(line[2:], block.String()))
		}
	}
}

// TestAgentsSolveTasks replays the transcripts of tasks and compares all results.
func TestAgentsSolveTasks(t *testing.T) {
	files, err := filepath.Glob("testdata/tasks/*.txt")
	if err != nil || len(files) < 20 {
		t.Fatalf("%d transcripts, %v, want at least 20", len(files), err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txt"), func(t *testing.T) {
			t.Parallel()
			want, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			folder, err := filepath.EvalSymlinks(t.TempDir())
			if err != nil {
				t.Fatal(err)
			}
			k := &task{t: t, folder: folder}
			k.run(string(want))
			if *update {
				if err := os.WriteFile(file, []byte(k.written.String()), 0o644); err != nil {
					t.Fatal(err)
				}
			} else if difference := cmp.Diff(string(want), k.written.String()); difference != "" {
				t.Errorf("%s (-stored +now):\n%s", file, difference)
			}
		})
	}
}

// execute runs a cell, which must succeed.
func execute(t *testing.T, c *client.Client, code string) {
	t.Helper()
	ctx, stop := context.WithTimeout(t.Context(), patience)
	defer stop()
	reply, err := c.Execute(ctx, executeRequest(code), dropOutput)
	if err != nil || reply.Status != "ok" {
		t.Fatalf("%s: %+v, %v", code, reply, err)
	}
}
