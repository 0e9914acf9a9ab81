package corruption

import (
	"fmt"
	"hash/fnv"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"unicode"
)

// A rewriting damages a text at a rate between 0 and 1.
type rewriting func(text string, rate float64, random *rand.Rand) string

// rewritings maps the names of corruptions to their implementations.
var rewritings = map[string]rewriting{
	"keyboard": func(text string, rate float64, random *rand.Rand) string {
		return eachWord(text, func(word []rune) []rune {
			if random.Float64() < rate {
				hitNeighbor(word, random)
			}
			return word
		})
	},
	"character-insert": letters(func(letter rune, random *rand.Rand) []rune {
		return []rune{letter, rune('a' + random.IntN(26))}
	}),
	"character-substitute": letters(func(letter rune, random *rand.Rand) []rune {
		other := rune('a' + random.IntN(25))
		if other >= unicode.ToLower(letter) {
			other++ // never the same letter
		}
		return []rune{other}
	}),
	"character-delete": letters(func(rune, *rand.Rand) []rune { return nil }),
	"character-swap": func(text string, rate float64, random *rand.Rand) string {
		return eachWord(text, func(word []rune) []rune {
			for i := 0; i+1 < len(word); i++ {
				if random.Float64() < rate {
					word[i], word[i+1] = word[i+1], word[i]
					i++ // a letter is moved once
				}
			}
			return word
		})
	},
	"ocr": func(text string, rate float64, random *rand.Rand) string {
		return eachWord(text, func(word []rune) []rune {
			if random.Float64() < rate {
				return misread(word, random)
			}
			return word
		})
	},
	"punctuation":  punctuate,
	"synonym":      replaceSynonyms,
	"word-insert":  insertSynonyms,
	"word-swap":    swapWords,
	"word-delete":  deleteWords,
	"natural-slip": func(text string, rate float64, random *rand.Rand) string { return slip(text, rate, random) },
}

// TextNames returns the names of the corruptions of Text in sorted order.
func TextNames() []string { return slices.Sorted(maps.Keys(rewritings)) }

// Text returns a copy of a text damaged by the named corruption (see TextNames). In ELIP's setting
// the rate is 0.05 per degree, degrees 1 to 7. Its meaning depends on the corruption:
//
//	keyboard              fraction of the words in which one letter becomes a neighbor on the keyboard
//	ocr                   fraction of the words in which one letter shape is read as a similar one
//	character-…           fraction of the letters that get a neighbor, change, vanish, or swap with the next
//	punctuation           1 … int(rate·words + 1) marks of . , ! ? ; : between words
//	synonym, word-insert,
//	word-swap             max(1, int(rate·words)) changes; synonym and word-insert know only some words
//	word-delete           fraction of the words that vanish; at least one word is kept
//	natural-slip          expected word error rate, see NaturalNoise
//
// A rate of 0 returns the text unchanged, even for corruptions with a minimum number of changes.
// Changes of words work on lower-case letters only, like EDA, whose rules they follow (Wei and Zou
// 2019). An unknown name and a rate outside 0 … 1 are errors.
func Text(name, text string, rate float64, seed uint64) (string, error) {
	rewrite, known := rewritings[name]
	if !known {
		return "", fmt.Errorf("corruption: text corruption %q, want one of %q", name, TextNames())
	}
	if !(rate >= 0 && rate <= 1) {
		return "", fmt.Errorf("corruption: rate %g, want 0 to 1", rate)
	}
	if rate == 0 {
		return text, nil
	}
	return rewrite(text, rate, random(name, seed)), nil
}

// TextAccepted damages a text repeatedly until accepts returns true, for instance because the
// cosine of the embedding with the original's is at least 0.9, as MM_Robustness requires for
// changes of words and sentences. If none of tries attempts was accepted (100 in MM_Robustness), it
// returns the last text and false. The seeds follow from the text, so that the texts of a data set
// are not all damaged at the same positions. Fewer than one try is an error. TextAccepted also
// returns the errors of Text.
func TextAccepted(name, text string, rate float64, tries int, accepts func(candidate string) bool) (string, bool, error) {
	if tries < 1 {
		return "", false, fmt.Errorf("corruption: %d tries, want at least one", tries)
	}
	hash := fnv.New64a()
	hash.Write([]byte(text))
	candidate, first := text, hash.Sum64()
	for try := range uint64(tries) {
		var err error
		if candidate, err = Text(name, text, rate, first+try); err != nil {
			return "", false, err
		}
		if accepts(candidate) {
			return candidate, true, nil
		}
	}
	return candidate, false, nil
}

// eachWord changes the words of a text, which are runs of letters, and keeps everything between
// them.
func eachWord(text string, change func(word []rune) []rune) string {
	var result []rune
	var word []rune
	for _, r := range text {
		if unicode.IsLetter(r) {
			word = append(word, r)
			continue
		}
		if len(word) > 0 {
			result = append(result, change(word)...)
			word = word[:0]
		}
		result = append(result, r)
	}
	if len(word) > 0 {
		result = append(result, change(word)...)
	}
	return string(result)
}

// letters returns a rewriting that changes single letters.
func letters(change func(letter rune, random *rand.Rand) []rune) rewriting {
	return func(text string, rate float64, random *rand.Rand) string {
		return eachWord(text, func(word []rune) []rune {
			var changed []rune
			for _, letter := range word {
				if random.Float64() < rate {
					changed = append(changed, change(letter, random)...)
				} else {
					changed = append(changed, letter)
				}
			}
			return changed
		})
	}
}

// keyRows are the letter keys of an American keyboard. Each row starts half a key further to the
// right.
var keyRows = []string{"qwertyuiop", "asdfghjkl", "zxcvbnm"}

// neighbors returns the keys adjacent to a letter's key.
func neighbors(letter rune) []rune {
	var found []rune
	for row, keys := range keyRows {
		place := strings.IndexRune(keys, letter)
		if place < 0 {
			continue
		}
		for _, key := range []struct{ row, place int }{
			{row, place - 1}, {row, place + 1}, {row - 1, place}, {row - 1, place + 1}, {row + 1, place - 1}, {row + 1, place},
		} {
			if key.row >= 0 && key.row < len(keyRows) && key.place >= 0 && key.place < len(keyRows[key.row]) {
				found = append(found, rune(keyRows[key.row][key.place]))
			}
		}
	}
	return found
}

// hitNeighbor replaces one letter of a word by a neighbor on the keyboard and keeps its case. Words
// without a letter of that keyboard are not changed; in others, such as "café", one of those
// letters is replaced.
func hitNeighbor(word []rune, random *rand.Rand) {
	var places []int
	for place, letter := range word {
		if len(neighbors(unicode.ToLower(letter))) > 0 {
			places = append(places, place)
		}
	}
	if len(places) == 0 {
		return
	}
	place := places[random.IntN(len(places))]
	keys := neighbors(unicode.ToLower(word[place]))
	key := keys[random.IntN(len(keys))]
	if unicode.IsUpper(word[place]) {
		key = unicode.ToUpper(key)
	}
	word[place] = key
}

// shapes lists letters and the letters for which scanners mistake them. The list was written for
// this program from the shapes of common typefaces; ELIP's tool has its own.
var shapes = []string{
	"a o e", "b h 6", "c e o", "d cl a", "e c o", "f t", "g 9 q", "h b n", "i l 1", "k lc", "l 1 i", "m rn nn", "n ri u",
	"o 0 c", "p q", "q g 9", "r n", "s 5", "t f", "u v n", "v u", "w vv", "B 8", "D O", "I l 1", "O 0 D", "S 5", "Z 2",
	"rn m", "cl d", "vv w", "ri n",
}

// misread replaces one letter shape of a word by a similar one. Words without such a shape are not
// changed.
func misread(word []rune, random *rand.Rand) []rune {
	text := string(word)
	type choice struct {
		at         int
		from, into string
	}
	var choices []choice
	for _, shape := range shapes {
		letters := strings.Fields(shape)
		for at := range text {
			if strings.HasPrefix(text[at:], letters[0]) {
				choices = append(choices, choice{at, letters[0], pick(letters[1:], random)})
			}
		}
	}
	if len(choices) == 0 {
		return word
	}
	c := choices[random.IntN(len(choices))]
	return []rune(text[:c.at] + c.into + text[c.at+len(c.from):])
}

// punctuate inserts punctuation marks between words.
func punctuate(text string, rate float64, random *rand.Rand) string {
	words := strings.Fields(text)
	if len(words) == 0 {
		return text
	}
	marks := []string{".", ",", "!", "?", ";", ":"}
	count := 1 + random.IntN(int(rate*float64(len(words))+1))
	before := map[int]bool{}
	for _, place := range random.Perm(len(words))[:min(count, len(words))] {
		before[place] = true
	}
	var result []string
	for place, word := range words {
		if before[place] {
			result = append(result, marks[random.IntN(len(marks))])
		}
		result = append(result, word)
	}
	return strings.Join(result, " ")
}
