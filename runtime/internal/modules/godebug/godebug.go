// Package godebug determines the settings of GODEBUG with which the go command would build a
// program: those of its //go:debug directives, those of its go.mod or go.work file, and the
// defaults of its Go version. See go.dev/doc/godebug.
package godebug

import (
	"fmt"
	"maps"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"
)

// A Module holds what the main module determines.
type Module struct {
	GoVersion string    // such as "1.20"; "" for that of the toolchain
	Settings  []Setting // of the file, in its order
}

// A Setting is one key and its value, as in a go.mod file or a //go:debug directive.
type Setting struct {
	Key, Value string
	Source     string // where it is set, for messages
}

// Parse returns the setting of the text after //go:debug.
func Parse(text, source string) (Setting, error) {
	key, value, ok := strings.Cut(strings.TrimSpace(text), "=")
	if !ok {
		return Setting{}, fmt.Errorf("%s: invalid //go:debug: missing key=value", source)
	}
	return Setting{key, value, source}, nil
}

// Settings returns the settings of a program. Those of directives override those of the module,
// which override the defaults of its Go version. Settings that are unknown, or that only the start
// of a process can change, are errors.
func Settings(m Module, directives []Setting) (map[string]string, error) {
	chosen := map[string]string{}
	for _, s := range slices.Concat(m.Settings, directives) {
		if err := check(s); err != nil {
			return nil, fmt.Errorf("%s: %w", s.Source, err)
		}
		chosen[s.Key] = s.Value
	}
	version := m.GoVersion
	if named := chosen["default"]; named != "" {
		version = strings.TrimPrefix(named, "go")
		delete(chosen, "default")
	}
	all := defaults(version)
	maps.Copy(all, chosen)
	return all, nil
}

// defaults returns the values that differ, for a program of an older Go version, from those of this
// toolchain. It returns none for "", the version of the toolchain itself.
func defaults(version string) map[string]string {
	list := map[string]string{}
	minor, ok := minorOf(version)
	for _, k := range known {
		if ok && minor < k.changed && !k.starts {
			list[k.name] = k.old
		}
	}
	return list
}

// minorOf returns 20 for "1.20", "1.20.3" and "1.20rc1".
func minorOf(version string) (int, bool) {
	rest, ok := strings.CutPrefix(version, "1.")
	if !ok {
		return 0, false
	}
	end := strings.IndexFunc(rest, func(r rune) bool { return r < '0' || r > '9' })
	if end >= 0 {
		rest = rest[:end]
	}
	n, err := strconv.Atoi(rest)
	return n, err == nil
}

// check returns an error for a setting that the go command refuses, or that cannot take effect.
func check(s Setting) error {
	switch {
	case strings.ContainsAny(s.Key, " \t"):
		return fmt.Errorf("key contains space")
	case strings.ContainsAny(s.Value, " \t"):
		return fmt.Errorf("value contains space")
	case strings.Contains(s.Key, ","):
		return fmt.Errorf("key contains comma")
	case strings.Contains(s.Value, ","):
		return fmt.Errorf("value contains comma")
	case s.Key == "default":
		minor, ok := minorOf(strings.TrimPrefix(s.Value, "go"))
		if !ok || !strings.HasPrefix(s.Value, "go") {
			return fmt.Errorf("value for default= must be goVERSION")
		}
		if own, ok := minorOf(strings.TrimPrefix(runtime.Version(), "go")); ok && minor > own {
			return fmt.Errorf("default=%s too new (toolchain is %s)", s.Value, runtime.Version())
		}
		return nil
	}
	for _, k := range known {
		if k.name != s.Key {
			continue
		}
		if k.starts {
			return fmt.Errorf("the setting %s of GODEBUG takes effect only when a process starts: remove it, and set GODEBUG=%s=%s in the environment of gosphere", s.Key, s.Key, s.Value)
		}
		return nil
	}
	for _, r := range removed {
		if r.name == s.Key && slices.Contains(r.old, s.Value) {
			return fmt.Errorf("removed GODEBUG %q set to old value %q (https://go.dev/doc/godebug#go-1%d)", s.Key, s.Value, r.in)
		}
		if r.name == s.Key {
			return nil
		}
	}
	return fmt.Errorf("unknown //go:debug setting %q", s.Key)
}

// Apply makes the settings take effect in this process. The runtime and the standard library read
// them from the environment, where they precede those that the user has set, so that the latter
// count. Child processes inherit them.
func Apply(settings map[string]string) error {
	var list []string
	for _, key := range slices.Sorted(maps.Keys(settings)) {
		list = append(list, key+"="+settings[key])
	}
	if len(list) == 0 {
		return nil
	}
	if own := os.Getenv("GODEBUG"); own != "" {
		list = append(list, own)
	}
	return os.Setenv("GODEBUG", strings.Join(list, ","))
}
