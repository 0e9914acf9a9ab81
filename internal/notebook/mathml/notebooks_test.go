package mathml

import (
	"html"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"gosphere/kernel/nbformat"
)

// claimed contains, for every command in formulas of the notebooks, a formula and its expected
// markup.
var claimed = map[string][2]string{
	`\!`:              {`a\!b`, `<mspace width="-0.167em"/>`},
	`\,`:              {`a\,b`, `<mi>a</mi><mspace width="0.167em"/><mi>b</mi>`},
	`\;`:              {`a\;b`, `<mi>a</mi><mspace width="0.278em"/><mi>b</mi>`},
	`\quad`:           {`a\quad b`, `<mspace width="1em"/>`},
	`\qquad`:          {`a\qquad b`, `<mspace width="2em"/>`},
	`\big`:            {`\big|x\big|`, `<mo stretchy="true" minsize="1.2em" maxsize="1.2em">|</mo><mi>x</mi>`},
	`\bigl`:           {`\bigl[`, `<mo stretchy="true" minsize="1.2em" maxsize="1.2em">[</mo>`},
	`\bigr`:           {`\bigr)`, `<mo stretchy="true" minsize="1.2em" maxsize="1.2em">)</mo>`},
	`\Bigl`:           {`\Bigl(`, `<mo stretchy="true" minsize="1.8em" maxsize="1.8em">(</mo>`},
	`\Bigr`:           {`\Bigr\}`, `<mo stretchy="true" minsize="1.8em" maxsize="1.8em">}</mo>`},
	`\left`:           {`\left[\frac12\right)`, `<mrow><mo fence="true" stretchy="true">[</mo><mfrac><mn>1</mn><mn>2</mn></mfrac><mo fence="true" stretchy="true">)</mo></mrow>`},
	`\right`:          {`\left.x\right|_0`, `<msub><mrow><mo fence="true" stretchy="true"></mo><mi>x</mi><mo fence="true" stretchy="true">|</mo></mrow><mn>0</mn></msub>`},
	`\{`:              {`\{x\}`, `<mo>{</mo><mi>x</mi><mo>}</mo>`},
	`\}`:              {`\{x\}`, `<mo>}</mo>`},
	`\|`:              {`\|x\|`, `<mo stretchy="false" lspace="0" rspace="0">‖</mo><mi>x</mi>`},
	`\mid`:            {`p(x\mid y)`, `<mi>x</mi><mo>∣</mo><mi>y</mi>`},
	`\frac`:           {`\frac{\partial\ell}{\partial\mu}`, `<mfrac><mrow><mi>∂</mi><mi>ℓ</mi></mrow><mrow><mi>∂</mi><mi>μ</mi></mrow></mfrac>`},
	`\dfrac`:          {`\dfrac d2`, `<mstyle displaystyle="true"><mfrac><mi>d</mi><mn>2</mn></mfrac></mstyle>`},
	`\tfrac`:          {`\tfrac d2`, `<mstyle displaystyle="false"><mfrac><mi>d</mi><mn>2</mn></mfrac></mstyle>`},
	`\sqrt`:           {`\sqrt{2\pi}`, `<msqrt><mrow><mn>2</mn><mi>π</mi></mrow></msqrt>`},
	`\sum`:            {`\sum_{i=1}^B`, `<munderover><mo largeop="true">∑</mo><mrow><mi>i</mi><mo>=</mo><mn>1</mn></mrow><mi>B</mi></munderover>`},
	`\prod`:           {`\prod_j`, `<munder><mo largeop="true">∏</mo><mi>j</mi></munder>`},
	`\int`:            {`\int_{-1}^1`, `<msubsup><mo largeop="true">∫</mo><mrow><mo>−</mo><mn>1</mn></mrow><mn>1</mn></msubsup>`},
	`\lim`:            {`\lim_{\kappa\to\infty}`, `<munder><mrow><mi>lim</mi><mo>&#8289;</mo></mrow><mrow><mi>κ</mi><mo>→</mo><mi>∞</mi></mrow></munder>`},
	`\det`:            {`\det A`, `<mi>det</mi><mo>&#8289;</mo></mrow>` + thin + `<mi>A</mi>`},
	`\log`:            {`\log_2 x`, `<msub><mrow><mi>log</mi><mo>&#8289;</mo></mrow><mn>2</mn></msub>`},
	`\ln`:             {`\ln(x)`, `<mi>ln</mi><mo>&#8289;</mo></mrow><mo stretchy="false">(</mo>`},
	`\exp`:            {`\exp\bigl(x\bigr)`, `<mi>exp</mi>`},
	`\cos`:            {`\cos\theta`, `<mi>cos</mi><mo>&#8289;</mo></mrow>` + thin + `<mi>θ</mi>`},
	`\sinh`:           {`\sinh\kappa`, `<mi>sinh</mi>`},
	`\operatorname`:   {`\operatorname{KL}(p\|q)`, `<mrow><mi mathvariant="normal">KL</mi><mo>&#8289;</mo></mrow><mo stretchy="false">(</mo>`},
	`\hat`:            {`\hat\mu`, `<mover accent="true"><mi>μ</mi><mo stretchy="false">^</mo></mover>`},
	`\bar`:            {`\bar R`, `<mover accent="true"><mi>R</mi><mo stretchy="false">¯</mo></mover>`},
	`\tilde`:          {`\tilde x_i`, `<msub><mover accent="true"><mi>x</mi><mo stretchy="false">~</mo></mover><mi>i</mi></msub>`},
	`\mathrm`:         {`\mathrm{ppl}`, `<mi mathvariant="normal">ppl</mi>`},
	`\mathsf`:         {`\mathsf T`, `<mi mathvariant="normal">𝖳</mi>`},
	`\mathcal`:        {`\mathcal{L}_\mathrm{inc}`, `<msub><mi mathvariant="normal">ℒ</mi><mi mathvariant="normal">inc</mi></msub>`},
	`\mathbb`:         {`\mathbb{E}`, `<mi mathvariant="normal">𝔼</mi>`},
	`\text`:           {`1 \text{ if } r = s`, "<mtext>\u00a0if\u00a0</mtext>"},
	`\begin`:          {`\begin{cases}+1 & r=s\\ -1 & r\ne s,\end{cases}`, `<mo fence="true" stretchy="true">{</mo><mtable><mtr><mtd style="text-align:left">`},
	`\end`:            {`\begin{cases}a\end{cases}b`, `</mtable></mrow><mi>b</mi>`},
	`\\`:              {`\begin{cases}a\\b\end{cases}`, `<mi>a</mi></mtd></mtr><mtr><mtd style="text-align:left"><mi>b</mi>`},
	`\textstyle`:      {`\textstyle x`, `<mi>x</mi>`},
	`\dots`:           {`x_1,\dots,x_n`, `<mo separator="true">,</mo><mo>…</mo><mo separator="true">,</mo>`},
	`\pm`:             {`\pm1`, `<mo>±</mo><mn>1</mn>`},
	`\times`:          {`d\times d`, `<mo>×</mo>`},
	`\cdot`:           {`a\cdot b`, `<mo>⋅</mo>`},
	`\otimes`:         {`A\otimes B`, `<mo>⊗</mo>`},
	`\approx`:         {`a\approx b`, `<mo>≈</mo>`},
	`\sim`:            {`x\sim p`, `<mo>∼</mo>`},
	`\propto`:         {`p\propto q`, `<mo>∝</mo>`},
	`\le`:             {`a\le b`, `<mo>≤</mo>`},
	`\ge`:             {`a\ge b`, `<mo>≥</mo>`},
	`\ne`:             {`a\ne b`, `<mo>≠</mo>`},
	`\ll`:             {`a\ll b`, `<mo>≪</mo>`},
	`\in`:             {`x\in S`, `<mo>∈</mo>`},
	`\subset`:         {`A\subset B`, `<mo>⊂</mo>`},
	`\to`:             {`x\to 0`, `<mo>→</mo>`},
	`\Rightarrow`:     {`a\Rightarrow b`, `<mo>⇒</mo>`},
	`\Longrightarrow`: {`a\Longrightarrow b`, `<mo>⟹</mo>`},
	`\square`:         {`\square`, `<mi>□</mi>`},
	`\infty`:          {`\infty`, `<mi>∞</mi>`},
	`\partial`:        {`\partial`, `<mi>∂</mi>`},
	`\nabla`:          {`\nabla f`, `<mi>∇</mi><mi>f</mi>`},
	`\Vert`:           {`p\,\Vert\,q`, `<mo stretchy="false" lspace="0" rspace="0">‖</mo>`},
	`\coth`:           {`\coth\kappa`, `<mi>coth</mi>`},
	`\ell`:            {`\ell`, `<mi>ℓ</mi>`},
	`\top`:            {`x^\top y`, `<msup><mi>x</mi><mi>⊤</mi></msup><mi>y</mi>`},
	`\varphi`:         {`\varphi`, `<mi>φ</mi>`},
}

// greek are the letters that the notebooks use by their Unicode names.
var greek = map[string]string{
	`\alpha`: "α", `\beta`: "β", `\eta`: "η", `\theta`: "θ", `\iota`: "ι", `\kappa`: "κ", `\lambda`: "λ", `\mu`: "μ", `\nu`: "ν", `\pi`: "π", `\rho`: "ρ",
	`\sigma`: "σ", `\tau`: "τ", `\psi`: "ψ", `\Gamma`: "Γ", `\Lambda`: "Λ", `\Sigma`: "Σ", `\Phi`: "Φ",
}

func TestEveryCommandIsWrittenAsClaimed(t *testing.T) {
	for command, claim := range claimed {
		if !strings.Contains(claim[0], command) {
			t.Errorf("the claim on %s does not use it: %s", command, claim[0])
		}
		if got := inner(t, claim[0], true); !strings.Contains(got, claim[1]) {
			t.Errorf("%s becomes\n%s\nwant %s", claim[0], got, claim[1])
		}
	}
	for command, letter := range greek {
		if got := inner(t, command, false); got != "<mi>"+letter+"</mi>" {
			t.Errorf("%s becomes %s", command, got)
		}
	}
}

var (
	codeInText = regexp.MustCompile("(?s)```.*?```|`[^`\n]*`")
	inDollars  = regexp.MustCompile(`(?s)\$\$(.*?)\$\$|\$([^$\s][^$]*?)\$`)
	commands   = regexp.MustCompile(`\\([A-Za-z]+|.)`)
)

// formulas returns the formulas in text cells of all notebooks.
func formulas(t *testing.T) (list []string) {
	t.Helper()
	err := fs.WalkDir(os.DirFS("../../../notebooks"), ".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, ".ipynb") || strings.Contains(path, "testdata") {
			return err
		}
		notebook, err := nbformat.ReadFile(filepath.Join("../../../notebooks", path))
		if err != nil {
			return err
		}
		for _, cell := range notebook.Cells {
			if cell.Type != nbformat.Markdown {
				continue
			}
			for _, found := range inDollars.FindAllStringSubmatch(codeInText.ReplaceAllString(cell.Source, ""), -1) {
				list = append(list, found[1]+found[2])
			}
		}
		return nil
	})
	if err != nil || len(list) < 100 {
		t.Fatalf("%d formulas, %v", len(list), err)
	}
	return list
}

func TestNoNotebookUsesACommandThatNobodyLookedAt(t *testing.T) {
	for _, formula := range formulas(t) {
		for _, command := range commands.FindAllString(formula, -1) {
			if _, ok := claimed[command]; !ok && greek[command] == "" {
				t.Errorf("%s in $%s$ has no claim in this file", command, formula)
			}
		}
	}
}

// TestFormulasOfNotebooksLoseNoLetter compares the letters and digits of each formula, without its
// commands, with those in its markup.
func TestFormulasOfNotebooksLoseNoLetter(t *testing.T) {
	tags := regexp.MustCompile(`<[^>]*>|&#8289;`)
	plain := func(text string) (list []string) {
		return regexp.MustCompile(`[A-Za-z0-9]`).FindAllString(text, -1)
	}
	for _, formula := range formulas(t) {
		markup, err := Convert(formula, true)
		if err != nil {
			t.Errorf("%s: %v", formula, err)
			continue
		}
		text := regexp.MustCompile(`\\(begin|end)\{\w+\}|\\math(bb|cal|sf|bf)\s*(\{[^}]*\}|\w)`).ReplaceAllString(formula, " ")
		text = regexp.MustCompile(`\\(log|ln|exp|cos|sinh|coth|det|lim|max|min)(?:\b|_)`).ReplaceAllString(text, " $1")
		text = commands.ReplaceAllString(strings.ReplaceAll(text, `\\`, " "), " ")
		if got, want := strings.Join(plain(html.UnescapeString(tags.ReplaceAllString(markup, " "))), ""), strings.Join(plain(text), ""); len(got) != len(want) {
			t.Errorf("%s shows the letters %s, want %s", formula, got, want)
		}
	}
}
