package command

import (
	"bytes"
	"context"
	"os"
	"slices"
	"strings"
	"testing"

	"gosphere/runtime/session"

	"gosphere/asymvlm/device"
	"gosphere/internal/command/process"
	"gosphere/internal/testing/devicetest"
)

// asProgram is the environment variable that makes this test binary the program gosphere.
const asProgram = "GOSPHERE_TEST_AS_PROGRAM"

func TestMain(m *testing.M) {
	if os.Getenv(asProgram) != "" {
		os.Exit(Main(os.Args[1:], session.Packages{}, os.Stdout, os.Stderr))
	}
	os.Exit(m.Run())
}

func TestWrongCommandLinesPointToTheHelp(t *testing.T) {
	for help, arguments := range map[string][]string{
		"gosphere --help": {"nonsense"}, "gosphere train --help": {"train", "--epochs", "many"}, "gosphere run --help": {"run"},
		"gosphere encoder get --help": {"encoder", "get", "--nonsense"}, "gosphere export --help": {"export", "nofile.ipynb", "--to", "html"},
	} {
		var out, errs bytes.Buffer
		if status := Main(arguments, session.Packages{}, &out, &errs); status != 2 || out.Len() > 0 {
			t.Errorf("%q: status %d, output %q", arguments, status, out.String())
		}
		if text := errs.String(); !strings.HasPrefix(text, "gosphere: ") || !strings.Contains(text, "\nRun "+help) {
			t.Errorf("%q: %q", arguments, text)
		}
	}
}

func TestTheFirstWordsThatPeopleTryAreUnderstood(t *testing.T) {
	for arguments, want := range map[string]string{
		"": "--help", "help": "--help", "help train": "train --help", "--version": "version", "-v": "version", "run help": "run help", "train --help": "train --help",
	} {
		if got := strings.Join(asked(strings.Fields(arguments)), " "); got != want {
			t.Errorf("%q: %q, want %q", arguments, got, want)
		}
	}
	words := []string{"help", "train"}
	if asked(words); !slices.Equal(words, []string{"help", "train"}) {
		t.Errorf("the caller's words are now %q", words)
	}
}

func TestFlagChoosesThePrecisionBeforeTheVariable(t *testing.T) {
	devicetest.ChoosePrecision(t, "")
	t.Setenv(device.PrecisionVariable, "float32")
	var stdout, stderr strings.Builder
	if status := Main([]string{"doctor", "--precision", "bfloat16"}, session.Packages{}, &stdout, &stderr); status != 0 {
		t.Fatalf("status %d: %s", status, stderr.String())
	}
	if got, err := device.DefaultPrecision(); err != nil || got != device.BFloat16 {
		t.Errorf("precision %q, %v", got, err)
	}
	stderr.Reset()
	status := Main([]string{"doctor", "--precision", "bf16"}, session.Packages{}, &stdout, &stderr)
	if want := "gosphere: device: \"bf16\" is no precision, want float32 or bfloat16\n"; status != 1 || stderr.String() != want {
		t.Errorf("status %d, %q, want %q", status, stderr.String(), want)
	}
}

func TestAWrongDeviceEndsTheCommand(t *testing.T) {
	var stdout, stderr strings.Builder
	for name, want := range map[string]string{
		"tpu":  `gosphere: device: "tpu" is no device, want cpu, cuda or auto`,
		"cuda": "gosphere: device: this build has no GPU support; run make gpu",
	} {
		stderr.Reset()
		if status := Main([]string{"doctor", "--device", name}, session.Packages{}, &stdout, &stderr); status != 1 {
			t.Errorf("%s: status %d", name, status)
		}
		if _, err := device.Card(); name == "cuda" && err == nil {
			continue // a build with GPU support on a machine with a GPU
		}
		if !strings.HasPrefix(stderr.String(), want) {
			t.Errorf("%s: %q, want %q", name, stderr.String(), want)
		}
	}
	if err := device.Use("auto"); err != nil {
		t.Fatal(err)
	}
}

func TestChildrenPrintInOrderAndFailuresAreCounted(t *testing.T) {
	t.Setenv(asProgram, "1")
	process.ChildDevice = process.Compute{} // version has no such flags
	var stdout bytes.Buffer
	failed, err := process.RunChildren(context.Background(), [][]string{{"version"}, {"nothing"}, {"version"}}, 2, &stdout)
	if err != nil || failed != 1 {
		t.Fatalf("%d failed, %v", failed, err)
	}
	first, second, ok := strings.Cut(stdout.String(), "gosphere: ")
	if !ok || strings.TrimSpace(first) != process.Banner() || !strings.HasSuffix(strings.TrimSpace(second), process.Banner()) {
		t.Errorf("printed\n%s", stdout.String())
	}
	if _, err := process.RunChildren(context.Background(), nil, 0, &stdout); err == nil {
		t.Error("no job at once is accepted")
	}
}
