// Release builds all artifacts of a release of gosphere: archives, Python wheels, checksums, bills
// of materials, release notes, installers and manifests of package managers.
//
//	go run ./install/release -version v0.1.0 -repository https://forge.example/gosphere/gosphere
//
// The result depends only on the commit, the version and the Go release: all times are those of the
// commit, and nothing about the machine is recorded. It needs only the go command and git.
// goreleaser by itself makes neither wheels nor bills of materials, and installing it takes longer
// than this program.
//
// Read main.go, then build.go, archive.go, wheel.go, sbom.go, notes.go and manifests.go.
package main

import (
	"cmp"
	"crypto/sha256"
	"errors"
	"flag"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"
)

// A release describes the artifacts to build and their source.
type release struct {
	version    string // with a leading v
	root       string // root of the source
	out        string // output folder
	repository string // base URL of downloads, "" if unknown
	time       time.Time
	targets    []target
	sums       map[string]string // SHA-256 in hexadecimal by file name
}

// A target is a platform, in the terms of the go command.
type target struct{ os, arch string }

// platforms are the platforms of a release.
var platforms = []target{
	{"linux", "amd64"}, {"linux", "arm64"}, {"darwin", "amd64"}, {"darwin", "arm64"}, {"windows", "amd64"}, {"windows", "arm64"},
}

var versionForm = regexp.MustCompile(`^v\d+\.\d+\.\d+(-(alpha|beta|rc)\.\d+)?$`)

func main() {
	log.SetFlags(0)
	log.SetPrefix("release: ")
	r := release{sums: map[string]string{}}
	flag.StringVar(&r.version, "version", "", "version of the release, such as v0.1.0 or v0.2.0-rc.1")
	flag.StringVar(&r.root, "root", ".", "root of the source")
	flag.StringVar(&r.out, "out", "dist", "folder of the results")
	flag.StringVar(&r.repository, "repository", "", "URL of the repository, whose releases are below releases/download (default: that of git's remote origin)")
	targets := flag.String("targets", "all", "platforms separated by commas, such as linux/amd64,darwin/arm64")
	dirty := flag.Bool("dirty", false, "allow changes that are not committed")
	flag.Parse()
	if err := r.prepare(*targets, *dirty); err != nil {
		log.Fatal(err)
	}
	if err := r.run(); err != nil {
		log.Fatal(err)
	}
}

// prepare checks the flags and reads the data of the commit.
func (r *release) prepare(targets string, dirty bool) error {
	if !versionForm.MatchString(r.version) {
		return fmt.Errorf("-version %q: want a form such as v0.1.0 or v0.2.0-rc.1", r.version)
	}
	var err error
	if r.targets, err = parseTargets(targets); err != nil {
		return err
	}
	if r.time, err = commitTime(r.root); err != nil {
		return err
	}
	if err := checkTree(r.root, r.version); err != nil && !dirty {
		return err
	}
	r.repository = strings.TrimRight(cmp.Or(r.repository, origin(r.root)), "/")
	return nil
}

func parseTargets(text string) ([]target, error) {
	if text == "all" {
		return platforms, nil
	}
	var targets []target
	for name := range strings.SplitSeq(text, ",") {
		system, arch, _ := strings.Cut(name, "/")
		if !slices.Contains(platforms, target{system, arch}) {
			return nil, fmt.Errorf("-targets: %q is none of %v", name, platforms)
		}
		targets = append(targets, target{system, arch})
	}
	return targets, nil
}

// run builds all artifacts and writes the checksums last.
func (r *release) run() error {
	if err := os.MkdirAll(r.out, 0o755); err != nil {
		return err
	}
	notes, err := r.notes()
	if err != nil {
		return err
	}
	licenses, err := readLicenses(r.root)
	if err != nil {
		return err
	}
	source, err := r.source()
	if err != nil {
		return err
	}
	if err := r.write(r.sourceName(), source); err != nil { // the programs know its sum
		return err
	}
	for _, t := range r.targets {
		program, err := r.build(t)
		if err != nil {
			return err
		}
		archive, err := r.archive(t, program)
		if err != nil {
			return err
		}
		wheel, err := r.wheel(t, program)
		if err != nil {
			return err
		}
		bill, err := r.billOfMaterials(t, program, licenses)
		if err != nil {
			return err
		}
		if err := errors.Join(r.write(r.archiveName(t), archive), r.write(r.wheelName(t), wheel), r.write(r.billName(t), bill)); err != nil {
			return err
		}
		log.Printf("%s: program %s, archive %s, wheel %s", t, megabytes(len(program)), megabytes(len(archive)), megabytes(len(wheel)))
	}
	if err := r.write("RELEASE-NOTES.md", notes); err != nil {
		return err
	}
	if err := r.manifests(); err != nil {
		return err
	}
	return r.write("SHA256SUMS", r.checksums())
}

func (t target) String() string { return t.os + "/" + t.arch }

func megabytes(n int) string { return fmt.Sprintf("%.1f MB", float64(n)/1e6) }

// write writes an artifact and records its checksum.
func (r *release) write(name string, content []byte) error {
	path := filepath.Join(r.out, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	mode := os.FileMode(0o644)
	if strings.HasSuffix(name, ".sh") {
		mode = 0o755
	}
	if err := os.WriteFile(path, content, mode); err != nil {
		return err
	}
	r.sums[name] = fmt.Sprintf("%x", sha256.Sum256(content))
	return nil
}

// checksums returns the checksums in the format of sha256sum, for the artifacts in the folder
// itself, without the manifests.
func (r *release) checksums() []byte {
	var lines []string
	for name, sum := range r.sums {
		if !strings.Contains(name, "/") {
			lines = append(lines, sum+"  "+name+"\n")
		}
	}
	slices.SortFunc(lines, func(a, b string) int { return cmp.Compare(a[66:], b[66:]) })
	return []byte(strings.Join(lines, ""))
}
