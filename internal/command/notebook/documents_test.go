package notebook_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"gosphere/asymvlm/embedding"
)

// notRun are the documented commands that the test does not run, with the reasons. The package of
// the command line tests that they are understood.
var notRun = []struct{ command, reason string }{
	{"kernel", "serves a client"},
	{"repl", "reads a terminal"},
	{"build", "needs a toolchain and the network"},
	{"encoder get", "downloads a model"},
	{"encoder check", "needs a model"},
	{"embed --", "needs a model"},
	{"run golang.org", "needs the network"},
	{"install --sys-prefix", "needs an active environment"},
	{"install --prefix=/usr/local", "changes the machine"},
	{"train --dataset scenes_minilm", "takes minutes"},
	{"eval --dataset scenes_minilm", "needs these trainings"},
	{"table --dataset scenes_minilm", "needs these trainings"},
	{"table --dataset world,scenes_minilm", "needs these trainings"},
	{"eval --method pcmepp", "needs a training"},
	{"eval --method asymvlm-psd", "needs a training"},
	{"eval --figures", "needs a training"},
	{"eval --checkpoint", "needs a checkpoint of another program"},
	{"site", "needs jupyterlite-core and the extension for the browser"},
	{"train --dataset mine --method asymvlm-vmf,", "takes minutes"},
	{"eval --dataset mine", "needs these trainings"},
	{"table --dataset mine", "needs these trainings"},
	{"vectors --dataset mine", "needs these trainings"},
	{"crossval --dataset pairs.npy", "needs a file of pairs, and takes a while"},
	{"sweep plan.toml -j 2", "takes a minute"},
}

// fence matches a block of code with its language.
var fence = regexp.MustCompile("(?ms)^```(\\w+)\n(.*?)^```$")

// writeNotebook writes a notebook with one parameter and a last cell.
func writeNotebook(t *testing.T, name, last string) {
	t.Helper()
	write(t, name, `{"cells": [
		{"cell_type": "code", "id": "a", "metadata": {"tags": ["parameters"]}, "execution_count": null, "outputs": [], "source": "epochs := 5"},
		{"cell_type": "code", "id": "b", "metadata": {}, "execution_count": 1, "source": "fmt.Println(2 + 2)",
			"outputs": [{"output_type": "stream", "name": "stdout", "text": "4\n"}]},
		{"cell_type": "code", "id": "c", "metadata": {}, "execution_count": null, "outputs": [], "source": `+strconv.Quote(last)+`}
	], "metadata": {"kernelspec": {"name": "gosphere", "display_name": "Go (gosphere)", "language": "go"}, "language_info": {"name": "go"}},
	"nbformat": 4, "nbformat_minor": 5}`)
}

func write(t *testing.T, name, text string) {
	t.Helper()
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// writeExhibits fills the current folder with the files that the documents name.
func writeExhibits(t *testing.T, blocks [][]string) {
	t.Helper()
	for _, name := range []string{"notebook.ipynb", "a.ipynb", "b.ipynb"} {
		writeNotebook(t, name, "")
	}
	writeNotebook(t, "figures.ipynb", `figure.Lines("x", "y", figure.Series{Name: "a", Values: []float64{1, 2}})`)
	write(t, "program.go", "package main\n\nimport (\n\t\"flag\"\n\t\"fmt\"\n)\n\nfunc main() {\n\tn := flag.Int(\"n\", 1, \"\")\n\tflag.Parse()\n\tfmt.Println(*n)\n}\n")
	write(t, "analysis.cells.go", "x := 1\n\n// %%\nx + 1\n")
	for _, block := range blocks {
		switch {
		case block[1] == "toml":
			write(t, "plan.toml", block[2])
		case strings.HasPrefix(block[2], "#!"):
			write(t, "hello.go", block[2])
		}
	}
	random := rand.New(rand.NewPCG(1, 2))
	set := func(n int) *embedding.Set {
		set := &embedding.Set{Images: embedding.NewMatrix(n, 16), Texts: embedding.NewMatrix(n, 16), CaptionImages: make([]int, n)}
		for i := range n {
			set.CaptionImages[i] = i
			set.Captions = append(set.Captions, fmt.Sprintf("caption %d", i))
			for j := range 16 {
				set.Images.Row(i)[j] = float32(random.NormFloat64())
				set.Texts.Row(i)[j] = set.Images.Row(i)[j] + float32(random.NormFloat64())
			}
		}
		return set
	}
	for split, n := range map[string]int{"train": 200, "val": 40} {
		folder := filepath.Join("embeddings", "mine", split)
		if err := os.MkdirAll(folder, 0o755); err != nil {
			t.Fatal(err)
		}
		if err := embedding.WriteSet(folder, set(n)); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"images.npy", "queries.npy"} {
		if err := embedding.WriteNPY(name, embedding.Float32Array([]float32{1, 0, 0, 1, 1, 1}, 3, 2)); err != nil {
			t.Fatal(err)
		}
	}
}

// scriptOf returns the shell script that runs a command. Some commands need a file or an input.
func scriptOf(command string) string {
	script := `"$GOSPHERE" ` + command
	switch {
	case command == "run -":
		return `cat program.go | ` + script
	case strings.HasPrefix(command, "run *.ipynb"):
		return `rm -f result.ipynb out.ipynb; ` + script
	case command == "run .":
		return `mkdir -p folder && cp program.go folder && cd folder && ` + script
	case strings.HasPrefix(command, "uninstall"):
		return `"$GOSPHERE" install --name=go-lab && ` + script
	case strings.HasSuffix(command, "--to latex"):
		return `cp figures.ipynb notebook.ipynb && ` + script
	}
	return script
}

// TestDocumentedCommandsAndCellsRun runs the command lines of the README and of docs in order, and
// their blocks of Go as the cells of one session.
func TestDocumentedCommandsAndCellsRun(t *testing.T) {
	if testing.Short() {
		t.Skip("runs many programs")
	}
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	root, err := filepath.Abs(filepath.Join("..", "..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	documents, err := filepath.Glob(filepath.Join(root, "docs", "*.md"))
	if err != nil {
		t.Fatal(err)
	}
	commands, cells := 0, 0
	for _, document := range append(documents, filepath.Join(root, "README.md")) {
		content, err := os.ReadFile(document)
		if err != nil {
			t.Fatal(err)
		}
		text := string(content)
		name, _ := filepath.Rel(root, document)
		if name == filepath.Join("docs", "commands.md") {
			continue // usage lines
		}
		t.Run(filepath.ToSlash(name), func(t *testing.T) {
			t.Chdir(t.TempDir())
			blocks := fence.FindAllStringSubmatch(text, -1)
			writeExhibits(t, blocks)
			run := func(line, command string) {
				t.Helper()
				shell := exec.CommandContext(context.Background(), "sh", "-c", command)
				home := filepath.Join(t.TempDir(), "home")
				shell.Env = append(os.Environ(), "GOSPHERE_TEST_AS_PROGRAM=1", "GOSPHERE="+program, "HOME="+home, "JUPYTER_DATA_DIR="+home, "GOSPHERE_HISTORY=off")
				if output, err := shell.CombinedOutput(); err != nil {
					t.Errorf("%s: %v\n%s", line, err, output)
				}
			}
			var session []string
			for _, block := range blocks {
				if block[1] == "go" && !strings.HasPrefix(block[2], "#!") {
					session = append(session, block[2])
				}
			}
			if len(session) > 0 {
				cells += len(session)
				write(t, "document.cells.go", strings.Join(session, "\n// %%\n"))
				run("the blocks of Go", `"$GOSPHERE" run document.cells.go`)
				os.Remove("document.cells.go")
			}
		commands:
			for line := range strings.Lines(text) {
				command, found := strings.CutPrefix(line, "    gosphere ")
				if !found {
					continue
				}
				command, _, _ = strings.Cut(strings.TrimSpace(command), " #")
				for _, n := range notRun {
					if strings.HasPrefix(command, n.command) {
						continue commands
					}
				}
				commands++
				run(strings.TrimSpace(line), scriptOf(strings.TrimSpace(command)))
			}
		})
	}
	if commands < 25 || cells < 15 {
		t.Errorf("only %d commands and %d cells", commands, cells)
	}
}
