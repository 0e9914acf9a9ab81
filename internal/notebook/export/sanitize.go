package export

import (
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"html"
	"regexp"
	"strconv"
	"strings"
	"sync"

	"github.com/microcosm-cc/bluemonday"

	"gosphere/internal/lazyregexp"
	"gosphere/runtime/display"
)

// A notebook from elsewhere must not run scripts in the browser of a reader. Two layers prevent it.
// sanitized removes what is active from the markup of text cells and outputs, by a list of the
// elements, attributes and styles that are allowed, which is that of JupyterLab with SVG and
// MathML. The policy of the page allows only the scripts that this program wrote: those of
// display.Table and display.Frames, and that of slides.

// restricted is the policy of browsers for a page, with the scripts that may run.
func restricted(scripts ...string) string {
	sources := ""
	for _, script := range append(display.Scripts(), scripts...) {
		sum := sha256.Sum256([]byte(script))
		sources += " 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
	}
	return `default-src 'none'; img-src data:; style-src 'unsafe-inline'; font-src data:; media-src data:; base-uri 'none'; form-action 'none'; script-src` + sources
}

// trusting is the policy of a page with everything that a notebook contains. It prevents browsers
// only from loading what is not in the page.
const trusting = `default-src 'none'; img-src data:; style-src 'unsafe-inline'; script-src 'unsafe-inline'; font-src data:; media-src data:`

// live matches the data and the script of an interactive display.
var live = lazyregexp.New(`(?s)<script type="application/json">([^<]*)</script>\n<script>(.*?)</script>`)

// kept matches the placeholder of an interactive display in private-use characters.
var kept = lazyregexp.New("\uE002(\\d+)\uE003")

// sanitized returns markup without what is active. Interactive displays of this program stay: their
// data is inert and their scripts are known.
func sanitized(markup string, options Options) string {
	if options.Trust {
		return markup
	}
	own := map[string]bool{}
	for _, script := range display.Scripts() {
		own[script] = true
	}
	var displays []string
	markup = strings.Map(func(r rune) rune {
		if r == '\uE002' || r == '\uE003' {
			return -1
		}
		return r
	}, markup)
	markup = live.ReplaceAllStringFunc(markup, func(found string) string {
		if !own[live.FindStringSubmatch(found)[2]] {
			return found
		}
		displays = append(displays, found)
		return fmt.Sprintf("\uE002%d\uE003", len(displays)-1)
	})
	return kept.ReplaceAllStringFunc(sanitizer().Sanitize(markup), func(found string) string {
		n, err := strconv.Atoi(kept.FindStringSubmatch(found)[1])
		if err != nil || n >= len(displays) {
			return ""
		}
		return displays[n]
	})
}

// drawing returns an SVG picture as markup. In an image element its scripts do not run and nothing
// is loaded.
func drawing(svg, plain string, options Options) string {
	if options.Trust {
		return xmlHead.ReplaceAllString(svg, "")
	}
	return `<img src="data:image/svg+xml;base64,` + base64.StdEncoding.EncodeToString([]byte(svg)) + `" alt="` + html.EscapeString(plain) + `">`
}

// sanitizer returns the list of what is allowed.
var sanitizer = sync.OnceValue(func() *bluemonday.Policy {
	p := bluemonday.NewPolicy()
	p.AllowStandardURLs()
	p.AllowDataURIImages()
	p.AllowRelativeURLs(true)
	p.AllowURLSchemes("http", "https", "mailto", "ftp", "tel", "attachment")
	p.RequireNoFollowOnLinks(false)
	p.AllowElements("a", "abbr", "acronym", "address", "article", "aside", "b", "bdi", "bdo", "big", "blockquote", "br", "button", "caption", "center", "cite",
		"code", "col", "colgroup", "dd", "del", "details", "dfn", "dir", "div", "dl", "dt", "em", "fieldset", "figcaption", "figure", "font", "footer", "h1", "h2",
		"h3", "h4", "h5", "h6", "header", "hgroup", "hr", "i", "img", "input", "ins", "kbd", "label", "legend", "li", "map", "mark", "menu", "meter", "nav", "ol",
		"output", "p", "pre", "progress", "q", "rp", "rt", "ruby", "s", "samp", "section", "small", "span", "strike", "strong", "sub", "summary", "sup", "table",
		"tbody", "td", "tfoot", "th", "thead", "time", "tr", "tt", "u", "ul", "var", "wbr", "area", "audio", "video")
	p.AllowNoAttrs().OnElements("a", "img", "font", "span", "input", "button", "label", "area", "audio", "video", "map", "progress", "meter")
	p.AllowAttrs("class", "id", "title", "dir", "lang", "role", "align", "valign", "width", "height", "tabindex", "hidden").Globally()
	p.AllowAttrs("aria-label", "aria-hidden", "aria-describedby", "aria-labelledby").Globally()
	p.AllowDataAttributes()
	p.AllowAttrs("href", "name", "rel", "target", "hreflang", "type").OnElements("a", "area")
	p.AllowAttrs("shape", "coords", "alt").OnElements("area")
	p.AllowAttrs("name").OnElements("map")
	p.AllowAttrs("src", "alt", "ismap", "usemap", "loading").OnElements("img")
	p.AllowAttrs("src", "controls", "loop", "muted", "preload").OnElements("audio", "video")
	p.AllowAttrs("border", "cellpadding", "cellspacing", "summary", "frame", "rules", "bgcolor").OnElements("table")
	p.AllowAttrs("colspan", "rowspan", "headers", "scope", "abbr", "nowrap", "bgcolor", "axis", "char", "charoff").OnElements("td", "th", "tr", "col", "colgroup")
	p.AllowAttrs("span").OnElements("col", "colgroup")
	p.AllowAttrs("start", "type", "reversed", "compact", "value").OnElements("ol", "ul", "li", "dl", "menu", "dir")
	p.AllowAttrs("open", "name").OnElements("details")
	p.AllowAttrs("color", "face", "size").OnElements("font", "hr")
	p.AllowAttrs("cite", "datetime").OnElements("blockquote", "q", "del", "ins", "time")
	p.AllowAttrs("type", "checked", "disabled", "value", "min", "max", "step", "low", "high", "optimum", "for", "placeholder").OnElements("input", "button", "meter",
		"progress", "label", "output")
	allowDrawings(p)
	allowFormulas(p)
	p.AllowStyles("align-content", "align-items", "align-self", "background", "background-color", "border", "border-bottom", "border-bottom-color", "border-bottom-style",
		"border-bottom-width", "border-collapse", "border-color", "border-left", "border-left-color", "border-left-style", "border-left-width", "border-radius",
		"border-right", "border-right-color", "border-right-style", "border-right-width", "border-spacing", "border-style", "border-top", "border-top-color",
		"border-top-style", "border-top-width", "border-width", "bottom", "box-shadow", "box-sizing", "caption-side", "clear", "clip", "color", "column-count",
		"column-gap", "content", "cursor", "direction", "display", "empty-cells", "flex", "flex-basis", "flex-direction", "flex-flow", "flex-grow", "flex-shrink",
		"flex-wrap", "float", "font", "font-family", "font-size", "font-style", "font-variant", "font-variant-numeric", "font-weight", "gap", "grid", "grid-area",
		"grid-gap", "grid-template-columns", "grid-template-rows", "height", "justify-content", "left", "letter-spacing", "line-height", "list-style",
		"list-style-type", "margin", "margin-bottom", "margin-left", "margin-right", "margin-top", "max-height", "max-width", "min-height", "min-width", "opacity",
		"outline", "overflow", "overflow-wrap", "overflow-x", "overflow-y", "padding", "padding-bottom", "padding-left", "padding-right", "padding-top", "position",
		"right", "table-layout", "text-align", "text-anchor", "text-decoration", "text-indent", "text-overflow", "text-transform", "top", "transform",
		"transform-origin", "vertical-align", "visibility", "white-space", "width", "word-break", "word-spacing", "word-wrap", "z-index", "fill", "fill-opacity",
		"stroke", "stroke-width", "stroke-dasharray", "stroke-linecap", "stroke-linejoin", "stroke-opacity").MatchingHandler(plainStyle).Globally()
	return p
})

// plainStyle reports whether the value of a style loads nothing and is no expression.
func plainStyle(value string) bool {
	value = strings.ToLower(value)
	return !strings.ContainsAny(value, `\<>`) && !strings.Contains(value, "url(") && !strings.Contains(value, "expression") && !strings.Contains(value, "image(")
}

// allowDrawings allows SVG without scripts, animations and references to other documents.
func allowDrawings(p *bluemonday.Policy) {
	elements := []string{"svg", "g", "path", "rect", "circle", "ellipse", "line", "polyline", "polygon", "text", "tspan", "defs", "lineargradient",
		"radialgradient", "stop", "clippath", "title", "desc", "marker", "pattern", "symbol"}
	p.AllowElements(elements...)
	p.AllowAttrs("viewbox", "xmlns", "version", "preserveaspectratio", "x", "y", "x1", "x2", "y1", "y2", "cx", "cy", "r", "rx", "ry", "dx", "dy", "d", "points",
		"transform", "fill-rule", "clip-rule", "stroke-linecap", "stroke-linejoin", "stroke-dasharray", "stroke-width", "stroke-miterlimit", "stroke-opacity",
		"fill-opacity", "opacity", "font-size", "font-family", "font-weight", "font-style", "text-anchor", "dominant-baseline", "alignment-baseline", "offset",
		"stop-color", "stop-opacity", "gradientunits", "gradienttransform", "spreadmethod", "markerwidth", "markerheight", "refx", "refy", "orient",
		"patternunits", "textlength", "lengthadjust", "letter-spacing", "rotate").OnElements(elements...)
	p.AllowAttrs("fill", "stroke", "clip-path", "marker-end", "marker-start", "marker-mid").Matching(regexp.MustCompile(`^(url\(#[\w-]+\)|[\w#(),.% -]+)$`)).OnElements(elements...)
	p.AllowNoAttrs().OnElements(elements...)
}

// allowFormulas allows the presentation part of MathML.
func allowFormulas(p *bluemonday.Policy) {
	elements := []string{"math", "mi", "mo", "mn", "ms", "mtext", "mspace", "mrow", "mfrac", "msqrt", "mroot", "msub", "msup", "msubsup", "munder", "mover",
		"munderover", "mmultiscripts", "mprescripts", "mtable", "mtr", "mtd", "mstyle", "mpadded", "mphantom", "merror", "menclose", "semantics"}
	p.AllowElements(elements...)
	p.AllowAttrs("display", "displaystyle", "mathvariant", "stretchy", "fence", "separator", "accent", "accentunder", "linethickness", "lspace", "rspace",
		"movablelimits", "largeop", "symmetric", "minsize", "maxsize", "columnalign", "rowalign", "columnspacing", "rowspacing", "columnlines", "rowlines",
		"scriptlevel", "depth", "voffset", "notation", "form", "xmlns", "alttext").OnElements(elements...)
	p.AllowNoAttrs().OnElements(elements...)
}
