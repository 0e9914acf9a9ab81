package main

import (
	"bytes"
	"crypto/sha256"
	"debug/buildinfo"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"time"
)

// These types are the parts of CycloneDX 1.6 that the bill of materials of a Go program needs.
type (
	bill struct {
		Format       string       `json:"bomFormat"`
		Spec         string       `json:"specVersion"`
		Serial       string       `json:"serialNumber"`
		Version      int          `json:"version"`
		Metadata     metadata     `json:"metadata"`
		Components   []component  `json:"components"`
		Dependencies []dependency `json:"dependencies"`
	}
	metadata struct {
		Timestamp string    `json:"timestamp"`
		Component component `json:"component"`
	}
	component struct {
		Type     string        `json:"type"`
		Ref      string        `json:"bom-ref"`
		Name     string        `json:"name"`
		Version  string        `json:"version"`
		PURL     string        `json:"purl,omitempty"`
		Hashes   []hash        `json:"hashes,omitempty"`
		Licenses []licenseTerm `json:"licenses,omitempty"`
	}
	hash struct {
		Algorithm string `json:"alg"`
		Content   string `json:"content"`
	}
	licenseTerm struct {
		License    *licenseName `json:"license,omitempty"`
		Expression string       `json:"expression,omitempty"`
	}
	licenseName struct {
		ID string `json:"id"`
	}
	dependency struct {
		Ref       string   `json:"ref"`
		DependsOn []string `json:"dependsOn"`
	}
)

func (r *release) billName(t target) string { return r.stem(t) + ".cdx.json" }

// billOfMaterials returns the modules of a program in CycloneDX format. They are read from the
// build information in the program, so that exactly the linked modules are listed.
func (r *release) billOfMaterials(t target, program []byte, licenses map[string]string) ([]byte, error) {
	info, err := buildinfo.Read(bytes.NewReader(program))
	if err != nil {
		return nil, fmt.Errorf("build information of %s: %w", t, err)
	}
	sum := sha256.Sum256(program)
	root := component{
		Type: "application", Ref: "gosphere", Name: "gosphere", Version: strings.TrimPrefix(r.version, "v"),
		PURL:     "pkg:generic/gosphere@" + strings.TrimPrefix(r.version, "v"),
		Hashes:   []hash{{"SHA-256", hex.EncodeToString(sum[:])}},
		Licenses: terms("Apache-2.0"),
	}
	standard := component{
		Type: "library", Ref: "std", Name: "std", Version: info.GoVersion,
		PURL: "pkg:golang/std@" + strings.TrimPrefix(info.GoVersion, "go"), Licenses: terms(licenses["the"]),
	}
	b := bill{
		Format: "CycloneDX", Spec: "1.6", Serial: "urn:uuid:" + uuid(sum), Version: 1,
		Metadata:   metadata{r.time.Format(time.RFC3339), root},
		Components: []component{standard},
	}
	for _, module := range info.Deps {
		c, err := library(module, licenses)
		if err != nil {
			return nil, err
		}
		b.Components = append(b.Components, c)
	}
	refs := make([]string, len(b.Components))
	for i, c := range b.Components {
		refs[i] = c.Ref
	}
	slices.Sort(refs)
	b.Dependencies = []dependency{{root.Ref, refs}}
	text, err := json.MarshalIndent(b, "", "  ")
	return append(text, '\n'), err
}

// library returns the component of a linked module.
func library(module *debug.Module, licenses map[string]string) (component, error) {
	for module.Replace != nil {
		module = module.Replace
	}
	terms, known := terms(licenses[module.Path]), licenses[module.Path] != ""
	if !known {
		return component{}, fmt.Errorf("dependencies.txt names no license of %s; run go run ./install/licenses/generate", module.Path)
	}
	purl := "pkg:golang/" + module.Path + "@" + url.PathEscape(module.Version)
	c := component{Type: "library", Ref: purl, Name: module.Path, Version: module.Version, PURL: purl, Licenses: terms}
	// The go command's checksums are SHA-256 over the list of a module's files and their checksums.
	if sum, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(module.Sum, "h1:")); err == nil && len(sum) == sha256.Size {
		c.Hashes = []hash{{"SHA-256", hex.EncodeToString(sum)}}
	}
	return c, nil
}

// terms returns the license of a component: an SPDX identifier or an expression of several.
func terms(text string) []licenseTerm {
	if strings.Contains(text, " ") {
		return []licenseTerm{{Expression: text}}
	}
	return []licenseTerm{{License: &licenseName{text}}}
}

// uuid formats the first bytes of a hash as a UUID of version 8.
func uuid(sum [sha256.Size]byte) string {
	sum[6] = sum[6]&0x0f | 0x80
	sum[8] = sum[8]&0x3f | 0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", sum[:4], sum[4:6], sum[6:8], sum[8:10], sum[10:16])
}

// readLicenses returns the licenses of modules by path from dependencies.txt. That of the standard
// library, whose name there has several words, is under "the".
func readLicenses(root string) (map[string]string, error) {
	text, err := os.ReadFile(filepath.Join(root, "install/licenses/dependencies.txt"))
	if err != nil {
		return nil, err
	}
	licenses := map[string]string{}
	for line := range strings.Lines(string(text)) {
		if before, names, linked := strings.Cut(line, "  binary  "); linked && !strings.HasPrefix(line, "#") {
			licenses[strings.Fields(before)[0]] = strings.TrimSpace(names)
		}
	}
	return licenses, nil
}
