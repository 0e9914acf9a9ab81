package command

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"gosphere/asymvlm/adapter"
	"gosphere/asymvlm/device"
	"gosphere/asymvlm/embedding"
	"gosphere/asymvlm/retrieval"
	"gosphere/install"
	"gosphere/runtime/packages"
)

func TestFindingsAreAligned(t *testing.T) {
	var out bytes.Buffer
	if err := printFindings(&out, []finding{{good, "version", "1"}, {missing, "jupyter", "none"}, {remark, "gpu", "no"}}); err != nil {
		t.Fatal(err)
	}
	if want := "ok       version  1\nmissing  jupyter  none\n-        gpu      no\n"; out.String() != want {
		t.Errorf("got\n%swant\n%s", out.String(), want)
	}
}

func TestSymbolsOfAnotherReleaseAreBroken(t *testing.T) {
	archive := func(release string) func() []byte {
		return func() []byte {
			made, err := packages.Segment{GoVersion: release, Platform: "linux/amd64"}.Encode()
			if err != nil {
				t.Fatal(err)
			}
			return made
		}
	}
	release, _, _ := strings.Cut(runtime.Version(), " ")
	if got := findSymbols(archive(release)); got.mark != good || !strings.Contains(got.text, release) {
		t.Errorf("same release: %+v", got)
	}
	if got := findSymbols(archive("go1.1")); got.mark != broken || !strings.Contains(got.text, "make symbols") {
		t.Errorf("another release: %+v", got)
	}
	if got := findSymbols(nil); got.mark != missing {
		t.Errorf("no symbols: %+v", got)
	}
	if got := findSymbols(func() []byte { return []byte("damaged") }); got.mark != broken {
		t.Errorf("damaged symbols: %+v", got)
	}
}

func TestMachineIsDescribed(t *testing.T) {
	if got := findProcessor("A processor"); !strings.HasPrefix(got.text, "A processor, ") || !strings.Contains(got.text, " cores") {
		t.Errorf("got %+v", got)
	}
	if got := findProcessor(""); strings.HasPrefix(got.text, ",") {
		t.Errorf("a processor without name gives %+v", got)
	}
	if got := findDevice(); !strings.Contains(got.text, "threads") {
		t.Errorf("got %+v", got)
	}
	if got := findMemory(24<<30, 3<<29); got.text != "24.0 GiB, 1.5 GiB free" {
		t.Errorf("got %+v", got)
	}
	if got := findMemory(8<<30, 0); got.text != "8.0 GiB" {
		t.Errorf("got %+v", got)
	}
	if got := findMemory(0, 0); got.mark != remark {
		t.Errorf("got %+v", got)
	}
	if runtime.GOOS == "linux" {
		if total, free := memory(); total == 0 || free > total {
			t.Errorf("%d bytes of memory, %d free", total, free)
		}
	}
}

func TestKernelspecsAreComparedWithThisProgram(t *testing.T) {
	host := jupyterAt(t, t.TempDir())
	if got := findKernelspecs(host, nil); len(got) != 1 || got[0].mark != missing || !strings.Contains(got[0].text, "gosphere install") {
		t.Errorf("nothing installed: %+v", got)
	}
	spec, err := host.Install(install.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		answer string
		err    error
		mark   string
		want   string
	}{
		{Banner(), nil, good, "this version"},
		{"gosphere 0.0.1", nil, remark, "another version (gosphere 0.0.1)"},
		{"", errors.New("exec format error"), broken, "exec format error"},
	} {
		got := findKernelspecs(host, func(binary string) (string, error) {
			if binary != spec.Binary {
				t.Errorf("asks %s", binary)
			}
			return test.answer, test.err
		})
		if len(got) != 1 || got[0].mark != test.mark || !strings.Contains(got[0].text, test.want) || !strings.Contains(got[0].text, spec.Folder) {
			t.Errorf("answer %q, %v: %+v", test.answer, test.err, got)
		}
	}
	if err := os.Remove(spec.Binary); err != nil {
		t.Fatal(err)
	}
	if got := findKernelspecs(host, askVersion); len(got) != 1 || got[0].mark != broken || !strings.Contains(got[0].text, "does not exist") {
		t.Errorf("missing program: %+v", got)
	}
}

const jupyterTable = `Selected Jupyter core packages...
IPython          : 8.31.0
ipykernel        : not installed
jupyter_client   : 8.6.3
jupyterlab       : 4.3.4
notebook         : not installed
`

func TestJupyterIsFoundOnThePath(t *testing.T) {
	look := func(name string) (string, error) { return "/opt/bin/" + name, nil }
	for _, test := range []struct {
		name   string
		look   func(string) (string, error)
		output string
		err    error
		want   finding
	}{
		{"a table", look, jupyterTable, nil, finding{good, "jupyter", "/opt/bin/jupyter: jupyter_client 8.6.3, jupyterlab 4.3.4"}},
		{"one version", look, "4.5.0\n", nil, finding{good, "jupyter", "/opt/bin/jupyter: 4.5.0"}},
		{"something else", look, "hello: world\n", nil, finding{remark, "jupyter", "/opt/bin/jupyter: no version found in what it prints"}},
		{"no answer", look, "", errors.New("no answer within 20s"), finding{broken, "jupyter", "/opt/bin/jupyter --version: no answer within 20s"}},
	} {
		got := findJupyter(test.look, func(string, ...string) (string, error) { return test.output, test.err })
		if got != test.want {
			t.Errorf("%s: got %+v, want %+v", test.name, got, test.want)
		}
	}
	absent := findJupyter(func(string) (string, error) { return "", errors.New("not found") }, nil)
	if absent.mark != missing || !strings.Contains(absent.text, "pip install jupyterlab") {
		t.Errorf("absent: %+v", absent)
	}
}

func TestFoldersAreThereOrNot(t *testing.T) {
	folder := t.TempDir()
	file := filepath.Join(folder, "file")
	if err := os.WriteFile(file, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{folder: good, filepath.Join(folder, "none"): remark, file: broken} {
		if got := findFolder("search", path); got.mark != want || !strings.Contains(got.text, path) {
			t.Errorf("%s: %+v, want %s", path, got, want)
		}
	}
	if got := findFolders(jupyterAt(t, folder)); len(got) == 0 || !strings.Contains(got[0].text, filepath.Join(folder, "kernels")) {
		t.Errorf("got %+v", got)
	}
}

func TestDriverIsSeenByItsFilesOrItsProgram(t *testing.T) {
	file := filepath.Join(t.TempDir(), "nvidia0")
	if err := os.WriteFile(file, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	none := func(string) (string, error) { return "", errors.New("not found") }
	for name, test := range map[string]struct {
		got  finding
		want string
	}{
		"file":    {findGPU([]string{file + ".none", file}, none), "an NVIDIA driver is seen (" + file + ")"},
		"program": {findGPU(nil, func(string) (string, error) { return file, nil }), "an NVIDIA driver is seen (" + file + ")"},
		"nothing": {findGPU([]string{file + ".none"}, none), "no NVIDIA driver is seen"},
	} {
		if !strings.HasPrefix(test.got.text, "this build has no GPU support") || !strings.HasSuffix(test.got.text, test.want) {
			t.Errorf("%s: %+v", name, test.got)
		}
	}
	files := driverFiles(func(string) string { return "C:/Windows" })
	if last := files[len(files)-1]; !strings.Contains(last, "nvcuda.dll") {
		t.Errorf("Windows keeps the driver in %s", last)
	}
}

// A card says what it does not do, in the place where one looks whether it is used.
func TestDoctorSaysWhatIsNotTrainedOnTheCard(t *testing.T) {
	if _, err := device.Card(); err == nil {
		t.Skip("this build has a card of its own")
	}
	card := device.NewCPU(1)
	defer card.Close()
	device.OfferCUDA(func() (device.Device, error) { return card, nil })
	defer device.OfferCUDA(nil)
	got := findGPU(nil, func(string) (string, error) { return "", errors.New("not found") })
	if want := "whole trainings stay there, but for losses of your own and bayesvlm"; got.mark != good || !strings.Contains(got.text, want) {
		t.Errorf("got %+v, want %s", got, want)
	}
}

// A training that nobody sent to the processor says in one line why it is there although a card is, and so does its result.
func TestTrainingsAndResultsTellWhyACardIsNotUsed(t *testing.T) {
	if _, err := device.Card(); err == nil {
		t.Skip("this build has a card of its own")
	}
	t.Cleanup(func() {
		device.OfferCUDA(nil)
		if err := device.Use(""); err != nil {
			t.Error(err)
		}
	})
	ended, end := context.WithCancel(t.Context())
	end()
	for why, want := range map[string]string{"the card is busy": "the card is not used, all runs on cpu (", "": ""} {
		device.OfferCUDA(nil)
		if why != "" {
			device.OfferCUDA(func() (device.Device, error) { return nil, errors.New(why) })
		}
		var stdout, stderr strings.Builder
		if status := Main([]string{"version", "--device", "auto"}, Preloaded{}, &stdout, &stderr); status != 0 {
			t.Fatalf("status %d: %s", status, stderr.String())
		}
		stderr.Reset()
		var train Train
		if err := parse(t, &train, "--dataset", "world", "--method", "asymvlm-vmf", "--checkpoints", t.TempDir()); err != nil {
			t.Fatal(err)
		}
		_ = train.run(ended, &stdout, &stderr) // which trains nothing
		if lines := strings.Count(stderr.String(), "the card is not used"); !strings.HasPrefix(stderr.String(), want) || !strings.Contains(stderr.String(), why) || lines != min(1, len(why)) {
			t.Errorf("a card with the error %q: %q", why, stderr.String())
		}
		stderr.Reset()
		if err := (Eval{selection: train.selection}).run(io.Discard, &stderr); err == nil || !strings.HasPrefix(stderr.String(), want) || strings.Contains(stderr.String(), "card") != (why != "") {
			t.Errorf("an evaluation beside a card with the error %q: %q, %v", why, stderr.String(), err)
		}
		if text, err := json.Marshal(measured(&embedding.Set{}, adapter.Options{}, &retrieval.Report{})); err != nil ||
			strings.Contains(string(text), `"card_not_used":"`+why+`"`) != (why != "") || strings.Contains(string(text), "card_not_used") != (why != "") {
			t.Errorf("a card with the error %q: result %s, error %v", why, text, err)
		}
	}
}

func TestSilentProgramIsAnError(t *testing.T) {
	if _, err := capture(filepath.Join(t.TempDir(), "none")); err == nil {
		t.Error("a program that does not exist answers")
	}
}

func TestWrongDeviceIsToldByDoctorAndEndsTheCommand(t *testing.T) {
	var stdout, stderr strings.Builder
	for name, want := range map[string]string{
		"tpu":  `gosphere: device: "tpu" is no device, want cpu, cuda or auto`,
		"cuda": "gosphere: device: this build has no GPU support; make one",
	} {
		stderr.Reset()
		if status := Main([]string{"version", "--device", name}, Preloaded{}, &stdout, &stderr); status != 1 {
			t.Errorf("%s: status %d", name, status)
		}
		if _, err := device.Card(); name == "cuda" && err == nil {
			continue // a build with GPU support, and a card
		}
		if !strings.HasPrefix(stderr.String(), want) {
			t.Errorf("%s: %q, want %q", name, stderr.String(), want)
		}
	}
	if err := device.Use("auto"); err != nil {
		t.Fatal(err)
	}
	if got := findDevice(); got.mark != good {
		t.Errorf("auto: %v", got)
	}
}
