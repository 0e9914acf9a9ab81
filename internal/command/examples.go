package command

import (
	"fmt"
	"strings"

	"github.com/alecthomas/kong"
)

// examples are command lines that the help of a command shows, by the words that name it.
var examples = map[string][]string{
	"kernel":        {"gosphere kernel connection.json"},
	"install":       {"gosphere install", "gosphere install --sys-prefix"},
	"list":          {"gosphere list", "gosphere list --json"},
	"uninstall":     {"gosphere uninstall"},
	"run":           {"gosphere run notebook.ipynb -p epochs=50 -o out.ipynb", "gosphere run program.go --verbose input.txt"},
	"check":         {"gosphere check notebook.ipynb", "gosphere check --update notebook.ipynb"},
	"vet":           {"gosphere vet notebook.ipynb", "gosphere vet notebooks --format sarif"},
	"new":           {"gosphere new experiment", "gosphere new lesson -t teaching"},
	"clean":         {"gosphere clean notebook.ipynb"},
	"diff":          {"gosphere diff before.ipynb after.ipynb"},
	"export":        {"gosphere export --to html notebook.ipynb", "gosphere export --to go notebook.ipynb -o program"},
	"site":          {"gosphere site notebooks -o public"},
	"repl":          {"gosphere repl"},
	"mcp":           {"gosphere mcp notebooks", "gosphere mcp --no-network --no-processes --confine=study study"},
	"lsp":           {"gosphere lsp"},
	"train":         {"gosphere train --method asymvlm-vmf --seeds 0..4"},
	"eval":          {"gosphere eval --method asymvlm-vmf", "gosphere eval --method all --json"},
	"crossval":      {"gosphere crossval --method asymvlm-vmf"},
	"sweep":         {"gosphere sweep plan.toml"},
	"table":         {"gosphere table --format markdown", "gosphere table --json"},
	"search":        {"gosphere search gallery.npy queries.npy"},
	"classify":      {"gosphere classify cifar10 --negatives cifar100 --adapters 'checkpoints/mine/*/*.safetensors'"},
	"hierarchy":     {"gosphere hierarchy --dataset hierarcaps --adapters checkpoints/mine/0/asymvlm-vmf.safetensors"},
	"ood":           {"gosphere ood --dataset mine --strange other/val --adapters checkpoints/mine/0/asymvlm-vmf.safetensors"},
	"vectors":       {"gosphere vectors --method asymvlm-vmf --texts texts.parquet --images images.parquet"},
	"embed":         {"gosphere embed --encoder all-MiniLM-L6-v2 --data captions:captions.txt --texts"},
	"embed-info":    {"gosphere embed-info embeddings/scenes/test"},
	"import":        {"gosphere import mine --images image.npy --texts text.npy", "gosphere import mine --images image.pt --texts text.pt --pairs pairs.csv"},
	"encoder list":  {"gosphere encoder list"},
	"encoder get":   {"gosphere encoder get all-MiniLM-L6-v2"},
	"encoder info":  {"gosphere encoder info all-MiniLM-L6-v2"},
	"encoder check": {"gosphere encoder check all-MiniLM-L6-v2"},
	"doctor":        {"gosphere doctor", "gosphere doctor --json"},
	"build":         {"gosphere build --with github.com/shopspring/decimal"},
	"completion":    {"source <(gosphere completion bash)", "gosphere completion fish | source"},
	"version":       {"gosphere version --json"},
}

// helpWithExamples prints kong's help, and below it the examples of the command.
func helpWithExamples(options kong.HelpOptions, context *kong.Context) error {
	if err := kong.DefaultHelpPrinter(options, context); err != nil {
		return err
	}
	lines := examples[commandPath(context.Selected())]
	if len(lines) == 0 {
		return nil
	}
	_, err := fmt.Fprintf(context.Stdout, "\nExamples:\n  %s\n", strings.Join(lines, "\n  "))
	return err
}

// commandPath returns the words that name a command, without the program.
func commandPath(node *kong.Node) string {
	path := ""
	for ; node != nil && node.Type == kong.CommandNode; node = node.Parent {
		path = strings.TrimSpace(node.Name + " " + path)
	}
	return path
}
