package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// A license is one license file.
type license struct {
	file string
	text string
	// name is the SPDX identifier. It is empty for files that only supplement the license, such as
	// credits, patent grants and the terms of parts.
	name string
}

// kinds identify licenses by phrases that must all occur. The first match wins, so the longer forms
// of a family precede the shorter.
var kinds = []struct {
	name    string
	phrases []string
}{
	{"Apache-2.0", []string{"apache license", "version 2.0"}},
	{"MPL-2.0", []string{"mozilla public license", "2.0"}},
	{"FTL OR GPL-2.0", []string{"the freetype license", "general public license"}},
	{"OFL-1.1", []string{"sil open font license", "version 1.1"}},
	{"CC-BY-4.0", []string{"creative commons attribution 4.0"}},
	{"Unlicense", []string{"this is free and unencumbered software released into the public domain"}},
	{"ISC", []string{"permission to use, copy, modify, and/or distribute this software for any purpose"}},
	{"MIT", []string{"permission is hereby granted, free of charge", "without restriction"}},
	{"BSD-3-Clause", []string{"redistribution and use in source and binary forms", "be used to endorse or promote products"}},
	{"BSD-2-Clause", []string{"redistribution and use in source and binary forms"}},
}

// classify returns the identifier of a license text, or "".
func classify(text string) string {
	// Line breaks differ between copies.
	text = strings.ToLower(strings.Join(strings.Fields(text), " "))
	for _, kind := range kinds {
		if !slices.ContainsFunc(kind.phrases, func(phrase string) bool { return !strings.Contains(text, phrase) }) {
			return kind.name
		}
	}
	return ""
}

// unused are license files that do not apply to the distributed code.
var unused = map[string][]string{
	// The licensee may choose either license; this project chooses the FreeType License.
	"github.com/golang/freetype": {"licenses/gpl.txt"},
	// It covers test data, which is not linked.
	"gonum.org/v1/gonum": {"THIRD_PARTY_LICENSES/W3C-TestSuite-LICENSE"},
}

// readLicenses reads the module's licenses. It returns an error if it recognizes none.
func (m *module) readLicenses() error {
	files, err := licenseFiles(m.dir)
	if err != nil {
		return fmt.Errorf("%s: %w", m.path, err)
	}
	for _, file := range files {
		if slices.Contains(unused[m.path], file) {
			continue
		}
		text, err := os.ReadFile(filepath.Join(m.dir, filepath.FromSlash(file)))
		if err != nil {
			return fmt.Errorf("%s: %w", m.path, err)
		}
		l := license{file: file, text: strings.ReplaceAll(string(text), "\r\n", "\n")}
		if !strings.Contains(file, "/") && !strings.HasPrefix(file, "NOTICE") && !strings.HasPrefix(file, "PATENTS") {
			l.name = classify(l.text)
		}
		m.licenses = append(m.licenses, l)
	}
	if m.names() == "" {
		return fmt.Errorf("%s %s: no known license among %q, read it and add its kind", m.path, m.version, files)
	}
	return nil
}

// names joins the identifiers of the module's licenses.
func (m *module) names() string {
	var names []string
	for _, l := range m.licenses {
		if l.name != "" && !slices.Contains(names, l.name) {
			names = append(names, l.name)
		}
	}
	return strings.Join(names, " AND ")
}
