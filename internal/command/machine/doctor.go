// Package machine implements the subcommands that concern the installation and the machine: doctor,
// install, list, uninstall and build.
package machine

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"golang.org/x/sys/cpu"

	"gosphere/asymvlm/device"
	"gosphere/install/kernelspec"
	"gosphere/internal/command/process"
	"gosphere/runtime/session"
)

// Doctor is the subcommand that reports what gosphere finds on this machine.
type Doctor struct {
	JSON bool `name:"json" help:"Print JSON: an array of findings."`

	process.Compute
}

// Run prints one line for each finding. A missing component is not an error: its line says how to
// get it.
func (d Doctor) Run() error {
	host, err := kernelspec.Host()
	if err != nil {
		return err
	}
	findings := []finding{
		{good, "version", process.Banner()},
		findSymbols(process.Preloaded),
		findProcessor(processorName()),
		findDevice(),
		findPrecision(),
		findMemory(memory()),
	}
	findings = append(findings, findKernelspecs(host, askVersion)...)
	findings = append(findings, findJupyter(beside(host.Executable, exec.LookPath), capture))
	findings = append(findings, findFolders(host)...)
	findings = append(findings, findGPU(driverFiles(host.Variable), exec.LookPath))
	if d.JSON {
		return printJSON(os.Stdout, findings)
	}
	return printFindings(os.Stdout, findings)
}

// printJSON prints the findings as an array of objects.
func printJSON(out io.Writer, findings []finding) error {
	type object struct {
		Mark    string `json:"mark"` // ok, missing, broken, or - for a remark
		Subject string `json:"subject"`
		Text    string `json:"text"`
	}
	list := []object{}
	for _, f := range findings {
		list = append(list, object{f.mark, f.subject, f.text})
	}
	return process.PrintJSON(out, list)
}

// Marks at the start of a line.
const (
	good    = "ok"
	missing = "missing"
	broken  = "broken"
	remark  = "-" // neither good nor bad
)

// A finding is one line of the report.
type finding struct {
	mark, subject, text string
}

func printFindings(out io.Writer, findings []finding) error {
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	for _, f := range findings {
		fmt.Fprintf(table, "%s\t%s\t%s\n", f.mark, f.subject, f.text)
	}
	return table.Flush()
}

// findSymbols reports the Go release for which the preloaded packages were described. Type
// information of a release other than the compiled one would list names that do not exist.
func findSymbols(compiled session.Packages) finding {
	const subject = "symbols"
	if compiled.Archives == nil {
		return finding{missing, subject, "this program was built without preloaded packages"}
	}
	types, err := compiled.Open()
	if err != nil {
		return finding{broken, subject, err.Error()}
	}
	text := fmt.Sprintf("%d packages, made for %s", len(types.Library().Paths()), types.GoVersion())
	// A release with experiments reports itself as "go1.26.8 X:name".
	release, _, _ := strings.Cut(runtime.Version(), " ")
	if types.GoVersion() != release {
		return finding{broken, subject, fmt.Sprintf("%s, but the program was built with %s; run: make symbols build", text, release)}
	}
	return finding{good, subject, text}
}

// findProcessor reports the CPU and its instruction sets that matter for training.
func findProcessor(name string) finding {
	parts := []string{fmt.Sprintf("%d cores", runtime.NumCPU())}
	if name != "" {
		parts = slices.Insert(parts, 0, name)
	}
	if used := runtime.GOMAXPROCS(0); used != runtime.NumCPU() {
		parts = append(parts, fmt.Sprintf("%d used", used))
	}
	if runtime.GOARCH == "amd64" {
		for _, set := range []struct {
			name string
			has  bool
		}{{"AVX2", cpu.X86.HasAVX2 && cpu.X86.HasFMA}, {"AVX-512", cpu.X86.HasAVX512F}, {"AVX512_BF16", cpu.X86.HasAVX512BF16}} {
			if set.has {
				parts = append(parts, set.name)
			} else {
				parts = append(parts, "no "+set.name)
			}
		}
	}
	return finding{good, "processor", strings.Join(parts, ", ")}
}

// findDevice reports the device that trains adapters, as chosen by --device or GOSPHERE_DEVICE, and
// its implementation of matrix products.
func findDevice() finding {
	const subject = "device"
	shared, err := device.Default()
	if err != nil {
		return finding{broken, subject, strings.TrimPrefix(err.Error(), "device: ")}
	}
	return finding{good, subject, "adapters are trained on " + shared.Name()}
}

// findPrecision reports the precision of matrix products, as chosen by --precision or
// GOSPHERE_PRECISION.
func findPrecision() finding {
	const subject = "precision"
	chosen, err := device.DefaultPrecision()
	if err != nil {
		return finding{broken, subject, strings.TrimPrefix(err.Error(), "device: ")}
	}
	return finding{good, subject, "adapters are trained with " + chosen.Means()}
}

// findMemory reports the sizes in bytes; 0 means unknown.
func findMemory(total, free uint64) finding {
	const subject, gibibyte = "memory", 1 << 30
	if total == 0 {
		return finding{remark, subject, "size unknown"}
	}
	text := fmt.Sprintf("%.1f GiB", float64(total)/gibibyte)
	if free > 0 {
		text += fmt.Sprintf(", %.1f GiB free", float64(free)/gibibyte)
	}
	return finding{good, subject, text}
}

// findKernelspecs reports for each installed kernelspec whether it starts this version.
func findKernelspecs(host kernelspec.Environment, version func(binary string) (string, error)) []finding {
	const subject = "kernelspec"
	specs := host.List()
	if len(specs) == 0 {
		return []finding{{missing, subject, "none installed for Jupyter; run: gosphere install"}}
	}
	var findings []finding
	for _, spec := range specs {
		found := finding{good, subject, fmt.Sprintf("%s in %s", spec.Name, spec.Folder)}
		switch installed, err := version(spec.Binary); {
		case spec.Broken != nil:
			found.mark = broken
			found.text += ": " + strings.TrimPrefix(spec.Broken.Error(), "install: ") + "; run: gosphere install"
		case err != nil:
			found.mark = broken
			found.text += fmt.Sprintf(": %s does not start: %v", spec.Binary, err)
		case installed != process.Banner():
			found.mark = remark
			found.text += fmt.Sprintf(": a different version (%s); to install this one, run: gosphere install", installed)
		default:
			found.text += ": this version"
		}
		if spec.Hidden {
			found.text += " (hidden by another kernelspec of this name)"
		}
		findings = append(findings, found)
	}
	return findings
}

// askVersion runs the program of a kernelspec and returns the version that it prints.
func askVersion(binary string) (string, error) {
	text, err := capture(binary, "version")
	return strings.TrimSpace(text), err
}

// patience is the time that another program may take to print its version. Jupyter imports a dozen
// Python packages first.
const patience = 20 * time.Second

// capture runs another program and returns its standard output.
func capture(program string, arguments ...string) (string, error) {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	started := exec.CommandContext(ctx, program, arguments...)
	// Children that keep the pipe open must not delay the report.
	started.WaitDelay = time.Second
	text, err := started.Output()
	if ctx.Err() != nil {
		return "", fmt.Errorf("no answer within %v", patience)
	}
	return string(text), err
}

// beside returns a function that finds a program in the folder of another one, such as the jupyter
// of the environment that this program is in, and otherwise as look does.
func beside(executable string, look func(string) (string, error)) func(string) (string, error) {
	return func(name string) (string, error) {
		if found, err := exec.LookPath(filepath.Join(filepath.Dir(executable), name)); err == nil {
			return found, nil
		}
		return look(name)
	}
}

// findJupyter reports which Jupyter is on the search path or beside this program.
func findJupyter(look func(string) (string, error), run func(string, ...string) (string, error)) finding {
	const subject = "jupyter"
	path, err := look("jupyter")
	if err != nil {
		return finding{missing, subject, "neither beside this program nor on PATH; to install it, run: python3 -m pip install jupyterlab (gosphere run and gosphere repl work without it)"}
	}
	text, err := run(path, "--version")
	if err != nil {
		return finding{broken, subject, fmt.Sprintf("%s --version: %v", path, err)}
	}
	if versions := jupyterVersions(text); versions != "" {
		return finding{good, subject, path + ": " + versions}
	}
	return finding{remark, subject, path + ": no version in its output"}
}

// jupyterVersions extracts the programs that start kernels from the table that "jupyter --version"
// prints, with lines such as "jupyterlab       : 4.4.1". Before jupyter_core 4.6 the output was a
// single version.
func jupyterVersions(text string) string {
	var found []string
	for line := range strings.Lines(text) {
		name, version, isTable := strings.Cut(line, ":")
		name, version = strings.TrimSpace(name), strings.TrimSpace(version)
		if isTable && version != "" && version != "not installed" && slices.Contains([]string{"jupyterlab", "notebook", "jupyter_client"}, name) {
			found = append(found, name+" "+version)
		}
	}
	if text = strings.TrimSpace(text); len(found) == 0 && text != "" && strings.Trim(text, "0123456789.") == "" {
		return text
	}
	return strings.Join(found, ", ")
}

// findFolders lists the folders that Jupyter searches and the folder of gosphere's own files.
func findFolders(host kernelspec.Environment) []finding {
	var findings []finding
	for _, folder := range host.Folders() {
		findings = append(findings, findFolder("search", folder))
	}
	if folder, err := os.UserConfigDir(); err == nil {
		findings = append(findings, findFolder("settings", filepath.Join(folder, "gosphere")))
	}
	return findings
}

func findFolder(subject, folder string) finding {
	switch info, err := os.Stat(folder); {
	case errors.Is(err, os.ErrNotExist):
		return finding{remark, subject, folder + " (does not exist)"}
	case err != nil:
		return finding{broken, subject, err.Error()}
	case !info.IsDir():
		return finding{broken, subject, folder + " is not a folder"}
	}
	return finding{good, subject, folder}
}

// driverFiles are the files that an NVIDIA driver installs on Linux, in WSL and on Windows.
func driverFiles(variable func(string) string) []string {
	files := []string{
		"/dev/nvidia0",
		"/usr/lib/x86_64-linux-gnu/libcuda.so.1",
		"/usr/lib/aarch64-linux-gnu/libcuda.so.1",
		"/usr/lib64/libcuda.so.1",
		"/usr/lib/wsl/lib/libcuda.so.1",
	}
	if root := variable("SystemRoot"); root != "" {
		files = append(files, filepath.Join(root, "System32", "nvcuda.dll"))
	}
	return files
}

// trainedThere describes the work done on a GPU.
const trainedThere = "complete trainings run there, except custom losses and bayesvlm, which use it for large matrix products only"

// findGPU reports whether this build supports GPUs and whether an NVIDIA driver is installed.
func findGPU(files []string, look func(string) (string, error)) finding {
	driver := "no NVIDIA driver found"
	if path, err := look("nvidia-smi"); err == nil {
		files = append(files, path)
	}
	for _, path := range files {
		if _, err := os.Stat(path); err == nil {
			driver = "NVIDIA driver found (" + path + ")"
			break
		}
	}
	name, err := device.Card()
	if err != nil {
		return finding{remark, "gpu", strings.TrimPrefix(err.Error(), "device: ") + "; " + driver}
	}
	return finding{good, "gpu", name + "; " + driver + "; " + trainedThere}
}
