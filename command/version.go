package command

import (
	"cmp"
	"fmt"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"

	"gosphere/asymvlm/device"
)

// Release is the version of gosphere.
const Release = "0.1.0"

// versionModules are the modules whose versions belong to a reproduction: those that compute or draw.
var versionModules = []string{
	"github.com/traefik/yaegi", "gonum.org/v1/gonum", "gonum.org/v1/plot", "gorgonia.org/gorgonia", "gorgonia.org/tensor",
}

// Versions returns a line each for the program, the system, the device that trains, and the modules behind the results.
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
	return strings.Join(lines, "\n")
}

// deviceName names the device that trainings use by default.
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

// Banner returns one line with the version, the source revision where it is known, and the Go release.
func Banner() string {
	revision := ""
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, setting := range info.Settings {
			if setting.Key == "vcs.revision" && len(setting.Value) >= 12 {
				revision = " (" + setting.Value[:12] + ")"
			}
		}
	}
	return fmt.Sprintf("gosphere %s%s, %s %s/%s", Release, revision, runtime.Version(), runtime.GOOS, runtime.GOARCH)
}
