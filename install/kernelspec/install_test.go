package kernelspec

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"errors"
	"image/png"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"runtime"
	"strings"
	"testing"
)

// machine returns an environment of this platform in a temporary folder, with a program to install.
func machine(t *testing.T, variables ...string) Environment {
	t.Helper()
	root := t.TempDir()
	e := environment(runtime.GOOS, filepath.Join(root, "ada"), append(variables, "APPDATA="+filepath.Join(root, "roaming"))...)
	e.Executable = filepath.Join(root, "download", "gosphere-new")
	writeFile(t, e.Executable, "the program")
	return e
}

func writeFile(t *testing.T, name, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o755); err != nil {
		t.Fatal(err)
	}
}

func readFile(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// names returns the names of the files in a folder.
func names(t *testing.T, folder string) []string {
	t.Helper()
	entries, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	var found []string
	for _, entry := range entries {
		found = append(found, entry.Name())
	}
	return found
}

func install(t *testing.T, e Environment, options Options) Kernelspec {
	t.Helper()
	spec, err := e.Install(options)
	if err != nil {
		t.Fatal(err)
	}
	return spec
}

// wholeKernelspec lists the contents of a folder after Install.
func wholeKernelspec(e Environment) []string {
	return []string{e.binaryName(), "kernel.json", "logo-32x32.png", "logo-64x64.png", "logo-svg.svg"}
}

func TestInstalledKernelspecIsWhatJupyterNeeds(t *testing.T) {
	e := machine(t)
	spec := install(t, e, Options{})
	if got := names(t, spec.Folder); !reflect.DeepEqual(got, wholeKernelspec(e)) {
		t.Errorf("the folder holds %q", got)
	}
	var content map[string]any
	if err := json.Unmarshal([]byte(readFile(t, filepath.Join(spec.Folder, "kernel.json"))), &content); err != nil {
		t.Fatal(err)
	}
	want := map[string]any{
		"argv":         []any{filepath.Join(spec.Folder, e.binaryName()), "kernel", "{connection_file}"},
		"display_name": "Go (gosphere)", "language": "go", "interrupt_mode": "message", "kernel_protocol_version": "5.6", "metadata": map[string]any{"debugger": true, "supported_encryption": []any{"curve"}},
	}
	if !reflect.DeepEqual(content, want) {
		t.Errorf("kernel.json is %v, want %v", content, want)
	}
	if spec.Name != "gosphere" || spec.Broken != nil || readFile(t, spec.Binary) != "the program" {
		t.Errorf("got %+v", spec)
	}
	if info, err := os.Stat(spec.Binary); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o755 {
		t.Errorf("the program has mode %v, %v", info.Mode(), err)
	}
}

func TestNamesAndPlacesAreChosen(t *testing.T) {
	e := machine(t)
	prefix := filepath.Join(t.TempDir(), "with [brackets] & space")
	spec := install(t, e, Options{Place: Place{Prefix: prefix}, Name: "Go-1.26_test", DisplayName: `Go "test" & more`})
	if want := filepath.Join(prefix, "share", "jupyter", "kernels", "go-1.26_test"); spec.Folder != want {
		t.Errorf("installed into %s, want %s", spec.Folder, want)
	}
	listed := e.List(prefix)
	if len(listed) != 1 || listed[0] != spec || spec.DisplayName != `Go "test" & more` {
		t.Errorf("listed %+v, want %+v", listed, spec)
	}
	if len(e.List()) != 0 {
		t.Error("a prefix that Jupyter does not search is listed without being asked for")
	}
}

func TestRelativePrefixGivesAbsoluteProgram(t *testing.T) {
	e := machine(t)
	t.Chdir(t.TempDir())
	if spec := install(t, e, Options{Place: Place{Prefix: "here"}}); !filepath.IsAbs(spec.Binary) {
		t.Errorf("the program is %s", spec.Binary)
	}
}

func TestInstallingAgainReplacesTheProgram(t *testing.T) {
	e := machine(t)
	first := install(t, e, Options{DisplayName: "old"})
	writeFile(t, e.Executable, "the next program")
	second := install(t, e, Options{})
	if readFile(t, second.Binary) != "the next program" || second.Folder != first.Folder || second.DisplayName != DefaultDisplayName {
		t.Errorf("got %+v", second)
	}
	if got := names(t, second.Folder); !reflect.DeepEqual(got, wholeKernelspec(e)) {
		t.Errorf("the folder holds %q", got)
	}
}

func TestInstalledProgramCanInstallItself(t *testing.T) {
	e := machine(t)
	spec := install(t, e, Options{})
	e.Executable = spec.Binary
	if again := install(t, e, Options{DisplayName: "renamed"}); again.DisplayName != "renamed" || readFile(t, again.Binary) != "the program" {
		t.Errorf("got %+v", again)
	}
}

// TestMain acts as the program that is replaced while it runs: it exits when its input ends.
func TestMain(m *testing.M) {
	if os.Getenv("INSTALL_TEST_WAITS") != "" {
		os.Stdout.WriteString("running\n")
		os.Stdin.Read(make([]byte, 1))
		return
	}
	os.Exit(m.Run())
}

func TestRunningProgramIsReplaced(t *testing.T) {
	e := machine(t)
	newer := e.Executable
	e.Executable, _ = os.Executable()
	spec := install(t, e, Options{})
	running := exec.Command(spec.Binary)
	running.Env = append(os.Environ(), "INSTALL_TEST_WAITS=1")
	input, err := running.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	output, err := running.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := running.Start(); err != nil {
		t.Fatal(err)
	}
	if _, err := output.Read(make([]byte, 8)); err != nil {
		t.Fatal(err)
	}
	e.Executable = newer
	if again := install(t, e, Options{}); readFile(t, again.Binary) != "the program" {
		t.Error("the old program is still there")
	}
	input.Close()
	if err := running.Wait(); err != nil {
		t.Errorf("the running program was disturbed: %v", err)
	}
	install(t, e, Options{})
	if got := names(t, spec.Folder); !reflect.DeepEqual(got, wholeKernelspec(e)) {
		t.Errorf("the folder holds %q", got)
	}
}

func TestKernelspecOfAnotherProgramStays(t *testing.T) {
	e := machine(t)
	prefix := t.TempDir()
	name := filepath.Join(prefix, "share", "jupyter", "kernels", "gonb", "kernel.json")
	for _, other := range []string{
		`{"argv":["gonb","--kernel","{connection_file}"],"language":"go"}`,
		`{"argv":["gosphere","kernel","{connection_file}"],"language":"python"}`,
		`{"argv":[],"language":"go"}`,
		`not JSON`,
	} {
		writeFile(t, name, other)
		_, err := e.Install(Options{Place: Place{Prefix: prefix}, Name: "gonb"})
		if err == nil || !strings.Contains(err.Error(), filepath.Dir(name)) {
			t.Errorf("%s: installing over it gives %v", other, err)
		}
		if _, err := e.Uninstall("gonb", Place{Prefix: prefix}); err == nil || !strings.Contains(err.Error(), filepath.Dir(name)) {
			t.Errorf("%s: uninstalling it gives %v", other, err)
		}
		if got := names(t, filepath.Dir(name)); len(got) != 1 || readFile(t, name) != other {
			t.Errorf("%s: the folder now holds %q", other, got)
		}
		if got := e.List(prefix); len(got) != 0 {
			t.Errorf("%s: listed as ours: %+v", other, got)
		}
	}
}

func TestErrorsNameThePath(t *testing.T) {
	e := machine(t)
	blocked := filepath.Join(t.TempDir(), "blocked")
	writeFile(t, blocked, "a file, not a folder")
	if _, err := e.Install(Options{Place: Place{Prefix: blocked}}); err == nil || !strings.Contains(err.Error(), blocked) {
		t.Errorf("got %v", err)
	}
	e.Executable = filepath.Join(t.TempDir(), "gone")
	spec, err := e.Install(Options{})
	if !errors.Is(err, fs.ErrNotExist) || !strings.Contains(err.Error(), e.Executable) {
		t.Errorf("got %+v, %v", spec, err)
	}
	if got := e.List(); len(got) != 0 {
		t.Errorf("a failed installation is offered: %+v", got)
	}
}

func TestFailedCopyLeavesTheOldProgram(t *testing.T) {
	name := filepath.Join(t.TempDir(), "gosphere")
	writeFile(t, name, "old")
	failing := &halfReader{}
	if err := replaceFile(name, failing, 0o755); !errors.Is(err, errHalf) || !strings.Contains(err.Error(), name) {
		t.Errorf("got %v", err)
	}
	if got := names(t, filepath.Dir(name)); len(got) != 1 || readFile(t, name) != "old" {
		t.Errorf("the folder holds %q", got)
	}
}

var errHalf = errors.New("the disk is gone")

// halfReader returns some bytes and then fails.
type halfReader struct{ given bool }

func (r *halfReader) Read(p []byte) (int, error) {
	if r.given {
		return 0, errHalf
	}
	r.given = true
	return copy(p, "half"), nil
}

func TestLogosArePicturesOfTheirSize(t *testing.T) {
	for i, edge := range []int{32, 64} {
		config, err := png.DecodeConfig(bytes.NewReader(logos()[i].content))
		if err != nil || config.Width != edge || config.Height != edge {
			t.Errorf("%s is %dx%d, %v", logos()[i].name, config.Width, config.Height, err)
		}
	}
	if err := xml.Unmarshal(logoSVG, new(struct {
		XMLName xml.Name `xml:"http://www.w3.org/2000/svg svg"`
	})); err != nil {
		t.Errorf("logo-svg.svg: %v", err)
	}
}
