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
