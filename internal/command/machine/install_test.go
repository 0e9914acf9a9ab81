package machine

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/alecthomas/kong"

	"gosphere/install/kernelspec"
	"gosphere/kernel/protocol"
)

// jupyterAt returns an environment whose user folder is below a temporary one.
func jupyterAt(t *testing.T, data string) kernelspec.Environment {
	t.Helper()
	program := filepath.Join(t.TempDir(), "program")
	if err := os.WriteFile(program, []byte("the program"), 0o755); err != nil {
		t.Fatal(err)
	}
	return kernelspec.Environment{OS: runtime.GOOS, Executable: program, Variable: func(name string) string {
		if name == "JUPYTER_DATA_DIR" {
			return data
		}
		return ""
	}}
}

// wantLines reports texts that are missing from an output.
func wantLines(t *testing.T, got string, want ...string) {
	t.Helper()
	for _, text := range want {
		if !strings.Contains(got, text) {
			t.Errorf("%q is not in\n%s", text, got)
		}
	}
}

func TestInstallSaysWhereAndWhatNext(t *testing.T) {
	data := t.TempDir()
	var out bytes.Buffer
	if err := (Install{Name: "gosphere", DisplayName: "Go (gosphere)"}).install(jupyterAt(t, data), &out); err != nil {
		t.Fatal(err)
	}
	folder := filepath.Join(data, "kernels", "gosphere")
	wantLines(t, out.String(), "kernelspec  "+folder+"\n", "program     "+filepath.Join(folder, "gosphere"), `Next: start jupyter lab and choose "Go (gosphere)".`)
	if strings.Contains(out.String(), "JUPYTER_PATH") {
		t.Errorf("a folder that Jupyter searches needs no variable:\n%s", out.String())
	}
}

func TestKernelspecNamesTheProtocolOfTheKernel(t *testing.T) {
	if kernelspec.ProtocolVersion != protocol.Version {
		t.Errorf("kernelspecs say %s, the kernel %s", kernelspec.ProtocolVersion, protocol.Version)
	}
}

func TestInstallBesideJupytersFoldersSaysHowToReachIt(t *testing.T) {
	prefix := t.TempDir()
	var out bytes.Buffer
	if err := (Install{Place: Place{Prefix: prefix}}).install(jupyterAt(t, t.TempDir()), &out); err != nil {
		t.Fatal(err)
	}
	wantLines(t, out.String(), "JUPYTER_PATH="+filepath.Join(prefix, "share", "jupyter")+"\n")
}

func TestListShowsWhatWorksAndWhatDoesNot(t *testing.T) {
	host := jupyterAt(t, t.TempDir())
	var out bytes.Buffer
	if err := (List{}).list(host, &out); err != nil {
		t.Fatal(err)
	}
	wantLines(t, out.String(), "run: gosphere install")
	spec, err := host.Install(kernelspec.Options{Name: "broken"})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(spec.Binary); err != nil {
		t.Fatal(err)
	}
	whole, err := host.Install(kernelspec.Options{Name: "whole", DisplayName: "Go"})
	if err != nil {
		t.Fatal(err)
	}
	out.Reset()
	if err := (List{JSON: true}).list(host, &out); err != nil {
		t.Fatal(err)
	}
	var listed []map[string]string
	if err := json.Unmarshal(out.Bytes(), &listed); err != nil || len(listed) != 2 || listed[1]["display_name"] != "Go" || listed[1]["condition"] != "ok" {
		t.Errorf("as JSON %v, %s", err, out.String())
	}
	out.Reset()
	if err := (List{}).list(host, &out); err != nil {
		t.Fatal(err)
	}
	wantLines(t, out.String(), "broken: the program "+spec.Binary+" does not exist", "whole   Go ", "  ok  ", whole.Folder+"\n")
	if got := condition(kernelspec.Kernelspec{Hidden: true}); !strings.Contains(got, "hidden") {
		t.Errorf("a hidden kernelspec is %q", got)
	}
}

func TestUninstallSaysWhatItRemoved(t *testing.T) {
	host := jupyterAt(t, t.TempDir())
	spec, err := host.Install(kernelspec.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(spec.Folder, "notes.txt"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := (Uninstall{Name: "gosphere"}).uninstall(host, &out); err != nil {
		t.Fatal(err)
	}
	wantLines(t, out.String(), "removed "+spec.Folder+"\n", "did not write: notes.txt\n")
	if err := (Uninstall{Name: "gosphere"}).uninstall(host, &out); err == nil || !strings.Contains(err.Error(), "no kernelspec gosphere") {
		t.Errorf("removing it twice gives %v", err)
	}
}

func TestInstallFlags(t *testing.T) {
	var line struct {
		Install   Install   `cmd:""`
		List      List      `cmd:""`
		Uninstall Uninstall `cmd:""`
	}
	parser, err := kong.New(&line, kong.Exit(func(int) {}), kong.Vars{"kernelName": "gosphere", "displayName": "Go (gosphere)"})
	if err != nil {
		t.Fatal(err)
	}
	parse := func(arguments ...string) error {
		_, err := parser.Parse(arguments)
		return err
	}
	if err := parse("install"); err != nil || line.Install.Name != kernelspec.DefaultName || line.Install.DisplayName != kernelspec.DefaultDisplayName || line.Install.where() != (kernelspec.Place{}) {
		t.Errorf("without flags: %+v, %v", line.Install, err)
	}
	if err := parse("install", "--sys-prefix", "--name", "go2", "--display-name", "Go 2"); err != nil || !line.Install.SysPrefix || line.Install.Name != "go2" || line.Install.DisplayName != "Go 2" {
		t.Errorf("with flags: %+v, %v", line.Install, err)
	}
	if err := parse("install", "--user", "--sys-prefix"); err == nil {
		t.Error("two places at once are allowed")
	}
	if err := parse("list", "--prefix", "/a", "--prefix", "/b"); err != nil || len(line.List.Prefix) != 2 {
		t.Errorf("list: %+v, %v", line.List, err)
	}
	if err := parse("uninstall", "--prefix", "/a"); err != nil || line.Uninstall.where() != (kernelspec.Place{Prefix: "/a"}) && runtime.GOOS != "windows" {
		t.Errorf("uninstall: %+v, %v", line.Uninstall, err)
	}
}
