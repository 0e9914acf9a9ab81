package laboratory

import (
	"bytes"
	"strings"
	"testing"

	"gosphere/asymvlm/adapter"
	"gosphere/runtime/printer"
)

// sample contains the difficult cases of the formats: a special character, a letter of two bytes, a
// dash.
var sample = grid{header: []string{"method", "−SR2"}, rows: [][]string{{"a_b|c", "-0.5 ± 0.1"}, {"κ", "–"}}}

func TestGridsInAllFormats(t *testing.T) {
	for format, want := range map[string]string{
		"text":     "method        −SR2\na_b|c   -0.5 ± 0.1\nκ                –\n\n",
		"markdown": "| method | −SR2 |\n| --- | ---: |\n| a_b\\|c | -0.5 ± 0.1 |\n| κ | – |\n\n",
		"latex": "\\begin{tabular}{lr}\n\\toprule\nmethod & $-$S$R^2$ \\\\\n\\midrule\na\\_b|c & $-$0.5 $\\pm$ 0.1 \\\\\n$\\kappa$ & -- \\\\\n" +
			"\\bottomrule\n\\end{tabular}\n\n",
	} {
		var text strings.Builder
		renderers[format].grid(&text, sample)
		if text.String() != want {
			t.Errorf("%s:\n%s\nwant\n%s", format, text.String(), want)
		}
	}
}

func TestParagraphsInAllFormats(t *testing.T) {
	for format, want := range map[string]string{
		"text": "50% of κ\nb\n\n", "markdown": "- 50% of κ\n- b\n\n", "latex": "50\\% of $\\kappa$\nb\n\n",
	} {
		var text strings.Builder
		renderers[format].paragraph(&text, "50% of κ", "b")
		if text.String() != want {
			t.Errorf("%s: %q, want %q", format, text.String(), want)
		}
	}
	var alone strings.Builder
	markdownParagraph(&alone, "one")
	if alone.String() != "one\n\n" {
		t.Errorf("a sentence alone is %q", alone.String())
	}
}

// For several trainings, each log line has the label of its training, which has a line at its
// beginning and end; folds write their lines again.
func TestLogLinesOfSeveralTrainings(t *testing.T) {
	run := func(progress adapter.Progress) {
		progress.Begin("training pfe", 20)
		for step := 1; step <= 20; step++ {
			if err := progress.Advance(adapter.Update{Step: step, Steps: 20, Epoch: 1, Epochs: 1}); err != nil {
				t.Fatal(err)
			}
		}
		progress.End(nil)
	}
	var several, alone bytes.Buffer
	progress := progressOn(&several, "[2/3] ")
	run(progress)
	run(progress)
	want := "[2/3] training pfe, 20 steps\n[2/3] step 20 of 20, epoch 1/1, loss 0.000, tau 0.00, kappa 0.00\n"
	if several.String() != want+want {
		t.Errorf("log\n%s", several.String())
	}
	run(progressOn(&alone, ""))
	if lines := strings.Count(alone.String(), "\n"); lines != 11 {
		t.Errorf("%d lines of a training alone:\n%s", lines, alone.String())
	}
}

func TestBarsCarryTheirLabel(t *testing.T) {
	var out bytes.Buffer
	progress := adapter.ShowOn(&terminalBar{printer: printer.New(&out), label: "[7/9] "})
	progress.Begin("training pfe", 2)
	for step := 1; step <= 2; step++ {
		if err := progress.Advance(adapter.Update{Step: step, Steps: 2}); err != nil {
			t.Fatal(err)
		}
	}
	progress.End(nil)
	if lines := strings.Split(out.String(), "\n"); len(lines) != 3 || !strings.HasPrefix(lines[0], "[························] [7/9] training pfe: 0 of 2") ||
		!strings.HasPrefix(lines[1], "[########################] [7/9] training pfe: 2 of 2 in ") {
		t.Errorf("bar %q", out.String())
	}
}
