package mathml

import (
	"encoding/xml"
	"errors"
	"io"
	"strings"
	"testing"
)

// inner returns the markup without the element math.
func inner(t *testing.T, formula string, display bool) string {
	t.Helper()
	markup, err := Convert(formula, display)
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSuffix(markup[strings.Index(markup, ">")+1:], "</math>")
}

func TestFormulasAreWrittenAsMathML(t *testing.T) {
	for formula, want := range map[string]string{
		`x`:                `<mi>x</mi>`,
		`x_1^2`:            `<msubsup><mi>x</mi><mn>1</mn><mn>2</mn></msubsup>`,
		`x^12`:             `<mrow><msup><mi>x</mi><mn>1</mn></msup><mn>2</mn></mrow>`,
		`x^{12}`:           `<msup><mi>x</mi><mn>12</mn></msup>`,
		`f'(x)`:            `<mrow><msup><mi>f</mi><mo>′</mo></msup><mo stretchy="false">(</mo><mi>x</mi><mo stretchy="false">)</mo></mrow>`,
		`-3.5.`:            `<mrow><mo>−</mo><mn>3.5</mn><mo>.</mo></mrow>`,
		`\frac12`:          `<mfrac><mn>1</mn><mn>2</mn></mfrac>`,
		`\frac{a}{\kappa}`: `<mfrac><mi>a</mi><mi>κ</mi></mfrac>`,
		`\sqrt[3]{x}`:      `<mroot><mi>x</mi><mn>3</mn></mroot>`,
		`\hat x`:           `<mover accent="true"><mi>x</mi><mo stretchy="false">^</mo></mover>`,
		`\mathbb R^d`:      `<msup><mi mathvariant="normal">ℝ</mi><mi>d</mi></msup>`,
		`\mathcal{L}`:      `<mi mathvariant="normal">ℒ</mi>`,
		`\text{if } x`:     "<mrow><mtext>if\u00a0</mtext><mi>x</mi></mrow>",
		`\log x`:           `<mrow><mrow><mi>log</mi><mo>&#8289;</mo></mrow><mspace width="0.167em"/><mi>x</mi></mrow>`,
		`\left(x\right.`:   `<mrow><mo fence="true" stretchy="true">(</mo><mi>x</mi><mo fence="true" stretchy="true"></mo></mrow>`,
		`\bigl\|`:          `<mo stretchy="true" minsize="1.2em" maxsize="1.2em">‖</mo>`,
		`a < b`:            `<mrow><mi>a</mi><mo>&lt;</mo><mi>b</mi></mrow>`,
		`\sum_i x`:         `<mrow><msub><mo largeop="true">∑</mo><mi>i</mi></msub><mi>x</mi></mrow>`,
		`\begin{pmatrix} a & b \\ c & d \end{pmatrix}`: `<mrow><mo fence="true" stretchy="true">(</mo><mtable><mtr><mtd style="text-align:center"><mi>a</mi></mtd>` +
			`<mtd style="text-align:center"><mi>b</mi></mtd></mtr><mtr><mtd style="text-align:center"><mi>c</mi></mtd><mtd style="text-align:center"><mi>d</mi></mtd></mtr></mtable><mo fence="true" stretchy="true">)</mo></mrow>`,
	} {
		if got := inner(t, formula, false); got != want {
			t.Errorf("%s:\n got %s\nwant %s", formula, got, want)
		}
	}
	if got := inner(t, `\sum_{i=1}^n`, true); !strings.HasPrefix(got, "<munderover>") {
		t.Errorf("a displayed sum is %s", got)
	}
}

func TestWhatIsNotKnownIsNamed(t *testing.T) {
	for formula, want := range map[string]string{
		`\unheard x`:             `\unheard is not known`,
		`{x`:                     `} is missing`,
		`x}`:                     `} is not expected`,
		`\frac{1}`:               `an argument is missing`,
		`\begin{tikz}`:           `\begin{tikz} is not known`,
		`\begin{matrix} a`:       `\end{matrix} is missing`,
		`\left( x`:               `\right is missing`,
		strings.Repeat("{", 200): `nested too deeply`,
	} {
		if _, err := Convert(formula, false); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", formula, err, want)
		}
	}
}

func TestFunctionsKeepAwayFromLettersOnly(t *testing.T) {
	const thin = `<mspace width="0.167em"/>`
	for formula, want := range map[string]int{
		`m\log x`: 2, `\log(x)`: 0, `2\log(x)`: 1, `(x)\log y`: 2, `-\log x`: 1, `(\log x)`: 1, `\log\log x`: 2, `\log_2 x`: 1, `\log\,x`: 0,
		`x^2\sin^2 y`: 2, `\operatorname{KL}(p)`: 0, `a=\exp(b)`: 0, `\frac12\ln\left(x\right)`: 2, `\sum_i\log x`: 1, `x y`: 0,
	} {
		if got := strings.Count(inner(t, formula, false), thin) - strings.Count(formula, `\,`); got != want {
			t.Errorf("%s: %d spaces, want %d", formula, got, want)
		}
	}
}

func TestLettersHaveTheirFont(t *testing.T) {
	for formula, want := range map[string]string{
		`\mathbf{x}`:          "𝐱",
		`\mathbf{1}`:          "𝟏",
		`\mathbb{1}`:          "𝟙",
		`\boldsymbol{\mu}`:    "𝝁",
		`\bm\Sigma`:           "𝜮",
		`\mathbf{\mu}`:        "μ", // as LaTeX does
		`\mathbf{\Gamma}`:     "𝚪",
		`\mathcal{N}`:         "𝒩",
		`\mathcal{B}`:         "ℬ",
		`\mathfrak{g}`:        "𝔤",
		`\mathsf{a}`:          "𝖺",
		`\mathtt{0}`:          "𝟶",
		`\mathrm{KL}`:         "KL",
		`\mathit{h}`:          "ℎ",
		`\mathcal{1}`:         "1",
		`\mathbf{x\mathrm y}`: "𝐱",
	} {
		if got := inner(t, formula, false); !strings.Contains(got, ">"+want+"<") {
			t.Errorf("%s: %s, want %s", formula, got, want)
		}
	}
}

func TestEveryFormHasItsElement(t *testing.T) {
	for formula, want := range map[string]string{
		`\binom{n}{k}`:            `<mrow><mo>(</mo><mfrac linethickness="0"><mi>n</mi><mi>k</mi></mfrac><mo>)</mo></mrow>`,
		`\tfrac12`:                `<mstyle displaystyle="false"><mfrac><mn>1</mn><mn>2</mn></mfrac></mstyle>`,
		`\dfrac12`:                `<mstyle displaystyle="true"><mfrac><mn>1</mn><mn>2</mn></mfrac></mstyle>`,
		`\overset{a}{=}`:          `<mover><mo>=</mo><mi>a</mi></mover>`,
		`\underset{a}{=}`:         `<munder><mo>=</mo><mi>a</mi></munder>`,
		`\underbrace{x}`:          `<munder accent="true"><mi>x</mi><mo stretchy="true">⏟</mo></munder>`,
		`\overline{xy}`:           `<mover accent="true"><mrow><mi>x</mi><mi>y</mi></mrow><mo stretchy="true">¯</mo></mover>`,
		`\not=`:                   "<mo>=\u0338</mo>",
		`\phantom{x}`:             `<mphantom><mi>x</mi></mphantom>`,
		`x\!y`:                    `<mrow><mi>x</mi><mspace width="-0.167em"/><mi>y</mi></mrow>`,
		`\operatorname{arg\,max}`: "<mrow><mi mathvariant=\"normal\">arg\u2009max</mi><mo>&#8289;</mo></mrow>",
		`\text{a < $x$}`:          "<mrow><mtext>a\u00a0&lt;\u00a0</mtext><mi>x</mi></mrow>",
		`|x|`:                     `<mrow><mo stretchy="false" lspace="0" rspace="0">|</mo><mi>x</mi><mo stretchy="false" lspace="0" rspace="0">|</mo></mrow>`,
		`f(x,y)`:                  `<mrow><mi>f</mi><mo stretchy="false">(</mo><mi>x</mi><mo separator="true">,</mo><mi>y</mi><mo stretchy="false">)</mo></mrow>`,
		`_2F_1`:                   `<mrow><msub><mrow></mrow><mn>2</mn></msub><msub><mi>F</mi><mn>1</mn></msub></mrow>`,
	} {
		if got := inner(t, formula, false); got != want {
			t.Errorf("%s:\n got %s\nwant %s", formula, got, want)
		}
	}
	if got := inner(t, `\begin{aligned} a &= b \\ &= c \end{aligned}`, true); strings.Count(got, "text-align:right") != 2 || strings.Count(got, "text-align:left") != 2 {
		t.Errorf("aligned: %s", got)
	}
}

func TestLimitsStandBelowInDisplayedFormulasOnly(t *testing.T) {
	for formula, want := range map[string][2]string{
		`\sum_i^n`:                             {"munderover", "msubsup"},
		`\max_x`:                               {"munder", "msub"},
		`\int_0^1`:                             {"msubsup", "msubsup"},
		`\int\limits_0^1`:                      {"munderover", "msubsup"},
		`\sum\nolimits_i`:                      {"msub", "msub"},
		`\begin{cases} \sum_i \end{cases}`:     {"msub", "msub"},
		`\begin{aligned} \sum_i \end{aligned}`: {"munder", "msub"},
	} {
		for i, display := range []bool{true, false} {
			if got := inner(t, formula, display); !strings.Contains(got, "<"+want[i]+">") {
				t.Errorf("%s, displayed: %v: %s, want %s", formula, display, got, want[i])
			}
		}
	}
}

// FuzzConvert checks that every formula is rejected or converted to well-formed XML.
func FuzzConvert(f *testing.F) {
	for _, seed := range []string{`\frac{1}{2}`, `\begin{cases} a & b \\ c \end{cases}`, `x_1^{2'}`, `\left\{ \hat{x} \right.`, `\not=`, `\`} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, formula string) {
		markup, err := Convert(formula, true)
		if err != nil {
			return
		}
		decoder := xml.NewDecoder(strings.NewReader(markup))
		for {
			if _, err := decoder.Token(); errors.Is(err, io.EOF) {
				return
			} else if err != nil {
				t.Fatalf("%q gives %s: %v", formula, markup, err)
			}
		}
	})
}
