package difference

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"time"
)

// separator follows the output of each program of a batch.
const separator = "\x00end of program\x00\n"

// mark returns the suffix of the package-level names of program i of a batch. All marks have the
// same length, so that outputs do not depend on the index in a batch.
func mark(i int) string { return fmt.Sprintf("_%04d", i) }

var marks = regexp.MustCompile(`_\d{4}\b`)

// remark returns the source of a program with the mark of index i in place of its own.
func remark(source string, i int) string { return marks.ReplaceAllString(source, mark(i)) }

// mostOutput is the maximum size of a program's output. Cells stop after 64 MB.
const mostOutput = 1 << 20

// Compiled builds programs with the marks 0, 1, ... into one binary and returns the output of each.
// It returns "" and false for a program that ended the process or printed too much.
func Compiled(programs []string) (outputs []string, ok []bool, err error) {
	if _, err := exec.LookPath("go"); err != nil {
		return nil, nil, err
	}
	folder, err := os.MkdirTemp("", "difference")
	if err != nil {
		return nil, nil, err
	}
	defer os.RemoveAll(folder)
	files := map[string]string{"go.mod": "module difference\n\ngo 1.27\n"}
	var calls strings.Builder
	for i, source := range programs {
		files[fmt.Sprintf("program%d.go", i)] = source
		fmt.Fprintf(&calls, "\trun%s,\n", mark(i))
	}
	files["main.go"] = "package main\n\nimport (\n\t\"fmt\"\n\t\"os\"\n\t\"strconv\"\n)\n\n" +
		"var programs = []func(){\n" + calls.String() + "}\n\n" +
		"func main() {\n\tfirst, _ := strconv.Atoi(os.Args[1])\n\tfmt.Printf(\"%s\", " + fmt.Sprintf("%q", separator) + ")\n\tfor _, run := range programs[first:] {\n\t\trun()\n\t\tfmt.Printf(\"%s\", " +
		fmt.Sprintf("%q", separator) + ")\n\t}\n}\n"
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o644); err != nil {
			return nil, nil, err
		}
	}
	// Without optimization the compiler is faster, and the meaning is the same.
	build := exec.Command("go", "build", "-gcflags=-N -l -e", "-ldflags=-s -w", "-o", "batch", ".")
	build.Dir = folder
	build.Env = append(os.Environ(), "GOWORK=off", "GOFLAGS=-mod=mod", "CGO_ENABLED=0")
	if text, err := build.CombinedOutput(); err != nil {
		return nil, nil, fmt.Errorf("difference: building a batch: %w\n%s", err, text)
	}
	outputs, ok = make([]string, len(programs)), make([]bool, len(programs))
	for first := 0; first < len(programs); {
		list, err := runBatch(filepath.Join(folder, "batch"), first)
		if err != nil {
			return nil, nil, err
		}
		for i, text := range list[:len(list)-1] {
			if len(text) <= mostOutput {
				outputs[first+i], ok[first+i] = text, true
			}
		}
		first += len(list) // the program after the last separator did not end normally
	}
	return outputs, ok, nil
}

// runBatch runs the programs of a batch starting at first. The output of the first unfinished
// program follows the last separator.
func runBatch(binary string, first int) ([]string, error) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	command := exec.CommandContext(ctx, binary, fmt.Sprint(first))
	var out bytes.Buffer
	command.Stdout = &out
	var exit *exec.ExitError
	if err := command.Run(); err != nil && !errors.As(err, &exit) {
		return nil, err
	}
	_, text, _ := strings.Cut(out.String(), separator) // printed by the variables of all programs
	return strings.Split(text, separator), nil
}
