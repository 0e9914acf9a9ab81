package sweep

import (
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const example = `
dataset = "world"
method = ["asymvlm-vmf", "asymvlm-psd"]
seeds = [0, 1, 5]
[flags]
schedule = "small"
validation = 0.2
constant = true
[grid]
lr = [0.01, 0.1]
hidden = [64, 256]
[random]
draws = 3
seed = 4
[random.values]
weight-decay = {from = 1e-5, to = 1e-2, log = true}
batch = {of = [64, 128]}
warm-up = {from = 1, to = 50, integer = true}
`

func TestAPlanIsEveryCombinationOfTheGridWithEveryDraw(t *testing.T) {
	p, err := Parse([]byte(example))
	if err != nil {
		t.Fatal(err)
	}
	if p.Dataset != "world" || p.Split != "train" || p.Seeds != "0,1,5" || !slices.Equal(p.Methods, []string{"asymvlm-vmf", "asymvlm-psd"}) ||
		p.Fixed.String() != "constant=true schedule=small validation=0.2" || !slices.Equal(p.Axes(), []string{"batch", "hidden", "lr", "warm-up", "weight-decay"}) {
		t.Errorf("%+v", p)
	}
	folders := map[string]bool{}
	for _, point := range p.Points {
		folders[point.Folder()] = true
		decay, _ := strconv.ParseFloat(point.Value("weight-decay"), 64)
		if warm, err := strconv.Atoi(point.Value("warm-up")); err != nil || warm < 1 || warm > 50 || decay < 1e-5 || decay > 1e-2 || len(point.Value("weight-decay")) > 8 {
			t.Errorf("point %s", point)
		}
	}
	if len(p.Points) != 12 || len(folders) != 12 {
		t.Errorf("%d points in %d folders, want 12", len(p.Points), len(folders))
	}
	again, _ := Parse([]byte(example))
	other, _ := Parse([]byte(strings.Replace(example, "seed = 4", "seed = 5", 1)))
	if again.Points[3].String() != p.Points[3].String() || other.Points[3].String() == p.Points[3].String() {
		t.Error("the seed does not decide on the draws")
	}
	if flags := p.Points[0][:2].Flags(); !slices.Equal(flags, []string{"--batch=" + p.Points[0].Value("batch"), "--hidden=64"}) {
		t.Errorf("flags %q", flags)
	}
}

// The logarithms of draws from 1e-5 to 1e-2 have the mean −3.5 and the standard deviation 3/√12, so
// the mean of 300 is known to 0.05.
func TestLogarithmsAreDrawnUniformly(t *testing.T) {
	p, err := Parse([]byte("[random]\ndraws = 300\n[random.values]\nlr = {from = 1e-5, to = 1e-2, log = true}\n"))
	if err != nil {
		t.Fatal(err)
	}
	sum := 0.0
	for _, point := range p.Points {
		x, _ := strconv.ParseFloat(point.Value("lr"), 64)
		sum += math.Log10(x)
	}
	if mean := sum / float64(len(p.Points)); math.Abs(mean+3.5) > 0.15 {
		t.Errorf("mean %g, want −3.5", mean)
	}
}

func TestAPlanWithoutAnythingIsOneTraining(t *testing.T) {
	p, err := Parse(nil)
	if err != nil || len(p.Points) != 1 || p.Points[0].Folder() != "all" || p.Seeds != "0" || len(p.Axes()) != 0 {
		t.Errorf("%+v, %v", p, err)
	}
}

func TestFoldersAreNamesThatFileSystemsTake(t *testing.T) {
	a, b := Point{{"x", "a/b c"}}.Folder(), Point{{"x", "a%2fb c"}}.Folder()
	if a != "x=a%2fb,c" || a == b {
		t.Errorf("%q and %q", a, b)
	}
}

func TestWrongPlansAreRefused(t *testing.T) {
	for text, want := range map[string]string{
		"metod = \"clip\"":                                                      "key metod is not known",
		"[grid]\nlr = []":                                                       "lr is an empty list",
		"[grid]\nlr = [0.1, 0.1]":                                               "lr has the value 0.1 twice",
		"[grid]\nlr = [[0.1]]":                                                  "lr is [0.1], want a text, a number",
		"[flags]\nseeds = 3":                                                    "seeds cannot be a flag of a plan; it belongs to: seeds, above all tables",
		"[flags]\nlr = 1\n[grid]\nlr = [2]":                                     "lr is set twice",
		"[flags]\n\"--lr\" = 1\n[grid]\n\"L R\" = 1":                            `flag "L R"`,
		"[random]\ndraws = 2":                                                   "2 draws of nothing",
		"[random.values]\nlr = {from = 1.0, to = 2.0}":                          "0 draws, want from 1",
		"[random]\ndraws = 1\n[random.values]\nlr = {from = 1.0}":               "lr wants either of",
		"[random]\ndraws = 1\n[random.values]\nlr = {from=2.0,to=1.0}":          "lr from 2 to 1, want a smaller and a larger number",
		"[random]\ndraws = 1\n[random.values]\nlr = {from=0.0,to=1.0,log=true}": "above 0 with log",
		"dataset = 3":                                                           "incompatible types",
	} {
		if p, err := Parse([]byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: error %v, plan %+v, want %q", text, err, p, want)
		}
	}
	path := filepath.Join(t.TempDir(), "a.toml")
	if err := os.WriteFile(path, []byte("["), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := Read(path); err == nil || !strings.Contains(err.Error(), path) {
		t.Errorf("error %v, want the path in it", err)
	}
	if _, err := Read(path + "x"); err == nil {
		t.Error("no error for a file that is not there")
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(example))
	f.Add([]byte("[random]\ndraws = 1\n[random.values]\nlr = {of = [1, true]}"))
	f.Fuzz(func(t *testing.T, text []byte) {
		p, err := Parse(text)
		if err != nil {
			return
		}
		for _, point := range p.Points {
			if name := point.Folder(); name == "" || strings.ContainsAny(name, `/\:`) {
				t.Errorf("folder %q", name)
			}
		}
	})
}
