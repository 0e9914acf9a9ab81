package house

import (
	"bytes"
	"encoding/json"
	"go/ast"
	"go/token"
	"os"
	"os/exec"
	"path"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"
)

// A text is a line or a paragraph that people read, with its position.
type text struct {
	at, words string
}

// An idiom is a phrase that Go's own documentation does not use.
type idiom struct {
	phrase *regexp.Regexp
	write  string // the replacement
}

func phrase(expression, write string) idiom {
	return idiom{regexp.MustCompile(`(?i)\b(?:` + expression + `)\b`), write}
}

// banned are the idioms that occur nowhere.
var banned = []idiom{
	phrase(`tells? whether|says whether`, "reports whether"),
	phrase(`nobody|whoever|everybody|somebody`, "no caller, the client, each goroutine"),
	phrase(`on the clock`, "wall time"),
	phrase(`(?:loses|has|waits for|takes|gives up) the turn`, "execution lock"),
	phrase(`lets others`, "yields"),
	phrase(`(?:NVIDIA|CUDA|graphics) cards?`, "GPU"),
	phrase(`processor (?:time|seconds)`, "CPU time"),
	phrase(`of one's own`, "of your own, user-defined"),
	phrase(`in turns`, "alternately"),
	phrase(`behaviours?|colours?|coloured|favours?|favoured|honours?|neighbours?|neighbouring`, "American spelling: -or"),
	phrase(`(?:normal|optim|initial|serial|recogn|organ|summar|minim|maxim|random|general|visual|special|util|real|categor|parallel|vector|synchron|token|quant|regular|factor|linear|local|final)is(?:e|es|ed|er|ers|ing|ation|ations)`, "American spelling: -ize"),
	phrase(`analysed|analysing|centred?|centres|licence|grey|labelled|labelling|cancelled|cancelling|travelled|modelled|modelling|artefacts?|whilst|amongst|afterwards|towards|judgement|catalogue`, "American spelling"),
}

// comments returns the lines of comments in Go files that are not generated. The first word of a
// doc comment, which is an identifier, is omitted.
func comments(t *testing.T) (texts []text) {
	for _, file := range readTree(t) {
		if file.generated || file.name == "internal/testing/house/prose_test.go" {
			continue
		}
		documented := map[*ast.CommentGroup]bool{}
		ast.Inspect(file.syntax, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.FuncDecl:
				documented[n.Doc] = true
			case *ast.GenDecl:
				documented[n.Doc] = true
			}
			return true
		})
		for _, group := range file.syntax.Comments {
			at := file.fset.Position(group.Pos())
			for i, line := range strings.Split(strings.TrimRight(group.Text(), "\n"), "\n") {
				if i == 0 && documented[group] {
					_, line, _ = strings.Cut(line, " ")
				}
				texts = append(texts, text{file.name + ":" + strconv.Itoa(at.Line+i), line})
			}
		}
	}
	return texts
}

// quoted are idioms that occur in no message of the program, in addition to those of banned.
var quoted = []idiom{
	phrase(`behind`, "after, following, below"),
	phrase(`stands? (?:in|on|for|beside|without|between)`, "is in, is on, represents"),
	phrase(`tells?|told`, "reports, shows"),
	phrase(`whole numbers?`, "integer"),
}

// messages returns the string literals that read like text: errors, hints and warnings. Tests,
// their tools and lists of words are omitted.
func messages(t *testing.T) (texts []text) {
	for _, file := range readTree(t) {
		if file.test || file.generated || strings.HasPrefix(file.name, "internal/testing/") || strings.HasPrefix(file.name, "asymvlm/corruption/") {
			continue
		}
		ast.Inspect(file.syntax, func(n ast.Node) bool {
			if field, ok := n.(*ast.Field); ok && field.Tag != nil {
				return false // helpTexts returns these
			}
			if literal, ok := n.(*ast.BasicLit); ok && literal.Kind == token.STRING {
				if words, err := strconv.Unquote(literal.Value); err == nil && strings.Contains(words, " ") {
					texts = append(texts, text{file.fset.Position(literal.Pos()).String(), words})
				}
			}
			return true
		})
	}
	return texts
}

// helpTexts returns the help of commands and flags, which is in tags of fields.
func helpTexts(t *testing.T) (texts []text) {
	for _, file := range readTree(t) {
		ast.Inspect(file.syntax, func(n ast.Node) bool {
			if field, ok := n.(*ast.Field); ok && field.Tag != nil {
				tag, _ := strconv.Unquote(field.Tag.Value)
				if help := reflect.StructTag(tag).Get("help"); help != "" {
					texts = append(texts, text{file.fset.Position(field.Pos()).String(), help})
				}
			}
			return true
		})
	}
	return texts
}

// pages returns the lines of Markdown documents and of the Markdown cells of notebooks.
func pages(t *testing.T) (texts []text) {
	for _, name := range documents(t) {
		if strings.Contains(name, "/testdata/") {
			continue
		}
		content, err := os.ReadFile(name)
		if err != nil {
			continue // deleted
		}
		for i, line := range strings.Split(string(content), "\n") {
			texts = append(texts, text{name + ":" + strconv.Itoa(i+1), line})
		}
	}
	listed, err := exec.Command("git", "ls-files", "-z", "*.ipynb").Output()
	if err != nil {
		t.Skip("not a git checkout")
	}
	for _, name := range strings.Split(strings.TrimRight(string(listed), "\x00"), "\x00") {
		content, err := os.ReadFile(name)
		if err != nil || path.Base(path.Dir(name)) == "testdata" {
			continue
		}
		var notebook struct {
			Cells []struct {
				Type   string          `json:"cell_type"`
				Source json.RawMessage `json:"source"`
			} `json:"cells"`
		}
		if err := json.NewDecoder(bytes.NewReader(content)).Decode(&notebook); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		for i, cell := range notebook.Cells {
			if cell.Type != "markdown" {
				continue
			}
			var lines []string
			if err := json.Unmarshal(cell.Source, &lines); err != nil {
				lines = []string{string(cell.Source)}
			}
			for _, line := range lines {
				texts = append(texts, text{name + ", cell " + strconv.Itoa(i+1), line})
			}
		}
	}
	return texts
}

func TestProseAvoidsIdiomsThatGoDoesNotUse(t *testing.T) {
	said := messages(t)
	texts := append(append(append(comments(t), helpTexts(t)...), pages(t)...), said...)
	if len(texts) < 20_000 || len(said) < 2_000 {
		t.Fatalf("only %d lines found, %d of them messages", len(texts), len(said))
	}
	reportIdioms(t, texts, banned)
	reportIdioms(t, said, quoted)
}

// reportIdioms reports each text that has one of the idioms.
func reportIdioms(t *testing.T, texts []text, idioms []idiom) {
	t.Helper()
	for _, text := range texts {
		for _, b := range idioms {
			if found := b.phrase.FindString(text.words); found != "" {
				t.Errorf("%s: %q: write %s", text.at, found, b.write)
			}
		}
	}
}

// TestCommentsWrap finds lines of prose in comments that are longer than 100 columns, a tab being
// one. Tables, formulas and lists may be wider.
func TestCommentsWrap(t *testing.T) {
	const columns = 100
	for _, file := range readTree(t) {
		if file.generated {
			continue
		}
		for _, group := range file.syntax.Comments {
			if strings.HasPrefix(group.Text(), "Output:") || strings.HasPrefix(group.Text(), "Unordered output:") {
				continue // what an example prints
			}
			for _, c := range group.List {
				at := file.fset.Position(c.Pos())
				words, prose := strings.CutPrefix(c.Text, "// ")
				width := at.Column - 1 + utf8.RuneCountInString(c.Text)
				// Comments after code begin in a later column than indentation does.
				if indented := at.Column <= 8; prose && indented && width > columns && !strings.ContainsAny(words[:1], " \t-*#|") {
					t.Errorf("%s: a comment of %d columns; wrap it at %d", at, width, columns)
				}
			}
		}
	}
}
