package laboratory

import (
	"bufio"
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// asProgram is the environment variable that makes this test binary the program gosphere.
const asProgram = "GOSPHERE_TEST_AS_PROGRAM"

// startProgram starts gosphere as a separate process.
func startProgram(t *testing.T, arguments ...string) (process *exec.Cmd, stderr *bufio.Scanner) {
	t.Helper()
	process = exec.Command(os.Args[0], arguments...)
	process.Env = append(os.Environ(), asProgram+"=1")
	pipe, err := process.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := process.Start(); err != nil {
		t.Fatal(err)
	}
	return process, bufio.NewScanner(pipe)
}

// killInTheMiddle starts a training and kills it after its fifth epoch of ten. On a slow machine
// the training may have ended before; it is then started again.
func killInTheMiddle(t *testing.T, folder string, arguments []string) {
	t.Helper()
	for range 50 {
		killed, lines := startProgram(t, arguments...)
		for lines.Scan() {
			if strings.HasPrefix(lines.Text(), "step 80 of 160, ") { // the checkpoint of epoch 4 or 5 is there
				break
			}
		}
		if err := killed.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		if err := killed.Wait(); err != nil {
			return
		}
		if err := os.RemoveAll(folder); err != nil {
			t.Fatal(err)
		}
	}
	t.Fatal("each training ended before it was killed")
}

// A training that is killed, not stopped, resumes from its last checkpoint and produces the same
// file as an uninterrupted one.
func TestKilledTrainingResumesToTheSameBytes(t *testing.T) {
	folder := t.TempDir()
	arguments := func(place string) []string {
		return []string{"train", "--dataset", "world", "--method", "asymvlm-psd", "--seeds", "3", "--schedule", "small", "--epochs", "10", "--lr", "0.1",
			"--every", "1", "--checkpoints", filepath.Join(folder, place)}
	}
	killInTheMiddle(t, filepath.Join(folder, "killed"), arguments("killed"))
	resumed, lines := startProgram(t, append(arguments("killed"), "--resume")...)
	var log bytes.Buffer
	for lines.Scan() {
		log.WriteString(lines.Text() + "\n")
	}
	if err := resumed.Wait(); err != nil {
		t.Fatalf("%v\n%s", err, &log)
	}
	if strings.Contains(log.String(), "step 16 of 160") || !strings.Contains(log.String(), "step 160 of 160") {
		t.Errorf("the resumed training wrote\n%s", &log)
	}
	through, lines := startProgram(t, arguments("through")...)
	for lines.Scan() {
		continue
	}
	if err := through.Wait(); err != nil {
		t.Fatal(err)
	}
	var files [2][]byte
	for i, place := range []string{"killed", "through"} {
		var err error
		if files[i], err = os.ReadFile(filepath.Join(folder, place, "world", "3", "asymvlm-psd.safetensors")); err != nil {
			t.Fatal(err)
		}
	}
	if !bytes.Equal(files[0], files[1]) {
		t.Error("the checkpoints differ")
	}
}

func TestResumingWithOtherSettingsTellsThemLineByLine(t *testing.T) {
	folder := t.TempDir()
	arguments := []string{"train", "--dataset", "world", "--epochs", "1", "--hidden", "8", "--batch", "2000", "--checkpoints", folder}
	run := func(more ...string) (text string, err error) {
		process := exec.Command(os.Args[0], append(arguments, more...)...)
		process.Env = append(os.Environ(), asProgram+"=1")
		output, err := process.CombinedOutput()
		return string(output), err
	}
	if text, err := run(); err != nil {
		t.Fatal(text)
	}
	text, err := run("--resume", "--lr", "0.5", "--epochs", "2")
	var exit *exec.ExitError
	if !errors.As(err, &exit) || exit.ExitCode() != 1 || !strings.Contains(text, "cannot be resumed:\n"+
		"  schedule: the checkpoint has own: 1 epochs, batch 2000, learning rate 0.1, hidden layers of 8, asked for is own: 2 epochs, batch 2000, learning rate 0.5, hidden layers of 8\n"+
		"  epochs: the checkpoint has 1, asked for is 2\n"+
		"  learning rate: the checkpoint has 0.1, asked for is 0.5\n") {
		t.Errorf("%v, %s", err, text)
	}
}
