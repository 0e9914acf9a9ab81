package modules

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// TestTheGoCommandSelectsTheSameVersions compares selections for the go.mod files of modules that
// this program requires. GOSPHERE_GO_MODULES is the number of modules. The test reads go.mod files
// over the network.
func TestTheGoCommandSelectsTheSameVersions(t *testing.T) {
	most, err := strconv.Atoi(os.Getenv("GOSPHERE_GO_MODULES"))
	if err != nil {
		t.Skip("GOSPHERE_GO_MODULES names no number of modules: this needs a network")
	}
	out, err := exec.Command("go", "list", "-m", "-f", "{{.GoMod}}", "all").Output()
	if err != nil {
		t.Fatal(err)
	}
	files := strings.Fields(string(out))
	compared := 0
	for _, file := range files {
		if compared == most {
			break
		}
		data, err := os.ReadFile(file)
		if err != nil || !strings.Contains(string(data), "require") {
			continue
		}
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, "go.mod"), data, 0o666); err != nil {
			t.Fatal(err)
		}
		list := exec.Command("go", "list", "-m", "-mod=mod", "-f", "{{if not .Main}}{{.Path}} {{.Version}}{{end}}", "all")
		list.Dir = dir
		list.Env = append(os.Environ(), "GOWORK=off", "GOTOOLCHAIN=local")
		want, err := list.Output()
		if err != nil {
			continue // a private module, or a replacement by a folder
		}
		compared++
		s := New(FromEnvironment())
		s.environment.SumDB = "off" // only the selection counts
		if _, err := s.Open(dir); err != nil {
			t.Errorf("%s: %v", file, err)
			continue
		}
		selected, err := s.List(t.Context())
		if err != nil {
			t.Errorf("%s: %v", file, err)
			continue
		}
		var got strings.Builder
		for _, m := range selected {
			got.WriteString(m.Path + " " + m.Version + "\n")
		}
		if text := strings.TrimSpace(string(want)); strings.TrimSpace(got.String()) != text {
			t.Errorf("%s: selected are\n%s\nthe go command selects\n%s", file, got.String(), text)
		}
	}
	t.Logf("%d go.mod files compared", compared)
	if compared < most/2 {
		t.Errorf("only %d go.mod files could be compared", compared)
	}
}
