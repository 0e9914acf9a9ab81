//go:build linux || darwin

package session

import (
	"strings"
	"testing"

	"gosphere/kernel/protocol"
)

// outputsOf runs a cell in a new session, as the kernel does, and joins its streams.
func outputsOf(t *testing.T, cells ...string) (stdout, stderr string) {
	t.Helper()
	s := newTestSession(t)
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

// Loops that only compute and print do not check for output of others before each print. Output
// written before such a loop still precedes it, and loops in which other code runs do check.
func TestLoopsKeepTheOrderOfPrintsAndDescriptors(t *testing.T) {
	const head = "import (\"fmt\"; \"math\"; \"os\"; \"strings\"; \"syscall\"; \"time\")\n" +
		"func raw(text string) string { syscall.Write(1, []byte(text)); return \"\" }\n_, _, _, _ = math.Pi, os.Args, strings.ToUpper, time.Now\n"
	for code, want := range map[string]string{
		"raw(\"a\")\nfor i := range 3 {\n\tfmt.Print(i)\n}\nraw(\"b\")":                                                      "a012b",
		"for i := range 2 {\n\traw(\"a\")\n\tfor j := range 2 {\n\t\tfmt.Print(i, j, \";\")\n\t}\n}":                         "a0 0;0 1;a1 0;1 1;",
		"for i := range 3 {\n\traw(\"a\")\n\tfmt.Print(i)\n}":                                                                "a0a1a2",
		"for i := range 3 {\n\tfmt.Print(raw(\"a\"), i)\n}":                                                                  "a0a1a2",
		"for i := range 3 {\n\tsyscall.Write(1, []byte(\"a\"))\n\tfmt.Print(i)\n}":                                           "a0a1a2",
		"f := raw\nfor i := range 3 {\n\tf(\"a\")\n\tfmt.Print(i)\n}":                                                        "a0a1a2",
		"for i := range 3 {\n\tfunc() { raw(\"a\") }()\n\tfmt.Print(i)\n}":                                                   "a0a1a2",
		"type T int\nfunc (t T) String() string { raw(\"a\"); return \"t\" }\nfor i := range 3 {\n\tfmt.Print(T(i))\n}":      "atatat",
		"var v any = 1\nfor range 3 {\n\tfmt.Print(v)\n}":                                                                    "111",
		"c := make(chan int)\ngo func() { for i := range 3 { raw(\"a\"); c <- i } }()\nfor range 3 {\n\tfmt.Print(<-c)\n}":   "",
		"p := fmt.Print\nfor i := range 2 {\n\tp = fmt.Print\n\tfmt.Print(i)\n}\nraw(\"a\")\np(\"b\")":                       "01ab",
		"n := 0\nfor i := range 3 {\n\tm, err := fmt.Print(i)\n\tif err == nil { n += m }\n}\nfmt.Print(n)":                  "0123",
		"for x := 1.0; x < 9; x *= 2 {\n\tfmt.Printf(\"%s%.0f\", strings.Repeat(\".\", 2), math.Sqrt(x*x))\n}":               "..1..2..4..8",
		"for i := range 4 {\n\tif i == 3 {\n\t\tbreak\n\t}\n\tfmt.Println(fmt.Sprint(i), []int{i}, \"%\")\n}":                "0 [0] %\n1 [1] %\n2 [2] %\n",
		"old := os.Stdout\nfor range 1 {\n\tos.Stdout = os.Stderr\n\tfmt.Print(\"e\")\n}\nos.Stdout = old\nfmt.Print(\"o\")": "o",
		"for range 2 {\n\ttime.Sleep(time.Microsecond)\n\traw(\"a\")\n\tfmt.Print(1)\n}":                                     "a1a1",
	} {
		stdout, _ := outputsOf(t, head+code)
		if want == "" { // what the goroutine writes comes before what is received, and maybe earlier
			at := -1
			for i := range 3 {
				next := strings.IndexRune(stdout, rune('0'+i))
				if next < at || strings.Count(stdout[:max(next, 0)], "a") < i+1 {
					t.Errorf("%s\ngot %q", code, stdout)
				}
				at = next
			}
			continue
		}
		if stdout != want {
			t.Errorf("%s\ngot %q, want %q", code, stdout, want)
		}
	}
}
