package formula

// letters maps commands to identifiers.
var letters = map[string]string{
	"alpha": "α", "beta": "β", "gamma": "γ", "delta": "δ", "epsilon": "ϵ", "varepsilon": "ε", "zeta": "ζ", "eta": "η", "theta": "θ",
	"vartheta": "ϑ", "iota": "ι", "kappa": "κ", "lambda": "λ", "mu": "μ", "nu": "ν", "xi": "ξ", "pi": "π", "rho": "ρ", "sigma": "σ",
	"tau": "τ", "upsilon": "υ", "phi": "ϕ", "varphi": "φ", "chi": "χ", "psi": "ψ", "omega": "ω", "varrho": "ϱ", "varsigma": "ς", "varpi": "ϖ",
	"Gamma": "Γ", "Delta": "Δ", "Theta": "Θ", "Lambda": "Λ", "Xi": "Ξ", "Pi": "Π", "Sigma": "Σ", "Phi": "Φ", "Psi": "Ψ", "Omega": "Ω",
	"ell": "ℓ", "infty": "∞", "partial": "∂", "nabla": "∇", "emptyset": "∅", "hbar": "ℏ", "Re": "ℜ", "Im": "ℑ", "square": "□",
	"top": "⊤", "bot": "⊥", "forall": "∀", "exists": "∃", "imath": "ı", "jmath": "ȷ", "%": "%", "#": "#", "$": "$", "&": "&", "_": "_",
}

// signs maps commands to operators, relations and brackets.
var signs = map[string]string{
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

// large maps commands to operators that grow in displayed formulas.
var large = map[string]string{
	"sum": "∑", "prod": "∏", "int": "∫", "iint": "∬", "oint": "∮", "bigcup": "⋃", "bigcap": "⋂", "bigoplus": "⨁", "bigotimes": "⨂",
}

// integrals are the large operators whose indices are always at the right.
var integrals = map[string]bool{"∫": true, "∬": true, "∮": true}

// spaces maps commands to widths in ems.
var spaces = map[string]float64{",": 0.167, ":": 0.222, ";": 0.278, "!": -0.167, " ": 0.333, "quad": 1, "qquad": 2, "\n": 0.333}

// functions are the commands of function names.
var functions = map[string]bool{
	"log": true, "ln": true, "exp": true, "sin": true, "cos": true, "tan": true, "sinh": true, "cosh": true, "tanh": true, "arccos": true,
	"arcsin": true, "arctan": true, "det": true, "dim": true, "max": true, "min": true, "sup": true, "inf": true, "lim": true, "Pr": true,
	"gcd": true, "ker": true, "deg": true, "arg": true, "cot": true, "coth": true, "sec": true, "tr": true,
}

// limiting are the functions whose indices are placed below.
var limiting = map[string]bool{"max": true, "min": true, "sup": true, "inf": true, "lim": true, "det": true, "Pr": true}

// accents maps commands to signs above or below a letter.
var accents = map[string]string{
	"hat": "^", "widehat": "^", "tilde": "~", "widetilde": "~", "bar": "¯", "overline": "¯", "vec": "→", "dot": "˙", "ddot": "¨", "check": "ˇ",
	"underline": "_", "overbrace": "⏞", "underbrace": "⏟", "overrightarrow": "→",
}

// growing are the accents that are as wide as their base.
var growing = map[string]bool{"overline": true, "underline": true, "widehat": true, "widetilde": true, "overbrace": true, "underbrace": true, "overrightarrow": true}

// fonts maps commands to fonts.
var fonts = map[string]Font{
	"mathrm": Upright, "mathbf": Bold, "boldsymbol": BoldItalic, "bm": BoldItalic, "mathit": Italic, "mathsf": Sans, "mathtt": Mono, "mathbb": Double,
	"mathcal": Script, "mathscr": Script, "mathfrak": Fraktur,
}

// sizes maps commands to the sizes of brackets in ems.
var sizes = map[string]float64{
	"big": 1.2, "bigl": 1.2, "bigr": 1.2, "bigm": 1.2, "Big": 1.8, "Bigl": 1.8, "Bigr": 1.8, "Bigm": 1.8,
	"bigg": 2.4, "biggl": 2.4, "biggr": 2.4, "Bigg": 3, "Biggl": 3, "Biggr": 3,
}

// brackets maps environments to the brackets around their table.
var brackets = map[string][2]string{
	"matrix": {}, "pmatrix": {"(", ")"}, "bmatrix": {"[", "]"}, "Bmatrix": {"{", "}"}, "vmatrix": {"|", "|"}, "Vmatrix": {"‖", "‖"}, "smallmatrix": {},
	"cases": {"{", ""}, "aligned": {}, "align": {}, "align*": {}, "array": {}, "gathered": {}, "split": {},
}
