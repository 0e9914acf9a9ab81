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
		`\log x`:           `<mrow><mrow><mi>log</mi><mo>&#8289;</mo></mrow><mi>x</mi></mrow>`,
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

// FuzzConvert checks that every formula is refused or written as well-formed XML.
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
