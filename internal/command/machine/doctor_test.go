package machine

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"gosphere/asymvlm/device"
	"gosphere/install/kernelspec"
	"gosphere/internal/command/process"
	"gosphere/internal/testing/devicetest"
	"gosphere/runtime/session"
	"gosphere/runtime/session/archivetest"
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
	archive := func(release string) func() []string {
		return func() []string { return []string{archivetest.Types(t, release)} }
	}
	release, _, _ := strings.Cut(runtime.Version(), " ")
	if got := findSymbols(session.Packages{Archives: archive(release)}); got.mark != good || !strings.Contains(got.text, release) {
		t.Errorf("same release: %+v", got)
	}
	if got := findSymbols(session.Packages{Archives: archive("go1.1")}); got.mark != broken || !strings.Contains(got.text, "make symbols") {
		t.Errorf("another release: %+v", got)
	}
	if got := findSymbols(session.Packages{}); got.mark != missing {
		t.Errorf("no symbols: %+v", got)
	}
	if got := findSymbols(session.Packages{Archives: func() []string { return []string{"damaged"} }}); got.mark != broken {
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
	spec, err := host.Install(kernelspec.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		answer string
		err    error
		mark   string
		want   string
	}{
		{process.Banner(), nil, good, "this version"},
		{"gosphere 0.0.1", nil, remark, "a different version (gosphere 0.0.1)"},
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
		{"something else", look, "hello: world\n", nil, finding{remark, "jupyter", "/opt/bin/jupyter: no version in its output"}},
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
		"file":    {findGPU([]string{file + ".none", file}, none), "; NVIDIA driver found (" + file + ")"},
		"program": {findGPU(nil, func(string) (string, error) { return file, nil }), "; NVIDIA driver found (" + file + ")"},
		"nothing": {findGPU([]string{file + ".none"}, none), "no NVIDIA driver found"},
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

// For a GPU, doctor also reports what is not trained on it.
func TestDoctorSaysWhatIsNotTrainedOnTheCard(t *testing.T) {
	if _, err := device.Card(); err == nil {
		t.Skip("this build has a card of its own")
	}
	card := device.NewCPU(1)
	defer card.Close()
	device.OfferCUDA(func() (device.Device, error) { return card, nil })
	defer device.OfferCUDA(nil)
	got := findGPU(nil, func(string) (string, error) { return "", errors.New("not found") })
	if want := "complete trainings run there, except custom losses and bayesvlm"; got.mark != good || !strings.Contains(got.text, want) {
		t.Errorf("got %+v, want %s", got, want)
	}
}

func TestSilentProgramIsAnError(t *testing.T) {
	if _, err := capture(filepath.Join(t.TempDir(), "none")); err == nil {
		t.Error("a program that does not exist answers")
	}
}

func TestDoctorAndVersionTellThePrecision(t *testing.T) {
	devicetest.ChoosePrecision(t, "")
	t.Setenv(device.PrecisionVariable, "")
	if got := findPrecision(); got != (finding{good, "precision", "adapters are trained with products in float32"}) || strings.Contains(process.Versions(), "float") {
		t.Errorf("%v, %s", got, process.Versions())
	}
	t.Setenv(device.PrecisionVariable, "bfloat16")
	if got := findPrecision(); got.mark != good || !strings.HasPrefix(got.text, "adapters are trained with products of bfloat16") ||
		!strings.Contains(process.Versions(), "), trainings in bfloat16") {
		t.Errorf("%v, %s", got, process.Versions())
	}
	t.Setenv(device.PrecisionVariable, "fp8")
	want := `GOSPHERE_PRECISION=fp8: "fp8" is no precision, want float32 or bfloat16`
	if got := findPrecision(); got != (finding{broken, "precision", want}) || !strings.Contains(process.Versions(), "trainings in no precision: device: "+want) {
		t.Errorf("%v, %s", got, process.Versions())
	}
}

func TestTheDeviceAutoIsGood(t *testing.T) {
	if err := device.Use("auto"); err != nil {
		t.Fatal(err)
	}
	if got := findDevice(); got.mark != good {
		t.Errorf("auto: %v", got)
	}
}

func TestFindingsAreObjectsInJSON(t *testing.T) {
	var out strings.Builder
	if err := printJSON(&out, []finding{{missing, "jupyter", "none <here>"}}); err != nil {
		t.Fatal(err)
	}
	if want := "[\n  {\n    \"mark\": \"missing\",\n    \"subject\": \"jupyter\",\n    \"text\": \"none <here>\"\n  }\n]\n"; out.String() != want {
		t.Errorf("got %s", out.String())
	}
}

func TestTheJupyterBesideTheProgramIsFound(t *testing.T) {
	folder := t.TempDir()
	nowhere := func(string) (string, error) { return "", errors.New("not found") }
	look := beside(filepath.Join(folder, "gosphere"), nowhere)
	if path, err := look("jupyter"); err == nil {
		t.Errorf("found %s", path)
	}
	name := "jupyter"
	if runtime.GOOS == "windows" {
		name += ".exe"
	}
	if err := os.WriteFile(filepath.Join(folder, name), []byte("#!/bin/sh\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	if path, err := look("jupyter"); err != nil || path != filepath.Join(folder, name) {
		t.Errorf("found %s, %v", path, err)
	}
}
