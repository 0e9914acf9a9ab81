package session

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

func TestFoldersAreChangedBackAndByTheirShortNames(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the home directory has another variable there")
	}
	s := newTestSession(t)
	home, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	folder := filepath.Join(home, "a folder")
	if err := os.Mkdir(folder, 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("HOME", home)
	t.Chdir(home)
	shown, _ := playCells(s, `%cd "a folder"`, "%cd -", "%cd a folder", "%cd", "%cd ~/a folder", "%cd 'a folder'", "%cd \"a\x00b\"", "%cd -")
	for i, want := range []string{
		folder + "\n", home + "\n", folder + "\n", home + "\n", folder + "\n",
		"error magic error: %cd: chdir a folder: no such file or directory\n", "error ", home + "\n",
	} {
		if want == "error " && strings.HasPrefix(shown[i], want) {
			continue
		}
		if shown[i] != want {
			t.Errorf("cell %d shows %q, want %q", i+1, shown[i], want)
		}
	}
}

func TestMistakesInMagicsEndTheCellAndNothingElse(t *testing.T) {
	s := newTestSession(t)
	t.Chdir(t.TempDir())
	for code, want := range map[string]string{
		"%load":                     "%load: missing file name, as in %load stats.go",
		"%load nowhere.go":          "%load: open nowhere.go: ",
		"%%writefile\ntext":         "%%writefile: missing file name, as in %%writefile stats.csv",
		"%%writefile -a\ntext":      "%%writefile: missing file name, as in %%writefile stats.csv",
		"%%writefile no/such/a\nxy": "%%writefile: open no/such/a: ",
		"%save a.go":                "%save: missing file name or cells, as in %save stats.go 1-3 5",
		"%save a.go 2-1":            `%save: invalid cells "2-1", want 3 or 1-3`,
		"%save a.go 0":              `%save: invalid cells "0", want 3 or 1-3`,
		"%save a.go x-y":            `%save: invalid cells "x-y", want 3 or 1-3`,
		"%env =x":                   `%env: "" is not a variable name`,
		"%vars nobody":              "%vars: no variable nobody",
		"%limit much":               `%limit: invalid size "much", want a size such as 2GB`,
	} {
		shown, replies := playCells(s, "kept := 1", code, "kept")
		if replies[1].Status != "error" || !strings.HasPrefix(shown[1], "error magic error: "+want) {
			t.Errorf("%q shows %q, want %q", code, shown[1], want)
		}
		if shown[2] != "= 1\n" {
			t.Errorf("after %q the variable shows %q", code, shown[2])
		}
	}
}

func TestVersionEnvironmentAndHelpAreTold(t *testing.T) {
	s := newTestSession(t)
	s.options.Version = func() string { return "gosphere 1.2\ndevice cpu" }
	t.Setenv("GOSPHERE_TEST_SPHERE", "round")
	shown, _ := playCells(s, "%version", "%env GOSPHERE_TEST_SPHERE", "%env", "%help", "%vars")
	if shown[0] != "gosphere 1.2\ndevice cpu\n" || shown[1] != "round\n" || !strings.Contains(shown[2], "\nGOSPHERE_TEST_SPHERE=round\n") || shown[4] != "no variables\n" {
		t.Errorf("shown are %q, %q, %q", shown[0], shown[1], shown[4])
	}
	for _, name := range []string{"%time", "%timeit", "%vars", "%reset", "%cd", "%env", "%load", "%save", "%%writefile", "%%bash", "!COMMAND", "%version", "%help"} {
		if !strings.Contains(shown[3], "\n"+name+" ") {
			t.Errorf("help says nothing about %s:\n%s", name, shown[3])
		}
	}
}
