package mathml

// letters are identifiers by the names of their commands.
var letters = map[string]string{
	"alpha": "α", "beta": "β", "gamma": "γ", "delta": "δ", "epsilon": "ϵ", "varepsilon": "ε", "zeta": "ζ", "eta": "η", "theta": "θ",
	"vartheta": "ϑ", "iota": "ι", "kappa": "κ", "lambda": "λ", "mu": "μ", "nu": "ν", "xi": "ξ", "pi": "π", "rho": "ρ", "sigma": "σ",
	"tau": "τ", "upsilon": "υ", "phi": "ϕ", "varphi": "φ", "chi": "χ", "psi": "ψ", "omega": "ω",
	"Gamma": "Γ", "Delta": "Δ", "Theta": "Θ", "Lambda": "Λ", "Xi": "Ξ", "Pi": "Π", "Sigma": "Σ", "Phi": "Φ", "Psi": "Ψ", "Omega": "Ω",
	"ell": "ℓ", "infty": "∞", "partial": "∂", "nabla": "∇", "emptyset": "∅", "hbar": "ℏ", "Re": "ℜ", "Im": "ℑ", "square": "□",
	"top": "⊤", "bot": "⊥", "forall": "∀", "exists": "∃", "imath": "ı", "jmath": "ȷ", "%": "%", "#": "#", "$": "$", "&": "&amp;", "_": "_",
}

// operators are signs by the names of their commands.
var operators = map[string]string{
	"cdot": "⋅", "times": "×", "div": "÷", "pm": "±", "mp": "∓", "otimes": "⊗", "oplus": "⊕", "odot": "⊙", "circ": "∘", "ast": "∗", "star": "⋆",
	"le": "≤", "leq": "≤", "ge": "≥", "geq": "≥", "ne": "≠", "neq": "≠", "approx": "≈", "sim": "∼", "simeq": "≃", "cong": "≅", "equiv": "≡",
	"propto": "∝", "ll": "≪", "gg": "≫", "in": "∈", "notin": "∉", "ni": "∋", "subset": "⊂", "subseteq": "⊆", "supset": "⊃", "cup": "∪",
	"cap": "∩", "setminus": "∖", "mid": "∣", "parallel": "∥", "perp": "⊥", "to": "→", "rightarrow": "→", "leftarrow": "←",
	"leftrightarrow": "↔", "Rightarrow": "⇒", "Leftarrow": "⇐", "Leftrightarrow": "⇔", "iff": "⟺", "implies": "⟹", "Longrightarrow": "⟹",
	"mapsto": "↦", "dots": "…", "ldots": "…", "cdots": "⋯", "vdots": "⋮", "ddots": "⋱", "land": "∧", "lor": "∨", "wedge": "∧", "vee": "∨",
	"neg": "¬", "langle": "⟨", "rangle": "⟩", "lfloor": "⌊", "rfloor": "⌋", "lceil": "⌈", "rceil": "⌉", "{": "{", "}": "}", "|": "‖",
	"lVert": "‖", "rVert": "‖", "lvert": "|", "rvert": "|", "vert": "|", "Vert": "‖", "colon": ":", "bullet": "∙", "dagger": "†", "prime": "′",
	"uparrow": "↑", "downarrow": "↓", "triangleq": "≜", "lbrace": "{", "rbrace": "}", "backslash": "∖",
}

// large are the operators that grow in displayed formulas.
var large = map[string]string{
	"sum": "∑", "prod": "∏", "int": "∫", "iint": "∬", "oint": "∮", "bigcup": "⋃", "bigcap": "⋂", "bigoplus": "⨁", "bigotimes": "⨂",
}

// spaces are widths by the names of their commands.
var spaces = map[string]string{
	",": "0.167em", ":": "0.222em", ";": "0.278em", "!": "-0.167em", " ": "0.333em", "quad": "1em", "qquad": "2em", "\n": "0.333em",
}

// functions are set upright.
var functions = map[string]bool{
	"log": true, "ln": true, "exp": true, "sin": true, "cos": true, "tan": true, "sinh": true, "cosh": true, "tanh": true, "arccos": true,
	"arcsin": true, "arctan": true, "det": true, "dim": true, "max": true, "min": true, "sup": true, "inf": true, "lim": true, "Pr": true,
	"gcd": true, "ker": true, "deg": true, "arg": true, "cot": true, "coth": true, "sec": true,
}

// limiting are the functions whose indices stand below.
var limiting = map[string]bool{"max": true, "min": true, "sup": true, "inf": true, "lim": true, "det": true, "Pr": true}

// accents are signs above a letter, or below.
var accents = map[string]string{
	"hat": "^", "widehat": "^", "tilde": "~", "widetilde": "~", "bar": "¯", "overline": "¯", "vec": "→", "dot": "˙", "ddot": "¨", "check": "ˇ",
	"underline": "_", "overbrace": "⏞", "underbrace": "⏟", "overrightarrow": "→",
}

// fonts by the names of their commands.
var fonts = map[string]string{
	"mathrm": "normal", "mathbf": "bold", "boldsymbol": "bold", "bm": "bold", "mathit": "italic", "mathsf": "sans", "mathtt": "mono", "mathbb": "double",
	"mathcal": "script", "mathscr": "script", "mathfrak": "fraktur",
}

// sizes of brackets.
var sizes = map[string]string{
	"big": "1.2em", "bigl": "1.2em", "bigr": "1.2em", "bigm": "1.2em", "Big": "1.8em", "Bigl": "1.8em", "Bigr": "1.8em", "Bigm": "1.8em",
	"bigg": "2.4em", "biggl": "2.4em", "biggr": "2.4em", "Bigg": "3em", "Biggl": "3em", "Biggr": "3em",
}

// alphabets hold where the letters A, a and the digit 0 of a font begin in Unicode; 0 where it has none.
var alphabets = map[string][3]rune{
	"bold": {0x1D400, 0x1D41A, 0x1D7CE}, "italic": {0x1D434, 0x1D44E, 0}, "sans": {0x1D5A0, 0x1D5BA, 0x1D7E2}, "mono": {0x1D670, 0x1D68A, 0x1D7F6},
	"double": {0x1D538, 0x1D552, 0x1D7D8}, "script": {0x1D49C, 0x1D4B6, 0}, "fraktur": {0x1D504, 0x1D51E, 0},
}

// exceptions are letters that Unicode has had before their alphabets.
var exceptions = map[string]map[rune]rune{
	"double":  {'C': 'ℂ', 'H': 'ℍ', 'N': 'ℕ', 'P': 'ℙ', 'Q': 'ℚ', 'R': 'ℝ', 'Z': 'ℤ'},
	"script":  {'B': 'ℬ', 'E': 'ℰ', 'F': 'ℱ', 'H': 'ℋ', 'I': 'ℐ', 'L': 'ℒ', 'M': 'ℳ', 'R': 'ℛ', 'e': 'ℯ', 'g': 'ℊ', 'o': 'ℴ'},
	"fraktur": {'C': 'ℭ', 'H': 'ℌ', 'I': 'ℑ', 'R': 'ℜ', 'Z': 'ℨ'},
	"italic":  {'h': 'ℎ'},
}

// styled writes letters in a font of Unicode; those that it does not have stay as they are.
func styled(text, font string) string {
	alphabet := alphabets[font]
	var written []rune
	for _, letter := range text {
		other, special := exceptions[font][letter]
		switch {
		case special:
			letter = other
		case letter >= 'A' && letter <= 'Z' && alphabet[0] != 0:
			letter = alphabet[0] + letter - 'A'
		case letter >= 'a' && letter <= 'z' && alphabet[1] != 0:
			letter = alphabet[1] + letter - 'a'
		case letter >= '0' && letter <= '9' && alphabet[2] != 0:
			letter = alphabet[2] + letter - '0'
		}
		written = append(written, letter)
	}
	return string(written)
}
