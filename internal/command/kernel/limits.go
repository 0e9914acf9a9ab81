package kernel

import (
	"encoding/json"
	"errors"
	"fmt"
	"go/build"
	"os"
	"path/filepath"

	"gosphere/internal/confine"
	"gosphere/internal/userfile"
)

// Limits are the flags that take abilities from the cells of a kernel.
type Limits struct {
	NoNetwork   bool   `help:"Refuse network connections to cells (Linux)."`
	NoProcesses bool   `help:"Refuse to cells to start programs (Linux)."`
	Confine     string `placeholder:"DIR" type:"path" help:"Refuse to cells all files outside of a folder, except those of the system and the module cache, which they may read (Linux)."`
}

// Arguments returns the flags as arguments of a command.
func (l Limits) Arguments() (list []string) {
	if l.NoNetwork {
		list = append(list, "--no-network")
	}
	if l.NoProcesses {
		list = append(list, "--no-processes")
	}
	if l.Confine != "" {
		list = append(list, "--confine="+l.Confine)
	}
	return list
}

// None reports whether no flag is set.
func (l Limits) None() bool { return l == Limits{} }

// apply limits this process, which serves the clients of a connection file.
func (l Limits) apply(connectionFile string) error {
	if l.None() {
		return nil
	}
	if err := l.fit(connectionFile); err != nil {
		return err
	}
	limits := confine.Limits{Network: l.NoNetwork, Processes: l.NoProcesses, Folder: l.Confine}
	if l.Confine != "" {
		if info, err := os.Stat(l.Confine); err != nil || !info.IsDir() {
			return fmt.Errorf("--confine %s: no such folder", l.Confine)
		}
		limits.Write = []string{filepath.Dir(connectionFile)}
		limits.Read = []string{moduleCache()}
		if program, err := os.Executable(); err == nil {
			limits.Read = append(limits.Read, program)
		}
	}
	return confine.Apply(limits)
}

// fit returns an error if a kernel with the limits could not serve its clients: without a network
// they have to connect by files.
func (l Limits) fit(connectionFile string) error {
	if !l.NoNetwork {
		return nil
	}
	text, err := userfile.ReadFile(connectionFile, userfile.Source)
	if err != nil {
		return fmt.Errorf("connection: %w", err)
	}
	var file struct{ Transport string }
	if err := json.Unmarshal(text, &file); err == nil && file.Transport != "ipc" {
		return errors.New("--no-network: the connection file states ports, want the transport ipc (c.KernelManager.transport = \"ipc\")")
	}
	return nil
}

// moduleCache returns the folder of downloaded modules, as the go command finds it.
func moduleCache() string {
	if dir := os.Getenv("GOMODCACHE"); dir != "" {
		return dir
	}
	return filepath.Join(build.Default.GOPATH, "pkg", "mod")
}
