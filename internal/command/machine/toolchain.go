package machine

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/mod/modfile"

	"gosphere/internal/lazyregexp"
	"gosphere/internal/license"
)

// A toolchain is the go command in a copy of the source.
type toolchain struct {
	ctx    context.Context
	folder string
	out    io.Writer
}

// run runs the go command and returns its output. An error contains the command's messages.
func (t toolchain) run(arguments ...string) (string, error) {
	var said strings.Builder
	command := t.command(arguments)
	command.Stderr = &said
	out, err := command.Output()
	return string(out), t.failure(arguments, err, said.String())
}

func (t toolchain) command(arguments []string) *exec.Cmd {
	command := exec.CommandContext(t.ctx, "go", arguments...)
	command.Dir = t.folder
	command.Env = append(os.Environ(), "CGO_ENABLED=0", "GOWORK=off", "GOFLAGS=-mod=mod", "GOTOOLCHAIN="+release(t.folder))
	return command
}

// release returns the release of Go that the go.mod of the source names, for the variable
// GOTOOLCHAIN. The program depends on the layout of types in one release, and an environment with
// GOTOOLCHAIN=local, such as that of Go's container images, would select whatever is installed.
func release(folder string) string {
	text, err := os.ReadFile(filepath.Join(folder, "go.mod"))
	if err != nil {
		return "auto" // the go command reports the missing file
	}
	mod, err := modfile.Parse("go.mod", text, nil)
	if err != nil || mod.Toolchain == nil {
		return "auto"
	}
	return mod.Toolchain.Name
}

func (t toolchain) failure(arguments []string, err error, said string) error {
	if t.ctx.Err() != nil {
		return errors.New("interrupted")
	}
	if err != nil {
		return fmt.Errorf("go %s: %w\n%s", strings.Join(arguments[:min(len(arguments), 3)], " "), err, strings.TrimSpace(said))
	}
	return nil
}

// build runs go build and reports its progress.
func (t toolchain) build(arguments ...string) error {
	arguments = append([]string{"build", "-v"}, arguments...)
	command := t.command(arguments)
	lines, err := command.StderrPipe()
	if err != nil {
		return err
	}
	if err := command.Start(); err != nil {
		return err
	}
	said := t.follow(lines)
	return t.failure(arguments, command.Wait(), said)
}

// reportEvery is the number of compiled packages between two lines of progress.
const reportEvery = 50

// follow reads the messages of go build -v, counts those that name a compiled package and returns
// the other lines.
func (t toolchain) follow(lines io.Reader) string {
	var others strings.Builder
	compiled := 0
	for scanner := bufio.NewScanner(lines); scanner.Scan(); {
		line := scanner.Text()
		if strings.ContainsAny(line, " \t") || line == "" {
			others.WriteString(line + "\n")
			continue
		}
		if compiled++; compiled%reportEvery == 0 {
			fmt.Fprintf(t.out, "  %d packages compiled, the last is %s\n", compiled, line)
		}
	}
	return others.String()
}

// versions returns the modules of packages as PATH@VERSION, or as PATH@DIR for local folders.
func (t toolchain) versions(packages []string) ([]string, error) {
	const form = "{{with .Module}}{{.Path}}@{{with .Replace}}{{.Path}}{{else}}{{.Version}}{{end}}{{end}}"
	listed, err := t.run(append([]string{"list", "-f", form}, packages...)...)
	if err != nil {
		return nil, err
	}
	list := strings.FieldsFunc(listed, func(r rune) bool { return r == '\n' || r == '\r' })
	slices.Sort(list)
	return slices.Compact(list), nil
}

// add makes the copy require the modules and returns their importable packages.
func (t toolchain) add(modules []module) ([]string, error) {
	var packages []string
	for _, m := range modules {
		fmt.Fprintln(t.out, "add", m)
		if m.folder == "" {
			if _, err := t.run("get", m.path+"@"+m.version); err != nil {
				return nil, err
			}
		} else if _, err := t.run("mod", "edit", "-require="+m.path+"@v0.0.0", "-replace="+m.path+"="+m.folder); err != nil {
			return nil, err
		}
	}
	for _, m := range modules {
		listed, err := t.run("list", "-f", "{{.Name}} {{.ImportPath}}", m.path+"/...")
		if err != nil {
			return nil, err
		}
		found := importable(listed)
		if len(found) == 0 {
			return nil, fmt.Errorf("--with %s: has no packages that other modules can import", m)
		}
		packages = append(packages, found...)
	}
	slices.Sort(packages)
	packages = slices.Compact(packages)
	// The go command adds the checksums of all dependencies, also of those of the program itself,
	// which the modules may need in later versions.
	all := append([]string{"list", "-deps", ".", "./runtime/symbols/generate"}, packages...)
	if _, err := t.run(all...); err != nil {
		return nil, err
	}
	return packages, nil
}

var closedFolder = lazyregexp.New(`(^|/)(internal|vendor|testdata)(/|$)`)

// importable selects the packages that cells can import from lines with a package's name and path.
func importable(listed string) []string {
	var paths []string
	for line := range strings.Lines(listed) {
		name, path, _ := strings.Cut(strings.TrimSpace(line), " ")
		if path != "" && name != "main" && !closedFolder.MatchString(path) {
			paths = append(paths, path)
		}
	}
	return paths
}

// noteLicenses adds the licenses of modules to the list in the source that the program embeds. The
// modules are given as versions returns them.
func (t toolchain) noteLicenses(list []string) error {
	file, err := os.OpenFile(filepath.Join(t.folder, "install", "licenses", "dependencies.txt"), os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	defer file.Close()
	for _, m := range list {
		path, version, _ := strings.Cut(m, "@")
		dir, err := t.run("list", "-m", "-f", "{{.Dir}}", path)
		if err != nil {
			return err
		}
		if name := license.Of(strings.TrimSpace(dir)); name != "" {
			if _, err := fmt.Fprintf(file, "%s  %s  direct  binary  %s\n", path, version, name); err != nil {
				return err
			}
		}
	}
	return nil
}
