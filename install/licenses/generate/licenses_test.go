package main

import (
	"bytes"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// root is the path of the repository relative to this package.
const root = "../../.."

func TestCommittedFilesAreUpToDate(t *testing.T) {
	t.Setenv("GOPROXY", "off") // a test must not fetch anything
	files, err := render(root)
	if err != nil {
		t.Skipf("the go command or the module cache is missing: %.200v", err)
	}
	for name, want := range files {
		got, err := os.ReadFile(filepath.Join(root, name))
		if err != nil {
			t.Error(err)
			continue
		}
		// Another Go release changes only the first row, which does not matter to a reader of the
		// licenses.
		if release := []byte(runtime.Version()); !bytes.Contains(got, release) {
			t.Logf("%s was made with another release than %s", name, release)
			continue
		}
		if !bytes.Equal(got, want) {
			t.Errorf("%s is out of date: run go run ./install/licenses/generate", name)
		}
	}
}

func TestEveryModuleOfTheBinaryMayBeDistributed(t *testing.T) {
	// Licenses under which the binary may be distributed if it includes their notices.
	allowed := []string{"Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "CC-BY-4.0", "FTL OR GPL-2.0", "ISC", "MIT", "OFL-1.1", "Unlicense"}
	text, err := os.ReadFile(filepath.Join(root, "install/licenses/dependencies.txt"))
	if err != nil {
		t.Fatal(err)
	}
	rows := 0
	for line := range strings.Lines(string(text)) {
		before, terms, linked := strings.Cut(line, "  binary  ")
		if !linked {
			continue
		}
		rows++
		for _, name := range strings.Split(strings.TrimSpace(terms), " AND ") {
			if !slices.Contains(allowed, name) {
				t.Errorf("%s has license %q, which nobody has allowed", strings.Fields(before)[0], name)
			}
		}
	}
	if rows < 10 {
		t.Errorf("%d modules are marked as linked, want more than ten", rows)
	}
}

func TestClassifyKnowsTheFamilies(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"Apache License\n   Version 2.0, January 2004", "Apache-2.0"},
		{"Licensed under the Apache\nLicense, Version 2.0", "Apache-2.0"},
		{"Permission is hereby\ngranted, free of charge, to any person ... without restriction", "MIT"},
		{"Redistribution and use in source and binary forms, with or without\nmodification", "BSD-2-Clause"},
		{"Redistribution and use in source and binary forms ... may be used to\nendorse or promote products", "BSD-3-Clause"},
		{"This Font Software is licensed under the SIL Open Font License, Version 1.1.", "OFL-1.1"},
		{"The FreeType License, or the GNU General Public License", "FTL OR GPL-2.0"},
		{"All rights reserved.", ""},
		{"", ""},
	} {
		if got := classify(c.text); got != c.want {
			t.Errorf("%.40q is classified as %q, want %q", c.text, got, c.want)
		}
	}
}

func TestUnknownTermsAreAnError(t *testing.T) {
	dir := writeModule(t, map[string]string{"LICENSE": "You must send a postcard."})
	m := &module{path: "example.org/postcard", version: "v1.0.0", dir: dir}
	if err := m.readLicenses(); err == nil || !strings.Contains(err.Error(), "example.org/postcard v1.0.0") {
		t.Errorf("error is %v, want one that names the module", err)
	}
}

const (
	mit = "Permission is hereby granted, free of charge, without restriction\n"
	bsd = "Redistribution and use in source and binary forms\n"
)

func writeModule(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		file := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestTermsOfPartsAreKeptButDoNotNameTheModule(t *testing.T) {
	dir := writeModule(t, map[string]string{
		"COPYING": mit, "LICENSE.go": bsd, "NOTICE": "Apache License Version 2.0", "README": bsd,
		"THIRD_PARTY_LICENSES/Part-LICENSE": bsd,
	})
	m := &module{path: "example.org/parts", dir: dir}
	if err := m.readLicenses(); err != nil {
		t.Fatal(err)
	}
	if m.names() != "MIT" {
		t.Errorf("license is %s, want MIT", m.names())
	}
	var files []string
	for _, l := range m.licenses {
		files = append(files, l.file)
	}
	if want := []string{"COPYING", "NOTICE", "THIRD_PARTY_LICENSES/Part-LICENSE"}; !slices.Equal(files, want) {
		t.Errorf("files are %v, want %v", files, want)
	}
}

func TestNoticeGivesEqualTextsOnce(t *testing.T) {
	list := []*module{
		{path: "example.org/a", version: "v1", use: inBinary, licenses: []license{{file: "LICENSE", text: mit, name: "MIT"}}},
		{path: "example.org/b", version: "v2", use: inBinary, licenses: []license{{file: "COPYING", text: "\n" + mit, name: "MIT"}}},
		{path: "example.org/tool", version: "v3", use: inTools, licenses: []license{{file: "LICENSE", text: bsd, name: "BSD-2-Clause"}}},
	}
	text := string(notice(list))
	if n := strings.Count(text, strings.TrimSpace(mit)); n != 1 {
		t.Errorf("a shared text is there %d times", n)
	}
	for _, want := range []string{"example.org/a v1 (LICENSE)\nexample.org/b v2 (COPYING)\n", "Cynthia Brewer"} {
		if !strings.Contains(text, want) {
			t.Errorf("notice lacks %q", want)
		}
	}
	if strings.Contains(text, "example.org/tool") {
		t.Error("notice names a module that is not distributed")
	}
}

func TestDependenciesTellRelationUseAndLicense(t *testing.T) {
	list := []*module{
		{path: "example.org/a", version: "v1", direct: true, use: inBinary, licenses: []license{{name: "MIT"}, {name: "OFL-1.1"}, {name: "MIT"}}},
		{path: "example.org/tool", version: "v3", use: inGraph, licenses: []license{{name: "BSD-2-Clause"}}},
	}
	lines := strings.Split(strings.TrimSpace(string(dependencies(list))), "\n")
	var rows []string
	for _, line := range lines {
		if !strings.HasPrefix(line, "#") {
			rows = append(rows, strings.Join(strings.Fields(line), " "))
		}
	}
	want := []string{"example.org/a v1 direct binary MIT AND OFL-1.1", "example.org/tool v3 indirect not compiled BSD-2-Clause"}
	if !slices.Equal(rows, want) {
		t.Errorf("rows are %q, want %q", rows, want)
	}
}
