package kernelspec

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
)

// An Environment determines where Jupyter searches for kernelspecs, and where the program is.
type Environment struct {
	OS         string                   // as in runtime.GOOS
	Home       string                   // the user's home folder, "" if there is none
	Variable   func(name string) string // "" for a variable that is not set
	Executable string                   // path of the running program
}

// Host returns the environment of this process.
func Host() (Environment, error) {
	executable, err := os.Executable()
	if err != nil {
		return Environment{}, fmt.Errorf("install: where this program lies: %w", err)
	}
	if resolved, err := filepath.EvalSymlinks(executable); err == nil {
		executable = resolved
	}
	// Only --user needs the home folder; a container may have none.
	home, _ := os.UserHomeDir()
	return Environment{OS: runtime.GOOS, Home: home, Variable: os.Getenv, Executable: executable}, nil
}

// A Place selects one of Jupyter's folders for a kernelspec. The zero value selects the user's
// folder for Install and all folders for Uninstall. At most one field may be set.
type Place struct {
	User      bool   // the user's data folder
	SysPrefix bool   // the active virtual environment
	Prefix    string // share/jupyter in this folder
}

// Folders returns the folders that Jupyter searches for kernelspecs, in search order, each ending
// in "kernels": the entries of JUPYTER_PATH, the user's folder, the active environment's and the
// system's. In an active environment its folder precedes the user's, as in Jupyter since
// jupyter_core 5.
func (e Environment) Folders() []string {
	var data []string
	for _, entry := range strings.Split(e.Variable("JUPYTER_PATH"), e.listSeparator()) {
		if entry != "" {
			data = append(data, strings.TrimRight(entry, e.separator()))
		}
	}
	var user []string
	if folder, err := e.userData(); err == nil {
		user = []string{folder}
	}
	if e.Home != "" && e.OS != "windows" && e.OS != "darwin" && e.Variable("VIRTUAL_ENV") == "" {
		// Python's user site is searched even if a variable moves the data folder; a virtual
		// environment disables it.
		user = append(user, e.join(e.Home, ".local", "share", "jupyter"))
	}
	if prefix := e.sysPrefix(); prefix != "" {
		environment := []string{e.join(prefix, "share", "jupyter")}
		if e.prefersEnvironment() {
			user = append(environment, user...)
		} else {
			user = append(user, environment...)
		}
	}
	data = append(append(data, user...), e.systemData()...)
	var folders []string
	for _, folder := range data {
		if folder = e.join(folder, "kernels"); !slices.Contains(folders, folder) {
			folders = append(folders, folder)
		}
	}
	return folders
}

// kernels returns the folder of kernelspecs of a place.
func (e Environment) kernels(place Place) (string, error) {
	set := 0
	for _, isSet := range []bool{place.User, place.SysPrefix, place.Prefix != ""} {
		if isSet {
			set++
		}
	}
	switch {
	case set > 1:
		return "", errors.New("install: only one of user, sys-prefix and prefix can be chosen")
	case place.Prefix != "":
		return e.join(place.Prefix, "share", "jupyter", "kernels"), nil
	case place.SysPrefix:
		prefix := e.sysPrefix()
		if prefix == "" {
			return "", errors.New("install: neither VIRTUAL_ENV nor CONDA_PREFIX is set: activate the environment first, or name its folder with --prefix")
		}
		return e.join(prefix, "share", "jupyter", "kernels"), nil
	}
	data, err := e.userData()
	if err != nil {
		return "", err
	}
	return e.join(data, "kernels"), nil
}

// userData returns the user's data folder, as jupyter_core.paths.jupyter_data_dir does.
func (e Environment) userData() (string, error) {
	if folder := e.Variable("JUPYTER_DATA_DIR"); folder != "" {
		return folder, nil
	}
	platform := e.isSet("JUPYTER_PLATFORM_DIRS")
	switch {
	case e.OS == "windows" && platform && e.Variable("LOCALAPPDATA") != "":
		return e.join(e.Variable("LOCALAPPDATA"), "Jupyter"), nil
	case e.OS == "windows" && e.Variable("APPDATA") != "":
		return e.join(e.Variable("APPDATA"), "jupyter"), nil
	case e.OS != "windows" && e.OS != "darwin" && e.Variable("XDG_DATA_HOME") != "":
		return e.join(e.Variable("XDG_DATA_HOME"), "jupyter"), nil
	case e.Home == "":
		return "", errors.New("install: the home folder is not known: set HOME or JUPYTER_DATA_DIR, or choose a folder with --prefix")
	case e.OS == "windows":
		if folder := e.Variable("JUPYTER_CONFIG_DIR"); folder != "" {
			return e.join(folder, "data"), nil
		}
		return e.join(e.Home, ".jupyter", "data"), nil
	case e.OS == "darwin" && platform:
		return e.join(e.Home, "Library", "Application Support", "Jupyter"), nil
	case e.OS == "darwin":
		return e.join(e.Home, "Library", "Jupyter"), nil
	}
	return e.join(e.Home, ".local", "share", "jupyter"), nil
}

// systemData returns the data folders of the whole machine.
func (e Environment) systemData() []string {
	if e.OS != "windows" {
		return []string{"/usr/local/share/jupyter", "/usr/share/jupyter"}
	}
	if folder := e.Variable("PROGRAMDATA"); folder != "" {
		return []string{e.join(folder, "jupyter")}
	}
	return nil
}

// sysPrefix returns Python's sys.prefix in the active environment. If none is active it is the
// virtual environment that the program is in, as for env/bin/gosphere, whose env/bin/jupyter
// searches it; or "". A virtual environment takes precedence, because it may be based on the Python
// of a conda environment.
func (e Environment) sysPrefix() string {
	if prefix := e.Variable("VIRTUAL_ENV"); prefix != "" {
		return prefix
	}
	if prefix := e.Variable("CONDA_PREFIX"); prefix != "" {
		return prefix
	}
	return e.ownEnvironment()
}

// ownEnvironment returns the virtual environment that the program is in, or "".
func (e Environment) ownEnvironment() string {
	folder := filepath.Dir(e.Executable)
	switch filepath.Base(folder) {
	case "bin", "Scripts":
		if _, err := os.Stat(filepath.Join(filepath.Dir(folder), "pyvenv.cfg")); err == nil {
			return filepath.Dir(folder)
		}
	}
	return ""
}

// prefersEnvironment follows jupyter_core.paths.prefer_environment_over_user: it returns true in a
// virtual environment and in a conda environment other than the base one, unless a variable
// overrides it.
func (e Environment) prefersEnvironment() bool {
	if e.Variable("JUPYTER_PREFER_ENV_PATH") != "" {
		return e.isSet("JUPYTER_PREFER_ENV_PATH")
	}
	if e.Variable("VIRTUAL_ENV") != "" || e.Variable("CONDA_PREFIX") == "" && e.ownEnvironment() != "" {
		return true
	}
	name := e.Variable("CONDA_DEFAULT_ENV")
	return name != "" && name != "base"
}

// isSet interprets a boolean variable as jupyter_core does.
func (e Environment) isSet(name string) bool {
	switch strings.ToLower(e.Variable(name)) {
	case "", "no", "n", "false", "off", "0", "0.0":
		return false
	}
	return true
}

// separator returns the path separator of the environment. Package filepath knows only that of the
// compiled platform.
func (e Environment) separator() string {
	if e.OS == "windows" {
		return `\`
	}
	return "/"
}

func (e Environment) listSeparator() string {
	if e.OS == "windows" {
		return ";"
	}
	return ":"
}

func (e Environment) join(first string, rest ...string) string {
	path := strings.TrimRight(first, e.separator())
	for _, part := range rest {
		path += e.separator() + part
	}
	return path
}

// binaryName returns the file name of the program's copy.
func (e Environment) binaryName() string {
	if e.OS == "windows" {
		return "gosphere.exe"
	}
	return "gosphere"
}
