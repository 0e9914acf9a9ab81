package command

import (
	"fmt"
	"runtime"
	"runtime/debug"
)

// Release is the version of gosphere.
const Release = "0.1.0"

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
