// Program generate writes the symbol tables and the archive of package symbols from one list of
// packages, for all platforms on any platform.
//
// It is run by `go generate ./runtime/symbols` and needs the go command, the source of the
// standard library and the module cache. Running it twice changes nothing. The tables are static
// data: functions, variables and types. Constants are omitted, because the type checker provides
// them.
package main

import (
	"bytes"
	"flag"
	"fmt"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	sources "gosphere/runtime/internal/source"
)

func main() {
	log.SetFlags(0)
	log.SetPrefix("generate: ")
	dir := flag.String("dir", ".", "folder of package symbols, inside the module")
	withOwn := flag.Bool("own", true, "include the packages of this module")
	add := flag.String("add", "", "further packages, separated by commas")
	only := flag.String("platform", "", "the one platform to generate for, such as linux/amd64 (default: all)")
	flag.Parse()
	if *only != "" {
		os, arch, _ := strings.Cut(*only, "/")
		if !slices.Contains(platforms, platform{os, arch}) {
			log.Fatalf("-platform %s: not among %v", *only, platforms)
		}
		platforms = []platform{{os, arch}}
	}
	selected := selection{added: strings.FieldsFunc(*add, func(r rune) bool { return r == ',' })}
	if *withOwn {
		selected.own = existingOwn(*dir)
	}
	files, err := generate(*dir, selected)
	if err != nil {
		log.Fatal(err)
	}
	if err := replace(*dir, files); err != nil {
		log.Fatal(err)
	}
}

// A selection describes the packages to generate for: the standard library, those of other modules,
// own and added packages, or only those in only, if it is set.
type selection struct {
	own, added, only []string
}

// carried returns the packages that run from source on a platform, except for added ones.
func (s selection) carried(p platform) []string {
	if len(s.only) > 0 {
		return nil
	}
	return slices.Concat(carried, carriedOn[p.os])
}

// paths returns the packages selected on a platform, sorted.
func (s selection) paths(p platform, dir string) ([]string, error) {
	if len(s.only) > 0 {
		return s.only, nil
	}
	paths, err := p.standard(dir)
	if err != nil {
		return nil, err
	}
	paths = append(paths, thirdParty...)
	paths = append(paths, thirdPartyOn[p.os]...)
	if p.os != "js" {
		paths = append(paths, popular...)
	}
	paths = append(paths, s.own...)
	paths = append(paths, s.added...)
	paths = append(paths, s.carried(p)...)
	slices.Sort(paths)
	return slices.Compact(paths), nil
}

// existingOwn returns the packages in own that exist already.
func existingOwn(dir string) []string {
	var paths []string
	for _, name := range own {
		if _, err := platforms[0].goList(dir, name); err != nil {
			log.Printf("%s does not exist, left out", name)
			continue
		}
		paths = append(paths, name)
	}
	return paths
}

// generate returns the contents of all generated files by name.
func generate(dir string, selected selection) (map[string][]byte, error) {
	out, err := exec.Command("go", "env", "GOVERSION").Output()
	if err != nil {
		return nil, fmt.Errorf("go env: %w", err)
	}
	sums, err := checksums(dir)
	if err != nil {
		return nil, err
	}
	var fromSource []sources.Carried
	o := &output{version: strings.TrimSpace(string(out)), packages: map[string]*variants{}}
	for _, p := range platforms {
		paths, err := selected.paths(p, dir)
		if err != nil {
			return nil, err
		}
		u, err := p.load(dir, paths)
		if err != nil {
			return nil, err
		}
		added, always := selected.added, selected.carried(p)
		others := slices.DeleteFunc(slices.Clone(paths), func(path string) bool { return slices.Contains(added, path) || slices.Contains(always, path) })
		d := u.divide(others, added, always)
		paths = d.compiled
		if p == platforms[0] { // the files are those for all platforms
			if fromSource, err = d.carried(sums); err != nil {
				return nil, err
			}
			for _, c := range fromSource {
				if !slices.Contains(always, c.Path) {
					fmt.Println(c.Path) // for the command that adds packages
				}
			}
		}
		for _, path := range paths {
			if err := o.collect(u, path); err != nil {
				return nil, fmt.Errorf("%s for %s: %w", path, p, err)
			}
		}
	}
	files, err := o.files()
	if err != nil {
		return nil, err
	}
	files[sourceArchive], err = sources.Pack(fromSource)
	return files, err
}

// sourceArchive is the file with the packages that run from source.
const sourceArchive = "archive/source.zip"

// replace writes the files into dir and removes generated files that are no longer needed.
func replace(dir string, files map[string][]byte) error {
	old, err := generatedFiles(dir)
	if err != nil {
		return err
	}
	for _, name := range old {
		if files[name] == nil {
			if err := os.Remove(filepath.Join(dir, name)); err != nil {
				return err
			}
		}
	}
	for name, data := range files {
		file := filepath.Join(dir, name)
		if kept, err := os.ReadFile(file); err == nil && bytes.Equal(kept, data) {
			continue
		}
		if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
			return err
		}
		if err := os.WriteFile(file, data, 0o666); err != nil {
			return err
		}
	}
	return nil
}

// generatedFiles lists the files that an earlier run wrote to dir.
func generatedFiles(dir string) ([]string, error) {
	var names []string
	for _, pattern := range []string{"table_*.go", "tables_*.go", "embed_*.go", "archive/*.bin", sourceArchive} {
		found, err := filepath.Glob(filepath.Join(dir, filepath.FromSlash(pattern)))
		if err != nil {
			return nil, err
		}
		for _, file := range found {
			name, err := filepath.Rel(dir, file)
			if err != nil {
				return nil, err
			}
			names = append(names, filepath.ToSlash(name))
		}
	}
	return names, nil
}
