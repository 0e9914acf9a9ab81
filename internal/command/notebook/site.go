package notebook

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"gosphere/kernel/nbformat"
)

// Site is the subcommand that builds a site of notebooks that run in the browser.
type Site struct {
	Notebooks string `arg:"" type:"existingdir" help:"Folder with the notebooks, and the files that they read."`
	Output    string `short:"o" type:"path" default:"site" help:"Folder to write (default: site). It must be empty or contain a site."`
	Title     string `placeholder:"TEXT" default:"gosphere" help:"Title of the pages (default: gosphere)."`
	Python    string `placeholder:"FILE" help:"Python with the package jupyterlite-core (default: python3)."`
	Extension string `type:"path" placeholder:"DIR" help:"Folder gosphere-browser with the kernel for browsers (default: next to the program, or in dist/browser of its source)."`
}

// Run builds the site and prints its folder.
func (s Site) Run() error {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	return s.build(ctx, os.Stdout)
}

// liteVersion is the version of jupyterlite-core that the extension is built for.
const liteVersion = "0.8.6"

func (s Site) build(ctx context.Context, stdout io.Writer) error {
	extension, err := s.extension()
	if err != nil {
		return err
	}
	count, err := countNotebooks(s.Notebooks)
	if err != nil {
		return err
	}
	if err := s.checkOutput(); err != nil {
		return err
	}
	python, err := s.python()
	if err != nil {
		return err
	}
	if err := hasLite(ctx, python); err != nil {
		return err
	}
	work, err := os.MkdirTemp("", "gosphere-site-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	if err := s.configure(work, extension); err != nil {
		return err
	}
	command := exec.CommandContext(ctx, python, "-m", "jupyterlite_core", "build", "--lite-dir", work)
	command.Dir = work
	var log bytes.Buffer
	command.Stdout, command.Stderr = &log, &log
	if err := command.Run(); err != nil {
		return fmt.Errorf("jupyterlite build: %w\n%s", err, lastLines(log.String(), 20))
	}
	if err := keepOffline(s.Output); err != nil {
		return err
	}
	fmt.Fprintf(stdout, "%s: %d notebooks\nServe the folder with any web server, for instance: %s -m http.server --directory %s\n", s.Output, count, python, s.Output)
	return nil
}

// extension returns the folder with the kernel for browsers.
func (s Site) extension() (string, error) {
	const name = "gosphere-browser"
	folders := []string{s.Extension}
	if s.Extension == "" {
		executable, err := os.Executable()
		if err != nil {
			return "", err
		}
		beside := filepath.Dir(executable)
		folders = []string{filepath.Join(beside, name), filepath.Join(beside, "..", "share", "gosphere", name), filepath.Join(beside, "..", "dist", "browser", name)}
	}
	for _, folder := range folders {
		if _, err := os.Stat(filepath.Join(folder, "static", "gosphere.json")); err == nil {
			return folder, nil
		}
	}
	if s.Extension != "" {
		return "", fmt.Errorf("--extension %s: no static/gosphere.json in it: it is not the kernel for browsers", s.Extension)
	}
	return "", fmt.Errorf("no kernel for browsers: put the folder %s of the release next to the program, or build it with make browser, or name it with --extension", name)
}

// countNotebooks returns the number of notebooks in a folder. It returns an error if there is none.
func countNotebooks(folder string) (count int, err error) {
	err = filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if filepath.Ext(path) != ".ipynb" {
			return nil
		}
		if _, err := nbformat.ReadFile(path); err != nil {
			return err
		}
		count++
		return nil
	})
	if err == nil && count == 0 {
		err = fmt.Errorf("%s: no notebook (*.ipynb) in this folder", folder)
	}
	return count, err
}

// checkOutput returns an error if the folder to write contains anything but a site.
func (s Site) checkOutput() error {
	entries, err := os.ReadDir(s.Output)
	if errors.Is(err, fs.ErrNotExist) || err == nil && len(entries) == 0 {
		return nil
	}
	if err != nil {
		return err
	}
	if _, err := os.Stat(filepath.Join(s.Output, "jupyter-lite.json")); err != nil {
		return fmt.Errorf("-o %s: the folder has files and is not a site of this command", s.Output)
	}
	return nil
}

// configure writes the configurations of the build and of the pages into the folder that
// JupyterLite reads. Extensions of JupyterLab that are installed beside jupyterlite-core become
// part of the site as well, among them jupyterlab_widgets, which draws widgets.
func (s Site) configure(work, extension string) error {
	folders := []string{s.Notebooks, s.Output, extension}
	for i, folder := range folders {
		var err error
		if folders[i], err = filepath.Abs(folder); err != nil {
			return err
		}
	}
	for name, content := range map[string]any{
		"jupyter_lite_config.json": map[string]any{"LiteBuildConfig": map[string]any{
			"contents": folders[:1], "output_dir": folders[1], "federated_extensions": folders[2:], "no_sourcemaps": true,
		}},
		"jupyter-lite.json": map[string]any{
			"jupyter-lite-schema-version": 0,
			"jupyter-config-data":         map[string]any{"appName": s.Title, "defaultKernelName": "gosphere"},
		},
	} {
		text, err := json.Marshal(content)
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(work, name), text, 0o666); err != nil {
			return err
		}
	}
	return nil
}

// keepOffline puts the extension's part of the service worker before that of JupyterLite, so that
// the browser keeps the pages for visits without a connection. The part is versioned by the content
// of the site, because the browser then removes what it has kept of earlier versions. The file
// page.json lists the code, styles and fonts of the pages, because they are loaded when they are
// first needed, which may be without a connection.
func keepOffline(site string) error {
	version := sha256.New()
	page := []string{}
	err := filepath.WalkDir(site, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.Type().IsRegular() {
			return err
		}
		content, err := os.ReadFile(path)
		fmt.Fprintf(version, "%s %d\n%s", path, len(content), content)
		if name := filepath.ToSlash(strings.TrimPrefix(path, site+string(filepath.Separator))); isOfPage(name) {
			page = append(page, name)
		}
		return err
	})
	if err != nil {
		return err
	}
	list, err := json.Marshal(page)
	if err != nil {
		return err
	}
	static := filepath.Join(site, "extensions", "gosphere-browser", "static")
	if err := os.MkdirAll(static, 0o777); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(static, "page.json"), list, 0o666); err != nil {
		return err
	}
	name := filepath.Join(site, "service-worker.js")
	own, err := os.ReadFile(name)
	if err != nil {
		return fmt.Errorf("jupyterlite build has written no service worker: %w", err)
	}
	first := fmt.Sprintf("self.gosphereVersion = \"%.8x\"; importScripts(\"extensions/gosphere-browser/static/offline.js\");\n", version.Sum(nil))
	return os.WriteFile(name, append([]byte(first), own...), 0o666)
}

// isOfPage reports whether pages load a file of a site to run: code, a style or a font.
func isOfPage(name string) bool {
	ofPage := strings.HasPrefix(name, "build/") || strings.HasPrefix(name, "extensions/")
	return ofPage && slices.Contains([]string{".js", ".css", ".woff", ".woff2"}, filepath.Ext(name))
}

// python returns the Python that builds the site. The build runs in another folder, so a path
// becomes absolute; a bare name stays, because it is looked up in PATH.
func (s Site) python() (string, error) {
	name := cmp.Or(s.Python, defaultPython())
	if filepath.Base(name) == name {
		return name, nil
	}
	return filepath.Abs(name)
}

func defaultPython() string {
	if runtime.GOOS == "windows" {
		return "python"
	}
	return "python3"
}

// hasLite returns an error that names the remedy if a Python lacks jupyterlite-core.
func hasLite(ctx context.Context, python string) error {
	out, err := exec.CommandContext(ctx, python, "-c", "import jupyterlite_core; print(jupyterlite_core.__version__)").CombinedOutput()
	if errors.Is(err, exec.ErrNotFound) {
		return fmt.Errorf("%s: not found: name a Python 3.10 or later with --python", python)
	}
	if err != nil {
		return fmt.Errorf("%s has no jupyterlite-core: install it with %s -m pip install jupyterlite-core==%s, or name another Python with --python", python, python, liteVersion)
	}
	minor := func(version string) string { return version[:max(0, strings.LastIndexByte(version, '.'))] }
	if version := strings.TrimSpace(string(out)); minor(version) != minor(liteVersion) {
		return fmt.Errorf("%s has jupyterlite-core %s, want %s", python, version, liteVersion)
	}
	return nil
}

// lastLines returns the last n lines of a text.
func lastLines(text string, n int) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	return strings.Join(lines[max(0, len(lines)-n):], "\n")
}
