package process

import (
	"encoding/json"
	"runtime"
	"runtime/debug"
	"strings"
	"testing"
)

func TestVersionsNameProgramGoAndDevice(t *testing.T) {
	text := Versions()
	for _, part := range []string{"gosphere " + Release(), runtime.Version(), runtime.GOOS + "/" + runtime.GOARCH, "device      cpu ("} {
		if !strings.Contains(text, part) {
			t.Errorf("the versions lack %q:\n%s", part, text)
		}
	}
}

func TestProgramsWithAddedModulesNameThemAndTheirKernel(t *testing.T) {
	if KernelName() != "gosphere" || DisplayName() != "Go (gosphere)" || strings.Contains(Versions(), "added") {
		t.Errorf("a program without modules is %s, %q:\n%s", KernelName(), DisplayName(), Versions())
	}
	t.Cleanup(func() { added, kernelName, displayName = "", "", "" })
	added, kernelName, displayName = "github.com/google/uuid@v1.6.0,example.com/greek@../greek", "gosphere-uuid", "Go (with uuid)"
	for _, line := range []string{"\ngithub.com/google/uuid     v1.6.0, added", "\nexample.com/greek          ../greek, added"} {
		if !strings.Contains(Versions(), line) {
			t.Errorf("the versions lack %q:\n%s", line, Versions())
		}
	}
	if KernelName() != "gosphere-uuid" || DisplayName() != "Go (with uuid)" {
		t.Errorf("the kernel is %s, %q", KernelName(), DisplayName())
	}
	if got, want := Stamps(map[string]string{"b": "x y", "a": "1"}), " -X 'gosphere/internal/command/process.a=1' -X 'gosphere/internal/command/process.b=x y'"; got != want {
		t.Errorf("the flags are %s, want %s", got, want)
	}
}

func TestVersionComesFromTheReleaseBuildAndFromTags(t *testing.T) {
	for version, want := range map[string]string{
		"v1.2.3": "1.2.3", "v1.2.3-rc.1": "1.2.3-rc.1", "(devel)": development, "": development,
		"v0.0.0-20261123132859-0123456789ab": development, "v1.2.4-0.20261123132859-0123456789ab": development, "v1.2.3+dirty": development,
	} {
		if got := taggedVersion(version); got != want {
			t.Errorf("build information with version %q: got %s, want %s", version, got, want)
		}
	}
	t.Cleanup(func() { released = "" })
	if released = "v9.8.7"; Release() != "9.8.7" || !strings.HasPrefix(Banner(), "gosphere 9.8.7") {
		t.Errorf("a release build is called %s: %s", Release(), Banner())
	}
}

func TestVersionAsJSONDescribesTheBuild(t *testing.T) {
	var text strings.Builder
	if err := (Version{JSON: true}).print(&text); err != nil {
		t.Fatal(err)
	}
	var got BuildInfo
	if err := json.Unmarshal([]byte(text.String()), &got); err != nil {
		t.Fatal(err)
	}
	if got.Version != Release() || got.Go != runtime.Version() || got.OS != runtime.GOOS || got.Arch != runtime.GOARCH {
		t.Errorf("got %+v", got)
	}
	got.read(&debug.BuildInfo{
		Deps:     []*debug.Module{{Path: "gonum.org/v1/gonum", Version: "v0.17.0"}},
		Settings: []debug.BuildSetting{{Key: "vcs.revision", Value: "0123"}, {Key: "vcs.modified", Value: "true"}},
	})
	if got.Modules["gonum.org/v1/gonum"] != "v0.17.0" || got.Revision != "0123" || !got.Modified {
		t.Errorf("got %+v", got)
	}
}
