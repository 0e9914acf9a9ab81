package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// A use describes where a module's code is used.
type use string

const (
	inBinary use = "binary"
	inTools  use = "tests and tools"
	inGraph  use = "not compiled" // needed only by go.mod, to select versions
)

// goStandard is used as the module path of the standard library, which has none.
const goStandard = "the Go standard library"

// A module is one dependency.
type module struct {
	path, version string
	direct        bool
	use           use
	dir           string // path in the module cache
	licenses      []license
}

// targets are the platforms whose binaries are distributed.
var targets = []string{"linux/amd64", "linux/arm64", "darwin/amd64", "darwin/arm64", "windows/amd64", "windows/arm64"}

// readModules returns the standard library and every module that go.mod requires, by path.
func readModules(dir string) ([]*module, error) {
	modules, err := required(dir)
	if err != nil {
		return nil, err
	}
	for _, target := range targets {
		if err := mark(modules, dir, inBinary, target, "-deps", "."); err != nil {
			return nil, err
		}
	}
	if err := mark(modules, dir, inTools, targets[0], "-deps", "-test", "./...", "tool"); err != nil {
		return nil, err
	}
	version, err := goCommand(dir, "", "env", "GOVERSION", "GOROOT")
	if err != nil {
		return nil, err
	}
	name, root, _ := strings.Cut(strings.TrimSpace(string(version)), "\n")
	standard := &module{path: goStandard, version: name, direct: true, use: inBinary, dir: root}
	return slices.Concat([]*module{standard}, modules), nil
}

// required reads go.mod and locates each module in the module cache.
func required(dir string) ([]*module, error) {
	out, err := goCommand(dir, "", "mod", "edit", "-json")
	if err != nil {
		return nil, err
	}
	var file struct {
		Require []struct {
			Path, Version string
			Indirect      bool
		}
	}
	if err := json.Unmarshal(out, &file); err != nil {
		return nil, fmt.Errorf("go mod edit: %w", err)
	}
	var modules []*module
	arguments := []string{"mod", "download", "-json"}
	for _, r := range file.Require {
		modules = append(modules, &module{path: r.Path, version: r.Version, direct: !r.Indirect, use: inGraph})
		arguments = append(arguments, r.Path+"@"+r.Version)
	}
	if out, err = goCommand(dir, "", arguments...); err != nil {
		return nil, err
	}
	err = eachJSON(out, func(entry *struct{ Path, Dir string }) error {
		for _, m := range modules {
			if m.path == entry.Path {
				m.dir = entry.Dir
			}
		}
		return nil
	})
	slices.SortFunc(modules, func(a, b *module) int { return strings.Compare(a.path, b.path) })
	return modules, err
}

// mark sets the use of the modules that `go list` finds, unless they already have one.
func mark(modules []*module, dir string, as use, target string, arguments ...string) error {
	out, err := goCommand(dir, target, append([]string{"list", "-e", "-json=ImportPath,Module,Error"}, arguments...)...)
	if err != nil {
		return err
	}
	type entry struct {
		ImportPath string
		Module     *struct {
			Path string
			Main bool
		}
		Error *struct{ Err string }
	}
	return eachJSON(out, func(e *entry) error {
		// Errors in our own packages are left to the compiler.
		if e.Error != nil && e.Module != nil && !e.Module.Main {
			return fmt.Errorf("%s: %s", e.ImportPath, e.Error.Err)
		}
		if e.Module == nil || e.Module.Main {
			return nil
		}
		i := slices.IndexFunc(modules, func(m *module) bool { return m.path == e.Module.Path })
		if i < 0 {
			return fmt.Errorf("%s is used but go.mod does not list it", e.Module.Path)
		}
		if modules[i].use == inGraph {
			modules[i].use = as
		}
		return nil
	})
}

// eachJSON decodes one value after another.
func eachJSON[T any](data []byte, do func(*T) error) error {
	decoder := json.NewDecoder(bytes.NewReader(data))
	for {
		value := new(T)
		if err := decoder.Decode(value); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
		if err := do(value); err != nil {
			return err
		}
	}
}

// goCommand runs the go command in dir for a target ("" for this machine), without cgo.
func goCommand(dir, target string, arguments ...string) ([]byte, error) {
	command := exec.Command("go", arguments...)
	command.Dir = dir
	command.Env = append(os.Environ(), "CGO_ENABLED=0", "GOFLAGS=")
	if system, processor, ok := strings.Cut(target, "/"); ok {
		command.Env = append(command.Env, "GOOS="+system, "GOARCH="+processor)
	}
	var stderr bytes.Buffer
	command.Stderr = &stderr
	out, err := command.Output()
	if err != nil {
		return nil, fmt.Errorf("go %s: %w\n%s", arguments[0], err, stderr.Bytes())
	}
	return out, nil
}

// licenseFiles lists the files of a module that contain licenses or credits, by name.
func licenseFiles(dir string) ([]string, error) {
	var names []string
	for _, folder := range []string{".", "THIRD_PARTY_LICENSES", "licenses"} {
		entries, err := os.ReadDir(filepath.Join(dir, folder))
		if errors.Is(err, os.ErrNotExist) {
			continue
		} else if err != nil {
			return nil, err
		}
		for _, entry := range entries {
			if entry.Type().IsRegular() && (folder != "." || isLicenseName(entry.Name())) {
				names = append(names, filepath.ToSlash(filepath.Join(folder, entry.Name())))
			}
		}
	}
	return names, nil
}

func isLicenseName(name string) bool {
	upper := strings.ToUpper(name)
	return slices.ContainsFunc([]string{"LICENSE", "LICENCE", "COPYING", "NOTICE", "PATENTS", "UNLICENSE"},
		func(prefix string) bool { return strings.HasPrefix(upper, prefix) }) && !strings.HasSuffix(upper, ".GO")
}
