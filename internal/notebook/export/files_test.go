package export

import (
	"bytes"
	"encoding/base64"
	"slices"
	"strings"
	"testing"

	"gosphere/kernel/nbformat"
)

// attach adds attachments to a text cell, given as name, kind and content in turn.
func attach(cell *nbformat.Cell, parts ...string) {
	if cell.Attachments == nil {
		cell.Attachments = map[string]any{}
	}
	for i := 0; i < len(parts); i += 3 {
		bundle, _ := cell.Attachments[parts[i]].(map[string]any)
		if bundle == nil {
			bundle = map[string]any{}
		}
		bundle[parts[i+1]] = base64.StdEncoding.EncodeToString([]byte(parts[i+2]))
		cell.Attachments[parts[i]] = bundle
	}
}

// listed returns files as name=content.
func listed(files []File) string {
	var list []string
	for _, file := range files {
		list = append(list, file.Name+"="+string(file.Content))
	}
	slices.Sort(list)
	return strings.Join(list, " ")
}

func TestAttachmentsWhoseNamesBeginAlikeAreToldApart(t *testing.T) {
	n := textCell("![](attachment:dot) ![](attachment:dot.png) ![](attachment:dot.png.gif)")
	attach(n.Cells[0], "dot", "image/png", "one", "dot.png", "image/png", "two", "dot.png.gif", "image/gif", "three")
	text, files := Markdown(n, "f")
	if got := string(text); got != "![](f/t-dot-2.png) ![](f/t-dot.png) ![](f/t-dot.png.gif)\n" {
		t.Errorf("the text is %q", got)
	}
	if got := listed(files); got != "f/t-dot-2.png=one f/t-dot.png.gif=three f/t-dot.png=two" {
		t.Errorf("the files are %s", got)
	}
}

func TestAttachmentsWithTheSamePlainNameGetFilesOfTheirOwn(t *testing.T) {
	n := textCell("![](attachment:a%20b.png) ![](<attachment:a+b.png>) ![](attachment:ä.png)")
	attach(n.Cells[0], "a b.png", "image/png", "one", "a+b.png", "image/png", "two", "ä.png", "image/png", "three")
	text, files := Markdown(n, "f")
	if len(files) != 3 {
		t.Fatalf("files %s", listed(files))
	}
	for _, file := range files {
		if strings.Count(string(text), "("+file.Name+")")+strings.Count(string(text), "(<"+file.Name+">)") != 1 {
			t.Errorf("%s is not named once in %q", file.Name, text)
		}
	}
	page, err := HTML(n, Options{})
	for _, content := range []string{"one", "two", "three"} {
		if err != nil || !bytes.Contains(page, []byte("base64,"+base64.StdEncoding.EncodeToString([]byte(content)))) {
			t.Errorf("%s is not on the page; %v", content, err)
		}
	}
}

func TestOfSeveralFormsOfAnAttachmentThePictureIsTaken(t *testing.T) {
	for range 10 {
		n := textCell("![](attachment:a)")
		attach(n.Cells[0], "a", "application/pdf", "document", "a", "image/png", "picture", "a", "text/plain", "words")
		if _, files := Markdown(n, "f"); listed(files) != "f/t-a.png=picture" {
			t.Fatalf("files %s", listed(files))
		}
	}
}

func TestAttachmentsThatAreNotUsedOrBrokenAreLeftOut(t *testing.T) {
	n := textCell("![](attachment:broken.png) ![](attachment:missing.png)")
	attach(n.Cells[0], "unused.png", "image/png", "x")
	n.Cells[0].Attachments["broken.png"] = map[string]any{"image/png": "no base64 !"}
	n.Cells[0].Attachments["odd"] = "no bundle"
	text, files := Markdown(n, "f")
	if len(files) != 0 || string(text) != "![](attachment:broken.png) ![](attachment:missing.png)\n" {
		t.Errorf("files %s, text %q", listed(files), text)
	}
	if page, err := HTML(n, Options{}); err != nil || strings.Contains(string(page), `src="data:`) {
		t.Errorf("a broken attachment is on the page; %v", err)
	}
}

func TestFilesStayInTheirFolder(t *testing.T) {
	_, dotted := dot(t)
	n := notebookOf("x", data("image/png", dotted, "text/plain", "p"))
	n.Cells[0].ID = "../../etc/x"
	text := n.Add(nbformat.Markdown, "![](attachment:../../y.png) ![](attachment:.z.png)")
	text.ID = ".."
	attach(text, "../../y.png", "image/png", "y", ".z.png", "image/png", "z")
	_, files := Markdown(n, "f")
	printed, err := LaTeX(n)
	if err != nil || len(files) != 3 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	for _, file := range append(files, printed...) {
		if name := strings.TrimPrefix(file.Name, "f/"); strings.ContainsAny(name, `/\`) || strings.HasPrefix(name, ".") {
			t.Errorf("a file is called %s", file.Name)
		}
	}
}

func TestFiguresOfCellsWithNamesAlikeDoNotMeet(t *testing.T) {
	_, dotted := dot(t)
	n := nbformat.New()
	for _, id := range []string{"a", "a-2", "a b", "a.b", "a-b"} {
		cell := n.Add(nbformat.Code, "x")
		cell.ID = id
		cell.Outputs = []nbformat.Output{data("image/png", dotted), data("image/png", dotted), data("image/png", dotted)}
	}
	_, files := Markdown(n, "f")
	printed, err := LaTeX(n)
	if err != nil {
		t.Fatal(err)
	}
	for _, list := range [][]File{files, printed} {
		seen := map[string]bool{}
		for _, file := range list {
			if seen[file.Name] {
				t.Errorf("there are two files called %s", file.Name)
			}
			seen[file.Name] = true
		}
	}
	if len(files) != 15 || len(printed) != 16 {
		t.Errorf("%d and %d files", len(files), len(printed))
	}
	tex := string(printed[15].Content)
	for _, begin := range []string{`\label{`, `\includegraphics[width=\linewidth]{`} {
		seen := map[string]bool{}
		for _, part := range strings.Split(tex, begin)[1:] {
			name := part[:strings.Index(part, "}")]
			if seen[name] {
				t.Errorf("%s%s} is there twice", begin, name)
			}
			seen[name] = true
		}
	}
}

func TestCaptionsKeepTheirWords(t *testing.T) {
	_, dotted := dot(t)
	for plain, want := range map[string]string{
		"Recall by level (Recall@1 by uncertainty level, 3 lines), 640×400": "Recall by level",
		"Recall (R@1) (lines), 640×400":                                     "Recall (R@1)",
		"density on the sphere, 640×360":                                    "density on the sphere",
		"Somebody's own (with brackets)":                                    "Somebody's own (with brackets)",
		"two\nlines":                                                        "two",
		"plot \"Density of \\\"x\\\" by κ\"":                                `Density of "x" by $\kappa$`,
		"plot":                                                              "plot",
		"50 % & more_or #less {x} ~ ^":                                      `50 \% \& more\_or \#less \{x\} \textasciitilde{} \textasciicircum{}`,
		`a\b`:                                                               `a\textbackslash{}b`,
		"$\\kappa_d$ and κ":                                                 `$\kappa_d$ and $\kappa$`,
		"5 $ and x_1":                                                       `5 \$ and x\_1`,
		"":                                                                  "",
	} {
		files, err := LaTeX(notebookOf("", data("image/png", dotted, "text/plain", plain)))
		if err != nil {
			t.Fatal(err)
		}
		if tex := string(files[1].Content); !strings.Contains(tex, "\\caption{"+want+"}\n") {
			t.Errorf("%q:\n%s\nwant %s", plain, tex, want)
		}
	}
}

func TestFiguresForPrintAreVectorsWhereThereAreSome(t *testing.T) {
	_, dotted := dot(t)
	pdf := base64.StdEncoding.EncodeToString([]byte("%PDF"))
	n := notebookOf("",
		data("application/pdf", pdf, "image/png", dotted, "image/svg+xml", "<svg/>"),
		data("image/jpeg", dotted),
		data("text/plain", "no figure"),
		data("image/svg+xml", "<svg>4</svg>"),
		data("image/gif", dotted))
	files, err := LaTeX(n)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, file := range files {
		got = append(got, file.Name)
	}
	if want := "c-1.pdf c-1.svg c-2.jpg c-4.svg figures.tex"; strings.Join(got, " ") != want {
		t.Errorf("files %q, want %s", got, want)
	}
	tex := string(files[4].Content)
	for want, count := range map[string]int{`\includegraphics`: 2, "{c-1.pdf}": 1, "{c-2.jpg}": 1, `\label{fig:c}`: 1, `\label{fig:c-2}`: 1, "% c-4.svg is a drawing": 1} {
		if strings.Count(tex, want) != count {
			t.Errorf("%s is there %d times, want %d:\n%s", want, strings.Count(tex, want), count, tex)
		}
	}
	if strings.Count(tex, "{")-strings.Count(tex, `\{`) != strings.Count(tex, "}")-strings.Count(tex, `\}`) {
		t.Errorf("braces do not match in\n%s", tex)
	}
}

func TestFencesAreLongerThanThoseInside(t *testing.T) {
	for text, want := range map[string]string{
		"plain":         "```text\nplain\n```\n\n",
		"```\nx\n```":   "````text\n```\nx\n```\n````\n\n",
		"`````":         "``````text\n`````\n``````\n\n",
		"ends\n\n\n":    "```text\nends\n```\n\n",
		"":              "```text\n\n```\n\n",
		"~~~ and ``":    "```text\n~~~ and ``\n```\n\n",
		"\tκ\u00a0kept": "```text\n\tκ\u00a0kept\n```\n\n",
	} {
		if got := fence("text", text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

func TestMarkdownOfANotebookReadsLikeThis(t *testing.T) {
	_, dotted := dot(t)
	n := nbformat.New()
	n.Add(nbformat.Markdown, "# Title\n\nText with $x$.\n\n")
	code := n.Add(nbformat.Code, "f()\n")
	code.ID = "f"
	code.Outputs = []nbformat.Output{stream("stdout", "printed\n"), data("image/png", dotted, "text/plain", "A figure\nwith words"), data("text/markdown", "**bold**")}
	n.Add(nbformat.Raw, "raw")
	n.Add(nbformat.Markdown, "## End")
	text, files := Markdown(n, "n_files")
	want := "# Title\n\nText with $x$.\n\n```go\nf()\n```\n\n```text\nprinted\n```\n\n![A figure](n_files/f-2.png)\n\n**bold**\n\n## End\n"
	if string(text) != want || len(files) != 1 {
		t.Errorf("got\n%s\nwant\n%s\nand %d files", text, want, len(files))
	}
}

func TestFilesGetNamesOfTheirOwn(t *testing.T) {
	names := namer{}
	for i, wanted := range []string{"a.png", "a.png", "a.png", "f.x/a", "f.x/a", ".z", "a-2.png"} {
		want := []string{"a.png", "a-2.png", "a-3.png", "f.x/a", "f.x/a-2", ".z", "a-2-2.png"}[i]
		if got := names.name(wanted); got != want {
			t.Errorf("file %d, %s: %s, want %s", i+1, wanted, got, want)
		}
	}
	for text, want := range map[string]string{"plain_1.png": "plain_1.png", "a b/c\\d": "a-b-c-d", "..": "-.", "ä": "-", "": ""} {
		if got := plainName(text); got != want {
			t.Errorf("%q becomes %q, want %q", text, got, want)
		}
	}
}
