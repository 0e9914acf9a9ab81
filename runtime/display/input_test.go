package display

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"

	"gosphere/internal/host"
)

// question is a question that the simulated user of a test received.
type question struct {
	text     string
	password bool
}

// answering binds a user who replies with one answer or error, and records the questions.
func answering(t *testing.T, answer string, err error) *[]question {
	t.Helper()
	asked := &[]question{}
	t.Cleanup(host.Enter(cell{ask: func(text string, password bool) (string, error) {
		*asked = append(*asked, question{text, password})
		return answer, err
	}}))
	return asked
}

func TestPromptAsksTheHost(t *testing.T) {
	asked := answering(t, "Bob", nil)
	if answer, err := Prompt("name? "); answer != "Bob" || err != nil {
		t.Errorf("Prompt: %q, %v", answer, err)
	}
	if answer, err := Password("key: "); answer != "Bob" || err != nil {
		t.Errorf("Password: %q, %v", answer, err)
	}
	if want := (question{"name? ", false}); len(*asked) != 2 || (*asked)[0] != want || !(*asked)[1].password {
		t.Errorf("questions %v", *asked)
	}
}

func TestAQuestionThatFailsReturnsTheReason(t *testing.T) {
	reason := errors.New("nobody there")
	answering(t, "ignored", reason)
	answer, err := Prompt("name? ")
	if answer != "" || !errors.Is(err, reason) || err.Error() != `display: asking "name? ": nobody there` {
		t.Errorf("%q, %v", answer, err)
	}
}

func TestCompiledProgramsAskOnTheirOwnStreams(t *testing.T) {
	path := filepath.Join(t.TempDir(), "input")
	if err := os.WriteFile(path, []byte("Ann\r\nrest\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	var out bytes.Buffer
	stdin, write := os.Stdin, fallback
	defer func() { os.Stdin, fallback = stdin, write }()
	os.Stdin, fallback = file, func() io.Writer { return &out }
	if answer, err := Prompt("name? "); answer != "Ann" || err != nil || out.String() != "name? " {
		t.Errorf("%q, %v after %q", answer, err, out.String())
	}
	if rest, _ := io.ReadAll(file); string(rest) != "rest\n" {
		t.Errorf("left for others: %q", rest)
	}
	if _, err := Prompt("more? "); !errors.Is(err, io.EOF) {
		t.Errorf("at the end of the input: %v", err)
	}
}

func TestLinesEndAtTheirEndOrTheInputs(t *testing.T) {
	for text, want := range map[string]string{"a b\nc": "a b", "\n": "", "last": "last", "é\r\n": "é"} {
		if got, err := readLine(iotest.DataErrReader(strings.NewReader(text))); got != want || err != nil {
			t.Errorf("%q: %q, %v", text, got, err)
		}
	}
	broken := errors.New("broken")
	if _, err := readLine(iotest.ErrReader(broken)); err != broken {
		t.Errorf("error %v", err)
	}
}
