package check

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"gosphere/kernel/nbformat"
)

// claims are what lessons, protocols and demonstrations say, and what they must not say again,
// because it is wrong or against their own numbers. Numbers are those of stored outputs, which
// other tests run again.
var claims = []struct{ notebook, says, never string }{
	{"teaching/01-sphere", "the exact distribution 0.214", "the exact distribution 0.213"},
	{"teaching/01-sphere", "unit vectors in many dimensions have hubs too", ""},
	{"teaching/05-infonce", "Maximum likelihood is a sound answer as long as the pictures are fixed points", "Maximum likelihood alone fails"},
	{"teaching/07-gaussian", "In several coordinates the sign depends on the means as well", "it does not depend on the location of the Gaussians"},
	{"teaching/07-gaussian", "the Laplace density of scale", "is not the log-density of any member of this family"},
	{"teaching/08-evidence", "u and the function of log-sum-exp differ by less than 1e-12: true", "A query that resembles nothing in the gallery should be able to report that"},
	{"teaching/10-go", "recursion and single map operations a quarter to a third", "maps and recursion about half"},
	{"teaching/12-baselines", "margin", ""},
	{"teaching/13-ratio", "needs a second density, that of *all* pictures", ""},
	{"reproduction/elip/figure-5-uncertainty", "largest cosine, untrained text to image 0.997", "points the right way without ever having seen damage"},
	{"reproduction/elip/figure-5-uncertainty", "length, untrained text to image 0.986", ""},
	{"reproduction/elip/tables-2-6", "All methods are trained alike, 20 epochs in batches of 16", "here the adapter of the captions is worth more"},
	{"reproduction/elip/tables-2-6", "InfoNCE, captions only", "ELIP w/o IA"},
	{"reproduction/asymvlm/table-1-figure-3", "log-sum-exp none", "AsymVLM orders queries best"},
	{"reproduction/asymvlm/table-3", "no shift of it corresponds to CIFAR, STL or ImageNet", "none (CLIP)"},
	{"reproduction/prolip/table-2-traversal", "In several coordinates the distances weight the terms", "H is a test of the order of variances, and nothing else"},
	{"own-losses", "the encoder without training: recall 0.44", ""},
	{"own-losses", "the concentrations of the training collapsed", ""},
	{"quickstart", "no adapter 0.584", "clip 0.584"},
	{"quickstart", "entropy, untrained", "about a minute"},
	{"vague-sentences", "Kendall's $\\tau$", ""},
	{"your-photos", "Equal captions become one text that describes several photos", ""},
	{"your-photos", "chance 0.041", ""},
	{"index", "Protocols of the AsymVLM paper", "Reproductions of the AsymVLM paper"},
}

func TestNotebooksSayWhatIsTrue(t *testing.T) {
	texts := map[string]string{}
	for _, c := range claims {
		if _, read := texts[c.notebook]; !read {
			texts[c.notebook] = wordsOf(t, filepath.FromSlash("../../../notebooks/"+c.notebook+".ipynb"))
		}
		if !strings.Contains(texts[c.notebook], c.says) {
			t.Errorf("%s does not say %q", c.notebook, c.says)
		}
		if c.never != "" && strings.Contains(texts[c.notebook], c.never) {
			t.Errorf("%s says %q", c.notebook, c.never)
		}
	}
}

// wordsOf returns the sources and the plain outputs of a notebook with single blanks.
func wordsOf(t *testing.T, path string) string {
	t.Helper()
	notebook, err := nbformat.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var all strings.Builder
	for _, cell := range notebook.Cells {
		all.WriteString(cell.Source + "\n")
		for _, output := range cell.Outputs {
			text, err := json.Marshal(output)
			if err != nil {
				t.Fatal(err)
			}
			var stored struct {
				Text json.RawMessage
				Data map[string]json.RawMessage
			}
			if err := json.Unmarshal(text, &stored); err != nil {
				t.Fatal(err)
			}
			for _, lines := range []json.RawMessage{stored.Text, stored.Data["text/plain"]} {
				all.WriteString(joined(lines) + "\n")
			}
		}
	}
	return strings.Join(strings.Fields(all.String()), " ")
}

// joined returns a text that is stored as a string or as lines.
func joined(stored json.RawMessage) string {
	var whole string
	var lines []string
	if json.Unmarshal(stored, &whole) == nil {
		return whole
	}
	if json.Unmarshal(stored, &lines) != nil {
		return ""
	}
	return strings.Join(lines, "")
}
