package godebug

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// Go's own table is internal to the standard library, so the test reads its source.
func TestTableIsThatOfTheToolchain(t *testing.T) {
	if !strings.HasPrefix(runtime.Version(), "go1.27") {
		t.Skip("the table is that of Go 1.27, this is", runtime.Version())
	}
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		t.Skip(err)
	}
	text, err := os.ReadFile(filepath.Join(strings.TrimSpace(string(root)), "src/internal/godebugs/table.go"))
	if err != nil {
		t.Skip(err)
	}
	var want, got []string
	for _, m := range regexp.MustCompile(`(?m)^\t\{Name: "(\w+)", Package: "[\w/]+"(.*?)\}`).FindAllStringSubmatch(string(text), -1) {
		changed, old := "0", ""
		if c := regexp.MustCompile(`Changed: (\d+)`).FindStringSubmatch(m[2]); c != nil {
			changed, old = c[1], regexp.MustCompile(`Old: "(\w+)"`).FindStringSubmatch(m[2])[1]
		}
		want = append(want, fmt.Sprint(m[1], " ", changed, " ", old))
	}
	for _, k := range known {
		got = append(got, fmt.Sprint(k.name, " ", k.changed, " ", k.old))
	}
	if !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}

func TestDirectivesOverrideTheModuleAndItsVersion(t *testing.T) {
	module := Module{"1.20.3", []Setting{{"panicnil", "0", "go.mod:3"}, {"execerrdot", "0", "go.mod:4"}}}
	got, err := Settings(module, []Setting{{"execerrdot", "1", "a.go"}})
	if err != nil || got["panicnil"] != "0" || got["execerrdot"] != "1" || got["randseednop"] != "0" || got["netedns0"] != "" {
		t.Errorf("got %v, %v", got, err)
	}
	if _, ok := got["containermaxprocs"]; ok {
		t.Error("a setting that only the start of a process can change is among those to apply")
	}
	got, err = Settings(module, []Setting{{"default", "go1.23", "a.go"}})
	if err != nil || got["randseednop"] != "0" || got["httpmuxgo121"] != "" {
		t.Errorf("with a default: %v, %v", got, err)
	}
	if got, err := Settings(Module{}, nil); err != nil || len(got) > 0 {
		t.Errorf("without a version: %v, %v", got, err)
	}
}

func TestWrongSettingsAreRefused(t *testing.T) {
	for text, want := range map[string]string{
		"nonsense=1":       `a.go:1: unknown //go:debug setting "nonsense"`,
		"panicnil":         "a.go:1: invalid //go:debug: missing key=value",
		"default=1.20":     "a.go:1: value for default= must be goVERSION",
		"default=go1.99":   "a.go:1: default=go1.99 too new (toolchain is " + runtime.Version() + ")",
		"panicnil=1,2":     "a.go:1: value contains comma",
		"x509sha1=1":       `a.go:1: removed GODEBUG "x509sha1" set to old value "1" (https://go.dev/doc/godebug#go-124)`,
		"asynctimerchan=1": `a.go:1: removed GODEBUG "asynctimerchan" set to old value "1" (https://go.dev/doc/godebug#go-127)`,
		"gotypesalias=0":   `a.go:1: removed GODEBUG "gotypesalias" set to old value "0" (https://go.dev/doc/godebug#go-127)`,
		"fips140=on":       "a.go:1: the setting fips140 of GODEBUG takes effect only when a process starts: remove it, and set GODEBUG=fips140=on in the environment of gosphere",
	} {
		s, err := Parse(text, "a.go:1")
		if err == nil {
			_, err = Settings(Module{}, []Setting{s})
		}
		if err == nil || err.Error() != want {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
}
