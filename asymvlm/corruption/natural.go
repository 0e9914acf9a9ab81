package corruption

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"unicode"
)

// confusions maps words to others with which writers of English confuse them.
var confusions = groupSynonyms([]string{
	"their there they're", "its it's", "your you're", "to too two", "a an the", "in on at", "of off", "then than",
	"is are was", "with whit", "through threw", "by bye", "where were wear", "who's whose", "piece peace", "right write",
	"see sea", "plane plain", "four for", "one won", "wood would", "brake break", "which witch", "and an", "has have",
})

// A wordSlip returns a changed word, or the same word if its rule does not apply.
type wordSlip func(word string, random *rand.Rand) string

// wordSlips are the rules of misWrite.
var wordSlips = []wordSlip{
	func(word string, random *rand.Rand) string { // a common confusion
		if others := confusions[strings.ToLower(word)]; len(others) > 0 {
			return pick(others, random)
		}
		return word
	},
	slipEnding,
	slipSpelling,
	func(word string, _ *rand.Rand) string { // casing
		letters := []rune(word)
		if unicode.IsUpper(letters[0]) {
			return strings.ToLower(word)
		}
		return string(unicode.ToUpper(letters[0])) + string(letters[1:])
	},
}

// slipEnding adds, drops or changes an ending.
func slipEnding(word string, random *rand.Rand) string {
	switch {
	case len(word) < 4:
		return word
	case strings.HasSuffix(word, "ing"):
		return strings.TrimSuffix(word, "ing") + pick([]string{"in", "ed", ""}, random)
	case strings.HasSuffix(word, "ed"):
		return strings.TrimSuffix(word, "ed") + pick([]string{"", "ing"}, random)
	case strings.HasSuffix(word, "s"):
		return strings.TrimSuffix(word, "s")
	case unicode.IsLetter(rune(word[len(word)-1])):
		return word + "s"
	}
	return word
}

// slipSpelling drops or doubles an inner letter, exchanges two letters, or replaces a vowel by one
// of another syllable.
func slipSpelling(word string, random *rand.Rand) string {
	letters := []rune(word)
	if len(letters) < 3 {
		return word
	}
	place := 1 + random.IntN(len(letters)-2)
	switch random.IntN(4) {
	case 0:
		letters = slices.Delete(letters, place, place+1)
	case 1:
		letters = slices.Insert(letters, place, letters[place])
	case 2:
		letters[place], letters[place+1] = letters[place+1], letters[place]
	default:
		if strings.ContainsRune("aeiou", letters[place]) {
			letters[place] = rune("aeiou"[random.IntN(5)])
		}
	}
	return string(letters)
}

// NaturalNoise returns a text with writing errors at a given word error rate. Each word is, with
// that probability, wrong in one way (confused, misspelled, with another ending or in another
// case), omitted, or repeated, in proportions of 80, 10 and 10 %. Each error is one word error, so
// the expected rate of a collection is the given one, or slightly less if neighboring errors can be
// explained by one: WordErrorRate measures 0.0975 at 0.1, 0.299 at 0.3, 0.585 at 0.6 and 0.93 at 1.
// A rate outside 0 … 1 is an error.
//
// It replaces KaziText, whose probabilities come from corpora of corrected texts that are not
// available here. ELIP gives its level as "mean 3 of (0, 30)", which may mean that tool's strength
// of 3, about 10 % of the words, or 3 %.
func NaturalNoise(text string, wordErrorRate float64, seed uint64) (string, error) {
	return Text("natural-slip", text, wordErrorRate, seed)
}

// slip is like NaturalNoise with validated arguments.
func slip(text string, rate float64, random *rand.Rand) string {
	var result []string
	for _, word := range strings.Fields(text) {
		if random.Float64() >= rate {
			result = append(result, word)
			continue
		}
		switch kind := random.Float64(); {
		case kind < 0.1:
			// omitted
		case kind < 0.2:
			result = append(result, word, word)
		default:
			result = append(result, misWrite(word, random))
		}
	}
	return strings.Join(result, " ")
}

// misWrite returns a word that differs from the given one. It tries the rules in random order until
// one applies, and appends a mark to words without letters.
func misWrite(word string, random *rand.Rand) string {
	for _, rule := range random.Perm(len(wordSlips)) {
		if changed := wordSlips[rule](word, random); changed != word && changed != "" {
			return changed
		}
	}
	return word + ","
}

// WordErrorRate returns the smallest number of words to substitute, delete or insert to obtain the
// reference from the written text, divided by the number of words of the reference. Words are
// separated by white space and compared exactly, including case. A reference without words is an
// error.
func WordErrorRate(reference, written string) (float64, error) {
	a, b := strings.Fields(reference), strings.Fields(written)
	if len(a) == 0 {
		return 0, fmt.Errorf("corruption: word error rate against a text of no words")
	}
	row := make([]int, len(b)+1) // edit distances between the words of a so far and each prefix of b
	for j := range row {
		row[j] = j
	}
	for i, word := range a {
		diagonal := row[0]
		row[0] = i + 1
		for j, other := range b {
			cost := diagonal
			if word != other {
				cost++
			}
			diagonal = row[j+1]
			row[j+1] = min(cost, row[j]+1, row[j+1]+1)
		}
	}
	return float64(row[len(b)]) / float64(len(a)), nil
}
