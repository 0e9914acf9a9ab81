// Generate writes what compiled Go shows for the script tests of the runtime into their
// files. The cells of a case are joined to one program, declarations at package level and
// statements in main, which the go tool builds and which is then run.
//
//	go run ./runtime/internal/testdata/generate [FILE.cells ...]
//
// Results are kept in the user's cache directory by program and version of Go, so that only
// cases that have changed are compiled. Cases whose cells carry their expectations are left
// as they are.
package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"gosphere/runtime/internal/testdata/cases"
)

// A program is a case as compiled Go sees it.
type program struct {
	of     *cases.Case
	source string
	cache  string // file that keeps its result
	name   string // its folder and binary
}

// A result is what a program has shown.
type result struct{ Output, Panic string }

func main() {
	files := os.Args[1:]
	if slices.Equal(files, []string{"-headers"}) {
		if err := writeHeaders(); err != nil {
			fmt.Fprintln(os.Stderr, "generate:", err)
			os.Exit(1)
		}
		files = []string{headersFile}
	}
	if len(files) == 0 {
		files, _ = filepath.Glob("runtime/internal/testdata/*.cells")
	}
	if err := generate(files); err != nil {
		fmt.Fprintln(os.Stderr, "generate:", err)
		os.Exit(1)
	}
}

func generate(files []string) error {
	user, err := os.UserCacheDir()
	if err != nil {
		return err
	}
	cache := filepath.Join(user, "gosphere-cases")
	if err := os.MkdirAll(cache, 0o755); err != nil {
		return err
	}
	byFile := map[string][]*cases.Case{}
	var programs []*program
	var failures []error
	for _, file := range files {
		list, err := cases.Read(file)
		if err != nil {
			return err
		}
		byFile[file] = list
		for _, c := range list {
			if c.ByHand() {
				continue
			}
			source, err := join(c.Cells)
			if err != nil {
				failures = append(failures, fmt.Errorf("%s: %s: %w", file, c.Name, err))
				continue
			}
			sum := sha256.Sum256([]byte(runtime.Version() + source))
			programs = append(programs, &program{of: c, source: source, cache: filepath.Join(cache, fmt.Sprintf("%x", sum[:12]))})
		}
	}
	if err := build(programs); err != nil {
		failures = append(failures, err)
	}
	for _, p := range programs {
		if r, ok := p.cached(); ok {
			p.of.Output, p.of.Panic = r.Output, r.Panic
		}
	}
	for _, file := range files {
		if err := cases.Write(file, byFile[file]); err != nil {
			return err
		}
	}
	return errors.Join(failures...)
}

// build compiles and runs the programs whose results are not kept yet. One call of the go
// tool builds them all, because it shares the work on their dependencies.
func build(programs []*program) error {
	dir, err := os.MkdirTemp("", "cases")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	var missing []*program
	for _, p := range programs {
		if _, ok := p.cached(); ok {
			continue
		}
		p.name = fmt.Sprintf("case%04d", len(missing))
		folder := filepath.Join(dir, p.name)
		if err := os.MkdirAll(folder, 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(folder, "main.go"), []byte(p.source), 0o644); err != nil {
			return err
		}
		missing = append(missing, p)
	}
	if len(missing) == 0 {
		return nil
	}
	if err := os.WriteFile(filepath.Join(dir, "go.mod"), []byte("module cells\n\ngo 1.27\n"), 0o644); err != nil {
		return err
	}
	var failures []error
	for first := 0; first < len(missing); first += 40 {
		batch := missing[first:min(first+40, len(missing))]
		args := []string{"build", "-ldflags=-s -w", "-o", filepath.Join(dir, "bin") + "/"}
		for _, p := range batch {
			args = append(args, "./"+p.name)
		}
		command := exec.Command("go", args...)
		command.Dir = dir
		if out, err := command.CombinedOutput(); err != nil {
			failures = append(failures, fmt.Errorf("go build: %w\n%s", err, named(string(out), batch)))
		}
		for _, p := range batch {
			if err := p.run(filepath.Join(dir, "bin", p.name)); err != nil {
				failures = append(failures, fmt.Errorf("%s: %w", p.of.Name, err))
			}
		}
	}
	return errors.Join(failures...)
}

// named puts the names of cases behind the names of their folders.
func named(text string, batch []*program) string {
	for _, p := range batch {
		text = strings.ReplaceAll(text, p.name+"/", p.of.Name+": ")
	}
	return text
}

func (p *program) cached() (result, bool) {
	var r result
	data, err := os.ReadFile(p.cache)
	return r, err == nil && json.Unmarshal(data, &r) == nil
}

// run runs the compiled program and keeps its result.
func (p *program) run(binary string) error {
	if _, err := os.Stat(binary); err != nil {
		return nil // the go tool has said why
	}
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	command := exec.CommandContext(ctx, binary)
	var stdout, stderr bytes.Buffer
	command.Stdout, command.Stderr = &stdout, &stderr
	err := command.Run()
	r := result{Output: stdout.String()}
	if err != nil {
		text, ok := strings.CutPrefix(stderr.String(), "panic: ")
		if !ok {
			return fmt.Errorf("%w\n%s", err, stderr.String())
		}
		text, _, _ = strings.Cut(text, "\n\n")
		text, _, _ = strings.Cut(text, "\n[signal ")
		// A chain of panics is told by its last link, without what became of the others.
		text = text[strings.LastIndex(text, "\tpanic: ")+1:]
		text = strings.TrimPrefix(text, "panic: ")
		text, _, _ = strings.Cut(text, " [recovered")
		r.Panic = text
	}
	data, err := json.Marshal(r)
	if err != nil {
		return err
	}
	return os.WriteFile(p.cache, data, 0o644)
}
