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
	"runtime"
	"strings"

	"gosphere/internal/command/process"
	"gosphere/internal/lazyregexp"
)

// Build is the subcommand that builds a gosphere with additional packages for cells.
// docs/modules.md documents it.
type Build struct {
	With   []string `required:"" sep:"none" placeholder:"PATH[@VERSION]" help:"Module whose packages cells may import, or a package and those below it, at a version (default: the latest). MODULE=DIR uses a local folder. May be repeated."`
	Name   string   `placeholder:"NAME" help:"Kernel name for Jupyter (default: gosphere-MODULE)."`
	Output string   `short:"o" type:"path" default:"gosphere-custom" help:"Output file (default: gosphere-custom)."`
	Source string   `type:"path" placeholder:"DIR" help:"Folder or .tar.gz archive with the source of gosphere (default: the current folder, the folder of the program, or a download of this release's source)."`
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

var modulePath = lazyregexp.New(`^[A-Za-z0-9][-A-Za-z0-9._~/]*$`)

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
	if b.Name == "" {
		b.Name = kernelName(modules)
	} else if notInKernelNames.MatchString(b.Name) {
		return fmt.Errorf("--name %s: kernel names consist of English letters, digits, dots, hyphens and underscores", b.Name)
	}
	work := b.Work
	if work == "" {
		if work, err = os.MkdirTemp("", "gosphere-build-"); err != nil {
			return err
		}
		defer os.RemoveAll(work)
	} else if err := claim(work, source.Folder); err != nil {
		return err
	}
	if err := bring(ctx, out, source, work); err != nil {
		return err
	}
	return b.make(toolchain{ctx, work, out}, source, modules)
}

// bring copies or unpacks the source into the folder to build in.
func bring(ctx context.Context, out io.Writer, source process.Source, work string) error {
	switch {
	case source.Folder != "":
		fmt.Fprintln(out, "copying the source of", source)
		return copySource(work, source.Folder)
	case source.Archive != "":
		fmt.Fprintln(out, "unpacking", source)
	default:
		fmt.Fprintf(out, "downloading the source of this release, %s\n", source)
	}
	return source.Unpack(ctx, work)
}

// make adds the modules to the source and builds the program.
func (b Build) make(t toolchain, source process.Source, modules []module) error {
	packages, err := t.add(modules)
	if err != nil {
		return err
	}
	fmt.Fprintf(t.out, "reading %d packages of %d modules\n", len(packages), len(modules))
	platform := runtime.GOOS + "/" + runtime.GOARCH
	listed, err := t.run("run", "./runtime/symbols/generate", "-dir", "runtime/symbols", "-platform", platform, "-add", strings.Join(packages, ","))
	if err != nil {
		return err
	}
	if fromSource := strings.Fields(listed); len(fromSource) > 0 {
		fmt.Fprintf(t.out, "these run from source, as cells do, because of functions and types with type parameters:\n  %s\n", strings.Join(fromSource, "\n  "))
	}
	added, err := t.versions(packages)
	if err != nil {
		return err
	}
	if err := t.noteLicenses(added); err != nil {
		return err
	}
	display := "Go (with " + modules[0].path + ")"
	if len(modules) > 1 {
		display = fmt.Sprintf("Go (with %s and %d more)", modules[0].path, len(modules)-1)
	}
	flags := "-s -w" + process.Stamps(map[string]string{"added": strings.Join(added, ","), "kernelName": b.Name, "displayName": display})
	if source.Sum != "" {
		flags += process.Stamps(map[string]string{"released": process.Release()})
	}
	fmt.Fprintln(t.out, "building", b.Output+", which takes a minute or more")
	if err := t.build("-trimpath", "-ldflags", flags, "-o", b.Output, "."); err != nil {
		return err
	}
	fmt.Fprintf(t.out, "\nCells of %s may import:\n  %s\n\nNext: %s install --user, which makes the kernel %s, %q\n",
		b.Output, strings.Join(packages, "\n  "), b.Output, b.Name, display)
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
	majorVersion     = lazyregexp.New(`^v[0-9]+$`)
	notInKernelNames = lazyregexp.New(`[^A-Za-z0-9_.-]+`)
)

// workMark is a file that marks folders in which builds were made.
const workMark = ".gosphere-build"

// claim creates the folder to build in. It refuses a folder that contains anything but an earlier
// build, because the source would replace its files, and one inside the source folder, if there is
// one.
func claim(work, source string) error {
	if source != "" {
		whole, err := filepath.Abs(source)
		if err != nil {
			return err
		}
		if inside, err := filepath.Rel(whole, work); err == nil && filepath.IsLocal(inside) {
			return fmt.Errorf("--work %s is inside the source %s: choose a folder outside of it", work, source)
		}
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
