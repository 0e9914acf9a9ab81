package export

import (
	"bytes"
	"encoding/base64"
	"encoding/xml"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"gosphere/kernel/nbformat"
)

// notebookOf returns a notebook of one code cell with outputs.
func notebookOf(source string, outputs ...nbformat.Output) *nbformat.Notebook {
	n := nbformat.New()
	cell := n.Add(nbformat.Code, source)
	cell.ID, cell.Outputs = "c", outputs
	return n
}

// textCell returns a notebook of one text cell.
func textCell(source string) *nbformat.Notebook {
	n := nbformat.New()
	n.Add(nbformat.Markdown, source).ID = "t"
	return n
}

// written returns the body of the page and the Markdown of a notebook.
func written(t *testing.T, n *nbformat.Notebook) (page, markdown string) {
	t.Helper()
	full, err := HTML(n, Options{})
	if err != nil {
		t.Fatal(err)
	}
	text, _ := Markdown(n, "files")
	_, page, _ = strings.Cut(string(full), "<body>\n")
	return page, string(text)
}

func stream(name, text string) nbformat.Output {
	return nbformat.Output{Type: nbformat.Stream, Name: name, Text: text}
}

func data(forms ...string) nbformat.Output {
	o := nbformat.Output{Type: nbformat.DisplayData, Data: map[string]any{}}
	for i := 0; i < len(forms); i += 2 {
		o.Data[forms[i]] = forms[i+1]
	}
	return o
}

func TestRawCellsGoWhereTheyBelong(t *testing.T) {
	n := nbformat.New()
	for _, kind := range []string{"", "text/html", "text/markdown", "text/latex", "text/restructuredtext"} {
		cell := n.Add(nbformat.Raw, "<b>raw "+kind+"</b>")
		if kind != "" {
			cell.Metadata["raw_mimetype"] = kind
		}
	}
	n.Add(nbformat.Raw, "<i>old notebooks</i>").Metadata["format"] = "text/html"
	page, markdown := written(t, n)
	if got := regexp.MustCompile(`raw [\w/]*|old notebooks`).FindAllString(page, -1); strings.Join(got, ", ") != "raw text/html, old notebooks" {
		t.Errorf("the page has %q", got)
	}
	if strings.TrimSpace(markdown) != "<b>raw text/markdown</b>" {
		t.Errorf("the text is %q", markdown)
	}
}

func TestPrintedTextIsWrittenAsATerminalShowsIt(t *testing.T) {
	for text, want := range map[string]string{
		"a\nb\n":                      "a\nb",
		"10 %\r50 %\r100 %\ndone":     "100 %\ndone",
		"longer\rshort":               "shortr",
		"a\r\nb\r\n":                  "a\nb",
		"abc\b\bX":                    "aXc",
		"\b\bx":                       "x",
		"\x1b[31mred\x1b[0m \x1b[1mx": "red x",
		"κ\rμ":                        "μ",
		"\r":                          "",
		"  indented\n\n\nfar below":   "  indented\n\n\nfar below",
	} {
		page, markdown := written(t, notebookOf("", stream("stdout", text)))
		if !strings.Contains(page, "<pre>"+want+"</pre>") {
			t.Errorf("%q on the page:\n%s", text, page)
		}
		if markdown != "```text\n"+want+"\n```\n" {
			t.Errorf("%q in Markdown: %q", text, markdown)
		}
	}
}

func TestOutputsWithoutAKnownFormAreNamed(t *testing.T) {
	widget := data("application/vnd.jupyter.widget-view+json", "{}", "text/plain", "FloatSlider(value=5)")
	page, markdown := written(t, notebookOf("", widget))
	if !strings.Contains(page, "<pre>FloatSlider(value=5)</pre>") || !strings.Contains(markdown, "FloatSlider(value=5)") {
		t.Errorf("a widget with a text:\n%s\n%s", page, markdown)
	}
	delete(widget.Data, "text/plain")
	widget.Data["application/json"] = map[string]any{"a": 1}
	const told = "(an output as application/json, application/vnd.jupyter.widget-view+json, which is not shown here)"
	page, markdown = written(t, notebookOf("", widget))
	if !strings.Contains(page, told) || !strings.Contains(markdown, told) {
		t.Errorf("a widget without one:\n%s\n%s", page, markdown)
	}
	page, markdown = written(t, notebookOf("", data("text/plain", ""), data()))
	if strings.Contains(page+markdown, "not shown here") {
		t.Errorf("outputs that are empty:\n%s\n%s", page, markdown)
	}
}

func TestBrokenPicturesAreNotFiles(t *testing.T) {
	broken := data("image/png", "no base64 !", "text/plain", "a figure")
	_, markdown := written(t, notebookOf("", broken))
	if markdown != "```text\na figure\n```\n" {
		t.Errorf("Markdown: %q", markdown)
	}
	if _, err := LaTeX(notebookOf("", broken)); err == nil {
		t.Error("LaTeX takes it as a figure")
	}
}

func TestErrorsAreWrittenWithoutColors(t *testing.T) {
	failed := nbformat.Output{Type: nbformat.ErrorOutput, Ename: "panic", Evalue: "a < b", Traceback: []string{"\x1b[1;31mpanic\x1b[0m: a < b", "  Cell [1] line 3"}}
	page, markdown := written(t, notebookOf("panic(1)", failed))
	if !strings.Contains(page, `<div class="output error"><pre>panic: a &lt; b`+"\n  Cell [1] line 3</pre></div>") {
		t.Errorf("the page is %s", page)
	}
	if markdown != "```go\npanic(1)\n```\n\n```text\npanic: a < b\n  Cell [1] line 3\n```\n" {
		t.Errorf("Markdown: %q", markdown)
	}
}

func TestMagicsAndOtherLanguagesStayAsTheyAre(t *testing.T) {
	source := "%%bash\nfor x in *; do echo \"$x\" <&1; done"
	page, markdown := written(t, notebookOf(source))
	if !strings.Contains(page, "<code>%%bash\nfor x in *; do echo &#34;$x&#34; &lt;&amp;1; done</code>") {
		t.Errorf("the page is %s", page)
	}
	if !strings.Contains(markdown, source) {
		t.Errorf("Markdown: %q", markdown)
	}
	page, _ = written(t, notebookOf("%time f()\n!ls\nx := 1"))
	if !strings.Contains(page, `<span class="go-g">%time f()</span>`) || !strings.Contains(page, `x := <span class="go-m">1</span>`) {
		t.Errorf("the page is %s", page)
	}
}

func TestVeryLongLinesAndManyOfThemAreKept(t *testing.T) {
	long := strings.Repeat("κ", 100_000)
	many := strings.TrimSuffix(strings.Repeat("line\n", 20_000), "\n")
	page, markdown := written(t, notebookOf("x := \""+long+"\"", stream("stdout", many)))
	for name, text := range map[string]string{"page": page, "Markdown": markdown} {
		if strings.Count(text, "κ") != 100_000 || !strings.Contains(text, many) {
			t.Errorf("the %s has %d of 100000 letters", name, strings.Count(text, "κ"))
		}
	}
	slides := strings.Join(bodies(t, notebookOf("x := \""+long+"\"", stream("stdout", many)), Options{}), "")
	if strings.Count(slides, "κ") != 100_000 || !strings.Contains(slides, many) {
		t.Error("the slides have lost some")
	}
}

func TestLettersOfEveryScriptAreKept(t *testing.T) {
	const text = "ÄÖÜ ß, κόσμος, мир, 世界, שלום, 👩‍🔬 é a\u0300 \u200b<&>\"'"
	page, markdown := written(t, notebookOf("// "+text, data("text/plain", text)))
	if !strings.Contains(page, "世界, שלום, 👩‍🔬 é a\u0300 \u200b&lt;&amp;&gt;&#34;&#39;</pre>") || strings.Count(markdown, text) != 2 {
		t.Errorf("got\n%s\n%s", page, markdown)
	}
	invalid, _ := written(t, notebookOf("s := \"\xff\"", stream("stdout", "a\xffb")))
	if !strings.Contains(invalid, "\xff") {
		t.Error("a byte that is no letter is gone")
	}
}

func TestCellsWithoutAnythingLeaveNoTrace(t *testing.T) {
	n := nbformat.New()
	n.Add(nbformat.Code, "  \n")
	n.Add(nbformat.Markdown, "\n")
	n.Add(nbformat.Code, "x")
	page, markdown := written(t, n)
	if markdown != "```go\nx\n```\n" && strings.TrimSpace(markdown) != "```go\nx\n```" {
		t.Errorf("Markdown: %q", markdown)
	}
	if strings.Count(page, `class="source"`) != 1 || strings.Contains(page, "results") {
		t.Errorf("the page is %s", page)
	}
	if page, markdown := written(t, nbformat.New()); strings.TrimSpace(page) != "<main>\n</main>\n</body>\n</html>" || markdown != "\n" {
		t.Errorf("an empty notebook is %q and %q", page, markdown)
	}
}

func TestOutputsAreWrittenInTheirBestForm(t *testing.T) {
	_, dotted := dot(t)
	for _, test := range []struct {
		name           string
		output         nbformat.Output
		page, markdown string
	}{
		{"a drawing before a bitmap", data("image/svg+xml", "<svg/>", "image/png", dotted, "text/plain", "p"), `<div class="output pictured"><img src="data:image/svg+xml;base64,PHN2Zy8+" alt="p"></div>`, "![p](files/c-1.svg)"},
		{"a bitmap before a table", data("image/png", dotted, "text/html", "<b>", "text/plain", "p"), `<img src="data:image/png;base64,` + dotted + `" alt="p">`, "![p](files/c-1.png)"},
		{"a table before its text", data("text/html", "<b>t</b>", "text/plain", "p"), `<div class="output"><b>t</b></div>`, "```text\np\n```"},
		{"Markdown before its text", data("text/markdown", "*m*", "text/plain", "p"), "<p><em>m</em></p>", "*m*"},
		{"Markdown before LaTeX", data("text/markdown", "*m*", "text/latex", "$x$", "text/plain", "p"), "<em>m</em>", "*m*"},
		{"LaTeX before its text", data("text/latex", "$x$", "text/plain", "p"), "<mi>x</mi></math>", "$x$"},
		{"a photograph", data("image/jpeg", dotted, "text/plain", "p [1]"), `src="data:image/jpeg;base64,`, "![p (1)](files/c-1.jpg)"},
		{"a drawing of a file", data("image/svg+xml", "<?xml version=\"1.0\"?>\n<!DOCTYPE svg>\n<svg/>"), "pictured\"><img src=\"data:image/svg+xml;base64,", "![](files/c-1.svg)"},
		{"an interactive chart and its picture", data("application/vnd.vegalite.v5+json", "{}", "image/png", dotted), "<img ", "![](files/c-1.png)"},
	} {
		page, markdown := written(t, notebookOf("", test.output))
		if !strings.Contains(page, test.page) {
			t.Errorf("%s: the page is\n%s", test.name, page)
		}
		if strings.TrimSpace(markdown) != test.markdown {
			t.Errorf("%s: Markdown %q, want %q", test.name, markdown, test.markdown)
		}
	}
}

func TestSizesOfBitmapsMustBeNumbers(t *testing.T) {
	_, dotted := dot(t)
	for _, test := range []struct {
		sizes any
		want  string
	}{
		{map[string]any{"width": 320, "height": "200"}, ` width="320" height="200">`},
		{map[string]any{"width": 320.5}, `alt="">`},
		{map[string]any{"width": `1" onload="x`}, `alt="">`},
		{"wide", `alt="">`},
		{nil, `alt="">`},
	} {
		o := data("image/png", dotted)
		o.Metadata = map[string]any{"image/png": test.sizes}
		if page, _ := written(t, notebookOf("", o)); !strings.Contains(page, test.want) {
			t.Errorf("%v: %s", test.sizes, page)
		}
	}
}

func TestTitlesComeFromTheFirstHeading(t *testing.T) {
	for source, want := range map[string]string{
		"# One *two* `three`":               "One *two* three",
		"text\n\n# Below":                   "Below",
		"## Second\n\n# First":              "First",
		"```bash\n# no title\n```\n\n# Yes": "Yes",
		"# On $\\kappa$":                    "On kappa",
		"#hash":                             "file",
		"":                                  "file",
	} {
		page, err := HTML(textCell(source), Options{Title: "file"})
		if err != nil || !strings.Contains(string(page), "<title>"+want+"</title>") {
			t.Errorf("%q: %s, %v", source, regexp.MustCompile("<title>.*</title>").FindString(string(page)), err)
		}
	}
}

func TestDollarSignsAndFormulasAreToldApart(t *testing.T) {
	for source, want := range map[string]string{
		"$x$":                   "<mi>x</mi></math>",
		"it costs 5 $ or 6 $":   "it costs 5 $ or 6 $",
		"$5 and $6":             "$5 and $6",
		`\$x\$`:                 "<p>$x$</p>",
		"~~~\n$x$\n~~~":         "<pre><code>$x$\n</code></pre>",
		"```go\nx := \"$y$\"":   `class="language-go">x := &#34;$y$&#34;`,
		"``a ` $x$``":           "<code>a ` $x$</code>",
		"a `b $x$":              "<mi>x</mi></math>",
		"$$\nx\n$$":             `display="block"`,
		"$$x":                   "<p>$$x</p>",
		"$x\n\ny$":              "<p>$x</p>\n<p>y$</p>",
		`$\unheard{x}$`:         `<code class="tex">\unheard{x}</code>`,
		`$a < b$`:               "<mo>&lt;</mo>",
		"| $x$ | $y$ |\n|-|-|":  "<th><math",
		"- item $x_1$\n- other": "<msub><mi>x</mi><mn>1</mn></msub>",
	} {
		page, _ := written(t, textCell(source))
		if !strings.Contains(page, want) {
			t.Errorf("%q:\n%s\nwant %s", source, page, want)
		}
	}
}

func TestPicturesBesideTheNotebookAreTakenAlongAndOtherFilesAreNot(t *testing.T) {
	folder := t.TempDir()
	picture, dotted := dot(t)
	for name, content := range map[string][]byte{"a b.png": picture, "secret.txt": []byte("password"), "secret": []byte("password")} {
		if err := os.WriteFile(filepath.Join(folder, name), content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	const source = "![blank](a%20b.png) <img src=\"a b.png\"> ![x](secret.txt) ![y](secret) ![z](https://example.org/a.png) ![w](/etc/hostname)"
	page, err := HTML(textCell(source), Options{Folder: folder})
	if err != nil || strings.Count(string(page), "data:image/png;base64,"+dotted) != 2 {
		t.Errorf("pictures are missing, %v:\n%s", err, page)
	}
	if strings.Contains(string(page), base64.StdEncoding.EncodeToString([]byte("password"))) {
		t.Error("a text file is in the page")
	}
	for _, place := range []string{`src="secret.txt"`, `src="secret"`, `src="https://example.org/a.png"`, `src="/etc/hostname"`} {
		if !strings.Contains(string(page), place) {
			t.Errorf("%s has changed", place)
		}
	}
}

// TestPagesOfOddNotebooksAreWellFormed parses pages as XML, which requires every tag to be closed.
func TestPagesOfOddNotebooksAreWellFormed(t *testing.T) {
	for name, n := range map[string]*nbformat.Notebook{
		"sample":   sample(t),
		"lesson":   lesson(t),
		"errors":   notebookOf("a < b && \"c\"", stream("stderr", "<i>"), nbformat.Output{Type: nbformat.ErrorOutput, Traceback: []string{"</pre>"}}),
		"text":     textCell("a < b & c\n\n> quoted *text*\n\n1. one\n2. two\n\n| a | b |\n|---|--:|\n| $x$ | [link](https://example.org/?a=1&b=2) |\n\nnote[^1]\n\n[^1]: below"),
		"unclosed": textCell("**bold and `code\n\n$x_{1$ and $$y"),
	} {
		page, _ := written(t, n)
		body := strings.NewReplacer("<br>", "<br/>", "<hr>", "<hr/>").Replace(page[:strings.Index(page, "</body>")])
		body = regexp.MustCompile(`<img([^>]*[^/])>`).ReplaceAllString(body, "<img$1/>")
		decoder := xml.NewDecoder(strings.NewReader(body))
		decoder.Entity = xml.HTMLEntity
		for {
			if _, err := decoder.Token(); err == io.EOF {
				break
			} else if err != nil {
				t.Errorf("%s: %v in\n%s", name, err, body)
				break
			}
		}
	}
}

// FuzzMarkdown checks that every text cell can be converted, with no placeholder of a formula left.
func FuzzMarkdown(f *testing.F) {
	for _, seed := range []string{"# a $x$ `b`", "~~~\n$x$", "$$\n\\frac12", "![a](attachment:b.png)", "| a |\n|-|", "\uE0000\uE001"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, source string) {
		page, err := HTML(textCell(source), Options{})
		if err != nil {
			t.Fatal(err)
		}
		if bytes.Contains(page, []byte("\uE000")) && !strings.Contains(source, "\uE000") {
			t.Fatalf("%q leaves a mark", source)
		}
		if _, err := Slides(textCell(source), Options{}); err != nil {
			t.Fatal(err)
		}
		Markdown(textCell(source), "files")
	})
}

func TestFramesAreWrittenWithTheirSlider(t *testing.T) {
	frames := nbformat.Output{Type: nbformat.DisplayData, Data: map[string]any{
		"image/png": "aGVsbG8=", "text/html": `<div class="gosphere-frames">all frames</div>`, "text/plain": "2 frames over κ = 1, 2"}}
	if page := dataHTML(&frames, Options{}); !strings.Contains(page, "all frames") {
		t.Errorf("the page has %s", page)
	}
	other := frames
	other.Data = map[string]any{"image/png": "aGVsbG8=", "text/html": "<p>text</p>"}
	if page := dataHTML(&other, Options{}); !strings.Contains(page, "<img") {
		t.Errorf("a picture with another page is written as %s", page)
	}
}

func TestHiddenSourcesAreFolded(t *testing.T) {
	source := "x := 1\ny := 2\nx + y"
	for name, metadata := range map[string]map[string]any{
		"JupyterLab":   {"jupyter": map[string]any{"source_hidden": true}},
		"Jupyter Book": {"tags": []any{"hide-input"}},
	} {
		page, err := cellHTML(&nbformat.Cell{Type: nbformat.Code, Source: source, Metadata: metadata}, Options{})
		if err != nil || !strings.Contains(page, `<details class="folded"><summary>Code (3 lines)</summary>`) {
			t.Errorf("%s: %v, %s", name, err, page)
		}
	}
	page, err := cellHTML(&nbformat.Cell{Type: nbformat.Code, Source: source, Metadata: map[string]any{"tags": []any{"parameters"}}}, Options{})
	if err != nil || strings.Contains(page, "<details") {
		t.Errorf("a cell that is not hidden is folded: %v, %s", err, page)
	}
}

func TestLongCodeOfReproductionsIsFolded(t *testing.T) {
	paths, err := filepath.Glob("../../../notebooks/reproduction/*/*.ipynb")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no reproductions, %v", err)
	}
	for _, path := range paths {
		notebook, err := nbformat.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, cell := range notebook.Cells {
			if cell.Type == nbformat.Code && strings.Count(cell.Source, "\n") >= 25 && !isFolded(cell) {
				t.Errorf("%s: cell %s has more than 25 lines and is not folded", path, cell.ID)
			}
		}
	}
}

func TestPunctuationStaysOnTheLineOfItsFormula(t *testing.T) {
	n := nbformat.New()
	n.Add(nbformat.Markdown, "Put $z$, then ($x$) and $y$. Also $w$ alone:\n\n$$v$$.")
	page, err := HTML(n, Options{})
	if err != nil {
		t.Fatal(err)
	}
	text := regexp.MustCompile(`<math.*?</math>`).ReplaceAllStringFunc(string(page), func(formula string) string {
		return regexp.MustCompile(`<mi>(.)</mi>`).FindStringSubmatch(formula)[1]
	})
	for _, want := range []string{`Put <span class="unbroken">z,</span> then <span class="unbroken">(x)</span> and <span class="unbroken">y.</span> Also w alone:`, "v."} {
		if !strings.Contains(text, want) {
			t.Errorf("no %s in %s", want, text[strings.Index(text, "<main"):])
		}
	}
	if !strings.Contains(text, ".unbroken { white-space: nowrap; }") {
		t.Error("the style sheet does not keep such text on a line")
	}
}
