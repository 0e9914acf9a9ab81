// Package license names the licenses of modules by their texts.
package license

import (
	"os"
	"path/filepath"
	"strings"

	"gosphere/internal/userfile"
)

// Of returns the name of the license of a module in a folder, or "" if there is no license
// file. It guesses by characteristic phrases, for a table that people read.
//
// Legal statements must not rely on it.
func Of(dir string) string {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return ""
	}
	for _, e := range entries {
		name := strings.ToUpper(e.Name())
		if e.IsDir() || !strings.HasPrefix(name, "LICEN") && !strings.HasPrefix(name, "COPYING") && !strings.HasPrefix(name, "UNLICENSE") {
			continue
		}
		data, err := userfile.ReadFile(filepath.Join(dir, e.Name()), userfile.Source)
		if err != nil {
			continue
		}
		return named(string(data))
	}
	return ""
}

// phrases lists phrases that identify licenses, the most specific first.
var phrases = []struct{ phrase, name string }{
	{"Apache License", "Apache-2.0"},
	{"GNU AFFERO GENERAL PUBLIC LICENSE", "AGPL"},
	{"GNU LESSER GENERAL PUBLIC LICENSE", "LGPL"},
	{"GNU GENERAL PUBLIC LICENSE", "GPL"},
	{"Mozilla Public License", "MPL-2.0"},
	{"This is free and unencumbered software", "Unlicense"},
	{"CC0 1.0 Universal", "CC0-1.0"},
	{"Permission to use, copy, modify, and/or distribute", "ISC"},
	{"Permission to use, copy, modify, and distribute", "ISC"},
	{"Permission is hereby granted, free of charge", "MIT"},
	{"Neither the name", "BSD-3-Clause"},
	{"Redistribution and use in source and binary forms", "BSD-2-Clause"},
}

// named returns the SPDX identifier, or the family, of a license text.
//
// Line breaks and indentation differ from copy to copy, so the text is normalized first.
func named(text string) string {
	text = strings.Join(strings.Fields(text), " ")
	for _, l := range phrases {
		if strings.Contains(text, l.phrase) {
			return l.name
		}
	}
	return "other"
}
