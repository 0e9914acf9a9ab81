package mathml

import "gosphere/plotting/formula"

// An alphabet holds the positions of the letters A, a, Α, α and the digit 0 of a font in Unicode,
// or 0 if it lacks them.
type alphabet struct{ capital, small, greekCapital, greekSmall, zero rune }

// alphabets maps fonts to their alphabets.
var alphabets = map[formula.Font]alphabet{
	formula.Bold:       {0x1D400, 0x1D41A, 0x1D6A8, 0, 0x1D7CE}, // as in LaTeX, lower-case Greek letters are bold only with \boldsymbol
	formula.BoldItalic: {0x1D468, 0x1D482, 0x1D71C, 0x1D736, 0x1D7CE},
	formula.Italic:     {0x1D434, 0x1D44E, 0x1D6E2, 0x1D6FC, 0},
	formula.Sans:       {0x1D5A0, 0x1D5BA, 0, 0, 0x1D7E2},
	formula.Mono:       {0x1D670, 0x1D68A, 0, 0, 0x1D7F6},
	formula.Double:     {0x1D538, 0x1D552, 0, 0, 0x1D7D8},
	formula.Script:     {0x1D49C, 0x1D4B6, 0, 0, 0},
	formula.Fraktur:    {0x1D504, 0x1D51E, 0, 0, 0},
}

// exceptions are letters that Unicode encodes outside their alphabet.
var exceptions = map[formula.Font]map[rune]rune{
	formula.Double:     {'C': 'ℂ', 'H': 'ℍ', 'N': 'ℕ', 'P': 'ℙ', 'Q': 'ℚ', 'R': 'ℝ', 'Z': 'ℤ'},
	formula.Script:     {'B': 'ℬ', 'E': 'ℰ', 'F': 'ℱ', 'H': 'ℋ', 'I': 'ℐ', 'L': 'ℒ', 'M': 'ℳ', 'R': 'ℛ', 'e': 'ℯ', 'g': 'ℊ', 'o': 'ℴ'},
	formula.Fraktur:    {'C': 'ℭ', 'H': 'ℌ', 'I': 'ℑ', 'R': 'ℜ', 'Z': 'ℨ'},
	formula.Italic:     {'h': 'ℎ'},
	formula.BoldItalic: {'ϵ': 0x1D750, 'ϑ': 0x1D751, 'ϕ': 0x1D753, 'ϱ': 0x1D754, 'ϖ': 0x1D755, '∂': 0x1D74F, '∇': 0x1D735},
	formula.Bold:       {'∇': 0x1D6C1},
}

// styled converts letters to a font of Unicode. Letters that the font lacks are unchanged.
func styled(text string, font formula.Font) string {
	a := alphabets[font]
	var written []rune
	for _, letter := range text {
		if other, ok := exceptions[font][letter]; ok {
			letter = other
		} else {
			for _, part := range []struct{ first, last, there rune }{
				{'A', 'Z', a.capital}, {'a', 'z', a.small}, {'Α', 'Ω', a.greekCapital}, {'α', 'ω', a.greekSmall}, {'0', '9', a.zero},
			} {
				if part.there != 0 && letter >= part.first && letter <= part.last {
					letter = part.there + letter - part.first
					break
				}
			}
		}
		written = append(written, letter)
	}
	return string(written)
}
