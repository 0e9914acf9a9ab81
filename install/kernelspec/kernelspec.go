package kernelspec

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// Default names.
const (
	DefaultName        = "gosphere"
	DefaultDisplayName = "Go (gosphere)"
)

// ProtocolVersion is the version of the Jupyter protocol in kernelspecs. It informs launchers,
// before they start a kernel, which kind of file they may pass to it.
const ProtocolVersion = "5.6"

// description is the file that makes a folder a kernelspec.
const description = "kernel.json"

// A Kernelspec is one installed kernelspec of gosphere.
type Kernelspec struct {
	Name        string // Jupyter's name for the kernel; the name of the folder
	DisplayName string // name shown by launchers
	Folder      string
	Binary      string // the program that kernel.json starts
	Broken      error  // reason why the kernel cannot start, nil if it can
	Hidden      bool   // hidden by another kernelspec of this name, earlier in Jupyter's search order
}

// kernelJSON is the content of kernel.json, with the field names of the Jupyter documentation.
type kernelJSON struct {
	Argv          []string       `json:"argv"`
	DisplayName   string         `json:"display_name"`
	Language      string         `json:"language"`
	InterruptMode string         `json:"interrupt_mode"`
	Protocol      string         `json:"kernel_protocol_version"` // version that the kernel announces
	Metadata      map[string]any `json:"metadata"`
}

// newKernelJSON returns the description of a kernel that is served by a program.
func newKernelJSON(program, displayName string) kernelJSON {
	return kernelJSON{
		Argv:          []string{program, "kernel", "{connection_file}"},
		DisplayName:   displayName,
		Language:      "go",
		InterruptMode: "message",
		Protocol:      ProtocolVersion,
		Metadata:      map[string]any{"debugger": true, "supported_encryption": []string{"curve"}},
	}
}

// text returns the content of kernel.json.
func (k kernelJSON) text() ([]byte, error) {
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	if err := encoder.Encode(k); err != nil {
		return nil, fmt.Errorf("install: %s: %w", description, err)
	}
	return text.Bytes(), nil
}

// Files returns the files of a kernelspec by name, for packages that include the program. Jupyter
// replaces {resource_dir} in the path of the program by the folder of the kernelspec.
func Files(program string) (map[string][]byte, error) {
	text, err := newKernelJSON(program, DefaultDisplayName).text()
	if err != nil {
		return nil, err
	}
	files := map[string][]byte{description: text}
	for _, logo := range logos() {
		files[logo.name] = logo.content
	}
	return files, nil
}

// isOurs reports whether a kernelspec starts gosphere. It checks only the command: a marker in the
// metadata would be missing from kernelspecs written by hand for the same program.
func (k kernelJSON) isOurs() bool {
	if k.Language != "go" || len(k.Argv) < 2 || k.Argv[1] != "kernel" {
		return false
	}
	program := path.Base(strings.ReplaceAll(k.Argv[0], `\`, "/"))
	return strings.HasPrefix(strings.ToLower(program), "gosphere")
}

// List returns the kernelspecs of gosphere in all folders that Jupyter searches and in the given
// prefixes, in search order. Folders that do not exist or cannot be read are skipped.
func (e Environment) List(prefixes ...string) []Kernelspec {
	folders := e.Folders()
	for _, prefix := range prefixes {
		if folder := e.join(prefix, "share", "jupyter", "kernels"); !slices.Contains(folders, folder) {
			folders = append(folders, folder)
		}
	}
	var found []Kernelspec
	seen := map[string]bool{}
	for _, folder := range folders {
		entries, err := os.ReadDir(folder)
		if err != nil {
			continue
		}
		for _, entry := range entries {
			inside := filepath.Join(folder, entry.Name())
			content, err := readDescription(inside)
			if errors.Is(err, fs.ErrNotExist) {
				continue
			}
			name := strings.ToLower(entry.Name())
			if err == nil && content.isOurs() {
				spec := content.kernelspec(name, inside)
				spec.Hidden = seen[name]
				found = append(found, spec)
			}
			seen[name] = true
		}
	}
	return found
}

// readDescription reads the kernel.json of a folder.
func readDescription(folder string) (kernelJSON, error) {
	var content kernelJSON
	text, err := os.ReadFile(filepath.Join(folder, description))
	if err != nil {
		return content, fmt.Errorf("install: %w", err)
	}
	if err := json.Unmarshal(text, &content); err != nil {
		return content, fmt.Errorf("install: %s: %w", filepath.Join(folder, description), err)
	}
	return content, nil
}

// kernelspec returns the kernelspec described by a file in a folder.
func (k kernelJSON) kernelspec(name, folder string) Kernelspec {
	binary := strings.ReplaceAll(k.Argv[0], "{resource_dir}", folder)
	return Kernelspec{Name: name, DisplayName: k.DisplayName, Folder: folder, Binary: binary, Broken: checkBinary(binary)}
}

// checkBinary returns an error if a file cannot be the kernel's program.
func checkBinary(binary string) error {
	info, err := os.Stat(binary)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("install: the program %s does not exist", binary)
	case err != nil:
		return fmt.Errorf("install: %w", err)
	case !info.Mode().IsRegular():
		return fmt.Errorf("install: %s is not a program but %s", binary, info.Mode().Type())
	case filepath.Separator == '/' && info.Mode().Perm()&0o111 == 0:
		// Windows has no such permission and decides by the extension.
		return fmt.Errorf("install: the program %s may not be executed", binary)
	}
	return nil
}

var kernelName = regexp.MustCompile(`^[A-Za-z0-9_-]([A-Za-z0-9._-]*[A-Za-z0-9_-])?$`)

// CheckName returns an error for an invalid kernel name. Jupyter allows ASCII letters, digits, '-',
// '.' and '_'. A leading dot would hide the folder or name its parent on Unix, and a trailing dot
// is dropped on Windows.
func CheckName(name string) error {
	if !kernelName.MatchString(name) {
		return fmt.Errorf("install: kernel name %q: want ASCII letters, digits, '-', '.' and '_', without a dot at either end", name)
	}
	return nil
}
