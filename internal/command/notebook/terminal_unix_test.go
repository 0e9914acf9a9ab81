//go:build !windows

package notebook_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/creack/pty"

	"gosphere/internal/command/notebook"
)

// A typist types into the program in a pseudo-terminal.
type typist struct {
	t    *testing.T
	file *os.File

	mu     sync.Mutex // guards screen
	screen bytes.Buffer
}

// escapes matches sequences that move the cursor and color the text.
var escapes = regexp.MustCompile("\x1b\\[[0-9;?]*[A-Za-z]|\x1b[\\]P][^\x07\x1b]*(\x07|\x1b\\\\)|\x1b[=>]")

func newTypist(t *testing.T, terminal string, environment ...string) (*typist, *exec.Cmd) {
	t.Helper()
	program := exec.Command(os.Args[0], "repl", "--history", "off")
	program.Env = append(os.Environ(), "GOSPHERE_TEST_AS_PROGRAM=1", "TERM="+terminal, "INPUTRC=/dev/null", notebook.ImagesVariable+"=none")
	program.Env = append(program.Env, environment...)
	file, err := pty.StartWithSize(program, &pty.Winsize{Rows: 40, Cols: 120})
	if err != nil {
		t.Skipf("no pseudo-terminal: %v", err)
	}
	p := &typist{t: t, file: file}
	// This goroutine collects the output of the program and answers its queries for the cursor
	// position. It ends with the program.
	go func() {
		part := make([]byte, 4096)
		for {
			n, err := file.Read(part)
			p.mu.Lock()
			p.screen.Write(part[:n])
			p.mu.Unlock()
			if bytes.Contains(part[:n], []byte("\x1b[6n")) {
				_, _ = file.WriteString("\x1b[1;1R")
			}
			if err != nil {
				return
			}
		}
	}()
	t.Cleanup(func() {
		_ = program.Process.Kill()
		_ = file.Close()
	})
	return p, program
}

func (p *typist) shown() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return escapes.ReplaceAllString(p.screen.String(), "")
}

// settle waits until the screen has not changed for a while: keys sent while the editor queries the
// cursor position are lost.
func (p *typist) settle() {
	for last := -1; len(p.shown()) != last; time.Sleep(80 * time.Millisecond) {
		last = len(p.shown())
	}
}

// types sends keys and waits until the screen shows a text that it has not shown before.
func (p *typist) types(keys, want string) {
	p.t.Helper()
	if keys != "" {
		p.settle()
	}
	before := strings.Count(p.shown(), want)
	if _, err := p.file.WriteString(keys); err != nil {
		p.t.Fatal(err)
	}
	for end := time.Now().Add(time.Minute); strings.Count(p.shown(), want) <= before; time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			p.t.Fatalf("after %q there is no %q but %q", keys, want, p.shown())
		}
	}
}

// interrupts presses Ctrl-C until the screen shows a text. No output shows that a cell runs, and
// until then the editor takes the keys.
func (p *typist) interrupts(want string) {
	p.t.Helper()
	for end := time.Now().Add(time.Minute); !strings.Contains(p.shown(), want); time.Sleep(100 * time.Millisecond) {
		if time.Now().After(end) {
			p.t.Fatalf("the cell is not interrupted: %q", p.shown())
		}
		p.settle()
		if _, err := p.file.WriteString("\x03"); err != nil {
			p.t.Fatal(err)
		}
	}
}

func TestCellsAreTypedInATerminal(t *testing.T) {
	p, program := newTypist(t, "xterm-256color")
	p.types("", "In [1]: ")
	const function = "func double(n int) int {\n\tif n > 2 {\n\t\treturn n\n\t}\n\n\treturn 2 * n\n}\ndouble(21) + double(2)"
	p.types("\x1b[200~"+strings.ReplaceAll(function, "\n", "\r")+"\x1b[201~", "double(2)")
	p.types("\r", "In [2]: ")
	if !strings.Contains(p.shown(), "Out[1]: 25") {
		p.t.Errorf("the pasted cell shows %q", p.shown())
	}
	p.types("for i := range 2 {\rfmt.Println(\"row\", i*7)\r}\r", "row 7") // typed, with its lines indented by the editor
	p.types("\x1b[A", "range 2")                                           // the whole cell comes back
	p.types("\r", "row 7")
	p.types("strings.ToTi\t", "strings.ToTitle")
	p.types("(\"κ\")\r", "Out[4]: Κ")
	p.types("1 +", "1 +")
	p.types("\x03", "^C") // Ctrl-C drops the cell
	p.types("for {}\r", "for {}")
	p.interrupts("In [6]: ")
	if shown := p.shown(); !strings.Contains(shown, "the cell was interrupted") || strings.Contains(shown, "Keyboard") {
		t.Errorf("the interrupt shows %q", shown)
	}
	p.types("for (\r\r\r", "In [7]: ") // two empty lines, which the editor indents, end what cannot be completed
	p.types("answer := \"\"\r", "In [8]: ")
	p.types("fmt.Print(\"na\" + \"me? \"); fmt.Scanln(&answer); answer + \"!\"\r", "name? ")
	p.types("yes\r", "Out[8]: yes!")
	p.types("exit\r", "exit")
	if err := program.Wait(); err != nil {
		t.Errorf("exit ends with %v; %q", err, p.shown())
	}
}

func TestCtrlDEndsTheTerminal(t *testing.T) {
	p, program := newTypist(t, "xterm-256color")
	p.types("", "In [1]: ")
	p.types("\x04", "\n")
	if err := program.Wait(); err != nil {
		t.Errorf("Ctrl-D ends with %v; %q", err, p.shown())
	}
}

// TestPicturesAreOpenedByTheDesktop shows a figure where the desktop's viewer is a script that
// prints its argument.
func TestPicturesAreOpenedByTheDesktop(t *testing.T) {
	folder := t.TempDir()
	opened := filepath.Join(folder, "opened")
	script := "#!/bin/sh\nhead -c 4 \"$1\" > " + opened + ".part\nmv " + opened + ".part " + opened + "\n"
	for _, name := range []string{"xdg-open", "open"} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(script), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	p, _ := newTypist(t, "xterm-256color", notebook.ImagesVariable+"=open", "PATH="+folder+":"+os.Getenv("PATH"), "TMPDIR="+folder)
	p.types("", "In [1]: ")
	p.types("figure.Lines(\"x\", \"y\", figure.Series{Values: []float64{1, 4, 9}})\r", "figure-1.png)")
	var content []byte
	for end := time.Now().Add(time.Minute); len(content) == 0 && time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		content, _ = os.ReadFile(opened)
	}
	if string(content) != "\x89PNG" {
		t.Errorf("the viewer has got a file with %q", content)
	}
}

// TestTerminalsWithoutACursorReadLines types into a terminal that would not answer where its cursor
// is.
func TestTerminalsWithoutACursorReadLines(t *testing.T) {
	p, program := newTypist(t, "dumb")
	p.types("", "In [1]: ")
	p.types("func double(n int) int {\r", "   ...: ")
	p.types("return 2 * n\r}\r", "In [2]: ")
	p.types("double(21)\r", "Out[2]: 42")
	p.types("f(\r\r\r", "In [4]: ") // two empty lines end what cannot be completed
	p.types("answer := \"\"; fmt.Print(\"na\" + \"me? \"); fmt.Scanln(&answer); answer + \"!\"\r", "name? ")
	p.types("yes\r", "Out[4]: yes!")
	p.types("for {}\r", "for {}")
	p.interrupts("In [6]: ")
	if strings.Contains(p.screen.String(), "\x1b[6n") {
		t.Error("the editor asks for the position of the cursor")
	}
	p.types("\x04", "\n")
	if err := program.Wait(); err != nil {
		t.Errorf("Ctrl-D ends with %v; %q", err, p.shown())
	}
}
