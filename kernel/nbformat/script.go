package nbformat

import (
	"strings"

	"gosphere/internal/lazyregexp"
)

// A marker line begins a cell of a script, in jupytext's format for Go.
var (
	marker     = lazyregexp.New(`^// ?%%(|[\s\[].*)$`)
	markerTags = lazyregexp.New(`tags=\[([^\]]*)\]`)
	// jupytext comments out text that is not Go: cells of another language, and lines of magics, to
	// which it adds a comment even if they are commented already.
	markerLanguage  = lazyregexp.New(`\blanguage="([^"]+)"`)
	markerArguments = lazyregexp.New(`\bmagic_args="([^"]*)"`)
	commentedMagic  = lazyregexp.New(`^\s*// (?:// )*(?:%{1,2}[A-Za-z]|!\s*\S)`)
)

// FromScript converts a Go file whose cells begin with lines "// %%" to a notebook. The line may
// mark a text cell, whose lines are comments, and list tags:
//
//	// %% [markdown]
//	// # Title
//	// %% tags=["parameters"]
//	epochs := 40
//
// Text before the first marker is also a cell. Magics that jupytext has commented out, such as "//
// %time f(x)" and "// !ls", become lines of the cell again, and a marker with language="bash"
// begins a %%bash cell. For each cell FromScript also returns the number of its first line in the
// file, from 1, so that positions of errors can be reported in terms of the file.
func FromScript(text string) (n *Notebook, starts []int) {
	n = New()
	n.Metadata["jupytext"] = map[string]any{"formats": "ipynb,go:percent"}
	heading, first := "", 1
	var lines []string
	flush := func() {
		for len(lines) > 0 && strings.TrimSpace(lines[0]) == "" {
			lines = lines[1:]
			first++
		}
		for len(lines) > 0 && strings.TrimSpace(lines[len(lines)-1]) == "" {
			lines = lines[:len(lines)-1]
		}
		if len(lines) > 0 {
			if n.addScriptCell(heading, lines) {
				first-- // the marker is its first line
			}
			starts = append(starts, first)
		}
		lines = nil
	}
	number := 0
	for line := range strings.Lines(text) {
		number++
		line = strings.TrimRight(line, "\r\n")
		if match := marker.FindStringSubmatch(line); match != nil {
			flush()
			heading, first = match[1], number+1
			continue
		}
		lines = append(lines, line)
	}
	flush()
	return n, starts
}

// addScriptCell adds a cell as described by its marker line, and reports whether the cell begins
// with a line for the marker.
func (n *Notebook) addScriptCell(heading string, lines []string) (marked bool) {
	var tags []string
	if match := markerTags.FindStringSubmatch(heading); match != nil {
		for tag := range strings.SplitSeq(match[1], ",") {
			if tag = strings.Trim(strings.TrimSpace(tag), `"'`); tag != "" {
				tags = append(tags, tag)
			}
		}
	}
	kind := Code
	for _, other := range []string{Markdown, Raw} {
		if strings.Contains(heading, "["+other+"]") {
			kind = other
		}
	}
	language := markerLanguage.FindStringSubmatch(heading)
	marked = kind == Code && language != nil && language[1] != "go"
	texts := make([]string, len(lines))
	for i, line := range lines {
		texts[i] = line
		switch {
		case kind != Code || marked:
			texts[i] = strings.TrimPrefix(strings.TrimPrefix(line, "//"), " ")
		case commentedMagic.MatchString(line):
			texts[i] = strings.Replace(line, "// ", "", 1)
		}
	}
	if marked {
		magic := "%%" + language[1]
		if arguments := markerArguments.FindStringSubmatch(heading); arguments != nil {
			magic += " " + arguments[1]
		}
		texts = append([]string{magic}, texts...)
	}
	n.Add(kind, strings.Join(texts, "\n"), tags...)
	return marked
}
