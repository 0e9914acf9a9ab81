package export

import (
	"bytes"
	"encoding/base64"
	"html"
	"image"
	"image/png"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"gosphere/kernel/nbformat"
)

// dot returns a picture of one pixel, as bytes and in the encoding of notebooks.
func dot(t *testing.T) (picture []byte, stored string) {
	t.Helper()
	var encoded bytes.Buffer
	if err := png.Encode(&encoded, image.NewGray(image.Rect(0, 0, 1, 1))); err != nil {
		t.Fatal(err)
	}
	return encoded.Bytes(), base64.StdEncoding.EncodeToString(encoded.Bytes())
}

// sample returns a notebook with every kind of cell and output.
func sample(t *testing.T) *nbformat.Notebook {
	_, picture := dot(t)
	n := nbformat.New()
	n.Add(nbformat.Markdown, "# Sample <1>\n\nA formula $x_1 < \\frac{1}{2}$, code `$not$ math`, 5 $ and 6 $.\n\n$$\\sum_i x_i$$\n\n```\n$x$\n```\n\n![a dot](attachment:dot.png) ![none](none.png) ![near](near.png)").ID = "text"
	n.Cells[0].Attachments = map[string]any{"dot.png": map[string]any{"image/png": picture}}
	code := n.Add(nbformat.Code, "x := \"<b>\" // comment")
	code.ID = "code"
	code.Outputs = []nbformat.Output{
		{Type: nbformat.Stream, Name: "stdout", Text: "a <b>\n"},
		{Type: nbformat.Stream, Name: "stderr", Text: "warned"},
		{Type: nbformat.DisplayData, Data: map[string]any{"image/png": picture, "text/plain": "A κ_1 dot (picture), 1×1"}, Metadata: map[string]any{"image/png": map[string]any{"width": 320, "height": 200}}},
		{Type: nbformat.DisplayData, Data: map[string]any{"text/html": "<table><tr><td>1</td></tr></table>", "text/plain": "1"}},
		{Type: nbformat.DisplayData, Data: map[string]any{"image/svg+xml": "<?xml version=\"1.0\"?>\n<svg><g/></svg>", "text/plain": "drawing"}},
		{Type: nbformat.DisplayData, Data: map[string]any{"text/latex": "$$\\kappa$$", "text/plain": "k"}},
		{Type: nbformat.ExecuteResult, Data: map[string]any{"text/plain": "```3 < 4"}},
		{Type: nbformat.ErrorOutput, Traceback: []string{"\x1b[31mpanic\x1b[0m: no"}},
	}
	n.Add(nbformat.Raw, "raw text")
	return n
}

func TestPageHoldsEverythingItself(t *testing.T) {
	folder := t.TempDir()
	picture, stored := dot(t)
	if err := os.WriteFile(filepath.Join(folder, "near.png"), picture, 0o644); err != nil {
		t.Fatal(err)
	}
	page, err := HTML(sample(t), Options{Folder: folder})
	if err != nil {
		t.Fatal(err)
	}
	text := string(page)
	for _, want := range []string{
		"<title>Sample &lt;1&gt;</title>",
		"<msub><mi>x</mi><mn>1</mn></msub><mo>&lt;</mo><mfrac>",
		"<code>$not$ math</code>, 5 $ and 6 $.",
		`<math xmlns="http://www.w3.org/1998/Math/MathML" display="block"><mrow><munder>`,
		"<pre><code>$x$\n</code></pre>",
		`<img src="data:image/png;base64,` + stored + `" alt="a dot">`,
		`<img src="data:image/png;base64,` + stored + `" alt="near">`,
		`alt="A κ_1 dot (picture), 1×1" width="320" height="200">`,
		`<span class="go-s">&#34;&lt;b&gt;&#34;</span>`,
		"<pre>a &lt;b&gt;</pre>", `<div class="output stderr"><pre>warned</pre>`, "<td>1</td>", `<div class="output pictured"><img src="data:image/svg+xml;base64,PD94bWwg`, "<mi>κ</mi>",
		"<pre>```3 &lt; 4</pre>", `<div class="output error"><pre>panic: no</pre>`,
		`content="default-src 'none'; img-src data:;`,
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the page does not hold %s", want)
		}
	}
	if strings.Contains(text, "raw text") {
		t.Error("the page holds a raw cell")
	}
	if loads := regexp.MustCompile(`(src|href)="(https?:)?//[^"]*"|@import|url\(`).FindString(text); loads != "" {
		t.Errorf("the page asks for %s", loads)
	}
	page, err = HTML(sample(t), Options{HideCode: true})
	if err != nil || strings.Contains(string(page), "comment") || !strings.Contains(string(page), "a &lt;b&gt;") {
		t.Errorf("without code the page still has it, or lacks outputs; %v", err)
	}
}

func TestMarkdownNamesItsFiles(t *testing.T) {
	text, files := Markdown(sample(t), "sample_files")
	picture, _ := dot(t)
	want := []string{"sample_files/text-dot.png", "sample_files/code-3.png", "sample_files/code-5.svg"}
	if len(files) != len(want) {
		t.Fatalf("%d files, want %d", len(files), len(want))
	}
	for i, file := range files {
		if file.Name != want[i] || i < 2 && !bytes.Equal(file.Content, picture) {
			t.Errorf("file %d is %s with %d bytes", i+1, file.Name, len(file.Content))
		}
		if !strings.Contains(string(text), "("+file.Name+")") {
			t.Errorf("the text does not name %s", file.Name)
		}
	}
	for _, part := range []string{"# Sample <1>", "```go\nx := \"<b>\" // comment\n```", "```text\na <b>\n```", "$$\\kappa$$", "````text\n```3 < 4\n````", "panic: no"} {
		if !strings.Contains(string(text), part) {
			t.Errorf("%q is missing in\n%s", part, text)
		}
	}
}

func TestFiguresComeWithTheirLaTeX(t *testing.T) {
	n := sample(t)
	n.Cells[1].Outputs[2].Data["application/pdf"] = base64.StdEncoding.EncodeToString([]byte("%PDF-1.7"))
	files, err := LaTeX(n)
	if err != nil || len(files) != 3 || files[0].Name != "code-3.pdf" || files[1].Name != "code-5.svg" || string(files[0].Content) != "%PDF-1.7" {
		t.Fatalf("got %v, %v", files, err)
	}
	want := "\\begin{figure}\n  \\centering\n  \\includegraphics[width=\\linewidth]{code-3.pdf}\n  \\caption{A $\\kappa$\\_1 dot}\n  \\label{fig:code-3}\n\\end{figure}\n" +
		"\n% code-5.svg is a drawing that LaTeX cannot include as it is: make a PDF of it.\n"
	if text := string(files[2].Content); files[2].Name != "figures.tex" || !strings.HasSuffix(text, want) {
		t.Errorf("got\n%s\nwant\n%s", text, want)
	}
	if _, err := LaTeX(nbformat.New()); err == nil {
		t.Error("a notebook without figures has some")
	}
}

// TestNotebooksAreWrittenWithoutUnknownFormulas exports every committed notebook.
func TestNotebooksAreWrittenWithoutUnknownFormulas(t *testing.T) {
	paths, err := filepath.Glob("../../../notebooks/*/*.ipynb")
	if err != nil {
		t.Fatal(err)
	}
	deeper, err := filepath.Glob("../../../notebooks/*/*/*.ipynb")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range append(append(paths, deeper...), "../../../notebooks/quickstart.ipynb", "../../../notebooks/own-losses.ipynb", "../../../notebooks/index.ipynb") {
		notebook, err := nbformat.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		page, err := HTML(notebook, Options{})
		if err != nil {
			t.Fatal(err)
		}
		for _, unknown := range regexp.MustCompile(`<code class="tex">[^<]*`).FindAllString(string(page), -1) {
			t.Errorf("%s: %s", path, unknown)
		}
	}
}

func TestCodeIsColoredByItsTokensAndKeepsItsText(t *testing.T) {
	tags := regexp.MustCompile("<[^>]*>")
	for source, want := range map[string]string{
		"for i := range 3 { f(i) }": `<span class="go-k">for</span> i := <span class="go-k">range</span> <span class="go-m">3</span> { <span class="go-f">f</span>(i) }`,
		"x := 'a' // <b>":           `x := <span class="go-s">&#39;a&#39;</span> <span class="go-c">// &lt;b&gt;</span>`,
		"%time f(\"\nx":             "<span class=\"go-g\">%time f(&#34;</span>\nx",
		"%%bash\nfor x in *":        "%%bash\nfor x in *",
		"s := `\n%d\n`\n/*\n%d\n*/": "s := <span class=\"go-s\">`\n%d\n`</span>\n<span class=\"go-c\">/*\n%d\n*/</span>",
		"broken := \"\n\x00 é":      "broken := <span class=\"go-s\">&#34;</span>\n\x00 é",
	} {
		got := codeHTML(source)
		if !strings.Contains(got, "<code>"+want+"</code>") {
			t.Errorf("%q:\n%s\nwant\n%s", source, got, want)
		}
		if text := html.UnescapeString(tags.ReplaceAllString(got, "")); strings.TrimSpace(text) != source {
			t.Errorf("%q became %q", source, text)
		}
	}
}
