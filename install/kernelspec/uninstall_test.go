package kernelspec

import (
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"
)

func TestUninstallRemovesWhatInstallWrote(t *testing.T) {
	e := machine(t)
	spec := install(t, e, Options{})
	writeFile(t, filepath.Join(spec.Folder, "gosphere.123.new"+retired), "an older program")
	removed, err := e.Uninstall("", Place{})
	if err != nil || !reflect.DeepEqual(removed, []Removed{{Folder: spec.Folder}}) {
		t.Errorf("got %+v, %v", removed, err)
	}
	if _, err := os.Stat(spec.Folder); !os.IsNotExist(err) {
		t.Errorf("the folder is still there: %v", err)
	}
	if got := names(t, filepath.Dir(spec.Folder)); len(got) != 0 {
		t.Errorf("beside it there is %q", got)
	}
}

func TestFilesOfTheUserStay(t *testing.T) {
	e := machine(t)
	spec := install(t, e, Options{})
	writeFile(t, filepath.Join(spec.Folder, "kernel.js"), "mine")
	removed, err := e.Uninstall("GoSphere", Place{User: true})
	if err != nil || !reflect.DeepEqual(removed, []Removed{{spec.Folder, []string{"kernel.js"}}}) {
		t.Errorf("got %+v, %v", removed, err)
	}
	if got := names(t, spec.Folder); !slices.Equal(got, []string{"kernel.js"}) {
		t.Errorf("the folder holds %q", got)
	}
}

func TestUninstallWithoutPlaceCleansAllFolders(t *testing.T) {
	root := t.TempDir()
	e := machine(t, "JUPYTER_PATH="+filepath.Join(root, "named"), "VIRTUAL_ENV="+filepath.Join(root, "v"))
	user := install(t, e, Options{})
	environment := install(t, e, Options{Place: Place{SysPrefix: true}})
	other := install(t, e, Options{Name: "other"})
	removed, err := e.Uninstall("gosphere", Place{})
	if err != nil || !reflect.DeepEqual(removed, []Removed{{Folder: environment.Folder}, {Folder: user.Folder}}) {
		t.Errorf("got %+v, %v", removed, err)
	}
	if listed := e.List(); len(listed) != 1 || listed[0] != other {
		t.Errorf("left are %+v", listed)
	}
}

func TestUninstallOfAPlaceLeavesOthers(t *testing.T) {
	e := machine(t, "VIRTUAL_ENV="+t.TempDir())
	user := install(t, e, Options{})
	install(t, e, Options{Place: Place{SysPrefix: true}})
	if removed, err := e.Uninstall("gosphere", Place{SysPrefix: true}); err != nil || len(removed) != 1 {
		t.Errorf("got %+v, %v", removed, err)
	}
	if listed := e.List(); len(listed) != 1 || listed[0].Folder != user.Folder {
		t.Errorf("left are %+v", listed)
	}
}

func TestUninstallOfNothingSaysWhereItLooked(t *testing.T) {
	e := machine(t)
	_, err := e.Uninstall("absent", Place{})
	if err == nil || !strings.Contains(err.Error(), "no kernelspec absent in "+e.Folders()[0]) {
		t.Errorf("got %v", err)
	}
}

func TestBrokenKernelspecCanBeRemoved(t *testing.T) {
	e := machine(t)
	spec := install(t, e, Options{})
	if err := os.Remove(spec.Binary); err != nil {
		t.Fatal(err)
	}
	if removed, err := e.Uninstall("gosphere", Place{}); err != nil || len(removed) != 1 {
		t.Errorf("got %+v, %v", removed, err)
	}
}

func TestListTellsWhyAKernelCannotStart(t *testing.T) {
	e := machine(t)
	for _, test := range []struct {
		name string
		harm func(binary string) error
		want string
	}{
		{"missing", os.Remove, "does not exist"},
		{"locked", func(binary string) error { return os.Chmod(binary, 0o644) }, "may not be executed"},
		{"folder", func(binary string) error {
			if err := os.Remove(binary); err != nil {
				return err
			}
			return os.Mkdir(binary, 0o755)
		}, "is not a program"},
	} {
		if test.name == "locked" && runtime.GOOS == "windows" {
			continue
		}
		spec := install(t, e, Options{Name: test.name})
		if err := test.harm(spec.Binary); err != nil {
			t.Fatal(err)
		}
		listed := e.List()
		at := slices.IndexFunc(listed, func(k Kernelspec) bool { return k.Name == test.name })
		if at < 0 || listed[at].Broken == nil || !strings.Contains(listed[at].Broken.Error(), spec.Binary) || !strings.Contains(listed[at].Broken.Error(), test.want) {
			t.Errorf("%s: listed %+v, want a reason with %q", test.name, listed, test.want)
		}
	}
}

func TestListMarksHiddenKernelspecs(t *testing.T) {
	e := machine(t, "VIRTUAL_ENV="+t.TempDir())
	install(t, e, Options{})
	install(t, e, Options{Place: Place{SysPrefix: true}})
	listed := e.List()
	if len(listed) != 2 || listed[0].Hidden || !listed[1].Hidden {
		t.Errorf("listed %+v", listed)
	}
}

func TestListFindsKernelspecsWrittenByHand(t *testing.T) {
	e := machine(t)
	prefix := t.TempDir()
	folder := filepath.Join(prefix, "share", "jupyter", "kernels", "mine")
	writeFile(t, filepath.Join(folder, "gosphere-v2.exe"), "")
	writeFile(t, filepath.Join(folder, "kernel.json"), `{"argv":["{resource_dir}/gosphere-v2.exe","kernel","{connection_file}"],"display_name":"Mine","language":"go"}`)
	listed := e.List(prefix)
	if len(listed) != 1 || listed[0].Broken != nil || listed[0].DisplayName != "Mine" || listed[0].Name != "mine" {
		t.Errorf("listed %+v", listed)
	}
}

func TestNamesThatJupyterRefusesAreRefused(t *testing.T) {
	for _, name := range []string{"gosphere", "Go_1.26-rc1", "a", "-"} {
		if err := CheckName(name); err != nil {
			t.Errorf("%q: %v", name, err)
		}
	}
	e := machine(t)
	for _, name := range []string{".", "..", "a/b", `a\b`, "gö", "a b", ".hidden", "end.", "a\n", "../gosphere"} {
		if CheckName(name) == nil {
			t.Errorf("%q is allowed", name)
		}
		if _, err := e.Install(Options{Name: name}); err == nil {
			t.Errorf("%q is installed", name)
		}
		if _, err := e.Uninstall(name, Place{}); err == nil || !strings.Contains(err.Error(), "want ASCII letters") {
			t.Errorf("%q: uninstall gives %v", name, err)
		}
	}
}
