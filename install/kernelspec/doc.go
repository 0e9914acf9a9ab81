// Package kernelspec registers gosphere with Jupyter: it writes, lists and removes kernelspecs.
//
// A kernelspec is a folder that Jupyter searches for (see [Environment.Folders]) with a file
// kernel.json, which contains the command that starts the kernel, and logos for the launcher. The
// program copies itself into the same folder, so that the kernelspec keeps working after the build
// folder or the download is deleted, and so that removing the folder removes everything.
// and so that removing the folder removes everything.
//
//	host, err := kernelspec.Host()
//	spec, err := host.Install(kernelspec.Options{Name: "gosphere"})
//
// The package neither runs Jupyter nor needs Python, and imports only the standard library, so that
// installing works under all conditions. Its inputs from the machine are in [Environment], so that
// tests can simulate any platform.
//
// Read environment.go (locations), then kernelspec.go (installed kernelspecs), then install.go and
// uninstall.go.
package kernelspec
