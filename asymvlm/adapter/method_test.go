package adapter

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"slices"
	"strings"
	"testing"

	"gosphere/asymvlm/nn"
	"gosphere/asymvlm/published"
)

// schedules lists the training options of every method by hand: published rate and decay, the rates
// of DefaultOptions and SmallOptions, and the other changes of reduced schedules.
var schedules = map[string]struct {
	rate, decay, reduced, small float64
	changes                     string
}{
	"asymvlm-vmf":          {1e-2, 5e-4, 0.1, 0.1, ""},
	"asymvlm-psd":          {1e-2, 5e-4, 0.1, 0.1, ""},
	"determ-ft":            {1e-2, 5e-4, 0.1, 0.1, ""},
	"clip":                 {1e-2, 5e-4, 1e-2, 1e-2, ""},
	"asymvlm-vmf-exact":    {1e-2, 5e-4, 0.1, 0.1, ""},
	"pfe":                  {1e-3, 5e-4, 1e-4, 1e-4, "lengths"},
	"pcmepp":               {5e-4, 1e-4, 5e-4, 2e-3, ""},
	"prolip":               {5e-4, 5e-4, 5e-4, 2e-3, ""},
	"probvlm":              {1e-4, 5e-4, 5e-4, 1.5e-3, "lengths"},
	"bayesvlm":             {0, 0, 0, 0, ""},
	"bayesvlm-exact":       {0, 0, 0, 0, ""},
	"prolip-exact":         {5e-4, 5e-4, 5e-4, 2e-3, ""},
	"prolip-full":          {5e-4, 5e-4, 5e-4, 2e-3, ""},
	"prolip-full-official": {5e-4, 5e-4, 5e-4, 2e-3, ""},
	"probvlm-exact":        {1e-4, 5e-4, 5e-4, 1.5e-3, "lengths"},
	"asymvlm-image":        {1e-2, 5e-4, 0.1, 0.1, "lengths"},
	"symvlm":               {1e-2, 5e-4, 0.1, 0.1, "lengths"},
	"symvlm-mutual":        {1e-2, 5e-4, 0.1, 0.1, "lengths start"},
	"asymvlm-gauss":        {1e-2, 5e-4, 1e-3, 3e-3, "adamw start"},
	"siglip-vmf":           {1e-2, 5e-4, 1e-3, 2e-3, "adamw"},
	"siglip-psd":           {1e-2, 5e-4, 1e-3, 2e-3, "adamw"},
	"siglip-vmf-logtau":    {1e-2, 5e-4, 5e-4, 1e-3, "adamw"},
	"elip":                 {5e-5, 0.02, 5e-5, 1e-3, "lengths"},
	"elip-itc":             {5e-5, 0.02, 1e-3, 1e-3, "lengths"},
	"clip-ensemble":        {5e-5, 0.02, 1e-3, 1e-3, "lengths"},
	"asymvlm-vmf-residual": {1e-2, 5e-4, 0.03, 0.03, ""},
	"asymvlm-psd-residual": {1e-2, 5e-4, 0.03, 0.03, ""},
	"determ-ft-residual":   {1e-2, 5e-4, 0.03, 0.03, ""},
}

// changesOf names the changes of reduced options apart from numbers.
func changesOf(o Options) string {
	var all []string
	if o.MatchLengths {
		all = append(all, "lengths")
	}
	if o.Optimizer != "" {
		all = append(all, string(o.Optimizer))
	}
	if o.ScaledStart {
		all = append(all, "start")
	}
	return strings.Join(all, " ")
}

func TestSchedulesAreThoseOfThePapersAndOfTheTables(t *testing.T) {
	if len(schedules) != len(Methods()) {
		t.Errorf("%d schedules of %d methods", len(schedules), len(Methods()))
	}
	for _, id := range Methods() {
		want := schedules[id]
		paper, err := PaperOptions(id)
		reduced, err2 := DefaultOptions(id)
		small, err3 := SmallOptions(id)
		if err != nil || err2 != nil || err3 != nil {
			t.Fatal(err, err2, err3)
		}
		if paper.LearningRate != want.rate || paper.WeightDecay != want.decay || reduced.LearningRate != want.reduced || small.LearningRate != want.small {
			t.Errorf("%s: rates %g, %g and %g with decay %g, want %+v", id, paper.LearningRate, reduced.LearningRate, small.LearningRate, paper.WeightDecay, want)
		}
		if got := changesOf(reduced); got != want.changes || changesOf(small) != want.changes || changesOf(paper) != "" {
			t.Errorf("%s: reduced schedules change %q, small ones %q, want %q; published ones %q", id, got, changesOf(small), want.changes, changesOf(paper))
		}
		if paper.Momentum != 0.9 || paper.Hidden != 1024 || paper.HiddenLayers != 3 || paper.CheckpointEvery != 10 || paper.Method != id {
			t.Errorf("%s: %+v", id, paper)
		}
	}
}

func TestEpochsAndBatchesAreThoseOfThePapers(t *testing.T) {
	for id, want := range map[string]string{
		"asymvlm-vmf": "200×2048 to 1e-06 | 20×512 to 1e-06 | 20×512 to 1e-06", "probvlm-exact": "200×2048 to 1e-06 | 20×512 to 1e-06 | 20×512 to 1e-06",
		"elip": "15×280 to 5e-05 | 5×64 to 5e-05 | 5×64 to 5e-05", "elip-itc": "15×280 to 5e-05 | 20×512 to 5e-05 | 20×512 to 5e-05",
		"clip-ensemble": "15×280 to 5e-05 | 20×512 to 5e-05 | 20×512 to 5e-05",
		"bayesvlm":      "1×2048 to 1e-06 | 1×2048 to 1e-06 | 1×2048 to 1e-06",
	} {
		var got []string
		for _, make := range []func(string) (Options, error){PaperOptions, DefaultOptions, SmallOptions} {
			o, err := make(id)
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, fmt.Sprintf("%d×%d to %g", o.Epochs, o.Batch, o.FinalRate))
		}
		if text := strings.Join(got, " | "); text != want {
			t.Errorf("%s: %s, want %s", id, text, want)
		}
	}
}

// The tables named in a method's file contain it, and the forms that differ from the tables name
// none.
func TestMethodsNameTheTablesThatHaveThem(t *testing.T) {
	for _, id := range Methods() {
		about := aboutOf(id)
		var printed []string
		for _, n := range published.All() {
			if n.Method == id && !slices.Contains(printed, n.Table) {
				printed = append(printed, n.Table)
			}
		}
		slices.Sort(printed)
		named := slices.DeleteFunc(strings.Split(about.Tables, ", "), func(table string) bool { return !strings.HasPrefix(table, "A.") })
		if !slices.Equal(named, printed) && about.Paper != ELIPPaper {
			t.Errorf("%s names the tables %q, package published has it in %q", id, about.Tables, printed)
		}
		if about.Form == Exact && about.Tables != "" {
			t.Errorf("%s is exact and of table %s", id, about.Tables)
		}
		if about.ID == "" || about.Title == "" {
			t.Errorf("%s has no title", id)
		}
	}
}

// A reader finds a method in the file named after it.
func TestEveryMethodHasItsConstantInOneFileWithItsFormulas(t *testing.T) {
	entries, err := os.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	homes := map[string]string{}
	for _, entry := range entries {
		name := entry.Name()
		if !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range file.Decls {
			if g, ok := d.(*ast.GenDecl); ok && g.Tok == token.CONST {
				takeIDs(t, homes, name, g)
			}
		}
	}
	for _, id := range Methods() {
		if homes[id] == "" {
			t.Errorf("no file has the constant of %s with a comment of its own", id)
		}
	}
	for id, want := range map[string]string{"asymvlm-vmf": "asymvlm_vmf.go", "siglip-psd": "asymvlm_psd.go", "prolip-full": "prolip.go",
		"bayesvlm-exact": "bayesvlm.go", "elip-itc": "elip.go", "clip-ensemble": "clip_ensemble.go", "determ-ft": "determ_ft.go"} {
		if homes[id] != want {
			t.Errorf("%s is in %s, want %s", id, homes[id], want)
		}
	}
}

// takeIDs records the ids of a constant declaration and checks that its comment contains the
// required parts.
func takeIDs(t *testing.T, homes map[string]string, name string, g *ast.GenDecl) {
	t.Helper()
	for _, spec := range g.Specs {
		for _, value := range spec.(*ast.ValueSpec).Values {
			literal, ok := value.(*ast.BasicLit)
			if !ok {
				continue
			}
			id := strings.Trim(literal.Value, `"`)
			if !slices.Contains(Methods(), id) {
				continue
			}
			if homes[id] != "" {
				t.Errorf("%s is in %s and in %s", id, homes[id], name)
			}
			homes[id] = name
			text := g.Doc.Text()
			for _, word := range []string{"Ranking", "Uncertainty", "Table"} {
				if !strings.Contains(text, word) {
					t.Errorf("%s: the comment of %s does not tell its %s", name, id, strings.ToLower(word))
				}
			}
			if id != CLIP && (!strings.Contains(text, "Defaults") && !strings.Contains(text, "unless chosen otherwise") || !strings.Contains(text, "nn.") && !strings.Contains(text, ".go")) {
				t.Errorf("%s: the comment of %s tells no defaults, or not where its mathematics is", name, id)
			}
		}
	}
}

func TestLookupFindsEveryMethodAndListsThemForAnotherName(t *testing.T) {
	for _, id := range Methods() {
		m, err := Lookup(id)
		if err != nil || m.About().ID != id {
			t.Errorf("%s: %v", id, err)
		}
	}
	for _, id := range []string{ProbVLM, BayesVLM, ProLIP} {
		options := smallOptions(id)
		options.Method += "-official"
		a := mustTrain(t, smallSet(20, 8), options)
		if a.Method() != id || a.Options().Method != id || IsOnePass(id+"-official") != IsOnePass(id) {
			t.Errorf("%s-official is trained as %s", id, a.Method())
		}
		if o, err := PaperOptions(id + "-official"); err != nil || o.Method != id {
			t.Errorf("%s-official has options of %q, %v", id, o.Method, err)
		}
		if m, err := Lookup(id + "-exact"); err != nil || m.About().Form != Exact {
			t.Errorf("%s has no exact form: %v", id, err)
		}
	}
	for _, id := range []string{"pfe-official", "probvlm-exact-official", "-official"} {
		if _, err := Lookup(id); err == nil {
			t.Errorf("%s is a method", id)
		}
	}
	_, err := Lookup("asymvlm")
	if err == nil || !strings.HasPrefix(err.Error(), `adapter: method "asymvlm", want one of asymvlm-vmf, asymvlm-psd, determ-ft, clip, `) || !strings.HasSuffix(err.Error(), "determ-ft-residual") {
		t.Errorf("error %v", err)
	}
}

// Only clip is untrained, texts have a concentration if the method has a distribution on the
// sphere, and coordinates have a variance if its means are frozen.
func TestMethodsTellWhatTheyGive(t *testing.T) {
	given := func(has func(About) bool) (ids []string) {
		for _, id := range Methods() {
			if has(aboutOf(id)) {
				ids = append(ids, id)
			}
		}
		return ids
	}
	for name, c := range map[string]struct{ got, want []string }{
		"untrained": {given(func(a About) bool { return !a.Trained }), []string{CLIP}},
		"one pass":  {given(func(a About) bool { return a.OnePass }), []string{BayesVLM, BayesVLMExact}},
		"concentrated": {given(func(a About) bool { return a.Concentrated }), []string{AsymVLMVonMisesFisher, AsymVLMPowerSpherical, AsymVLMVonMisesFisherExact,
			SymVLM, SymVLMMutual, AsymVLMGaussian, SigLIPVonMisesFisher, SigLIPPowerSpherical, SigLIPVonMisesFisherLog, ResidualVonMisesFisher, ResidualPowerSpherical}},
		"Gaussian": {given(func(a About) bool { return a.Gaussian }), []string{PFE, PCMEpp, ProLIP, ProLIPExact, ProLIPFull, ProLIPFullOfficial}},
	} {
		if !slices.Equal(c.got, c.want) {
			t.Errorf("%s: %q, want %q", name, c.got, c.want)
		}
	}
	for _, id := range []string{CLIP, BayesVLM, "none"} {
		if IsProbabilistic(id) || IsOnePass(id) != (id == BayesVLM) {
			t.Errorf("%s is taken for another", id)
		}
	}
	if m, err := Lookup(CLIP); err != nil {
		t.Error(err)
	} else if l, err := m.Learner(nil, Options{}, Shape{}); l != nil || err != nil {
		t.Errorf("clip learns %v, %v", l, err)
	} else if texts, images := m.Queries(nil, nn.Retrieved{}, nn.Representation{}, nn.Representation{}); texts != nil || images != nil {
		t.Errorf("queries of clip have the uncertainties %v and %v", texts, images)
	}
}
