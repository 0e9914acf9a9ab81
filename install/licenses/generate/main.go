// Program generate lists the dependencies of gosphere with their licenses in dependencies.txt, and
// writes the NOTICE file that must accompany the binary.
//
// Run "go run ./install/licenses/generate" at the root after changing go.mod. It reads go.mod, asks
// `go list` for the modules linked on any of the platforms, and takes the license texts from the
// module cache. A module whose license it does not recognize is an error, because a person has to
// read it. Read modules.go, then classify.go and notice.go.
package main

import (
	"flag"
	"log"
	"os"
	"path/filepath"
)

func main() {
	log.SetFlags(0)
	log.SetPrefix("licenses: ")
	dir := flag.String("dir", ".", "root of the repository")
	flag.Parse()
	if err := run(*dir); err != nil {
		log.Fatal(err)
	}
}

func run(dir string) error {
	files, err := render(dir)
	if err != nil {
		return err
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), text, 0o666); err != nil {
			return err
		}
	}
	return nil
}

// render returns the content of both files by name.
func render(dir string) (map[string][]byte, error) {
	modules, err := readModules(dir)
	if err != nil {
		return nil, err
	}
	for _, m := range modules {
		if err := m.readLicenses(); err != nil {
			return nil, err
		}
	}
	return map[string][]byte{"install/licenses/dependencies.txt": dependencies(modules), "install/licenses/NOTICE": notice(modules)}, nil
}
