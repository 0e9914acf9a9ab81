//go:build linux || darwin

package session

import (
	"strings"
	"testing"

	"gosphere/kernel/protocol"
)

// outputsOf runs a cell in a session of its own, as the kernel does, and joins its streams.
func outputsOf(t *testing.T, cells ...string) (stdout, stderr string) {
	t.Helper()
	s := newTestSession(t)
	defer s.Close()
	d, err := s.CaptureDescriptors()
	if err != nil {
		t.Fatal(err)
	}
	defer d.Release()
	for _, code := range cells {
		reply := s.Execute(t.Context(), protocol.ExecuteRequest{Code: code, StoreHistory: true}, func(content protocol.Content) {
			if stream, ok := content.(protocol.Stream); ok {
				if stream.Name == "stdout" {
					stdout += stream.Text
				} else {
					stderr += stream.Text
				}
			}
		})
		if reply.Status != "ok" {
			t.Errorf("%s: %s", reply.Ename, reply.Evalue)
		}
	}
	return stdout, stderr
}

func TestEveryWayToWriteReachesTheCell(t *testing.T) {
	for code, want := range map[string][2]string{ // stdout, stderr
		`import "log"; log.SetFlags(0); log.Print("x")`:                                                                                    {"", "x\n"},
		`import "log"; log.SetFlags(0); log.Default().Println("x")`:                                                                        {"", "x\n"},
		`import ("log"; "os"); log.New(os.Stderr, "p ", 0).Print("x")`:                                                                     {"", "p x\n"},
		`import ("log"; "os"); log.New(os.Stdout, "p ", 0).Print("x")`:                                                                     {"p x\n", ""},
		`import ("log"; "log/slog"); log.SetFlags(0); slog.Warn("x", "k", 1)`:                                                              {"", "WARN x k=1\n"},
		`import ("fmt"; "os"); f := os.Stdout; fmt.Fprint(f, "x")`:                                                                         {"x", ""},
		`import ("fmt"; "io"; "os"); var w io.Writer = os.Stderr; fmt.Fprint(w, "x")`:                                                      {"", "x"},
		`import "os"; f := os.Stderr; f.WriteString("x")`:                                                                                  {"", "x"},
		`import ("fmt"; "os"); fs := []*os.File{os.Stdout, os.Stderr}; for _, f := range fs { f.Write([]byte("x")) }`:                      {"x", "x"},
		`import ("os"; "os/exec"); c := exec.Command("echo", "x"); c.Stdout = os.Stdout; c.Run()`:                                          {"x\n", ""},
		`import ("os"; "os/exec"); c := exec.Command("echo", "x"); f := os.Stderr; c.Stdout = f; c.Run()`:                                  {"", "x\n"},
		`import "syscall"; syscall.Write(1, []byte("x"))`:                                                                                  {"x", ""},
		`import ("os"; "text/tabwriter"; "fmt"); w := tabwriter.NewWriter(os.Stdout, 0, 8, 1, ' ', 0); fmt.Fprintln(w, "a\tb"); w.Flush()`: {"a b\n", ""},
		`import ("fmt"; "os"); f := os.Stdout; fmt.Fprint(f, 1); fmt.Print(2); fmt.Fprint(f, 3); fmt.Fprint(os.Stdout, 4)`:                 {"1234", ""},
		`println("x")`: {"", "x\n"},
	} {
		stdout, stderr := outputsOf(t, code)
		if strings.TrimSuffix(stdout, "\n") != strings.TrimSuffix(want[0], "\n") || stderr != want[1] {
			t.Errorf("%s\ngot %q and %q, want %q", code, stdout, stderr, want)
		}
	}
}

func TestACellCanCaptureItsOwnOutput(t *testing.T) {
	stdout, _ := outputsOf(t, `
import ("fmt"; "io"; "os")
old := os.Stdout
r, w, _ := os.Pipe()
os.Stdout = w
fmt.Print("inside")
w.Close()
os.Stdout = old
text, _ := io.ReadAll(r)
fmt.Printf("captured %q", text)`)
	if stdout != `captured "inside"` {
		t.Errorf("got %q", stdout)
	}
}
