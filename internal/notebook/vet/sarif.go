package vet

import "path/filepath"

// A File is the findings in one notebook.
type File struct {
	Path     string
	Findings []Finding
}

// SARIF returns findings in the Static Analysis Results Interchange Format, version 2.1.0, for
// encoding as JSON. Lines are those of the cells, whose numbers are in the messages and in the
// logical locations, because a notebook file has no lines of its own that an author knows.
func SARIF(files []File, version string) any {
	type object = map[string]any
	rules := make([]object, len(Rules))
	for i, r := range Rules {
		rules[i] = object{"id": r.Name, "shortDescription": object{"text": r.Text}, "defaultConfiguration": object{"level": r.level()}}
	}
	results := []object{}
	for _, file := range files {
		for _, f := range file.Findings {
			results = append(results, object{
				"ruleId": f.Rule.Name, "level": f.Rule.level(), "message": object{"text": f.text()},
				"locations": []object{{
					"physicalLocation": object{
						"artifactLocation": object{"uri": filepath.ToSlash(file.Path)},
						"region":           object{"startLine": max(f.Line, 1), "startColumn": max(f.Column, 1)},
					},
					"logicalLocations": []object{{"name": f.ID, "kind": "cell", "index": f.Cell - 1}},
				}},
			})
		}
	}
	return object{
		"$schema": "https://json.schemastore.org/sarif-2.1.0.json", "version": "2.1.0",
		"runs": []object{{
			"tool":       object{"driver": object{"name": "gosphere", "version": version, "rules": rules}},
			"columnKind": "unicodeCodePoints", "results": results,
		}},
	}
}

// level returns the level of a rule in SARIF.
func (r Rule) level() string {
	if r.Note {
		return "note"
	}
	return "warning"
}
