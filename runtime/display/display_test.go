package display

import (
	"bytes"
	"io"
	"strings"
	"sync"
	"testing"

	"gosphere/internal/host"
	"gosphere/kernel/protocol"
)

// recorder represents the cell of the test's goroutines.
type recorder struct {
	mu       sync.Mutex // guards contents
	contents []protocol.Content
}

func (r *recorder) publish(content protocol.Content) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.contents = append(r.contents, content)
}

// cell is the host of a cell.
type cell struct {
	publish func(protocol.Content)
	ask     func(string, bool) (string, error)
}

func (c cell) Publisher() func(protocol.Content) { return c.publish }

func (c cell) Ask(prompt string, password bool) (string, error) { return c.ask(prompt, password) }

// record binds a recorder for the duration of a test and checks every output.
func record(t *testing.T) *recorder {
	t.Helper()
	r := &recorder{}
	leave := host.Enter(cell{publish: r.publish})
	t.Cleanup(func() {
		leave()
		for _, content := range r.contents {
			if data := dataOf(content); data != nil {
				if text, ok := data[textPlain].(string); !ok || text == "" {
					t.Errorf("%s without text/plain: %v", content.MessageType(), data)
				}
			}
		}
	})
	return r
}

func dataOf(content protocol.Content) protocol.MimeBundle {
	switch content := content.(type) {
	case protocol.DisplayData:
		return content.Data
	case protocol.UpdateDisplayData:
		return content.Data
	}
	return nil
}

// last returns the data of the last output.
func (r *recorder) last(t *testing.T) protocol.MimeBundle {
	t.Helper()
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.contents) == 0 {
		t.Fatal("nothing was published")
	}
	return dataOf(r.contents[len(r.contents)-1])
}

func TestShowPublishesOneOutputPerValue(t *testing.T) {
	r := record(t)
	Show(1, "two")
	if len(r.contents) != 2 {
		t.Fatalf("%d outputs, want 2", len(r.contents))
	}
	if got := r.last(t)[textPlain]; got != "two" {
		t.Errorf("second output is %q", got)
	}
}

func TestClearPassesWaitOn(t *testing.T) {
	r := record(t)
	Clear(true)
	if got, ok := r.contents[0].(protocol.ClearOutput); !ok || !got.Wait {
		t.Errorf("got %#v", r.contents[0])
	}
}

func TestOutputsGoToTheHostOfTheGoroutine(t *testing.T) {
	outer, inner := record(t), &recorder{}
	leave := host.Enter(cell{publish: inner.publish})
	Show(1)
	done := make(chan bool)
	go func() {
		Show(2)
		close(done)
	}()
	<-done
	leave()
	Show(3)
	if len(inner.contents) != 2 || len(outer.contents) != 1 {
		t.Errorf("the inner host got %d outputs, the outer one %d; want 2 and 1", len(inner.contents), len(outer.contents))
	}
}

// withoutSession runs f with the fallback writer, as in a compiled program, and returns the output.
func withoutSession(t *testing.T, f func()) string {
	t.Helper()
	var out bytes.Buffer
	saved := fallback
	fallback = func() io.Writer { return &out }
	defer func() { fallback = saved }()
	f()
	return out.String()
}

func TestWithoutSessionTheTextGoesToStandardOutput(t *testing.T) {
	got := withoutSession(t, func() {
		Markdown("**bold**")
		place := New(1)
		place.Update(2)
		Clear(false)
	})
	if got != "**bold**\n1\n2\n" {
		t.Errorf("got %q", got)
	}
}

func TestOutputsCarryTheirMimeType(t *testing.T) {
	tests := []struct {
		name  string
		show  func()
		mime  string
		want  any
		plain string
	}{
		{"html", func() { HTML("<p>a &lt; b</p><style>p{}</style>") }, textHTML, "<p>a &lt; b</p><style>p{}</style>", "a < b"},
		{"empty html", func() { HTML("<hr>") }, textHTML, "<hr>", "HTML, 4 bytes"},
		{"markdown", func() { Markdown("# x") }, textMarkdown, "# x", "# x"},
		{"bare formula", func() { LaTeX(`\kappa`) }, textLaTeX, `$$\kappa$$`, `$$\kappa$$`},
		{"delimited formula", func() { LaTeX(`a $x$`) }, textLaTeX, `a $x$`, `a $x$`},
		{"environment", func() { LaTeX(`\begin{align}x\end{align}`) }, textLaTeX, `\begin{align}x\end{align}`, `\begin{align}x\end{align}`},
		{"svg", func() { SVG("<svg/>") }, imageSVG, "<svg/>", "SVG drawing, 6 bytes"},
		{"png", func() { PNG([]byte("no picture")) }, imagePNG, "bm8gcGljdHVyZQ==", "PNG picture, 10 bytes"},
		{"jpeg", func() { JPEG([]byte("no")) }, imageJPEG, "bm8=", "JPEG picture, 2 bytes"},
		{"value without JSON", func() { JSON(func() {}) }, jsonData, nil, ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			r := record(t)
			test.show()
			data := r.last(t)
			if data[test.mime] != test.want {
				t.Errorf("%s is %v, want %v", test.mime, data[test.mime], test.want)
			}
			if test.plain != "" && data[textPlain] != test.plain {
				t.Errorf("text/plain is %q, want %q", data[textPlain], test.plain)
			}
		})
	}
}

func TestJSONIsATreeNotAString(t *testing.T) {
	r := record(t)
	JSON(struct {
		Kappa []float64 `json:"kappa"`
	}{[]float64{1, 2}})
	tree, ok := r.last(t)[jsonData].(map[string]any)
	if !ok || len(tree["kappa"].([]any)) != 2 {
		t.Errorf("application/json is %v", r.last(t)[jsonData])
	}
}

func TestUpdateKeepsTheIDOfItsDisplay(t *testing.T) {
	r := record(t)
	place := New("first")
	other := New("other")
	place.Update("second")
	place.UpdateHTML("<b>third</b>")
	shown := r.contents[0].(protocol.DisplayData)
	for _, content := range r.contents[2:] {
		update, ok := content.(protocol.UpdateDisplayData)
		if !ok || update.Transient.DisplayID != shown.Transient.DisplayID {
			t.Errorf("update %#v, want display id %s", content, shown.Transient.DisplayID)
		}
	}
	if place.ID == "" || place.ID == other.ID {
		t.Errorf("ids %q and %q must differ", place.ID, other.ID)
	}
	if got := r.last(t)[textPlain]; got != "third" {
		t.Errorf("text/plain is %q", got)
	}
	if data, _ := Bundle(place); !strings.Contains(data[textPlain].(string), place.ID) {
		t.Errorf("a display as value shows %q", data[textPlain])
	}
}

func TestUpdateFromAGoroutineOfNoCellReachesTheCellThatMadeTheDisplay(t *testing.T) {
	r := &recorder{}
	leave := host.Enter(cell{publish: r.publish})
	place := New(1)
	leave()
	place.Update(2)
	if len(r.contents) != 2 {
		t.Errorf("%d outputs, want 2", len(r.contents))
	}
}
