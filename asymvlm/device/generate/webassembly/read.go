package main

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
)

// A function of the assembly: its signature and its lines.
type function struct {
	name       string
	signature  string // from the parameters on
	parameters []parameter
	results    []parameter
	lines      []line
}

// A parameter is a parameter or result. The name of a result without a name is ret.
type parameter struct{ name, kind string }

// A line is a label, or an instruction with its operands.
type line struct {
	label     string
	operation string
	operands  []string
}

func (l line) String() string { return l.operation + " " + strings.Join(l.operands, ", ") }

var (
	signatureLine = regexp.MustCompile(`^(?:// )?func (\w+)(\(([^)]*)\) ?(.*))$`)
	constantLine  = regexp.MustCompile(`^DATA constants<>\+(\d+)\(SB\)/4, \$0x([0-9a-f]+)`)
	labelLine     = regexp.MustCompile(`^(\w+):$`)
)

// readAssembly returns the functions of the file, and its constants by their offsets.
func readAssembly(text string) ([]function, map[int]float32, error) {
	var functions []function
	table := map[int]float32{}
	for whole := range strings.Lines(text) {
		found := constantLine.FindStringSubmatch(whole)
		trimmed := strings.TrimSpace(whole)
		switch {
		case found != nil:
			at, _ := strconv.Atoi(found[1])
			pattern, err := strconv.ParseUint(found[2], 16, 32)
			if err != nil {
				return nil, nil, err
			}
			table[at] = math.Float32frombits(uint32(pattern))
		case strings.HasPrefix(whole, "// func "):
			f, err := readSignature(trimmed)
			if err != nil {
				return nil, nil, err
			}
			functions = append(functions, f)
		case len(functions) == 0 || trimmed == "":
		case strings.HasPrefix(whole, "\t") && !strings.HasPrefix(trimmed, "//"):
			f := &functions[len(functions)-1]
			operation, rest, _ := strings.Cut(trimmed, " ")
			l := line{operation: operation}
			for part := range strings.SplitSeq(rest, ",") {
				if part = strings.TrimSpace(part); part != "" {
					l.operands = append(l.operands, part)
				}
			}
			f.lines = append(f.lines, l)
		default:
			if found := labelLine.FindStringSubmatch(trimmed); found != nil {
				f := &functions[len(functions)-1]
				f.lines = append(f.lines, line{label: found[1]})
			}
		}
	}
	if len(functions) == 0 {
		return nil, nil, fmt.Errorf("the assembly has no functions")
	}
	return functions, table, nil
}

// readSignature reads a declaration.
func readSignature(text string) (function, error) {
	found := signatureLine.FindStringSubmatch(text)
	if found == nil {
		return function{}, fmt.Errorf("%s is no signature", text)
	}
	f := function{name: found[1], signature: strings.TrimSpace(found[2])}
	read := func(list string) (read []parameter) {
		for part := range strings.SplitSeq(list, ",") {
			if name, kind, ok := strings.Cut(strings.TrimSpace(part), " "); ok {
				read = append(read, parameter{name, kind})
			}
		}
		return read
	}
	f.parameters = read(found[3])
	switch results := found[4]; {
	case strings.HasPrefix(results, "("):
		f.results = read(strings.Trim(results, "()"))
	case results != "":
		f.results = []parameter{{"ret", results}}
	}
	return f, nil
}
