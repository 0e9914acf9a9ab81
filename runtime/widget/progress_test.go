package widget

import (
	"errors"
	"strings"
	"testing"

	"gosphere/kernel/protocol"
	"gosphere/runtime/display"
)

// Asked reports whether the simulated front end supports widgets.
func (p *page) Asked(target string) bool { return p.asks && target == controlTarget }

// told lists the published messages, without layouts and styles.
func (p *page) told() string {
	var list []string
	for _, content := range p.sent {
		switch m := content.(type) {
		case protocol.CommOpen:
			for _, name := range []string{"HBox", "HTML", "IntProgress"} {
				if strings.Contains(string(m.Data), `"`+name+`Model"`) {
					list = append(list, "open "+name)
				}
			}
		case protocol.CommMsg:
			_, state, _ := strings.Cut(string(m.Data), `"state":`)
			list = append(list, "update "+strings.TrimSuffix(state, "}"))
		case protocol.CommClose:
			list = append(list, "close")
		case protocol.DisplayData:
			list = append(list, "display "+kinds(m.Data))
		case protocol.UpdateDisplayData:
			list = append(list, "display again "+kinds(m.Data))
		}
	}
	p.sent = nil
	return strings.Join(list, "\n")
}

func kinds(data protocol.MimeBundle) string {
	var list []string
	for _, kind := range []string{"text/plain", "text/html", viewType} {
		if data[kind] != nil {
			list = append(list, kind[strings.LastIndexByte(kind, '/')+1:])
		}
	}
	return strings.Join(list, " ")
}

func TestProgressIsAWidgetWhereThePageKnowsThem(t *testing.T) {
	p := newPage(t)
	p.asks = true
	bar := display.NewProgress("sampling", 4)
	want := "open HTML\nupdate {\"flex\":\"1 1 0%\"}\nopen IntProgress\nupdate {\"width\":\"160px\"}\nupdate {\"flex\":\"0 0 auto\"}\nopen HBox\nupdate {\"value\":\"sampling: 0 of 4\"}\ndisplay plain html vnd.jupyter.widget-view+json"
	if got := p.told(); got != want {
		t.Errorf("it begins with\n%s\nwant\n%s", got, want)
	}
	bar.End(errors.New("no more"))
	if got := p.told(); got != "display again plain html\n"+strings.TrimSuffix(strings.Repeat("close\n", 8), "\n") {
		t.Errorf("it ends with\n%s", got)
	}
	if open := len(p.messages); open != 0 {
		t.Errorf("%d comms are left open", open)
	}
}

func TestProgressWithoutANumberOfStepsIsALine(t *testing.T) {
	p := newPage(t)
	p.asks = true
	display.NewProgress("reading", 0)
	if got := p.told(); strings.Contains(got, "IntProgress") || !strings.Contains(got, `update {"value":"reading: 0"}`) {
		t.Errorf("got\n%s", got)
	}
}

func TestProgressIsNoWidgetWhereNobodyAsked(t *testing.T) {
	p := newPage(t)
	display.NewProgress("sampling", 4).End(nil)
	if got := p.told(); got != "display plain html\ndisplay again plain html" {
		t.Errorf("got\n%s", got)
	}
}

func TestTheTextOfAProgressRowIsNoMarkup(t *testing.T) {
	p := newPage(t)
	row := newProgressRow(3)
	p.sent = nil
	row.Show(0, "<b>a & b")
	if got := row.line.Value(); got != "&lt;b&gt;a &amp; b" || !strings.Contains(p.told(), "amp;") {
		t.Errorf("the page gets %q", got)
	}
}

func TestProgressRowStaysWithinItsSteps(t *testing.T) {
	p := newPage(t)
	row := newProgressRow(3)
	p.sent = nil
	row.Show(7, "x: 7 of 3")
	row.Show(-1, "x")
	if got := p.told(); got != "update {\"value\":3}\nupdate {\"value\":\"x: 7 of 3\"}\nupdate {\"value\":0}\nupdate {\"value\":\"x\"}" {
		t.Errorf("got\n%s", got)
	}
}
