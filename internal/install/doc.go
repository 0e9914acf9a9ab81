// Package install tells Jupyter about gosphere: it writes, lists and removes kernelspecs.
//
// A kernelspec is a folder that Jupyter finds by itself (see [Environment.Folders]) with a file
// kernel.json, which says how the kernel is started, and logos for the launcher. The program copies itself
// into the same folder, so that the kernelspec keeps working when the build folder or the download is gone,
// and so that removing the folder removes everything.
//
//	host, err := install.Host()
//	spec, err := host.Install(install.Options{Name: "gosphere"})
//
// The package neither runs Jupyter nor needs Python, and imports only the standard library: installing must work when
// nothing else does. What it asks the machine is in [Environment], so that tests can be on any platform.
//
// Read environment.go (where things are), then kernelspec.go (what is there), then install.go and uninstall.go.
package install
