package export

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"gosphere/internal/lazyregexp"
	"gosphere/kernel/nbformat"
)

// LaTeX returns the figures of a notebook as files, in PDF if available and else PNG, and a file
// figures.tex with a figure environment for each, ready to be copied. A notebook without figures is
// an error.
func LaTeX(notebook *nbformat.Notebook) ([]File, error) {
	var tex strings.Builder
	tex.WriteString("% Figures of a notebook. The preamble needs \\usepackage{graphicx}.\n")
	var files []File
	names, labels := namer{}, namer{}
	for _, cell := range notebook.Cells {
		for i := range cell.Outputs {
			o := &cell.Outputs[i]
			stem := fmt.Sprintf("%s-%d", plainName(cell.ID), i+1)
			file := figureFile(o, stem, "application/pdf", "image/png", "image/jpeg")
			svg := figureFile(o, stem, "image/svg+xml")
			if file == nil {
				if svg != nil {
					svg.Name = names.name(svg.Name)
					files = append(files, *svg)
					fmt.Fprintf(&tex, "\n%% %s is a drawing that LaTeX cannot include as it is: make a PDF of it.\n", svg.Name)
				}
				continue
			}
			file.Name = names.name(file.Name)
			files = append(files, *file)
			caption, _, _ := strings.Cut(textOf(o, "text/plain"), "\n")
			caption = titleOf(strings.TrimSuffix(caption, kindOfFigure.FindString(caption)))
			label := labels.name(strings.TrimSuffix(stem, "-1"))
			fmt.Fprintf(&tex, "\n\\begin{figure}\n  \\centering\n  \\includegraphics[width=\\linewidth]{%s}\n  \\caption{%s}\n  \\label{fig:%s}\n\\end{figure}\n",
				file.Name, escaped(caption), label)
			if svg != nil {
				svg.Name = names.name(svg.Name)
				files = append(files, *svg)
			}
		}
	}
	if len(files) == 0 {
		return nil, errors.New("the notebook shows no figures")
	}
	return append(files, File{"figures.tex", []byte(tex.String())}), nil
}

// titleOf returns the title of a gonum/plot figure, whose text is plot "title". It returns other
// texts unchanged.
func titleOf(text string) string {
	if quoted, ok := strings.CutPrefix(text, "plot "); ok {
		if title, err := strconv.Unquote(quoted); err == nil {
			return title
		}
	}
	return text
}

// kindOfFigure matches the kind of a figure and its size in pixels, which the laboratory's figures
// append to their titles.
var kindOfFigure = lazyregexp.New(`( \([^()]*\))?, \d+×\d+$`)

// escaped escapes a text for LaTeX, except formulas between dollar signs.
func escaped(text string) string {
	parts := strings.Split(text, "$")
	for i := range parts {
		if i%2 == 0 || len(parts)%2 == 0 {
			parts[i] = special.Replace(parts[i])
		}
	}
	if len(parts)%2 == 0 { // an unpaired dollar sign
		return strings.Join(parts, `\$`)
	}
	return strings.Join(parts, "$")
}

// special escapes the special characters of LaTeX, and Greek letters, which most of its fonts lack.
var special = strings.NewReplacer(`\`, `\textbackslash{}`, "&", `\&`, "%", `\%`, "#", `\#`, "_", `\_`, "{", `\{`, "}", `\}`, "~", `\textasciitilde{}`,
	"^", `\textasciicircum{}`, "κ", `$\kappa$`, "μ", `$\mu$`, "τ", `$\tau$`, "ρ", `$\rho$`, "σ", `$\sigma$`, "λ", `$\lambda$`, "α", `$\alpha$`,
	"β", `$\beta$`, "θ", `$\theta$`, "π", `$\pi$`, "×", `$\times$`, "−", `$-$`, "²", `\textsuperscript{2}`, "≤", `$\le$`, "≥", `$\ge$`)
