// Package process holds what the packages of several subcommands share: the version and source of
// the program, the packages preloaded for cells, child processes, terminals, atomic writes of
// files, and a flag type.
package process

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"reflect"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"

	"gosphere/asymvlm/device"
	"gosphere/internal/lazyregexp"
)

// released is the version of a release build, which is set with -ldflags "-X
// gosphere/internal/command/process.released=v0.1.0".
var released string

// A program of gosphere build sets these: the modules that it was asked to add, as PATH@VERSION or
// PATH@DIR with commas between them, and the name and the display name of its kernel.
var added, kernelName, displayName string

// Stamps returns flags for the linker that set variables of this package.
func Stamps(values map[string]string) string {
	var flags strings.Builder
	for _, name := range slices.Sorted(maps.Keys(values)) {
		fmt.Fprintf(&flags, " -X '%s.%s=%s'", reflect.TypeFor[BuildInfo]().PkgPath(), name, values[name])
	}
	return flags.String()
}

// KernelName returns the name under which the program is installed for Jupyter where no other is
// asked for.
func KernelName() string { return cmp.Or(kernelName, "gosphere") }

// DisplayName returns what launchers show for it.
func DisplayName() string { return cmp.Or(displayName, "Go (gosphere)") }

// development is the version of a build that is not a release.
const development = "0.1.0-dev"

// Release returns the version of gosphere without a leading v: that of the release build, else the
// tag recorded by the go command, else the version of the development tree.
func Release() string {
	if released == "" {
		if info, ok := debug.ReadBuildInfo(); ok {
			return taggedVersion(info.Main.Version)
		}
	}
	return strings.TrimPrefix(cmp.Or(released, development), "v")
}

// pseudoVersion matches versions that the go command makes for untagged commits and for modified
// trees.
var pseudoVersion = lazyregexp.New(`[-.]\d{14}-[0-9a-f]{12}|\+dirty`)

// taggedVersion returns the version of a module from build information if it names a tag, else the
// development version.
func taggedVersion(version string) string {
	if number, tagged := strings.CutPrefix(version, "v"); tagged && !pseudoVersion.MatchString(version) {
		return number
	}
	return development
}

// versionModules are the modules whose versions affect a reproduction: those that compute or draw.
var versionModules = []string{
	"github.com/traefik/yaegi", "gonum.org/v1/gonum", "gonum.org/v1/plot", "gorgonia.org/gorgonia", "gorgonia.org/tensor",
}

// Versions returns one line each for the program, the system, the training device and the modules
// that affect results.
func Versions() string {
	lines := []string{
		Banner(),
		fmt.Sprintf("cpus        %d", runtime.NumCPU()),
		"device      " + deviceName(),
	}
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, module := range info.Deps {
			if slices.Contains(versionModules, module.Path) {
				lines = append(lines, fmt.Sprintf("%-26s %s", module.Path, module.Version))
			}
		}
	}
	for module := range strings.SplitSeq(added, ",") {
		if path, version, found := strings.Cut(module, "@"); found {
			lines = append(lines, fmt.Sprintf("%-26s %s, added", path, version))
		}
	}
	return strings.Join(lines, "\n")
}

// deviceName returns the name of the device that trainings use by default.
func deviceName() string {
	shared, err := device.Default()
	if err != nil {
		return "none: " + err.Error()
	}
	if chosen, err := device.DefaultPrecision(); err != nil || chosen != device.Float32 {
		return shared.Name() + ", trainings in " + cmp.Or(string(chosen), "no precision: "+fmt.Sprint(err))
	}
	return shared.Name()
}

// BuildInfo describes the build of the program, as "gosphere version --json" writes it.
type BuildInfo struct {
	Version  string            `json:"version"`
	Revision string            `json:"revision,omitempty"` // the commit, if the go command recorded it
	Time     string            `json:"time,omitempty"`     // time of the commit
	Modified bool              `json:"modified,omitempty"` // whether the source differed from the commit
	Go       string            `json:"go"`
	OS       string            `json:"os"`
	Arch     string            `json:"arch"`
	Modules  map[string]string `json:"modules"` // version of each linked module, by path
}

// CurrentBuild returns the description of this program.
func CurrentBuild() BuildInfo {
	b := BuildInfo{Version: Release(), Go: runtime.Version(), OS: runtime.GOOS, Arch: runtime.GOARCH, Modules: map[string]string{}}
	if info, ok := debug.ReadBuildInfo(); ok {
		b.read(info)
	}
	return b
}

// read fills in the values recorded by the go command.
func (b *BuildInfo) read(info *debug.BuildInfo) {
	for _, setting := range info.Settings {
		switch setting.Key {
		case "vcs.revision":
			b.Revision = setting.Value
		case "vcs.time":
			b.Time = setting.Value
		case "vcs.modified":
			b.Modified = setting.Value == "true"
		}
	}
	for _, module := range info.Deps {
		b.Modules[module.Path] = module.Version
	}
}

// Banner returns one line with the version, the source revision if known, and the Go release.
func Banner() string {
	b := CurrentBuild()
	revision := ""
	if len(b.Revision) >= 12 {
		revision = " (" + b.Revision[:12] + ")"
	}
	return fmt.Sprintf("gosphere %s%s, %s %s/%s", b.Version, revision, b.Go, b.OS, b.Arch)
}

// Version is the subcommand that prints the version.
type Version struct {
	JSON bool `name:"json" help:"Print JSON with revision, platform and the versions of all linked modules."`
}

// Run prints the version and describes the build.
func (v Version) Run() error { return v.print(os.Stdout) }

func (v Version) print(out io.Writer) error {
	if !v.JSON {
		_, err := fmt.Fprintln(out, Banner())
		return err
	}
	encoder := json.NewEncoder(out)
	encoder.SetIndent("", "  ")
	return encoder.Encode(CurrentBuild())
}
