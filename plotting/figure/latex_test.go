package figure

import (
	"math"
	"slices"
	"strings"
	"testing"

	xfont "golang.org/x/image/font"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/recorder"

	"gosphere/plotting/colormap"
)

// labelFace is the font of labels.
func labelFace() font.Font { return sans(labelSize, colormap.Ink, false).Font }

// parts returns the segments of a line, with formulas in brackets.
func parts(line string) string {
	var list []string
	for _, s := range handler.segments(line, labelFace()) {
		if s.set != nil {
			s.words = "[" + s.words + "]"
		}
		list = append(list, s.words)
	}
	return strings.Join(list, "|")
}

func TestFormulasAreWhatStandsBetweenDollarSigns(t *testing.T) {
	for line, want := range map[string]string{
		"":                                  "",
		"no formula":                        "no formula",
		"$x$":                               "[$x$]",
		"$x$$y$":                            "[$x$]|[$y$]",
		"κ is $\\kappa$, d is $d = 512$":    "κ is |[$\\kappa$]|, d is |[$d = 512$]",
		"from $5 to $6":                     "from $5 to $6",
		"$5 and $x$":                        "$5 and |[$x$]",
		"$x $ is open":                      "$x $ is open",
		"$ x$ is not opened":                "$ x$ is not opened",
		"$$":                                "$$",
		"one $":                             "one $",
		"$x":                                "$x",
		"$\\$5$ are five dollars":           "[$\\$5$]| are five dollars",
		"$\\nonsense$ stays, $\\alpha$ not": "$\\nonsense$ stays, |[$\\alpha$]| not",
		"$x^{2$ stays":                      "$x^{2$ stays",
		"$x}$ stays":                        "$x}$ stays",
		"$x$2":                              "$x$2",
	} {
		if got := parts(line); got != want {
			t.Errorf("%q is cut as %q, want %q", line, got, want)
		}
	}
}

func TestFormulasThatAreNotKnownSayWhy(t *testing.T) {
	for words, want := range map[string]string{
		`\nonsense x`:                     `\nonsense is not known`,
		`x_`:                              "an argument is missing",
		`x^{2`:                            "} is missing",
		`x}2`:                             "} is not expected",
		`x_1_2`:                           "two indices or two exponents",
		`x^1^2`:                           "two indices or two exponents",
		`\frac{a}`:                        "an argument is missing",
		`a & b`:                           "& is not expected",
		`\mathbf{`:                        "} is missing",
		`\hat`:                            "an argument is missing",
		`\sqrt`:                           "an argument is missing",
		`\begin{pmatrix}1\end`:            `\end{pmatrix} is missing`,
		`\begin{cases} 1 & 2 \end{cases}`: `labels have no lines for \begin{cases}`,
		`\mathbb R`:                       "labels have no double letters",
		`\sqrt[3]{x}`:                     "labels do not know roots with a degree",
		`\overbrace{x}`:                   `labels do not know \overbrace`,
		`\overset{a}{b}`:                  `labels do not know \overset`,
		`\not=`:                           `labels do not know \not`,
		`\binom{n}{k}`:                    `labels do not know \binom`,
		`\Longrightarrow`:                 "labels have no letter ⟹",
	} {
		if _, err := setFormula(words, labelFace()); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %s", words, err, want)
		}
	}
}

func TestEverySymbolOfThisFieldHasALetterInTheFont(t *testing.T) {
	names := "alpha beta gamma delta epsilon varepsilon zeta eta theta iota kappa lambda mu nu xi pi rho sigma tau upsilon phi varphi chi psi omega " +
		"Gamma Delta Theta Lambda Xi Pi Sigma Phi Psi Omega ell sum prod int infty partial cdot times pm le leq ge geq ne neq approx to rightarrow " +
		"leftarrow ldots dots circ prime % { } $ _ | lVert rVert mid sim ast lvert"
	for name := range strings.FieldsSeq(names) {
		for _, bold := range []bool{false, true} {
			face := labelFace()
			if bold {
				face.Weight = xfont.WeightBold
			}
			if _, err := setFormula(`\`+name, face); err != nil {
				t.Errorf("bold %v: %v", bold, err)
			}
		}
	}
}

func TestBracketsGrowWithWhatTheyHold(t *testing.T) {
	box := func(words string) mathBox {
		set, err := setFormula(words, labelFace())
		if err != nil {
			t.Fatal(err)
		}
		return set
	}
	low, high, plain := box(`\left(x\right)`), box(`\left(\frac{x}{y}\right)`), box(`(x)`)
	if math.Abs(float64(low.width-plain.width)) > 1e-9 {
		t.Errorf("brackets around a letter are %g wide, usual ones %g", low.width, plain.width)
	}
	fraction := box(`\frac{x}{y}`)
	if high.width-fraction.width <= low.width-box("x").width || high.above < fraction.above-0.3 || high.below < fraction.below-0.3 {
		t.Errorf("brackets around a fraction: %+v, the fraction %+v", high, fraction)
	}
	if open := box(`\left.x\right|`); open.width >= low.width {
		t.Errorf("one bracket is %g wide, two %g", open.width, low.width)
	}
	if big := box(`\Bigl(`); big.above <= box("(").above {
		t.Errorf("a big bracket reaches %g above", big.above)
	}
}

func TestScriptsAreSmallerAndBesideTheirBase(t *testing.T) {
	set := func(words string) mathBox {
		box, err := setFormula(words, labelFace())
		if err != nil {
			t.Fatal(err)
		}
		return box
	}
	x, two := set("x"), set("2")
	for _, words := range []string{"x^2", "x_2", "x_2^2", "x^2_2", "{x}^{2}"} {
		box := set(words)
		if script := float64(box.width - x.width); script <= float64(two.width)*0.6 || script >= float64(two.width) {
			t.Errorf("%s: the script is %g wide, a digit %g", words, script, two.width)
		}
	}
	if above := set("x^2"); above.above <= x.above || above.below != x.below {
		t.Errorf("an exponent reaches %g above and %g below", above.above, above.below)
	}
	if below := set("x_2"); below.below <= x.below || below.above != x.above {
		t.Errorf("an index reaches %g above and %g below", below.above, below.below)
	}
	if both := set("x_2^2"); math.Abs(float64(both.width-set("x^2").width)) > 1e-9 {
		t.Errorf("index and exponent are not below each other: %g wide", both.width)
	}
	for _, words := range []string{`\frac{x}{2}`, `\sqrt{x}`} {
		if box := set(words); box.width <= x.width || box.above <= x.above {
			t.Errorf("%s is not larger than x: %+v", words, box)
		}
	}
}

func TestSpacesOfTheSourceDoNotShow(t *testing.T) {
	width := func(words string) float64 {
		box, err := setFormula(words, labelFace())
		if err != nil {
			t.Fatal(err)
		}
		return float64(box.width)
	}
	for _, same := range [][2]string{{"a+b", "a + b"}, {`\alpha x`, `\alpha   x`}, {"{a} {b}", "ab"}, {"x ^ 2", "x^2"}} {
		if a, b := width(same[0]), width(same[1]); math.Abs(a-b) > 1e-9 {
			t.Errorf("%q is %g wide, %q %g", same[0], a, same[1], b)
		}
	}
	if width(`a\,b`) <= width("ab") || width(`a\;b`) <= width(`a\,b`) || width(`a\!b`) >= width("ab") {
		t.Error("explicit spaces have the wrong order")
	}
	if width("a-b") <= width("-ab") {
		t.Error("a sign has the room of an operation")
	}
}

func TestUprightWordsAndItalicLetters(t *testing.T) {
	for letter, upright := range map[rune]bool{'x': false, 'K': false, 'κ': false, 'Σ': true, '3': true, 'ℓ': true, '∑': true, '(': true} {
		if got := symbolStyle(letter) == 0; got != upright {
			t.Errorf("%c is upright: %v", letter, got)
		}
	}
	log, err := setFormula(`\log`, labelFace())
	letters, err2 := setFormula("log", labelFace())
	if err != nil || err2 != nil || log.width == letters.width {
		t.Errorf("a function is set as %g wide, three letters %g, %v, %v", log.width, letters.width, err, err2)
	}
}

// drawn returns the drawing operations for a line.
func drawn(line string, change func(*recorder.Canvas, *draw.TextStyle)) (texts []recorder.FillString, fills []recorder.Fill) {
	var canvas recorder.Canvas
	style := sans(labelSize, colormap.Ink, false)
	if change != nil {
		change(&canvas, &style)
	}
	handler.Draw(&canvas, line, style, vg.Point{X: 100, Y: 50})
	for _, action := range canvas.Actions {
		switch action := action.(type) {
		case *recorder.FillString:
			texts = append(texts, *action)
		case *recorder.Fill:
			fills = append(fills, *action)
		}
	}
	return texts, fills
}

func TestWordsBesideFormulasKeepTheBaselineOfPlainText(t *testing.T) {
	for _, align := range []draw.YAlignment{draw.YTop, draw.YCenter, draw.YBottom} {
		set := func(_ *recorder.Canvas, style *draw.TextStyle) { style.YAlign = align }
		plain, none := drawn("uncertainty", set)
		mixed, shapes := drawn("uncertainty $u = 1$", set)
		if len(plain) != 1 || len(none) != 0 || len(mixed) != 1 || len(shapes) != 3 {
			t.Fatalf("%d and %d texts, %d and %d shapes", len(plain), len(mixed), len(none), len(shapes))
		}
		if plain[0].Point.X != mixed[0].Point.X || math.Abs(float64(plain[0].Point.Y-mixed[0].Point.Y)) > 1e-9 {
			t.Errorf("alignment %v: at %v beside a formula, at %v without", align, mixed[0].Point, plain[0].Point)
		}
	}
}

// bounds returns the bounding box of shapes.
func bounds(fills []recorder.Fill) vg.Rectangle {
	box := vg.Rectangle{Min: vg.Point{X: 1e9, Y: 1e9}, Max: vg.Point{X: -1e9, Y: -1e9}}
	for _, fill := range fills {
		for _, part := range fill.Path {
			if part.Type == vg.CloseComp {
				continue
			}
			box.Min.X, box.Max.X = min(box.Min.X, part.Pos.X), max(box.Max.X, part.Pos.X)
			box.Min.Y, box.Max.Y = min(box.Min.Y, part.Pos.Y), max(box.Max.Y, part.Pos.Y)
		}
	}
	return box
}

func TestFormulasStayInTheBoxTheyAnnounce(t *testing.T) {
	for _, words := range []string{"$x_i^2$", `$\frac{\alpha}{\beta+1}$`, `$\sqrt{x_i}$`, `$\hat{x} \bar{K} \tilde{z}$`, `$F_d(\kappa)$`, `$\mathbf{z}$`, `$\log \kappa$`, `$\frac{\frac{a}{b}}{c}$`} {
		width, height, depth := handler.Box(words, labelFace())
		_, fills := drawn(words, nil)
		box := bounds(fills)
		_, plainFills := drawn("$x$", nil)
		baseline := bounds(plainFills).Min.Y // x is on the baseline, except for its overshoot
		const slack = 1.2
		if box.Min.X < 100-slack || box.Max.X > 100+width+slack || box.Max.Y > baseline+height+slack || box.Min.Y < baseline-depth-slack {
			t.Errorf("%s: box of %.1f, %.1f and %.1f, drawn from %v to %v above the baseline %.1f", words, width, height, depth, box.Min, box.Max, baseline)
		}
	}
}

func TestTextIsAlignedByItsWholeWidth(t *testing.T) {
	const line = "the $\\kappa$ of captions"
	width, _, _ := handler.Box(line, labelFace())
	left, _ := drawn(line, nil)
	right, _ := drawn(line, func(_ *recorder.Canvas, style *draw.TextStyle) { style.XAlign = draw.XRight })
	if len(left) != 2 || len(right) != 2 {
		t.Fatalf("%d and %d texts", len(left), len(right))
	}
	for i := range left {
		if moved := left[i].Point.X - right[i].Point.X; math.Abs(float64(moved-width)) > 1e-9 {
			t.Errorf("%q is moved by %g, want the width %g", left[i].String, moved, width)
		}
	}
}

func TestLinesStandBelowEachOther(t *testing.T) {
	texts, _ := drawn("first $a$\nsecond $b$", nil)
	if len(texts) != 2 || texts[0].String != "first " || texts[1].String != "second " || texts[0].Point.Y-texts[1].Point.Y != labelSize {
		t.Errorf("drawn %v", texts)
	}
}

func TestRotatedTextTurnsTheCanvas(t *testing.T) {
	var canvas recorder.Canvas
	style := sans(labelSize, colormap.Ink, false)
	style.Rotation = math.Pi / 2
	handler.Draw(&canvas, "a $b$", style, vg.Point{X: 7, Y: 9})
	var calls []string
	for _, action := range canvas.Actions {
		calls = append(calls, strings.SplitN(action.Call(), "(", 2)[0])
	}
	if !slices.Contains(calls, "Rotate") || calls[0] != "Push" || calls[len(calls)-1] != "Pop" {
		t.Errorf("calls %v", calls)
	}
}

func TestFormulasAreShapesInEveryFormat(t *testing.T) {
	f := Lines("$\\kappa$", "$\\sigma^2$", Series{Name: "$F_d$", Values: rising(3)})
	svg, err := f.SVG()
	if err != nil {
		t.Fatal(err)
	}
	for _, words := range []string{"kappa", "sigma", "$", "κ"} {
		if strings.Contains(string(svg), words) {
			t.Errorf("the drawing has the text %q", words)
		}
	}
	if _, err := f.PDF(); err != nil {
		t.Error(err)
	}
}

func FuzzLabelsWithAnyTextCanBeDrawn(f *testing.F) {
	for _, seed := range []string{"$x_1^{2}$", `$\frac{a}{b} \hat x$`, "$", "$$$", `$\$`, `$\sqrt{\mathbf{z}}$`, "${{{$", "$x_{^}$", "$\xff$", `$\\$`, `$\é$`} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, words string) {
		width, height, depth := handler.Box(strings.ReplaceAll(words, "\n", " "), labelFace())
		if math.IsNaN(float64(width+height+depth)) || height < 0 || depth < 0 {
			t.Errorf("%q has a box of %g, %g and %g", words, width, height, depth)
		}
		var canvas recorder.Canvas
		handler.Draw(&canvas, words, sans(labelSize, colormap.Ink, false), vg.Point{})
	})
}
