package machine

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"

	"gosphere/internal/command/process"
)

// Build is the subcommand that builds a gosphere with additional packages for cells.
// docs/modules.md documents it.
type Build struct {
	With   []string `required:"" sep:"none" placeholder:"PATH[@VERSION]" help:"Module whose packages cells may import, or a package and those below it, at a version (default: the latest). MODULE=DIR uses a local folder. May be repeated."`
	Output string   `short:"o" type:"path" default:"gosphere-custom" help:"Output file (default: gosphere-custom)."`
	Source string   `type:"path" placeholder:"DIR" help:"Folder with the source of gosphere (default: the current folder, or the one that contains bin/gosphere)."`
	Work   string   `type:"path" placeholder:"DIR" help:"Folder to build in, which is kept (default: a temporary folder)."`
}

// Run builds the program in a copy of the source, which itself stays unchanged.
func (b Build) Run() error {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	return b.build(ctx, os.Stdout)
}

// A module is the value of one --with flag.
type module struct {
	path, version string
	folder        string // local folder, used instead of a version
}

func (m module) String() string {
	if m.folder != "" {
		return m.path + "=" + m.folder
	}
	return m.path + "@" + m.version
}

var modulePath = regexp.MustCompile(`^[A-Za-z0-9][-A-Za-z0-9._~/]*$`)

// readModule parses MODULE@VERSION or MODULE=DIR.
func readModule(text string) (module, error) {
	if path, folder, found := strings.Cut(text, "="); found {
		folder, err := filepath.Abs(folder)
		if err != nil {
			return module{}, err
		}
		if _, err := os.Stat(filepath.Join(folder, "go.mod")); err != nil || !modulePath.MatchString(path) {
			return module{}, fmt.Errorf("--with %s: want MODULE=DIR, where DIR contains a go.mod", text)
		}
		return module{path: path, folder: folder}, nil
	}
	path, version, found := strings.Cut(text, "@")
	if !found {
		version = "latest"
	}
	if version == "" || !modulePath.MatchString(path) {
		return module{}, fmt.Errorf("--with %s: want a module or package, optionally with @VERSION, such as github.com/google/uuid@v1.6.0", text)
	}
	return module{path: path, version: version}, nil
}

func (b Build) build(ctx context.Context, out io.Writer) error {
	var modules []module
	for _, text := range b.With {
		m, err := readModule(text)
		if err != nil {
			return err
		}
		modules = append(modules, m)
	}
	if _, err := exec.LookPath("go"); err != nil {
		return errors.New("building needs the go command: install Go from https://go.dev/dl and put it on the PATH")
	}
	source, err := process.FindSource(b.Source, os.Executable)
	if err != nil {
		return err
	}
	if info, err := os.Stat(b.Output); err == nil && info.IsDir() {
		return fmt.Errorf("--output %s is a folder, want a file", b.Output)
	}
	work := b.Work
	if work == "" {
		if work, err = os.MkdirTemp("", "gosphere-build-"); err != nil {
			return err
		}
		defer os.RemoveAll(work)
	} else if err := claim(work, source); err != nil {
		return err
	}
	fmt.Fprintln(out, "copying the source of", source)
	if err := copySource(work, source); err != nil {
		return err
	}
	t := toolchain{ctx, work, out}
	packages, err := t.add(modules)
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "reading %d packages of %d modules\n", len(packages), len(modules))
	platform := runtime.GOOS + "/" + runtime.GOARCH
	if _, err := t.run("run", "./internal/runtime/symbols/generate", "-dir", "internal/runtime/symbols", "-platform", platform, "-add", strings.Join(packages, ",")); err != nil {
		return err
	}
	fmt.Fprintln(out, "building", b.Output+", which takes a minute or more")
	if _, err := t.run("build", "-trimpath", "-ldflags", "-s -w", "-o", b.Output, "."); err != nil {
		return err
	}
	fmt.Fprintf(out, "\nCells of %s may import:\n  %s\n\nNext: %s install --user --name %s --display-name \"Go (with %s)\"\n",
		b.Output, strings.Join(packages, "\n  "), b.Output, kernelName(modules), modules[0].path)
	return nil
}

// kernelName returns a kernel name that identifies the added modules.
func kernelName(modules []module) string {
	parts := []string{"gosphere"}
	for _, m := range modules {
		last := m.path[strings.LastIndexByte(m.path, '/')+1:]
		if rest := strings.TrimSuffix(m.path, "/"+last); majorVersion.MatchString(last) && rest != m.path {
			last = rest[strings.LastIndexByte(rest, '/')+1:]
		}
		parts = append(parts, strings.ToLower(notInKernelNames.ReplaceAllString(last, "-")))
	}
	return strings.Join(parts[:min(len(parts), 4)], "-")
}

var (
	majorVersion     = regexp.MustCompile(`^v[0-9]+$`)
	notInKernelNames = regexp.MustCompile(`[^A-Za-z0-9_.-]+`)
)

// workMark is a file that marks folders in which builds were made.
const workMark = ".gosphere-build"

// claim creates the folder to build in. It refuses a folder that contains anything but an earlier
// build, because the source would replace its files.
func claim(work, source string) error {
	whole, err := filepath.Abs(source)
	if err != nil {
		return err
	}
	if inside, err := filepath.Rel(whole, work); err == nil && filepath.IsLocal(inside) {
		return fmt.Errorf("--work %s is inside the source %s: choose a folder outside of it", work, source)
	}
	held, err := os.ReadDir(work)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("--work %s: %w", work, err)
	}
	if _, err := os.Stat(filepath.Join(work, workMark)); err != nil && len(held) > 0 {
		return fmt.Errorf("--work %s contains %s and no earlier build: choose an empty or a new folder", work, held[0].Name())
	}
	if err := os.MkdirAll(work, 0o777); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(work, workMark), nil, 0o666)
}

// copySource copies the files that a build needs: everything except files of Git, earlier builds
// and Python environments.
func copySource(to, from string) error {
	return filepath.WalkDir(from, func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		relative, err := filepath.Rel(from, name)
		if err != nil {
			return err
		}
		base := entry.Name()
		switch {
		case entry.IsDir() && relative != "." && (base[0] == '.' || base == "bin" || base == "testdata" && !strings.HasPrefix(relative, filepath.Join("internal", "runtime"))):
			return filepath.SkipDir
		case entry.IsDir():
			return os.MkdirAll(filepath.Join(to, relative), 0o777)
		case !entry.Type().IsRegular():
			return nil
		}
		text, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		return os.WriteFile(filepath.Join(to, relative), text, 0o666)
	})
}

// A toolchain is the go command in a copy of the source.
type toolchain struct {
	ctx    context.Context
	folder string
	out    io.Writer
}

// run runs the go command and returns its output. An error contains the command's messages.
func (t toolchain) run(arguments ...string) (string, error) {
	command := exec.CommandContext(t.ctx, "go", arguments...)
	command.Dir = t.folder
	command.Env = append(os.Environ(), "CGO_ENABLED=0", "GOWORK=off", "GOFLAGS=-mod=mod")
	var said strings.Builder
	command.Stderr = &said
	out, err := command.Output()
	if t.ctx.Err() != nil {
		return "", errors.New("interrupted")
	}
	if err != nil {
		return "", fmt.Errorf("go %s: %w\n%s", strings.Join(arguments[:min(len(arguments), 3)], " "), err, strings.TrimSpace(said.String()))
	}
	return string(out), nil
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
		if _, err := t.run(append([]string{"list", "-deps"}, found...)...); err != nil { // adds the checksums of the dependencies
			return nil, err
		}
		packages = append(packages, found...)
	}
	slices.Sort(packages)
	return slices.Compact(packages), nil
}

var closedFolder = regexp.MustCompile(`(^|/)(internal|vendor|testdata)(/|$)`)

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
