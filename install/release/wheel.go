package main

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"encoding/csv"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"gosphere/install/kernelspec"
)

// python has the Python package in the wheel, a template of nbconvert and an extension of
// JupyterLab.
//
//go:embed python/gosphere/*.py python/template python/labextension
var python embed.FS

// wheelPlaces maps the folders of python to their places in a wheel, whose data files go to the
// folder data.
var wheelPlaces = map[string]string{
	"python/gosphere": "gosphere", "python/template": "data/share/jupyter/nbconvert/templates/gosphere",
	"python/labextension": "data/share/jupyter/labextensions/gosphere-cells", "python/labextension/static": "data/share/jupyter/labextensions/gosphere-cells/static",
}

// tags are the platform tags of wheels. The program is static, so it runs with every C library on
// Linux; Go 1.26 requires macOS 12.
var tags = map[target]string{
	{"linux", "amd64"}:   "manylinux_2_17_x86_64.manylinux2014_x86_64.musllinux_1_1_x86_64",
	{"linux", "arm64"}:   "manylinux_2_17_aarch64.manylinux2014_aarch64.musllinux_1_1_aarch64",
	{"darwin", "amd64"}:  "macosx_12_0_x86_64",
	{"darwin", "arm64"}:  "macosx_12_0_arm64",
	{"windows", "amd64"}: "win_amd64",
	{"windows", "arm64"}: "win_arm64",
}

// pythonVersion returns the version in the format of PEP 440: v0.2.0-rc.1 becomes 0.2.0rc1.
func (r *release) pythonVersion() string {
	return strings.NewReplacer("v", "", "-alpha.", "a", "-beta.", "b", "-rc.", "rc").Replace(r.version)
}

func (r *release) wheelName(t target) string {
	return fmt.Sprintf("gosphere-%s-py3-none-%s.whl", r.pythonVersion(), tags[t])
}

// wheel returns the Python wheel of a platform. The program becomes a command of the environment.
// The kernelspec is a data file of the environment and names the program by a relative path, so the
// environment need not be active.
func (r *release) wheel(t target, program []byte) ([]byte, error) {
	name := "gosphere-" + r.pythonVersion()
	data, dist := name+".data/", name+".dist-info/"
	var entries []entry
	add := func(path string, content []byte) { entries = append(entries, entry{path, content, 0o644}) }
	if err := fs.WalkDir(python, "python", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := python.ReadFile(name)
		place := wheelPlaces[path.Dir(name)]
		if file, isData := strings.CutPrefix(place, "data/"); isData {
			place = data + "data/" + file
		}
		add(place+"/"+path.Base(name), bytes.ReplaceAll(text, []byte("@VERSION@"), []byte(r.pythonVersion())))
		return err
	}); err != nil {
		return nil, err
	}
	entries = append(entries, entry{data + "scripts/" + t.program(), program, 0o755})
	scripts := "bin"
	if t.os == "windows" {
		scripts = "Scripts"
	}
	spec, err := kernelspec.Files("{resource_dir}/../../../../" + scripts + "/" + t.program())
	if err != nil {
		return nil, err
	}
	for _, file := range slices.Sorted(maps.Keys(spec)) {
		add(data+"data/share/jupyter/kernels/gosphere/"+file, spec[file])
	}
	about, err := r.pythonMetadata()
	if err != nil {
		return nil, err
	}
	add(dist+"METADATA", about)
	add(dist+"WHEEL", wheelText(t))
	add(dist+"entry_points.txt", []byte("[papermill.engine]\ngosphere = gosphere.translator:Engine\n\n"+
		"[nbconvert.exporters.script]\ngo = gosphere.exporter:GoExporter\n"))
	for _, file := range []string{"LICENSE", "install/licenses/NOTICE"} {
		text, err := os.ReadFile(filepath.Join(r.root, file))
		if err != nil {
			return nil, err
		}
		add(dist+"licenses/"+filepath.Base(file), text)
	}
	record, err := recordOf(entries, dist+"RECORD")
	if err != nil {
		return nil, err
	}
	add(dist+"RECORD", record)
	return zipped(entries, r.time)
}

// wheelText returns the file WHEEL.
func wheelText(t target) []byte {
	var b bytes.Buffer
	b.WriteString("Wheel-Version: 1.0\nGenerator: gosphere release\nRoot-Is-Purelib: false\n")
	for tag := range strings.SplitSeq(tags[t], ".") {
		fmt.Fprintf(&b, "Tag: py3-none-%s\n", tag)
	}
	return b.Bytes()
}

// pythonMetadata returns the file METADATA, with the README as the description.
func (r *release) pythonMetadata() ([]byte, error) {
	readme, err := os.ReadFile(filepath.Join(r.root, "README.md"))
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	fmt.Fprintf(&b, "Metadata-Version: 2.4\nName: gosphere\nVersion: %s\n", r.pythonVersion())
	b.WriteString("Summary: Jupyter kernel and scripting environment for Go\n" +
		"Keywords: jupyter,kernel,go,golang,notebook\n" +
		"License-Expression: Apache-2.0\nLicense-File: LICENSE\nLicense-File: NOTICE\n" +
		"Classifier: Framework :: Jupyter\nClassifier: Programming Language :: Go\n" +
		"Requires-Python: >=3.9\nProvides-Extra: lab\nRequires-Dist: jupyterlab>=4; extra == 'lab'\n")
	if r.repository != "" {
		fmt.Fprintf(&b, "Project-URL: Source, %s\n", r.repository)
	}
	b.WriteString("Description-Content-Type: text/markdown; charset=UTF-8; variant=GFM\n\n")
	b.Write(readme)
	return b.Bytes(), nil
}

// recordOf returns the file RECORD, which lists every file with hash and size, and itself without
// them.
func recordOf(entries []entry, itself string) ([]byte, error) {
	var b bytes.Buffer
	w := csv.NewWriter(&b)
	for _, e := range entries {
		sum := sha256.Sum256(e.content)
		row := []string{e.name, "sha256=" + base64.RawURLEncoding.EncodeToString(sum[:]), strconv.Itoa(len(e.content))}
		if err := w.Write(row); err != nil {
			return nil, err
		}
	}
	if err := w.Write([]string{itself, "", ""}); err != nil {
		return nil, err
	}
	w.Flush()
	return b.Bytes(), w.Error()
}
