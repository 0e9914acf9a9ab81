package notebook_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"gosphere/asymvlm/embedding"
)

// notRun are the documented commands that the test does not run, with the reasons. The package of
// the command line tests that they are understood.
var notRun = []struct{ command, reason string }{
	{"kernel", "serves a client"},
	{"mcp", "serves a client"},
	{"lsp", "serves a client"},
	{"repl", "reads a terminal"},
	{"build", "needs a toolchain and the network"},
	{"encoder get", "downloads a model"},
	{"encoder check", "needs a model"},
	{"embed --", "needs a model"},
	{"run golang.org", "needs the network"},
	{"install --sys-prefix", "needs an active environment"},
	{"install --prefix=/usr/local", "changes the machine"},
	{"train --dataset scenes_minilm", "takes minutes; prepared has these trainings with few steps"},
	{"train --dataset mine --method asymvlm-vmf,", "takes minutes; prepared has these trainings with few steps"},
	{"eval --checkpoint", "needs a checkpoint of another program"},
	{"site", "needs jupyterlite-core and the extension for the browser"},
	{"sweep plan.toml -j 2", "takes a minute"},
}

// prepared are commands that are run before those of a document, which read their files: short
// trainings in place of those that take minutes.
var prepared = map[string][]string{
	"docs/laboratory.md": {
		"train --dataset world --method asymvlm-vmf,pfe --seeds 0..4 --hidden 4 --steps 2",
		"train --dataset scenes_minilm --method asymvlm-vmf,pfe --seeds 0..4 --hidden 4 --steps 2",
		"train --dataset scenes_minilm --method pcmepp,asymvlm-psd --hidden 4 --steps 2",
		"train --dataset mine --method asymvlm-vmf --seeds 0,1 --hidden 4 --steps 2",
		"eval --dataset world --method asymvlm-vmf,pfe --seeds 0..4",
	},
	"docs/embeddings.md": {"train --dataset mine --method asymvlm-vmf,asymvlm-psd --seeds 0..4 --hidden 4 --steps 2"},
}

// ofPrograms are the documents whose blocks of Go are of programs that import gosphere, like the
// examples of packages kernel and interp, or are run by tests of package chart.
var ofPrograms = map[string]bool{"docs/libraries.md": true, "docs/from-yaegi.md": true, "docs/figures-compared.md": true}

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

// writeExhibits fills the current folder with the files that the documents name. Root is the folder
// of the module.
func writeExhibits(t *testing.T, root string, blocks [][]string) {
	t.Helper()
	for _, name := range []string{"notebook.ipynb", "a.ipynb", "b.ipynb"} {
		writeNotebook(t, name, "")
	}
	writeNotebook(t, "figures.ipynb", `figure.Lines("x", "y", figure.Series{Name: "a", Values: []float64{1, 2}})`)
	write(t, "program.go", "package main\n\nimport (\n\t\"flag\"\n\t\"fmt\"\n)\n\nfunc main() {\n\tn := flag.Int(\"n\", 1, \"\")\n\tflag.Parse()\n\tfmt.Println(*n)\n}\n")
	write(t, "analysis.cells.go", "x := 1\n\n// %%\nx + 1\n")
	trips := filepath.Join("docs", "figures", "trips.csv")
	table, err := os.ReadFile(filepath.Join(root, trips))
	if err := errors.Join(err, os.MkdirAll(filepath.Dir(trips), 0o755)); err != nil {
		t.Fatal(err)
	}
	write(t, trips, string(table))
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
	writeTasks(t, set(60))
	writePositives(t, root)
	writeImports(t, random)
	for _, name := range []string{"images.npy", "queries.npy"} {
		if err := embedding.WriteNPY(name, embedding.Float32Array([]float32{1, 0, 0, 1, 1, 1}, 3, 2)); err != nil {
			t.Fatal(err)
		}
	}
}

// writeTasks writes the sets and tasks of the commands classify, hierarchy and ood, and a file of
// pairs.
func writeTasks(t *testing.T, set *embedding.Set) {
	t.Helper()
	chains := *set
	chains.CaptionImages = make([]int, set.Texts.Rows)
	for text := range chains.CaptionImages {
		chains.CaptionImages[text] = text / 4
	}
	labels := make([]float64, set.Images.Rows)
	for image := range labels {
		labels[image] = float64(image % 8)
	}
	for folder, set := range map[string]*embedding.Set{"hierarcaps/test": &chains, "other/val": set} {
		folder = filepath.Join("embeddings", filepath.FromSlash(folder))
		if err := errors.Join(os.MkdirAll(folder, 0o755), embedding.WriteSet(folder, set)); err != nil {
			t.Fatal(err)
		}
	}
	array := func(m embedding.Matrix, rows int) *embedding.Array {
		return embedding.Float32Array(m.Values[:rows*m.Columns], rows, m.Columns)
	}
	for _, name := range []string{"cifar10", "cifar100"} {
		folder := filepath.Join("embeddings", name, "test")
		err := errors.Join(os.MkdirAll(folder, 0o755), embedding.WriteNPY(filepath.Join(folder, "image.npy"), array(set.Images, 60)),
			embedding.WriteNPY(filepath.Join(folder, "label.npy"), embedding.Float64Array(labels)),
			embedding.WriteNPY(filepath.Join(folder, "prompt.npy"), array(set.Texts, 8)))
		if err != nil {
			t.Fatal(err)
		}
	}
	values := append(slices.Clone(set.Images.Values), set.Texts.Values...)
	if err := embedding.WriteNPY("pairs.npy", embedding.Float32Array(values, 2, 60, 16)); err != nil {
		t.Fatal(err)
	}
}

// writePositives writes positives of captions and images of COCO: those of ECCV Caption where they
// are at hand, else the own images of some captions of scenes_minilm.
func writePositives(t *testing.T, root string) {
	t.Helper()
	_, test, err := embedding.Scenes()
	if err != nil {
		t.Fatal(err)
	}
	var ofTexts, ofImages []string
	for text := range 20 {
		caption, image := test.CaptionIDs[text], test.ImageIDs[test.CaptionImages[text]]
		ofTexts = append(ofTexts, fmt.Sprintf("%q: [%d]", fmt.Sprint(caption), image))
		if text%2 == 0 { // an image has two captions in a row
			ofImages = append(ofImages, fmt.Sprintf("%q: [%d, %d]", fmt.Sprint(image), caption, test.CaptionIDs[text+1]))
		}
	}
	for name, lists := range map[string][]string{"eccv_caption_to_image.json": ofTexts, "eccv_image_to_caption.json": ofImages} {
		published, err := os.ReadFile(filepath.Join(root, "..", "shared", "data", "eccv_caption", name))
		if err != nil {
			published = []byte("{" + strings.Join(lists, ", ") + "}")
		}
		write(t, name, string(published))
	}
}

// writeImports writes the files that the examples of gosphere import read: thirty images and a text
// for each.
func writeImports(t *testing.T, random *rand.Rand) {
	t.Helper()
	const images = 30
	var image, text []float32
	for range images * 8 {
		x := float32(random.NormFloat64())
		image, text = append(image, x), append(text, x+float32(random.NormFloat64())/4)
	}
	rows := map[string]*embedding.Array{"image": embedding.Float32Array(image, images, 8), "text": embedding.Float32Array(text, images, 8)}
	if err := os.MkdirAll("folder", 0o755); err != nil {
		t.Fatal(err)
	}
	for name, array := range rows {
		err := errors.Join(embedding.WriteNPY(name+".npy", array), embedding.WriteNPY(filepath.Join("folder", name+".npy"), array),
			embedding.WriteSafetensors(name+".safetensors", &embedding.Safetensors{Arrays: map[string]*embedding.Array{name: array}}))
		if err != nil {
			t.Fatal(err)
		}
	}
	pairs, captions := "image\n", ""
	for i := range images {
		pairs += fmt.Sprintln(i)
		captions += fmt.Sprintf("picture %d\n", i)
	}
	write(t, "pairs.csv", pairs)
	write(t, "captions.txt", captions)
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
			writeExhibits(t, root, blocks)
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
				if block[1] == "go" && !strings.HasPrefix(block[2], "#!") && !ofPrograms[filepath.ToSlash(name)] {
					session = append(session, block[2])
				}
			}
			if len(session) > 0 {
				cells += len(session)
				write(t, "document.cells.go", strings.Join(session, "\n// %%\n"))
				run("the blocks of Go", `"$GOSPHERE" run document.cells.go`)
				os.Remove("document.cells.go")
			}
			for _, command := range prepared[filepath.ToSlash(name)] {
				run("gosphere "+command, scriptOf(command))
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
