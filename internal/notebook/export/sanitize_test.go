package export

import (
	"strings"
	"testing"

	"golang.org/x/net/html"

	"gosphere/kernel/nbformat"
	"gosphere/runtime/display"
)

// active are texts that run something in a browser, each with run or evil in what it runs.
var active = []string{
	`<script>run()</script>`, `<SCRIPT SRC=//evil.example/x.js></SCRIPT>`, `<scr<script>ipt>run()</scr</script>ipt><img src=x onerror=run()>`,
	`<img src=x onerror=run()>`, `<svg onload=run()>`, `<svg><script>run()</script></svg>`, `<svg><a xlink:href="javascript:run()"><text>x</text></a></svg>`,
	`<svg><animate onbegin=run() attributeName=x dur=1s>`, `<svg><set attributeName=href to=javascript:run()></svg>`, `<svg><foreignObject><iframe src="javascript:run()"></iframe></foreignObject></svg>`,
	`<math><maction actiontype="statusline" xlink:href="javascript:run()">x</maction></math>`, `<math href="javascript:run()">x</math>`,
	`<iframe src="javascript:run()"></iframe>`, `<iframe srcdoc="<script>run()</script>"></iframe>`, `<object data="data:text/html,<script>run()</script>"></object>`,
	`<embed src="javascript:run()">`, `<a href="javascript:run()">x</a>`, `<a href="java&#x73;cript:run()">x</a>`, `<a href=" &#1;javascript:run()">x</a>`,
	`<a href="data:text/html,<script>run()</script>">x</a>`, `<a href="vbscript:run()">x</a>`, `<form action="javascript:run()"><button>x</button></form>`,
	`<button formaction="javascript:run()">x</button>`, `<meta http-equiv="refresh" content="0;url=javascript:run()">`, `<base href="https://evil.example/">`,
	`<link rel="stylesheet" href="https://evil.example/x.css">`, `<style>@import "https://evil.example/x.css";</style>`, `<div style="background:url(https://evil.example/x)">x</div>`,
	`<div style="width:expression(run())">x</div>`, `<div style="background:u\72l(https://evil.example/x)">x</div>`, `<details ontoggle=run() open>x</details>`,
	`<input autofocus onfocus=run()>`, `<video><source onerror=run()></video>`, `<table background="javascript:run()"><tr><td>x</td></tr></table>`,
	`<noscript><p title="</noscript><img src=x onerror=run()>">`, `<!--><img src=x onerror=run()>-->`, `<title><img src="</title><img src=x onerror=run()>"></title>`,
	`<textarea><img title="</textarea><img src=x onerror=run()>"></textarea>`, `<template><script>run()</script></template>`, `<img src="javascript:run()">`,
	`<script type="application/json">{}</script>\n<script>\nrun()\n</script>`, `<script type="application/json">{}</script>\n<script>run()</script>`,
}

// runs returns what a browser would run or load of a page, apart from scripts in allowed.
func runs(t *testing.T, page string, allowed []string) (found []string) {
	t.Helper()
	root, err := html.Parse(strings.NewReader(page))
	if err != nil {
		t.Fatal(err)
	}
	var visit func(n *html.Node)
	visit = func(n *html.Node) {
		if n.Type == html.ElementNode {
			switch n.Data {
			case "script":
				text := ""
				if n.FirstChild != nil {
					text = n.FirstChild.Data
				}
				known := false
				for _, script := range allowed {
					known = known || text == script
				}
				for _, a := range n.Attr {
					known = known || a.Key == "type" && a.Val == "application/json"
				}
				if !known {
					found = append(found, "script "+text)
				}
			case "iframe", "object", "embed", "base", "link", "form", "animate", "set", "foreignobject", "foreignObject", "template", "style":
				if n.Data != "style" || n.Parent.Data != "head" {
					found = append(found, n.Data)
				}
			case "meta":
				for _, a := range n.Attr {
					if a.Key == "http-equiv" && a.Val != "Content-Security-Policy" {
						found = append(found, "meta "+a.Val)
					}
				}
			}
			for _, a := range n.Attr {
				value := strings.ToLower(strings.Map(func(r rune) rune {
					if r <= ' ' {
						return -1
					}
					return r
				}, a.Val))
				active := strings.HasPrefix(value, "javascript:") || strings.HasPrefix(value, "vbscript:") || strings.HasPrefix(value, "data:text/html")
				loads := a.Key == "style" && (strings.Contains(value, "url") || strings.Contains(value, "\\") || strings.Contains(value, "expression"))
				if strings.HasPrefix(a.Key, "on") || active || loads || a.Key == "srcdoc" || a.Key == "formaction" {
					found = append(found, n.Data+" "+a.Key+"="+a.Val)
				}
			}
		}
		for c := n.FirstChild; c != nil; c = c.NextSibling {
			visit(c)
		}
	}
	visit(root)
	return found
}

func TestPagesHaveNoActiveContent(t *testing.T) {
	places := map[string]func(text string) *nbformat.Notebook{
		"text cell":        textCell,
		"HTML output":      func(text string) *nbformat.Notebook { return notebookOf("", data("text/html", text)) },
		"SVG output":       func(text string) *nbformat.Notebook { return notebookOf("", data("image/svg+xml", text)) },
		"Markdown output":  func(text string) *nbformat.Notebook { return notebookOf("", data("text/markdown", text)) },
		"LaTeX output":     func(text string) *nbformat.Notebook { return notebookOf("", data("text/latex", text)) },
		"bitmap":           func(text string) *nbformat.Notebook { return notebookOf("", data("image/png", text)) },
		"bitmap and quote": func(text string) *nbformat.Notebook { return notebookOf("", data("image/png", `" `+text)) },
		"frames": func(text string) *nbformat.Notebook {
			return notebookOf("", data("text/html", framesPage+text+"</div>"))
		},
		"raw cell": func(text string) *nbformat.Notebook {
			n := nbformat.New()
			n.Cells = []*nbformat.Cell{{ID: "r", Type: nbformat.Raw, Source: text, Metadata: map[string]any{"format": "text/html"}}}
			return n
		},
		"attachment": func(text string) *nbformat.Notebook {
			n := textCell("![a](attachment:a.png)")
			n.Cells[0].Attachments = map[string]any{"a.png": map[string]any{`image/png" ` + text: "AAAA"}}
			return n
		},
		"attachment with handler": func(text string) *nbformat.Notebook {
			n := textCell("![a](attachment:a.png)")
			n.Cells[0].Attachments = map[string]any{"a.png": map[string]any{`image/png"onerror="run()" x="` + text: "AAAA"}}
			return n
		},
		"link": func(text string) *nbformat.Notebook {
			return textCell("[a](javascript:run()) ![b](javascript:run()) [c](java&#x73;cript:run()) " + text)
		},
	}
	for place, build := range places {
		for _, text := range active {
			notebook := build(text)
			page, err := HTML(notebook, Options{})
			if err != nil {
				t.Fatal(err)
			}
			slides, err := Slides(notebook, Options{})
			if err != nil {
				t.Fatal(err)
			}
			for form, written := range map[string]string{"page": string(page), "slides": string(slides)} {
				if found := runs(t, written, append(display.Scripts(), "\n"+slidesScript, chartScript)); len(found) > 0 {
					t.Errorf("%s, %s: %s: the browser runs %q", place, form, text, found)
				}
				if strings.Contains(written, "script-src 'unsafe-inline'") {
					t.Errorf("%s, %s: the policy permits all scripts", place, form)
				}
			}
		}
	}
}

// Without the sanitizer the check above finds what runs.
func TestActiveTextsAreActive(t *testing.T) {
	for _, text := range active {
		page, err := HTML(notebookOf("", data("text/html", text)), Options{Trust: true})
		if err != nil {
			t.Fatal(err)
		}
		if found := runs(t, string(page), nil); len(found) == 0 {
			t.Errorf("%s runs nothing", text)
		}
	}
}

func TestTrustKeepsActiveContent(t *testing.T) {
	page, err := HTML(textCell("<script>run()</script>"), Options{Trust: true})
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(page), "<script>run()</script>") || !strings.Contains(string(page), "script-src 'unsafe-inline'") {
		t.Errorf("the script is missing:\n%s", page)
	}
}

func TestMarkupThatRunsNothingStays(t *testing.T) {
	for _, text := range []string{
		`<b>bold</b>`, `<table class="dataframe" border="1"><thead><tr style="text-align: right"><th></th><th>a</th></tr></thead></table>`,
		`<div style="display: flex; gap: 1em; color: #123456"><span title="x">y</span></div>`, `<details open=""><summary>more</summary>text</details>`,
		`<svg width="10" height="10" viewbox="0 0 10 10"><path d="M0 0 L10 10" stroke="#ff0000" stroke-width="2" fill="none"></path></svg>`,
		`<math><mfrac><mi>a</mi><mn>2</mn></mfrac></math>`, `<progress value="3" max="10"></progress>`, `<a href="https://go.dev/">Go</a>`, `<a href="other.ipynb#x">there</a>`,
		`<img src="data:image/png;base64,AAAA" alt="x" width="10">`, `<h2 id="a">A</h2>`, `<kbd>x</kbd>`,
	} {
		if got := sanitized(text, Options{}); got != text {
			t.Errorf("%s\nbecomes\n%s", text, got)
		}
	}
}

func TestTerminalEscapesAreNotInThePage(t *testing.T) {
	stream := nbformat.Output{Type: nbformat.Stream, Name: "stdout", Text: "a\x1b[31mb\x1b[0m\x1b]8;;https://evil.example\x1b\\c\x1b]0;title\x07d\x1b[?25le\x1bMf\x1b"}
	failure := nbformat.Output{Type: nbformat.ErrorOutput, Ename: "e", Evalue: "v", Traceback: []string{stream.Text}}
	for _, o := range []nbformat.Output{stream, failure} {
		page, err := HTML(notebookOf("", o), Options{})
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(page), "\x1b") || !strings.Contains(string(page), "<pre>abcdef</pre>") {
			t.Errorf("%s: the page is\n%s", o.Type, page[strings.Index(string(page), "<main>"):])
		}
	}
}
