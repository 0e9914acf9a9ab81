package export

import (
	"fmt"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"gosphere/kernel/nbformat"
)

// bodies returns the content of each slide of a presentation.
func bodies(t *testing.T, n *nbformat.Notebook, options Options) []string {
	t.Helper()
	page, err := Slides(n, options)
	if err != nil {
		t.Fatal(err)
	}
	text := string(page)
	parts := strings.Split(text[strings.Index(text, "<article"):strings.Index(text, "<footer>")], "</article>\n")
	return parts[:len(parts)-1]
}

func TestSlidesFollowTheMetadata(t *testing.T) {
	n := nbformat.New()
	for _, kind := range []string{"slide", "", "fragment", "subslide", "notes", "skip", "-", "slide"} {
		cell := n.Add(nbformat.Markdown, "cell "+kind)
		if kind != "" {
			cell.Metadata["slideshow"] = map[string]any{"slide_type": kind}
		}
	}
	shape := regexp.MustCompile(`<(section|aside|div class="fragment")|cell( [\w-]+)?`)
	var got []string
	for _, body := range bodies(t, n, Options{Title: "Talk"}) {
		got = append(got, strings.Join(shape.FindAllString(body, -1), " "))
	}
	want := []string{`<section cell slide <section cell <div class="fragment" <section cell fragment`,
		`<section cell subslide <aside <section cell notes <section cell -`, `<section cell slide`}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got  %q\nwant %q", got, want)
	}
	page, err := Slides(n, Options{Title: "Talk"})
	if err != nil || !strings.Contains(string(page), "<title>Talk</title>") || !strings.Contains(string(page), "<footer><span>Talk</span>") || strings.Contains(string(page), "cell skip") {
		t.Errorf("the title is missing, or a skipped cell is there; %v", err)
	}
}

// lesson is a notebook without slide types.
func lesson(t *testing.T) *nbformat.Notebook {
	_, picture := dot(t)
	n := nbformat.New()
	n.Add(nbformat.Markdown, "# A *lesson* on $\\kappa$\n\nWhat it is about.\n\n## First\n\nSome words.\n\n- one\n- two\n\n- three\n\nMore words.")
	code := n.Add(nbformat.Code, "figure()")
	code.Outputs = []nbformat.Output{{Type: nbformat.ExecuteResult, Data: map[string]any{"image/png": picture, "text/plain": "dot"}}}
	n.Add(nbformat.Markdown, "## Second")
	n.Add(nbformat.Code, "x := 1")
	n.Add(nbformat.Markdown, "#### Small\n\n"+strings.Repeat("word ", 400)+"\n\nlast words")
	n.Add(nbformat.Raw, "raw")
	return n
}

func TestSlidesBeginAtHeadingsAndWhereTheRoomEnds(t *testing.T) {
	got := bodies(t, lesson(t), Options{})
	if len(got) != 6 {
		t.Fatalf("%d slides:\n%s", len(got), strings.Join(got, "\n"))
	}
	for i, want := range [][]string{
		{`<article class="title">`, "<em>lesson</em>", "What it is about."},
		{"<article>", ">First</h2>", "<li>\n<p>one</p>", "three", "More words."},
		{`<p class="running">First</p>`, `<section class="code pictures"`, "<img"},
		{">Second</h2>", "x := "},
		{`<p class="running">Second</p>`, ">Small</h4>", "word word"},
		{`<p class="running">Second</p>`, "<p>last words</p>"},
	} {
		for _, part := range want {
			if !strings.Contains(got[i], part) {
				t.Errorf("slide %d has no %s:\n%s", i+1, part, got[i])
			}
		}
	}
	if strings.Count(strings.Join(got, ""), "running") != 3 {
		t.Error("a slide that begins with a heading repeats another")
	}
}

func TestSlidesOfAnEmptyNotebookAreOneEmptySlide(t *testing.T) {
	if got := bodies(t, nbformat.New(), Options{Title: "Nothing"}); len(got) != 1 || strings.Contains(got[0], "<section") {
		t.Errorf("got %q", got)
	}
}

func TestLongCodeIsCutAndItsOutputsFollow(t *testing.T) {
	n := nbformat.New()
	var source []string
	for i := range 20 {
		source = append(source, fmt.Sprintf("func f%d() {", i), "\treturn", "}", "")
	}
	cell := n.Add(nbformat.Code, strings.Join(source, "\n"))
	cell.Outputs = []nbformat.Output{{Type: nbformat.Stream, Name: "stdout", Text: "printed"}}
	got := bodies(t, n, Options{})
	if len(got) != 4 {
		t.Fatalf("%d slides", len(got))
	}
	tags := regexp.MustCompile("<[^>]*>")
	all := tags.ReplaceAllString(strings.Join(got, "\n"), "")
	for i := range 20 {
		if strings.Count(all, fmt.Sprintf("func f%d() {", i)) != 1 {
			t.Errorf("f%d is not there once", i)
		}
	}
	for i, body := range got[:3] {
		if lines := strings.Count(tags.ReplaceAllString(body, ""), "\n"); lines > sourceLines+6 || !strings.HasPrefix(strings.TrimSpace(tags.ReplaceAllString(body, "")), "func") {
			t.Errorf("slide %d has %d lines, or begins inside of a function:\n%s", i+1, lines, body)
		}
	}
	if !strings.Contains(got[3], "printed") {
		t.Errorf("the last slide is %s", got[3])
	}
	if got := bodies(t, n, Options{HideCode: true}); len(got) != 1 || !strings.Contains(got[0], "printed") || strings.Contains(got[0], "func") {
		t.Errorf("without code: %q", got)
	}
}

func TestCodeIsCutOutsideOfRawStrings(t *testing.T) {
	raw := "s := `" + strings.Repeat("line\n\n", 12) + "`\n\n"
	for _, part := range cutCode(raw+raw, sourceLines) {
		if strings.Count(part, "`")%2 != 0 {
			t.Errorf("cut inside of a raw string: %q", part)
		}
	}
	if parts := cutCode(strings.Repeat("x\n", 100), 30); len(parts) != 4 {
		t.Errorf("code without empty lines is cut into %d parts", len(parts))
	}
	if parts := cutCode("\n\n", 30); len(parts) != 0 {
		t.Errorf("nothing is cut into %q", parts)
	}
}

func TestOutputsThatNeedASlideEachGetOne(t *testing.T) {
	n := nbformat.New()
	cell := n.Add(nbformat.Code, "show()")
	rows := strings.Repeat("<tr><td>1</td></tr>", 12)
	for i := range 4 {
		name := fmt.Sprintf("**table %d**", i)
		if i%2 == 1 {
			name = fmt.Sprintf("### table %d\n\nof the second kind", i)
		}
		cell.Outputs = append(cell.Outputs,
			nbformat.Output{Type: nbformat.DisplayData, Data: map[string]any{"text/markdown": name, "text/plain": "t"}},
			nbformat.Output{Type: nbformat.DisplayData, Data: map[string]any{"text/html": "<table>" + rows + "</table>", "text/plain": "t"}})
	}
	got := bodies(t, n, Options{})
	if len(got) != 4 {
		t.Fatalf("%d slides", len(got))
	}
	for i, body := range got {
		if strings.Count(body, "<table>") != 1 || !strings.Contains(body, fmt.Sprintf("table %d", i)) {
			t.Errorf("slide %d does not have table %d with its name", i+1, i)
		}
	}
}

func TestTextsAreCutAtEmptyLinesOutsideOfCodeFormulasAndLists(t *testing.T) {
	for source, want := range map[string][]string{
		"":                               nil,
		"a\nb\n\nc":                      {"a\nb", "c"},
		"# h\n\na\n\nb":                  {"# h\n\na", "b"},
		"# h\n## k\na":                   {"# h", "## k\na"},
		"a\n```\n\n# no\n```\nb":         {"a\n```\n\n# no\n```\nb"},
		"~~~\n\n~~~":                     {"~~~\n\n~~~"},
		"$$\na\n\nb\n$$\n\nc":            {"$$\na\n\nb\n$$", "c"},
		"$$a$$\n\nb":                     {"$$a$$", "b"},
		"- a\n\n- b\n\n  more of b\n\nc": {"- a\n\n- b\n\n  more of b", "c"},
		"1. a\n\n2. b":                   {"1. a\n\n2. b"},
		"#no heading\n\n####### seven":   {"#no heading", "####### seven"},
	} {
		if got := blocks(source); strings.Join(got, "|") != strings.Join(want, "|") {
			t.Errorf("%q is cut as %q, want %q", source, got, want)
		}
	}
}

// Everything in a notebook is on exactly one slide.
func TestSlidesOfNotebooksHaveAllTheirFiguresAndTexts(t *testing.T) {
	paths, err := filepath.Glob("../../../notebooks/teaching/*.ipynb")
	if err != nil || len(paths) == 0 {
		t.Fatal(err)
	}
	for _, path := range append(paths, "../../../notebooks/quickstart.ipynb") {
		n, err := nbformat.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		page, err := HTML(n, Options{})
		if err != nil {
			t.Fatal(err)
		}
		slides := strings.Join(bodies(t, n, Options{}), "")
		for _, part := range []string{"<img ", "<math ", "<table>", "<h1", "<h2", "<h3", "<li>", "class=\"source\""} {
			got, want := strings.Count(slides, part), strings.Count(string(page), part)
			if got != want && !(part == "class=\"source\"" && got > want) { // long code is cut
				t.Errorf("%s: %d times %s on slides, %d on the page", path, got, part, want)
			}
		}
	}
}
