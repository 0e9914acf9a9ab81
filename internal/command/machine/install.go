package machine

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"

	"gosphere/install/kernelspec"
	"gosphere/internal/command/process"
)

// Place holds the flags that choose one of Jupyter's folders.
type Place struct {
	User      bool   `xor:"place" help:"Folder of the current user (the default)."`
	SysPrefix bool   `xor:"place" help:"Active virtual or conda environment."`
	Prefix    string `xor:"place" type:"path" placeholder:"DIR" help:"Folder share/jupyter/kernels in DIR."`
}

func (p Place) where() kernelspec.Place {
	return kernelspec.Place{User: p.User, SysPrefix: p.SysPrefix, Prefix: p.Prefix}
}

// Install is the subcommand that makes Jupyter offer gosphere.
type Install struct {
	Place       `embed:""`
	Name        string `default:"${kernelName}" help:"Kernel name for Jupyter (default: ${kernelName})."`
	DisplayName string `default:"${displayName}" placeholder:"TEXT" help:"Name shown by launchers (default: ${displayName})."`
}

// Run writes the kernelspec and prints the next step.
func (i Install) Run() error {
	host, err := kernelspec.Host()
	if err != nil {
		return err
	}
	return i.install(host, os.Stdout)
}

func (i Install) install(host kernelspec.Environment, out io.Writer) error {
	spec, err := host.Install(kernelspec.Options{Place: i.where(), Name: i.Name, DisplayName: i.DisplayName})
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "kernelspec  %s\nprogram     %s\n\n", spec.Folder, spec.Binary)
	parent := filepath.Dir(spec.Folder)
	if !slices.Contains(host.Folders(), parent) {
		fmt.Fprintf(out, "Only a Jupyter installed in %s finds this kernel; for others set JUPYTER_PATH=%s\n", filepath.Clean(i.Prefix), filepath.Dir(parent))
	}
	for _, other := range host.List() {
		if other.Folder == spec.Folder && other.Hidden {
			fmt.Fprintf(out, "Another kernelspec %s comes first in Jupyter's search path and hides this one: see gosphere list.\n", spec.Name)
		}
	}
	_, err = fmt.Fprintf(out, "Next: start jupyter lab and choose %q.\n", spec.DisplayName)
	return err
}

// List is the subcommand that lists the installed kernelspecs of gosphere.
type List struct {
	Prefix []string `type:"path" placeholder:"DIR" help:"Additional folder to search. May be repeated."`
	JSON   bool     `name:"json" help:"Print JSON: an array of kernelspecs."`
}

// Run prints one line for each kernelspec.
func (l List) Run() error {
	host, err := kernelspec.Host()
	if err != nil {
		return err
	}
	return l.list(host, os.Stdout)
}

// A listed kernelspec is what list --json prints of one.
type listed struct {
	Name        string `json:"name"`
	DisplayName string `json:"display_name"`
	Condition   string `json:"condition"` // "ok", or what is wrong
	Folder      string `json:"folder"`
	Program     string `json:"program"`
}

func (l List) list(host kernelspec.Environment, out io.Writer) error {
	specs := host.List(l.Prefix...)
	if l.JSON {
		list := []listed{}
		for _, spec := range specs {
			list = append(list, listed{spec.Name, spec.DisplayName, condition(spec), spec.Folder, spec.Binary})
		}
		return process.PrintJSON(out, list)
	}
	if len(specs) == 0 {
		_, err := fmt.Fprintln(out, "gosphere is not installed for Jupyter; run: gosphere install")
		return err
	}
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	for _, spec := range specs {
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\n", spec.Name, spec.DisplayName, condition(spec), spec.Folder)
	}
	return table.Flush()
}

// condition describes in a few words whether a kernelspec works.
func condition(spec kernelspec.Kernelspec) string {
	switch {
	case spec.Broken != nil:
		return "broken: " + strings.TrimPrefix(spec.Broken.Error(), "install: ")
	case spec.Hidden:
		return "hidden by another of the same name"
	}
	return "ok"
}

// Uninstall is the subcommand that removes a kernelspec.
type Uninstall struct {
	Place `embed:""`
	Name  string `default:"${kernelName}" help:"Kernel name for Jupyter (default: ${kernelName})."`
}

// Run removes the files that Install wrote, from the chosen folder or from all folders that Jupyter
// searches.
func (u Uninstall) Run() error {
	host, err := kernelspec.Host()
	if err != nil {
		return err
	}
	return u.uninstall(host, os.Stdout)
}

func (u Uninstall) uninstall(host kernelspec.Environment, out io.Writer) error {
	removed, err := host.Uninstall(u.Name, u.where())
	for _, one := range removed {
		fmt.Fprintln(out, "removed", one.Folder)
		if len(one.Kept) > 0 {
			fmt.Fprintf(out, "folder kept, because it contains files that gosphere did not write: %s\n", strings.Join(one.Kept, ", "))
		}
	}
	return err
}
