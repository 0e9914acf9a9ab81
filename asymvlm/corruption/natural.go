package corruption

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"unicode"
)

// confusions are words that writers of English take for each other.
var confusions = groupSynonyms([]string{
	"their there they're", "its it's", "your you're", "to too two", "a an the", "in on at", "of off", "then than",
	"is are was", "with whit", "through threw", "by bye", "where were wear", "who's whose", "piece peace", "right write",
	"see sea", "plane plain", "four for", "one won", "wood would", "brake break", "which witch", "and an", "has have",
})

// A wordSlip makes a different word of a word, or returns the same when its rule does not apply.
type wordSlip func(word string, random *rand.Rand) string

// wordSlips are the rules, in order of how often they are tried.
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

// slipSpelling drops or doubles a letter inside, exchanges two, or takes the vowel of another syllable.
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

// NaturalNoise returns a text with the slips of writers at a stated word error rate: each word is, with that
// probability, wrong in one way (confused, misspelled, with another ending or in another case), left out, or written
// twice, in shares of 80, 10 and 10 %. Every slip is one word error, so the rate of a collection is the stated one on
// average, a little less where neighboring slips can be explained by one: WordErrorRate measures 0.0975 at 0.1, 0.299
// at 0.3, 0.585 at 0.6 and 0.93 at 1. A rate outside 0 to 1 is an error.
//
// It stands in for KaziText, whose probabilities come from corpora of corrected texts that are not at hand. ELIP gives
// its level as "mean 3 of (0, 30)", which can be read as that tool's strength of 3, about 10 % of the words, or as 3 %.
func NaturalNoise(text string, wordErrorRate float64, seed uint64) (string, error) {
	return Text("natural-slip", text, wordErrorRate, seed)
}

// slip is NaturalNoise with checked arguments.
func slip(text string, rate float64, random *rand.Rand) string {
	var result []string
	for _, word := range strings.Fields(text) {
		if random.Float64() >= rate {
			result = append(result, word)
			continue
		}
		switch kind := random.Float64(); {
		case kind < 0.1:
			// left out
		case kind < 0.2:
			result = append(result, word, word)
		default:
			result = append(result, misWrite(word, random))
		}
	}
	return strings.Join(result, " ")
}

// misWrite returns a word that differs from the given one: rules are tried in random order until one applies. To what
// has no letters a mark is added.
func misWrite(word string, random *rand.Rand) string {
	for _, rule := range random.Perm(len(wordSlips)) {
		if changed := wordSlips[rule](word, random); changed != word && changed != "" {
			return changed
		}
	}
	return word + ","
}

// WordErrorRate returns the smallest number of words that have to be changed, left out or put in to make the reference
// from the written text, over the number of words of the reference. Words are parted by white space and compared
// letter by letter, case included.
func WordErrorRate(reference, written string) (float64, error) {
	a, b := strings.Fields(reference), strings.Fields(written)
	if len(a) == 0 {
		return 0, fmt.Errorf("corruption: word error rate against a text of no words")
	}
	row := make([]int, len(b)+1) // edit distances of the words of a so far with every beginning of b
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
