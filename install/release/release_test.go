package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"debug/buildinfo"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"testing"
	"time"
)

// mainFile is a program that prints its version and its arguments, and records both in the home
// folder when asked to install.
const mainFile = `package main

import (
	"fmt"
	"os"
	"path/filepath"

	"gosphere/internal/command/process"
)

func main() {
	text := fmt.Sprintln(process.Released(), os.Args[1:])
	fmt.Print(text)
	if len(os.Args) > 1 && os.Args[1] == "install" {
		os.WriteFile(filepath.Join(os.Getenv("HOME"), "arguments"), []byte(text), 0o644)
	}
}
`

// program is the source of a small module named gosphere that builds fast.
var program = map[string]string{
	"go.mod":                              "module gosphere\n\ngo 1.27\n",
	"main.go":                             mainFile,
	"internal/command/process/version.go": "package process\n\nvar released, sourceSum, sourceURL string\n\nfunc init() {\n\tif len(released) > 100 {\n\t\tprintln(sourceSum, sourceURL)\n\t}\n}\n\n// Released returns the version.\nfunc Released() string { return released }\n",
	"LICENSE":                             "the license\n", "install/licenses/NOTICE": "the notices\n", "README.md": "# gosphere\n",
	"CHANGELOG.md":                      "# Changelog\n\n## Unreleased\n\n- later\n\n## 1.2.3 - 2026-12-01\n\n- now\n\n## 1.2.2\n\n- before\n",
	"install/licenses/dependencies.txt": "# comment  binary  no\nthe Go standard library  go1.27.3  direct  binary  BSD-3-Clause\n",
}

// repository returns a folder with the program, committed by git.
func repository(t *testing.T) string {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is missing")
	}
	root := t.TempDir()
	for name, text := range program {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(root, name)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(root, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("GIT_AUTHOR_DATE", "2026-11-23T12:00:00Z")
	t.Setenv("GIT_COMMITTER_DATE", "2026-11-23T12:00:00Z")
	for _, arguments := range [][]string{
		{"init", "--quiet"}, {"add", "."},
		{"-c", "user.name=a", "-c", "user.email=a@b.example", "commit", "--quiet", "-m", "all"},
		{"remote", "add", "origin", "git@forge.example:gosphere/gosphere.git"},
	} {
		if _, err := git(root, arguments...); err != nil {
			t.Fatalf("git %v: %v", arguments, err)
		}
	}
	return root
}

// made returns the artifacts of a release of the repository by name.
func made(t *testing.T, root, version string) map[string][]byte {
	t.Helper()
	r := release{version: version, root: root, out: filepath.Join(t.TempDir(), "dist"), sums: map[string]string{}}
	if err := r.prepare("linux/amd64,windows/arm64", false); err != nil {
		t.Fatal(err)
	}
	if err := r.run(); err != nil {
		t.Fatal(err)
	}
	results := map[string][]byte{}
	err := filepath.WalkDir(r.out, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		name, _ := filepath.Rel(r.out, path)
		results[filepath.ToSlash(name)], err = os.ReadFile(path)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return results
}

// kernel/conformance/reproduced.sh compares a release of the program itself with one built from
// another cache.
func TestReleasesFromTwoFoldersAreEqual(t *testing.T) {
	first := made(t, repository(t), "v1.2.3")
	second := made(t, repository(t), "v1.2.3")
	if got, want := slices.Sorted(maps.Keys(second)), slices.Sorted(maps.Keys(first)); !slices.Equal(got, want) {
		t.Fatalf("the second release holds %q, the first %q", got, want)
	}
	for name, content := range first {
		if !bytes.Equal(content, second[name]) {
			t.Errorf("%s differs between two builds of the same commit", name)
		}
	}
}

func TestAReleaseHoldsArchivesWheelsBillsNotesAndChecksums(t *testing.T) {
	results := made(t, repository(t), "v1.2.3")
	if notes := string(results["RELEASE-NOTES.md"]); notes != "# gosphere 1.2.3\n\n- now\n" {
		t.Errorf("the notes are %q", notes)
	}
	for line := range strings.Lines(string(results["SHA256SUMS"])) {
		sum, name, _ := strings.Cut(strings.TrimSpace(line), "  ")
		if got := sha256Hex(results[name]); got != sum {
			t.Errorf("%s has the checksum %s, SHA256SUMS says %s", name, got, sum)
		}
	}
	files := untarred(t, results["gosphere_1.2.3_linux_amd64.tar.gz"])
	if names := slices.Sorted(maps.Keys(files)); !slices.Equal(names, []string{"CHANGELOG.md", "LICENSE", "NOTICE", "README.md", "gosphere"}) {
		t.Errorf("the archive holds %q", names)
	}
	source := untarred(t, results["gosphere_1.2.3_source.tar.gz"])
	if string(source["gosphere-1.2.3/go.mod"]) != program["go.mod"] || string(source["gosphere-1.2.3/internal/command/process/version.go"]) != program["internal/command/process/version.go"] {
		t.Errorf("the archive of the source holds %q", slices.Sorted(maps.Keys(source)))
	}
	for _, stamp := range []string{sha256Hex(results["gosphere_1.2.3_source.tar.gz"]), "https://forge.example/gosphere/gosphere/releases/download/v1.2.3"} {
		if !bytes.Contains(files["gosphere"], []byte(stamp)) {
			t.Errorf("the program does not know %s of its source", stamp)
		}
	}
	info, err := buildinfo.Read(bytes.NewReader(files["gosphere"]))
	if err != nil || info.Main.Path != "gosphere" {
		t.Errorf("the program's build information is %v, %v", info, err)
	}
	for name, ending := range map[string]string{
		"gosphere_1.2.3_windows_arm64.zip":                                   "gosphere.exe",
		"gosphere-1.2.3-py3-none-win_arm64.whl":                              "gosphere-1.2.3.data/scripts/gosphere.exe",
		"gosphere-1.2.3-py3-none-" + tags[target{"linux", "amd64"}] + ".whl": "gosphere-1.2.3.data/scripts/gosphere",
	} {
		archive, err := zip.NewReader(bytes.NewReader(results[name]), int64(len(results[name])))
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		at := slices.IndexFunc(archive.File, func(f *zip.File) bool { return f.Name == ending })
		if at < 0 || archive.File[at].Mode().Perm() != 0o755 {
			t.Errorf("%s has no executable file %s", name, ending)
		}
	}
	wheel := results["gosphere-1.2.3-py3-none-win_arm64.whl"]
	archive, err := zip.NewReader(bytes.NewReader(wheel), int64(len(wheel)))
	if err != nil {
		t.Fatal(err)
	}
	const extension = "gosphere-1.2.3.data/data/share/jupyter/labextensions/gosphere-cells/"
	about, err := fs.ReadFile(archive, extension+"package.json")
	if err != nil || !bytes.Contains(about, []byte(`"version": "1.2.3"`)) {
		t.Errorf("the extension of JupyterLab is described by %q, %v", about, err)
	}
	if _, err := fs.Stat(archive, extension+"static/remoteEntry.js"); err != nil {
		t.Error(err)
	}
}

func TestTheProgramKnowsTheVersionOfTheRelease(t *testing.T) {
	r := release{version: "v9.8.7-rc.1", root: repository(t)}
	name := filepath.Join(t.TempDir(), "gosphere.exe")
	host := target{goEnv(t, "GOHOSTOS"), goEnv(t, "GOHOSTARCH")}
	content, err := r.build(host)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, content, 0o755); err != nil {
		t.Fatal(err)
	}
	if text, err := exec.Command(name).CombinedOutput(); err != nil || string(text) != "v9.8.7-rc.1 []\n" {
		t.Errorf("the program prints %q, %v", text, err)
	}
	if r.pythonVersion() != "9.8.7rc1" {
		t.Errorf("the version for Python is %s", r.pythonVersion())
	}
}

func TestTheBillListsLinkedModulesWithLicensesAndHashes(t *testing.T) {
	own, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	content, err := os.ReadFile(own)
	if err != nil {
		t.Fatal(err)
	}
	r := release{version: "v1.2.3", time: time.Unix(1700000000, 0).UTC()}
	licenses, err := readLicenses("../..")
	if err != nil {
		t.Fatal(err)
	}
	text, err := r.billOfMaterials(target{"linux", "amd64"}, content, licenses)
	if err != nil {
		t.Fatal(err)
	}
	var got bill
	if err := json.Unmarshal(text, &got); err != nil {
		t.Fatal(err)
	}
	if got.Format != "CycloneDX" || got.Metadata.Component.Hashes[0].Content != sha256Hex(content) || got.Metadata.Timestamp != "2023-11-14T22:13:20Z" {
		t.Errorf("the bill begins with %+v", got.Metadata)
	}
	if std := got.Components[0]; std.Name != "std" || std.Licenses[0].License.ID != "BSD-3-Clause" {
		t.Errorf("the standard library is %+v", std)
	}
	if _, err := library(&debug.Module{Path: "example.org/unknown", Version: "v1.0.0"}, licenses); err == nil || !strings.Contains(err.Error(), "example.org/unknown") {
		t.Errorf("a module without a license: %v", err)
	}
	c, err := library(&debug.Module{Path: "gonum.org/v1/plot", Version: "v0.17.0", Sum: "h1:AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8="}, licenses)
	if err != nil || c.PURL != "pkg:golang/gonum.org/v1/plot@v0.17.0" || !strings.HasPrefix(c.Hashes[0].Content, "000102") {
		t.Errorf("gonum/plot is %+v, %v", c, err)
	}
}

func TestWhatCannotBeReleasedIsRefused(t *testing.T) {
	root := repository(t)
	for _, test := range []struct {
		version, targets string
		change           func()
		want             string
	}{
		{"1.2.3", "all", nil, `-version "1.2.3"`},
		{"v1.2.3-dirty", "all", nil, `-version "v1.2.3-dirty"`},
		{"v1.2.3", "linux/386", nil, `"linux/386" is none of`},
		{"v1.2.3", "all", func() { os.WriteFile(filepath.Join(root, "main.go"), []byte("package main"), 0o644) }, "the source differs"},
		{"v1.2.3", "all", func() {
			git(root, "tag", "v1.2.3")
			git(root, "-c", "user.name=a", "-c", "user.email=a@b.example", "commit", "--quiet", "-am", "more")
		}, "tag v1.2.3 is on commit"},
	} {
		if test.change != nil {
			test.change()
		}
		r := release{version: test.version, root: root}
		if err := r.prepare(test.targets, false); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s for %s: got %v, want an error with %s", test.version, test.targets, err, test.want)
		}
	}
	if got := changes("## [v2.0.0]\n\n- a\n### Added\n- b\n## 1.0.0\n", "2.0.0"); got != "- a\n### Added\n- b" {
		t.Errorf("the changes are %q", got)
	}
}

func TestRepositoriesAreNamedByTheirRemotes(t *testing.T) {
	root := repository(t)
	for address, want := range map[string]string{
		"git@forge.example:gosphere/gosphere.git":       "https://forge.example/gosphere/gosphere",
		"https://forge.example/gosphere/gosphere.git":   "https://forge.example/gosphere/gosphere",
		"ssh://git@forge.example/gosphere/gosphere.git": "https://forge.example/gosphere/gosphere",
		"/srv/gosphere": "",
	} {
		if _, err := git(root, "remote", "set-url", "origin", address); err != nil {
			t.Fatal(err)
		}
		if got := origin(root); got != want {
			t.Errorf("%s: got %q, want %q", address, got, want)
		}
	}
}

func untarred(t *testing.T, content []byte) map[string][]byte {
	t.Helper()
	plain, err := gzip.NewReader(bytes.NewReader(content))
	if err != nil {
		t.Fatal(err)
	}
	files := map[string][]byte{}
	for r := tar.NewReader(plain); ; {
		header, err := r.Next()
		if err == io.EOF {
			return files
		}
		if err != nil {
			t.Fatal(err)
		}
		if files[header.Name], err = io.ReadAll(r); err != nil {
			t.Fatal(err)
		}
	}
}

func goEnv(t *testing.T, name string) string {
	t.Helper()
	text, err := exec.Command("go", "env", name).Output()
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(text))
}

func sha256Hex(content []byte) string { return fmt.Sprintf("%x", sha256.Sum256(content)) }

func TestManifestsNameTheArchivesAndTheirChecksums(t *testing.T) {
	r := release{version: "v0.2.0-rc.1", out: t.TempDir(), repository: "https://forge.example/a/b", time: time.Unix(1700000000, 0).UTC(), sums: map[string]string{}}
	for i, p := range platforms {
		r.sums[r.archiveName(p)] = strings.Repeat(fmt.Sprint(i+1), 64)
	}
	if err := r.manifests(); err != nil {
		t.Fatal(err)
	}
	for name, wants := range map[string][]string{
		"install.sh":                                 {"version=v0.2.0-rc.1\n", "${GOSPHERE_REPOSITORY:-https://forge.example/a/b}"},
		"install.ps1":                                {"$Version = \"v0.2.0-rc.1\",\r\n", "\"https://forge.example/a/b\""},
		"homebrew/gosphere.rb":                       {"version \"0.2.0-rc.1\"", "v0.2.0-rc.1/gosphere_0.2.0-rc.1_darwin_arm64.tar.gz\"\n      sha256 \"4444"},
		"scoop/gosphere.json":                        {"\"version\": \"0.2.0-rc.1\"", "windows_arm64.zip\",\n      \"hash\": \"6666"},
		"conda/recipe.yaml":                          {"version: \"0.2.0rc1\"", "if: linux and aarch64\n    then:\n      url: https://forge.example/a/b/releases/download/v0.2.0-rc.1/gosphere_0.2.0-rc.1_linux_arm64.tar.gz\n      sha256: 2222", "version: ${{ version }}"},
		"winget/Gosphere.Gosphere.installer.yaml":    {"PackageVersion: 0.2.0-rc.1\n", "ReleaseDate: 2023-11-14\n", "windows_amd64.zip\n    InstallerSha256: 5555"},
		"winget/Gosphere.Gosphere.yaml":              {"ManifestType: version\n"},
		"winget/Gosphere.Gosphere.locale.en-US.yaml": {"PackageUrl: https://forge.example/a/b\n"},
	} {
		text, err := os.ReadFile(filepath.Join(r.out, name))
		if err != nil {
			t.Error(err)
		}
		for _, want := range wants {
			if !strings.Contains(string(text), want) {
				t.Errorf("%s lacks %q:\n%s", name, want, text)
			}
		}
	}
	scoop, err := os.ReadFile(filepath.Join(r.out, "scoop/gosphere.json"))
	if err != nil || !json.Valid(scoop) {
		t.Errorf("the manifest of scoop is no JSON: %v", err)
	}
}
