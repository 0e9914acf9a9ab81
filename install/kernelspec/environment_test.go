package kernelspec

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// environment returns a machine with the given variables, written as "NAME=value".
func environment(system, home string, variables ...string) Environment {
	values := map[string]string{}
	for _, variable := range variables {
		name, value, _ := strings.Cut(variable, "=")
		values[name] = value
	}
	return Environment{OS: system, Home: home, Variable: func(name string) string { return values[name] }}
}

func TestUserFolderIsWhereJupyterLooks(t *testing.T) {
	for _, test := range []struct {
		system, home string
		variables    []string
		want         string
	}{
		{"linux", "/h/ada", nil, "/h/ada/.local/share/jupyter/kernels"},
		{"linux", "/h/ada", []string{"XDG_DATA_HOME=/data/"}, "/data/jupyter/kernels"},
		{"linux", "/h/ada", []string{"XDG_DATA_HOME=/data", "JUPYTER_DATA_DIR=/other"}, "/other/kernels"},
		{"linux", "", []string{"JUPYTER_DATA_DIR=/other"}, "/other/kernels"},
		{"linux", "/h/ada", []string{"JUPYTER_PLATFORM_DIRS=1"}, "/h/ada/.local/share/jupyter/kernels"},
		{"freebsd", "/h/ada", nil, "/h/ada/.local/share/jupyter/kernels"},
		{"darwin", "/h/ada", nil, "/h/ada/Library/Jupyter/kernels"},
		{"darwin", "/h/ada", []string{"XDG_DATA_HOME=/data"}, "/h/ada/Library/Jupyter/kernels"},
		{"darwin", "/h/ada", []string{"JUPYTER_PLATFORM_DIRS=true"}, "/h/ada/Library/Application Support/Jupyter/kernels"},
		{"darwin", "/h/ada", []string{"JUPYTER_PLATFORM_DIRS=off"}, "/h/ada/Library/Jupyter/kernels"},
		{"windows", `C:\h\ada`, []string{`APPDATA=C:\h\ada\AppData\Roaming`}, `C:\h\ada\AppData\Roaming\jupyter\kernels`},
		{"windows", `C:\h\ada`, []string{`JUPYTER_DATA_DIR=D:\jupyter\`}, `D:\jupyter\kernels`},
		{"windows", `C:\h\ada`, nil, `C:\h\ada\.jupyter\data\kernels`},
		{"windows", `C:\h\ada`, []string{`JUPYTER_CONFIG_DIR=D:\conf`}, `D:\conf\data\kernels`},
		{"windows", `C:\h\ada`, []string{`APPDATA=C:\r`, `LOCALAPPDATA=C:\l`, "JUPYTER_PLATFORM_DIRS=1"}, `C:\l\Jupyter\kernels`},
	} {
		e := environment(test.system, test.home, test.variables...)
		for _, place := range []Place{{}, {User: true}} {
			if got, err := e.kernels(place); err != nil || got != test.want {
				t.Errorf("%s %v: got %s, %v, want %s", test.system, test.variables, got, err, test.want)
			}
		}
		if !slices.Contains(e.Folders(), test.want) {
			t.Errorf("%s %v: %s is not among the folders %q", test.system, test.variables, test.want, e.Folders())
		}
	}
}

func TestEnvironmentAndPrefixGiveFolders(t *testing.T) {
	for _, test := range []struct {
		system    string
		place     Place
		variables []string
		want      string
	}{
		{"linux", Place{SysPrefix: true}, []string{"VIRTUAL_ENV=/v", "CONDA_PREFIX=/c"}, "/v/share/jupyter/kernels"},
		{"darwin", Place{SysPrefix: true}, []string{"CONDA_PREFIX=/c/envs/lab"}, "/c/envs/lab/share/jupyter/kernels"},
		{"windows", Place{SysPrefix: true}, []string{`VIRTUAL_ENV=C:\v`}, `C:\v\share\jupyter\kernels`},
		{"linux", Place{Prefix: "/usr/local"}, nil, "/usr/local/share/jupyter/kernels"},
		{"linux", Place{Prefix: "/"}, nil, "/share/jupyter/kernels"},
		{"windows", Place{Prefix: `D:\x`}, nil, `D:\x\share\jupyter\kernels`},
	} {
		got, err := environment(test.system, "/h/ada", test.variables...).kernels(test.place)
		if err != nil || got != test.want {
			t.Errorf("%s %+v: got %s, %v, want %s", test.system, test.place, got, err, test.want)
		}
	}
}

func TestUnknownPlacesAreExplained(t *testing.T) {
	for _, test := range []struct {
		place Place
		home  string
		want  string
	}{
		{Place{SysPrefix: true}, "/h/ada", "neither VIRTUAL_ENV nor CONDA_PREFIX is set"},
		{Place{User: true}, "", "set HOME or JUPYTER_DATA_DIR"},
		{Place{User: true, SysPrefix: true}, "/h/ada", "only one of"},
		{Place{User: true, Prefix: "/x"}, "/h/ada", "only one of"},
	} {
		got, err := environment("linux", test.home).kernels(test.place)
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%+v: got %q, %v, want an error with %q", test.place, got, err, test.want)
		}
	}
}

func TestFoldersAreInJupytersOrder(t *testing.T) {
	for _, test := range []struct {
		name      string
		system    string
		variables []string
		want      []string
	}{
		{"a bare Linux machine", "linux", nil,
			[]string{"/h/ada/.local/share/jupyter", "/usr/local/share/jupyter", "/usr/share/jupyter"}},
		{"named folders first", "linux", []string{"JUPYTER_PATH=/one/:/two", "XDG_DATA_HOME=/data"},
			[]string{"/one", "/two", "/data/jupyter", "/h/ada/.local/share/jupyter", "/usr/local/share/jupyter", "/usr/share/jupyter"}},
		{"a virtual environment before the user", "darwin", []string{"VIRTUAL_ENV=/v"},
			[]string{"/v/share/jupyter", "/h/ada/Library/Jupyter", "/usr/local/share/jupyter", "/usr/share/jupyter"}},
		{"unless told otherwise", "darwin", []string{"VIRTUAL_ENV=/v", "JUPYTER_PREFER_ENV_PATH=0"},
			[]string{"/h/ada/Library/Jupyter", "/v/share/jupyter", "/usr/local/share/jupyter", "/usr/share/jupyter"}},
		{"the base environment of conda after the user", "darwin", []string{"CONDA_PREFIX=/c", "CONDA_DEFAULT_ENV=base"},
			[]string{"/h/ada/Library/Jupyter", "/c/share/jupyter", "/usr/local/share/jupyter", "/usr/share/jupyter"}},
		{"another one before the user", "darwin", []string{"CONDA_PREFIX=/c/envs/lab", "CONDA_DEFAULT_ENV=lab"},
			[]string{"/c/envs/lab/share/jupyter", "/h/ada/Library/Jupyter", "/usr/local/share/jupyter", "/usr/share/jupyter"}},
		{"each folder once", "linux", []string{"JUPYTER_PATH=/usr/share/jupyter:/usr/share/jupyter", "VIRTUAL_ENV=/usr/local"},
			[]string{"/usr/share/jupyter", "/usr/local/share/jupyter", "/h/ada/.local/share/jupyter"}},
	} {
		want := make([]string, len(test.want))
		for i, folder := range test.want {
			want[i] = folder + "/kernels"
		}
		if got := environment(test.system, "/h/ada", test.variables...).Folders(); !slices.Equal(got, want) {
			t.Errorf("%s: got %q, want %q", test.name, got, want)
		}
	}
}

func TestFoldersOnWindows(t *testing.T) {
	e := environment("windows", `C:\h\ada`, `APPDATA=C:\r`, `PROGRAMDATA=C:\ProgramData`, `JUPYTER_PATH=D:\a;E:\b\`)
	want := []string{`D:\a\kernels`, `E:\b\kernels`, `C:\r\jupyter\kernels`, `C:\ProgramData\jupyter\kernels`}
	if got := e.Folders(); !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if e.binaryName() != "gosphere.exe" {
		t.Errorf("the program is called %s", e.binaryName())
	}
}

func TestHostIsThisProcess(t *testing.T) {
	t.Setenv("JUPYTER_DATA_DIR", t.TempDir())
	host, err := Host()
	if err != nil {
		t.Fatal(err)
	}
	if checkBinary(host.Executable) != nil || host.Variable("JUPYTER_DATA_DIR") == "" {
		t.Errorf("got %+v", host)
	}
}

func TestTheProgramsOwnEnvironmentIsSearched(t *testing.T) {
	folder := t.TempDir()
	e := Environment{OS: "linux", Home: t.TempDir(), Variable: func(string) string { return "" }, Executable: filepath.Join(folder, "bin", "gosphere")}
	own := filepath.Join(folder, "share", "jupyter", "kernels")
	if slices.Contains(e.Folders(), own) {
		t.Error("a folder without pyvenv.cfg is no environment")
	}
	if err := os.WriteFile(filepath.Join(folder, "pyvenv.cfg"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if got := e.Folders(); got[0] != own {
		t.Errorf("searched are %v, want %s first", got, own)
	}
	e.Variable = func(name string) string { return map[string]string{"VIRTUAL_ENV": "/other"}[name] }
	if got := e.Folders(); slices.Contains(got, own) || got[0] != "/other/share/jupyter/kernels" {
		t.Errorf("in another environment %v are searched", got)
	}
}
