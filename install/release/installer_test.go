package main

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// A shop is a server with a release for this machine, and the installer that downloads from it.
type shop struct {
	files  map[string][]byte // by the path below releases/download
	asked  []string
	url    string
	script string
	beside string // folder of the files of the release
}

// open builds a release of a placeholder program and serves it.
func open(t *testing.T) *shop {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("install.sh is for Linux and macOS")
	}
	if _, err := exec.LookPath("curl"); err != nil {
		t.Skip("curl is missing")
	}
	s := &shop{files: map[string][]byte{}}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.asked = append(s.asked, r.URL.String())
		content, found := s.files[strings.TrimPrefix(r.URL.Path, "/releases/download/")]
		if !found {
			http.NotFound(w, r)
			return
		}
		w.Write(content)
	}))
	t.Cleanup(server.Close)
	s.url = server.URL
	r := release{version: "v1.2.3", root: repository(t), out: t.TempDir(), repository: s.url, sums: map[string]string{}}
	if err := r.prepare(runtime.GOOS+"/"+runtime.GOARCH, false); err != nil {
		t.Fatal(err)
	}
	if err := r.run(); err != nil {
		t.Fatal(err)
	}
	for name := range r.sums {
		content, err := os.ReadFile(filepath.Join(r.out, name))
		if err != nil {
			t.Fatal(err)
		}
		s.files["v1.2.3/"+name] = content
	}
	// Apart from the archives, so that they are downloaded.
	script, err := os.ReadFile(filepath.Join(r.out, "install.sh"))
	if err != nil {
		t.Fatal(err)
	}
	s.script = filepath.Join(t.TempDir(), "install.sh")
	if err := os.WriteFile(s.script, script, 0o600); err != nil {
		t.Fatal(err)
	}
	s.beside = r.out
	sums, err := os.ReadFile(filepath.Join(r.out, "SHA256SUMS"))
	if err != nil {
		t.Fatal(err)
	}
	s.files["v1.2.3/SHA256SUMS"] = sums
	return s
}

// install runs the installer with a home folder and returns its output.
func (s *shop) install(home string, arguments ...string) (string, error) {
	command := exec.Command("sh", append([]string{s.script}, arguments...)...)
	command.Env = []string{"HOME=" + home, "PATH=" + os.Getenv("PATH"), "TMPDIR=" + home}
	text, err := command.CombinedOutput()
	return string(text), err
}

func TestInstallerPlacesTheProgramAndInstallsTheKernel(t *testing.T) {
	s, home := open(t), t.TempDir()
	for range 2 { // again over what is there
		if text, err := s.install(home); err != nil || !strings.Contains(text, "is not on PATH") {
			t.Fatalf("%v\n%s", err, text)
		}
	}
	program := filepath.Join(home, ".local", "bin", "gosphere")
	if text, err := exec.Command(program).CombinedOutput(); err != nil || string(text) != "v1.2.3 []\n" {
		t.Errorf("the program prints %q, %v", text, err)
	}
	if text, err := os.ReadFile(filepath.Join(home, "arguments")); err != nil || string(text) != "v1.2.3 [install --user]\n" {
		t.Errorf("the kernel was installed by %q, %v", text, err)
	}
	dir := filepath.Join(home, "a folder")
	os.Remove(filepath.Join(home, "arguments"))
	if text, err := s.install(home, "--dir", dir, "--version", "1.2.3", "--no-kernel"); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	if _, err := os.Stat(filepath.Join(dir, "gosphere")); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(filepath.Join(home, "arguments")); err == nil {
		t.Error("--no-kernel installs the kernel")
	}
	if left, _ := filepath.Glob(filepath.Join(home, "tmp*")); len(left) > 0 {
		t.Errorf("the installer leaves %q", left)
	}
}

func TestInstallerTakesTheArchiveFromItsFolder(t *testing.T) {
	s, home := open(t), t.TempDir()
	s.script = filepath.Join(s.beside, "install.sh")
	text, err := s.install(home)
	if err != nil || !strings.Contains(text, "archive     "+s.beside) || len(s.asked) > 0 {
		t.Fatalf("%v, asked %q\n%s", err, s.asked, text)
	}
	program := filepath.Join(home, ".local", "bin", "gosphere")
	if text, err := exec.Command(program).CombinedOutput(); err != nil || string(text) != "v1.2.3 []\n" {
		t.Errorf("the program prints %q, %v", text, err)
	}
	// A changed archive is refused here, too.
	archive := filepath.Join(s.beside, (&release{version: "v1.2.3"}).archiveName(target{runtime.GOOS, runtime.GOARCH}))
	if err := os.WriteFile(archive, []byte("changed"), 0o600); err != nil {
		t.Fatal(err)
	}
	if text, err := s.install(home); err == nil || !strings.Contains(text, "nothing is installed") {
		t.Errorf("%v\n%s", err, text)
	}
	if text, err := s.install(home, "--uninstall"); err != nil || !strings.Contains(text, "removed     "+program) {
		t.Errorf("%v\n%s", err, text)
	}
	if _, err := os.Stat(program); err == nil {
		t.Error("the program is still there")
	}
	if text, err := s.install(home, "--uninstall"); err == nil || !strings.Contains(text, "there is no program") {
		t.Errorf("%v\n%s", err, text)
	}
}

func TestInstallerRefusesWrongChecksumsAndUnknownReleases(t *testing.T) {
	s := open(t)
	archive := (&release{version: "v1.2.3"}).archiveName(target{runtime.GOOS, runtime.GOARCH})
	right, sums := s.files["v1.2.3/"+archive], s.files["v1.2.3/SHA256SUMS"]
	for _, test := range []struct {
		name          string
		archive, sums []byte
		arguments     []string
		want          string
	}{
		{"a changed archive", append(bytes.Clone(right), 0), sums, nil, "nothing is installed"},
		{"a list without the archive", right, []byte(strings.Repeat("0", 64) + "  other\n"), nil, "does not name"},
		{"an unknown version", right, sums, []string{"--version", "v9.9.9"}, "cannot download"},
		{"an unknown flag", right, sums, []string{"--folder", "x"}, "unknown argument --folder"},
		{"a flag without its value", right, sums, []string{"--dir"}, "--dir wants a value"},
	} {
		home := t.TempDir()
		s.files["v1.2.3/"+archive], s.files["v1.2.3/SHA256SUMS"] = test.archive, test.sums
		text, err := s.install(home, test.arguments...)
		if err == nil || !strings.Contains(text, test.want) {
			t.Errorf("%s: got %v, want a message with %q:\n%s", test.name, err, test.want, text)
		}
		if left, _ := os.ReadDir(home); len(left) > 0 {
			t.Errorf("%s: the installer leaves %v", test.name, left)
		}
	}
}

func TestInstallerDownloadsThroughAProxy(t *testing.T) {
	s := open(t)
	proxy := s.url
	script, err := os.ReadFile(s.script)
	if err != nil {
		t.Fatal(err)
	}
	// The server itself is the proxy of a repository that is otherwise unreachable.
	if err := os.WriteFile(s.script, bytes.ReplaceAll(script, []byte(s.url), []byte("http://forge.invalid")), 0o755); err != nil {
		t.Fatal(err)
	}
	if text, err := s.install(t.TempDir(), "--proxy", proxy); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	if len(s.asked) == 0 || !strings.HasPrefix(s.asked[0], "http://forge.invalid/") {
		t.Errorf("the proxy was asked for %q", s.asked)
	}
}

func TestAReleaseWithoutAnAddressHasInstallers(t *testing.T) {
	r := release{version: "v1.2.3", out: t.TempDir(), sums: map[string]string{}}
	if err := r.manifests(); err != nil {
		t.Fatal(err)
	}
	script, err := os.ReadFile(filepath.Join(r.out, "install.sh"))
	if err != nil || !strings.Contains(string(script), "repository=${GOSPHERE_REPOSITORY:-}\n") {
		t.Errorf("%v\n%.2000s", err, script)
	}
	if entries, _ := os.ReadDir(r.out); len(entries) != 2 { // and no manifest
		t.Errorf("written are %v", entries)
	}
}
