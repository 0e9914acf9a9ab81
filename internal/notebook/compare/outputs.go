package compare

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"gosphere/internal/lazyregexp"
	"gosphere/kernel/nbformat"
)

// widgetView is the output with which a front end draws a widget. It names a model, which differs
// in every run.
const widgetView = "application/vnd.jupyter.widget-view+json"

// Outputs compares the outputs of a cell and returns the differences in order. It does not compare
// execution counts, metadata, the times reported by progress bars, %time and %timeit, and the
// curves below the progress bar of a training, which are drawn only if it takes seconds.
func Outputs(stored, fresh []nbformat.Output, t Tolerances) []Difference {
	if t.Skip != "" {
		return nil
	}
	a, b := joined(stored), joined(fresh)
	if kinds(a) != kinds(b) {
		return []Difference{{Place: "outputs", Lines: append(Text(kinds(a), kinds(b), Tolerances{}), Text(texts(a), texts(b), t)...)}}
	}
	var all []Difference
	for i := range a {
		for _, d := range output(&a[i], &b[i], t) {
			d.Place = strings.TrimSuffix(fmt.Sprintf("output %d, %s", i+1, d.Place), ", ")
			all = append(all, d)
		}
	}
	return all
}

// joined joins streams that are split into several outputs, and removes the parts of progress bars
// that depend on the time.
func joined(outputs []nbformat.Output) []nbformat.Output {
	var list []nbformat.Output
	tasks := map[string]bool{} // of the progress bars
	for _, o := range outputs {
		if n := len(list); n > 0 && o.Type == nbformat.Stream && list[n-1].Type == nbformat.Stream && list[n-1].Name == o.Name {
			list[n-1].Text += o.Text
			continue
		}
		if o.Type == nbformat.DisplayData {
			text, _ := o.Data["text/plain"].(string)
			title, _, titled := strings.Cut(text, " (lines")
			switch bar := progressText.FindStringSubmatch(text); {
			case bar != nil:
				tasks[bar[2]] = true
				o.Data = map[string]any{"text/plain": progressRate.ReplaceAllString(progressText.ReplaceAllString(text, "$1…"), "$1")}
			case titled && tasks[title] && o.Data["image/png"] != nil:
				continue // whether it exists depends on the time
			}
		}
		list = append(list, o)
	}
	return list
}

// measured matches the lines of %time and %timeit, whose values differ in every run.
var measured = lazyregexp.New(`(?m)^(?:(wall time) \S+ (?:s|ms|µs|ns)(?:, (?:CPU|processor) time \S+ (?:s|ms|µs|ns))?, allocated \S+ (?:bytes|KB|MB|GB|TB)` +
	`|\S+ (?:s|ms|µs|ns) ± \S+ (?:s|ms|µs|ns) (per loop) \(mean ± sd of \d+ runs of \d+ loops\), least \S+ (?:s|ms|µs|ns))$`)

// progressText matches the final state of a progress bar: its task, its steps and the elapsed time.
var progressText = lazyregexp.New(`^((?:\[[#·]+\] )?([^\n]*): \d+(?: of \d+)? in )(?:\d+(?:\.\d)? s|\d+:\d\d(?::\d\d)?)`)

// progressRate matches the rate that a training appends to it.
var progressRate = lazyregexp.New(`, \d+ samples/s($|: )`) // an error may follow

// kinds returns the kinds of the outputs, one per line.
func kinds(outputs []nbformat.Output) string {
	var list []string
	for _, o := range outputs {
		switch o.Type {
		case nbformat.Stream:
			list = append(list, "text on "+o.Name)
		case nbformat.ErrorOutput:
			list = append(list, "error "+o.Ename)
		default:
			list = append(list, "display of "+strings.Join(slices.Sorted(maps.Keys(o.Data)), ", "))
		}
	}
	return strings.Join(list, "\n")
}

// texts returns all text in the outputs.
func texts(outputs []nbformat.Output) string {
	var list []string
	for _, o := range outputs {
		text, _ := o.Data["text/plain"].(string)
		list = append(list, strings.TrimSuffix(o.Text+text+o.Evalue, "\n"))
	}
	return strings.Join(list, "\n")
}

// output compares two outputs of the same kind.
func output(stored, fresh *nbformat.Output, t Tolerances) []Difference {
	switch stored.Type {
	case nbformat.Stream:
		return differing(stored.Name, Text(measured.ReplaceAllString(stored.Text, "$1$2 …"), measured.ReplaceAllString(fresh.Text, "$1$2 …"), t))
	case nbformat.ErrorOutput:
		if lines := Text(stored.Evalue, fresh.Evalue, t); len(lines) > 0 { // the traceback repeats it
			return differing("error "+stored.Ename, lines)
		}
		return differing("traceback", Text(traceback(stored), traceback(fresh), t))
	}
	var all []Difference
	for _, mime := range slices.Sorted(maps.Keys(stored.Data)) {
		all = append(all, data(mime, stored.Data[mime], fresh.Data[mime], t)...)
	}
	if len(all) > 1 {
		// HTML repeats the plain text in a form that is harder to read.
		plain := slices.ContainsFunc(all, func(d Difference) bool { return d.Place == "text/plain" })
		all = slices.DeleteFunc(all, func(d Difference) bool { return plain && d.Place == "text/html" })
	}
	return all
}

func differing(place string, lines []string) []Difference {
	if len(lines) == 0 {
		return nil
	}
	return []Difference{{Place: place, Lines: lines}}
}

// colors matches the escape sequences of terminals.
var colors = lazyregexp.New("\x1b\\[[0-9;]*m")

func traceback(o *nbformat.Output) string {
	return colors.ReplaceAllString(strings.Join(o.Traceback, "\n"), "")
}

// data compares two values of one MIME type.
func data(mime string, stored, fresh any, t Tolerances) []Difference {
	old, isText := stored.(string)
	now, isTextToo := fresh.(string)
	switch {
	case mime == widgetView:
		return nil
	case !isText || !isTextToo:
		return differing(mime, Text(indented(stored), indented(fresh), t))
	case mime == "image/svg+xml":
		return differing(mime, Text(elements(old), elements(now), t))
	case mime == "image/png" || mime == "image/jpeg":
		a, b := bytesOf(old), bytesOf(now)
		if remark := Figure(a, b, t); remark != "" {
			return []Difference{{Place: mime, Lines: []string{"~ " + remark}, Stored: a, Fresh: b}}
		}
		return nil
	case strings.HasPrefix(mime, "image/") || mime == "application/pdf" || strings.HasPrefix(mime, "audio/") || strings.HasPrefix(mime, "video/"):
		if !bytes.Equal(bytesOf(old), bytesOf(now)) {
			return differing(mime, []string{fmt.Sprintf("~ the bytes differ (%d stored, %d new)", len(bytesOf(old)), len(bytesOf(now)))})
		}
		return nil
	}
	if mime == "text/html" {
		return page(old, now, t)
	}
	return differing(mime, Text(old, now, t))
}

// pagePicture matches a bitmap in HTML.
var pagePicture = lazyregexp.New(`data:image/(?:png|jpeg);base64,[A-Za-z0-9+/=]*`)

// page compares two HTML texts: bitmaps in them, such as the frames of a slider, as figures, and
// the rest as text.
func page(stored, fresh string, t Tolerances) []Difference {
	a, b := pagePicture.FindAllString(stored, -1), pagePicture.FindAllString(fresh, -1)
	if len(a) != len(b) {
		return differing("text/html", []string{fmt.Sprintf("~ %d pictures stored, %d new", len(a), len(b))})
	}
	all := differing("text/html", Text(pagePicture.ReplaceAllString(stored, "…"), pagePicture.ReplaceAllString(fresh, "…"), t))
	for i := range a {
		if a[i] == b[i] {
			continue
		}
		old, now := bytesOf(a[i][strings.IndexByte(a[i], ',')+1:]), bytesOf(b[i][strings.IndexByte(b[i], ',')+1:])
		if remark := Figure(old, now, t); remark != "" {
			all = append(all, Difference{Place: fmt.Sprintf("text/html, picture %d", i+1), Lines: []string{"~ " + remark}, Stored: old, Fresh: now})
		}
	}
	return all
}

// bytesOf decodes base64, which notebooks may split into lines.
func bytesOf(text string) []byte {
	decoded, err := base64.StdEncoding.DecodeString(strings.Join(strings.Fields(text), ""))
	if err != nil {
		return []byte(text)
	}
	return decoded
}

// indented formats a JSON value with one line per element.
func indented(value any) string {
	text, err := json.MarshalIndent(value, "", " ")
	if err != nil {
		return fmt.Sprint(value)
	}
	return string(text)
}

// pathData and pathCommand match the commands in SVG paths, which directly precede numbers.
var (
	pathData    = lazyregexp.New(`\bd="[^"]*"`)
	pathCommand = lazyregexp.New(`[A-Za-z,]`)
)

// elements formats an SVG with each element on its own line and with numbers separated from
// letters.
func elements(svg string) string {
	svg = pathData.ReplaceAllStringFunc(svg, func(data string) string {
		return `d="` + pathCommand.ReplaceAllString(data[len(`d="`):], " $0 ")
	})
	return strings.ReplaceAll(strings.ReplaceAll(strings.Join(strings.Fields(svg), " "), "> <", "><"), "><", ">\n<")
}

// plural returns a number with its noun.
func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
