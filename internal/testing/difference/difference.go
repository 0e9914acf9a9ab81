// Package difference searches for programs whose meaning differs between cells and compiled Go. It
// generates random programs that compile, terminate and print the same text every time, runs each
// both ways and compares the outputs. It minimizes a program that differs by removing parts of it
// one after another.
//
// Read in this order: generate.go, types.go, declare.go, functions.go, expression.go,
// operation.go, statement.go, compound.go, flow.go, small.go, shared.go, constrained.go, uses.go,
// forms.go, library.go (the generator), crossing.go (a program for each value), repair.go, then
// compiled.go and cells.go (the two ways), difference.go, minimize.go. Programs have no value that
// is older than a method of its type: redeclare.go crosses those, and history.go generates random
// sequences of cells with them.
//
//	go test ./internal/testing/difference -run TestCellsMeanWhatCompiledGoMeans -v -seconds 60 -seed 1
//	go test ./internal/testing/difference -run TestHistoriesMeanWhatCompiledGoMeans -v -seconds 60 -seed 1
//
// It does not test behavior that Go leaves unspecified, time or input.
package difference

import (
	"fmt"
	"regexp"
	"strings"
)

// A Verdict is one of the three results of a comparison.
type Verdict int

// Equal means that both ways agree, Loud that cells reject the program, fail or hang, and Wrong
// that they silently show something else.
const (
	Equal Verdict = iota
	Loud
	Wrong
)

// String returns the name of the verdict.
func (v Verdict) String() string { return [...]string{"equal", "loud", "wrong"}[v] }

// A Find is a program with its results both ways.
type Find struct {
	Seed     uint64
	Source   string
	Cells    []string
	Compiled string
	Outcome  Outcome
	Verdict  Verdict
}

// judge compares an outcome with the output of the compiled program.
func judge(compiled string, o Outcome) Verdict {
	switch {
	case o.Failure != "" || !o.Ended:
		return Loud
	case o.Output != compiled:
		return Wrong
	}
	return Equal
}

var (
	names   = regexp.MustCompile(`\b[A-Za-z]+\d+(_\d+)?\b|"[^"]*"|\d+`)
	strange = regexp.MustCompile(`[ʹΨ]\d*`)
)

// Signature returns a text that is equal for finds with the same cause: the failure without names
// and numbers, or the first line that differs.
func (f *Find) Signature() string {
	if f.Verdict == Loud {
		if !f.Outcome.Ended {
			return "hang"
		}
		text, _, _ := strings.Cut(f.Outcome.Failure, "\n")
		return names.ReplaceAllString(strange.ReplaceAllString(text, ""), "*")
	}
	got, want := f.FirstDifference()
	return names.ReplaceAllString(fmt.Sprintf("got %.60s want %.60s", got, want), "*")
}

// FirstDifference returns the first line in which the outputs differ.
func (f *Find) FirstDifference() (got, want string) {
	a, b := strings.Split(f.Outcome.Output, "\n"), strings.Split(f.Compiled, "\n")
	for i := range max(len(a), len(b)) {
		got, want = "", ""
		if i < len(a) {
			got = a[i]
		}
		if i < len(b) {
			want = b[i]
		}
		if got != want {
			return got, want
		}
	}
	return "", ""
}

// Programs generates count programs that compile, with their marks, starting at the seed.
func Programs(importer Importer, seed uint64, count int) (sources []string, seeds []uint64) {
	for len(sources) < count {
		source, err := importer.Repair(Generate(seed, mark(len(sources))))
		if err == nil {
			sources, seeds = append(sources, source), append(seeds, seed)
		}
		seed++
	}
	return sources, seeds
}

// A Player runs the cells of programs, each in a fresh session. If the process of a session dies,
// the outcome is a failure.
type Player func(programs [][]string) ([]Outcome, error)

// Compare runs programs both ways. It omits programs whose compiled form does not end normally.
func Compare(programs []string, play Player) ([]Find, error) {
	if len(programs) == 0 {
		return nil, nil
	}
	outputs, ok, err := Compiled(programs)
	if err != nil {
		return nil, err
	}
	var finds []Find
	var all [][]string
	for i, source := range programs {
		if !ok[i] {
			continue
		}
		cells, err := Cells(source)
		if err != nil {
			return nil, err
		}
		finds = append(finds, Find{Source: source, Cells: cells, Compiled: outputs[i], Seed: uint64(i)})
		all = append(all, cells)
	}
	outcomes, err := play(all)
	if err != nil {
		return nil, err
	}
	for i := range finds {
		finds[i].Outcome = outcomes[i]
		finds[i].Verdict = judge(finds[i].Compiled, outcomes[i])
	}
	return finds, nil
}
