//go:build linux && amd64

package faults

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"gosphere/asymvlm/encoder"
	"gosphere/internal/testing/modulestest"
)

// gosphere is the path of the program, which TestMain builds.
var gosphere string

func TestMain(m *testing.M) {
	Launch()
	folder, err := os.MkdirTemp("", "faults-")
	if err != nil {
		panic(err)
	}
	gosphere = filepath.Join(folder, "gosphere")
	if output, err := exec.Command("go", "build", "-o", gosphere, "gosphere").CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "%s%v\n", output, err)
		os.Exit(1)
	}
	status := m.Run()
	os.RemoveAll(folder)
	os.Exit(status)
}

// A scenario is a command with its files.
type scenario struct {
	name    string
	prepare func(t *testing.T, folder string)
	command []string
	// environment returns further variables for a folder.
	environment func(folder string) []string
	// same removes from a file what differs from run to run, such as times.
	same func(name string, content []byte) []byte
	// partial reports whether a file is the documented output of a run that failed; nil for none.
	partial func(name, content string) bool
}

// program returns the program of a scenario in a folder.
func (s scenario) program(folder string) Program {
	environment := []string{"HOME=" + folder, "PATH=" + os.Getenv("PATH"), "GOFLAGS=-mod=mod", "TMPDIR=" + folder, "GOMAXPROCS=2"}
	if s.environment != nil {
		environment = append(environment, s.environment(folder)...)
	}
	return Program{Arguments: append([]string{gosphere}, s.command...), Dir: folder, Environment: environment, Watched: []string{folder}}
}

var scenarios = []scenario{
	{
		name:    "run",
		command: []string{"run", "study.ipynb", "-o", "study.ipynb"},
		prepare: func(t *testing.T, folder string) {
			write(t, folder, "go.mod", "module study\n\ngo 1.27\n")
			write(t, folder, "own/own.go", "package own\n\nfunc Twice(n int) int { return 2 * n }\n")
			write(t, folder, "study.ipynb", notebook(`import "study/own"`, `own.Twice(21)`, `"text"`))
		},
		same: func(_ string, content []byte) []byte { return times.ReplaceAll(content, nil) },
		// A notebook with the error of a cell.
		partial: func(name, content string) bool {
			return name == "study.ipynb" && json.Valid([]byte(content)) && strings.Contains(content, `"output_type": "error"`)
		},
	},
	{
		name:    "writers",
		command: []string{"run", "study.ipynb", "-o", "result.ipynb"},
		prepare: func(t *testing.T, folder string) {
			for _, name := range []string{"words.txt", "cells.go", "lines.png"} {
				write(t, folder, name, "old")
			}
			write(t, folder, "study.ipynb", notebook("%%writefile words.txt\nnew words", `%save cells.go 1`,
				"import \"gosphere/plotting/figure\"\nif err := figure.Bars(\"value\", []string{\"a\", \"b\"}, figure.Series{Name: \"one\", Values: []float64{1, 2}}).Save(\"lines.png\"); err != nil { panic(err) }"))
		},
		same: func(_ string, content []byte) []byte { return times.ReplaceAll(content, nil) },
	},
	{
		name:    "train",
		command: []string{"train", "--dataset", "world", "--method", "asymvlm-vmf", "--split", "fit", "--validation", "val", "--epochs", "2", "--batch", "512", "--schedule", "small"},
		prepare: func(*testing.T, string) {},
	},
	{
		name:    "embed",
		command: []string{"embed", "--encoder", "model", "--data", "folder:pictures", "-o", "vectors", "--shard", "4"},
		prepare: func(t *testing.T, folder string) {
			if err := encoder.WriteRandom(filepath.Join(folder, "model"), 1); err != nil {
				t.Fatal(err)
			}
			for i := range 6 {
				picture := image.NewNRGBA(image.Rect(0, 0, 40, 40))
				for p := range 1600 {
					picture.Set(p%40, p/40, color.NRGBA{uint8(40 * i), uint8(p), 7, 255})
				}
				var data bytes.Buffer
				if err := png.Encode(&data, picture); err != nil {
					t.Fatal(err)
				}
				write(t, folder, fmt.Sprintf("pictures/%d.png", i), data.String())
				write(t, folder, fmt.Sprintf("pictures/%d.txt", i), fmt.Sprintf("picture %d\n", i))
			}
		},
		same: func(name string, content []byte) []byte {
			if name == "vectors/manifest.json" {
				return manifest.ReplaceAll(content, nil)
			}
			return content
		},
	},
	{
		name:    "modules",
		command: []string{"run", "study.ipynb", "-o", "result.ipynb"},
		prepare: func(t *testing.T, folder string) {
			proxy := modulestest.In(t, filepath.Join(folder, "proxy"))
			proxy.Add("example.com/one", "v1.2.0", map[string]string{"one.go": "package one\n\nimport \"example.com/two\"\n\nfunc One() string { return two.Two() }\n",
				"go.mod": "module example.com/one\n\ngo 1.21\n\nrequire example.com/two v1.0.0\n"})
			proxy.Add("example.com/two", "v1.0.0", map[string]string{"two.go": "package two\n\nfunc Two() string { return \"two\" }\n"})
			write(t, folder, "study.ipynb", notebook(`%require example.com/one@v1.2.0`, `import "example.com/one"`, `one.One()`))
		},
		environment: func(folder string) []string {
			return []string{"GOPROXY=file://" + folder + "/proxy", "GOSUMDB=off", "GOMODCACHE=" + folder + "/mod", "GOWORK=off"}
		},
		same: func(_ string, content []byte) []byte { return times.ReplaceAll(content, nil) },
	},
}

// times matches what differs between runs of a notebook.
var times = regexp.MustCompile(`"(iopub\.[^"]*|shell\.[^"]*|[^"]*_at|duration|[a-z_]*seconds)": *("[^"]*"|[0-9.e-]+),?`)

// manifest matches the folder and the times of the inputs in a manifest.
var manifest = regexp.MustCompile(`"/[^"]*/work/|, [0-9]{4}-[^"]*Z"`)

// write writes a file and its folders.
func write(t *testing.T, folder, name, text string) {
	t.Helper()
	path := filepath.Join(folder, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}

// notebook returns a notebook whose cells have outputs.
func notebook(sources ...string) string {
	var cells []string
	for i, source := range sources {
		cells = append(cells, fmt.Sprintf(`{"cell_type": "code", "id": "c%d", "execution_count": 7, "metadata": {}, "source": %q,
			"outputs": [{"output_type": "stream", "name": "stdout", "text": "old output %d"}]}`, i, source, i))
	}
	return `{"cells": [` + strings.Join(cells, ",") + `], "metadata": {"kernelspec": {"name": "gosphere", "display_name": "Go (gosphere)", "language": "go"}}, "nbformat": 4, "nbformat_minor": 5}`
}

// state returns the files of a folder.
func (s scenario) state(t *testing.T, folder string) map[string]string {
	t.Helper()
	files := map[string]string{}
	err := filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.Type().IsRegular() {
			return err
		}
		content, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		name, _ := filepath.Rel(folder, path)
		if s.same != nil {
			content = s.same(name, content)
		}
		files[name] = string(content)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// A trial is a scenario in which one operation fails.
type trial struct {
	scenario
	folder        string // prepared
	before, after map[string]string
	stdout        string
}

// deadline is the time for one run of a program, on a busy machine.
const deadline = 2 * time.Minute

// run runs the program in a copy of the prepared folder.
func (r *trial) run(t *testing.T, folder string, fails func(Operation) bool) Result {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), deadline)
	defer cancel()
	result, err := r.program(folder).Run(ctx, fails)
	if errors.Is(err, ErrUnsupported) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	return result
}

// copyFolder makes a copy of the prepared folder.
func (r *trial) copyFolder(t *testing.T) string {
	t.Helper()
	folder := filepath.Join(t.TempDir(), "work")
	if err := os.CopyFS(folder, os.DirFS(r.folder)); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { exec.Command("chmod", "-R", "u+w", folder).Run() }) // the module cache is read-only
	return folder
}

// check lets one operation fail and checks that nothing is lost.
func (r *trial) check(t *testing.T, operation Operation) (findings []string) {
	folder := r.copyFolder(t)
	failed := false
	result := r.run(t, folder, func(o Operation) bool {
		failed = failed || o == operation
		return o == operation
	})
	if !failed {
		return nil // the order of operations differs from run to run
	}
	find := func(format string, arguments ...any) {
		text := fmt.Sprintf(format, arguments...)
		findings = append(findings, fmt.Sprintf("%s: %v: %s\n\tstatus %d, stdout %q, stderr %q", r.name, operation, text, result.Status, tail(result.Stdout), tail(result.Stderr)))
	}
	output := result.Stdout + result.Stderr
	if strings.Contains(output, "goroutine ") || result.Status < 0 {
		find("the program crashed")
	}
	state := r.state(t, folder)
	if result.Status == 0 {
		for name, want := range r.after {
			if got, exists := state[name]; !exists || got != want {
				find("the program reports no error, but %s differs from that without the fault:%s", name, difference(got, want))
			}
		}
	} else if !strings.Contains(output, Named(operation.Path)) {
		find("the error does not name the file")
	}
	for name, old := range r.before {
		got, exists := state[name]
		partial := result.Status != 0 && r.partial != nil && r.partial(name, got)
		if !exists || got != old && got != r.after[name] && !partial {
			find("%s is neither the old nor the new file", name)
		}
	}
	for name := range state {
		if _, old := r.before[name]; old || operation.Call == "unlinkat" {
			continue
		}
		if _, expected := r.after[name]; !expected && !resumable(name) {
			find("%s is left behind", name)
		}
	}
	again := r.run(t, folder, func(Operation) bool { return false })
	if again.Status != 0 {
		find("without the fault the program then fails: %s", tail(again.Stdout+again.Stderr))
	}
	state = r.state(t, folder)
	for name, want := range r.after {
		if state[name] != want {
			find("%s of the next run differs from that of an undisturbed one", name)
		}
	}
	return findings
}

// resumable reports whether a file is kept so that the next run continues.
func resumable(name string) bool {
	return strings.Contains(name, "parts") || strings.HasSuffix(name, "lock")
}

// difference returns the first line in which two texts differ.
func difference(got, want string) string {
	other := strings.Split(want, "\n")
	for i, line := range strings.Split(got, "\n") {
		if i >= len(other) || line != other[i] {
			return fmt.Sprintf(" line %d is %q", i+1, strings.Join(strings.Split(got, "\n")[i:min(i+6, strings.Count(got, "\n"))], "\n"))
		}
	}
	return ""
}

// tail returns the last part of a text.
func tail(text string) string { return text[max(0, len(text)-600):] }

func TestEachFailingOperationLosesNothing(t *testing.T) {
	for _, s := range scenarios {
		t.Run(s.name, func(t *testing.T) {
			r := &trial{scenario: s, folder: t.TempDir()}
			s.prepare(t, r.folder)
			folder := r.copyFolder(t)
			r.before = s.state(t, folder)
			reference := r.run(t, folder, func(Operation) bool { return false })
			if reference.Status != 0 {
				t.Fatalf("without faults: status %d\n%s%s", reference.Status, reference.Stdout, reference.Stderr)
			}
			r.after, r.stdout = s.state(t, folder), reference.Stdout
			operations := Chosen(reference.Operations)
			t.Logf("%d of %d operations fail in turn", len(operations), len(reference.Operations))
			findings := make([][]string, len(operations))
			var group sync.WaitGroup
			turns := make(chan bool, 3)
			for i, operation := range operations {
				turns <- true
				group.Go(func() {
					findings[i] = r.check(t, operation)
					<-turns
				})
			}
			group.Wait()
			for _, finding := range slices.Concat(findings...) {
				t.Error(finding)
			}
		})
	}
}
