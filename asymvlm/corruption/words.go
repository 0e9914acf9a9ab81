package corruption

import (
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"unicode"
)

// synonymGroups are groups of words in captions that can replace each other, a small substitute for
// WordNet with the most frequent words of photograph captions. The list was written for this
// program and is not taken from a thesaurus.
var synonymGroups = []string{
	"man guy gentleman fellow", "woman lady", "child kid youngster", "boy lad", "girl lass", "people persons folks",
	"person individual human", "group bunch crowd cluster", "dog hound canine", "cat feline kitty", "puppy pup",
	"horse steed stallion", "cow cattle bovine", "bird fowl", "sheep lamb", "bear bruin", "car automobile auto",
	"truck lorry", "bike bicycle cycle", "motorcycle motorbike", "bus coach", "train locomotive railcar",
	"airplane plane aircraft jet", "boat ship vessel", "street road avenue lane", "sidewalk pavement walkway",
	"house home dwelling", "building structure edifice", "room chamber", "bathroom restroom washroom", "toilet lavatory",
	"couch sofa settee", "chair seat", "table desk", "bed bunk", "lamp light", "picture photo photograph image",
	"television tv telly", "laptop computer notebook", "phone telephone cellphone", "cup mug", "bowl dish basin",
	"plate platter dish", "food meal fare", "sandwich sub hoagie", "cake pastry", "field meadow pasture",
	"grass lawn turf", "forest woods woodland", "hill slope mound", "mountain peak mount", "beach shore seaside",
	"ocean sea", "river stream", "water liquid", "snow powder", "sky heavens", "sign placard notice", "clock timepiece",
	"bag sack pouch", "hat cap", "coat jacket", "shirt top blouse", "ball sphere orb", "game match contest",
	"player athlete competitor", "big large huge great", "small little tiny", "young youthful", "old aged elderly",
	"beautiful pretty lovely", "red crimson scarlet", "white ivory", "dark dim dusky", "bright vivid brilliant",
	"tall high lofty", "wooden timber", "happy glad cheerful", "several various multiple", "many numerous",
	"empty vacant bare", "busy crowded bustling", "stands waits", "standing waiting", "sitting resting seated",
	"sits rests", "walking strolling striding", "walks strolls", "running jogging racing", "riding driving",
	"holding grasping gripping", "holds grasps grips", "looking gazing staring", "looks gazes stares",
	"eating consuming devouring", "playing frolicking", "jumping leaping hopping", "jumps leaps hops",
	"flying soaring gliding", "wearing sporting", "covered coated blanketed", "filled packed loaded",
	"parked stationed", "preparing readying", "cutting slicing", "talking speaking chatting",
	"near beside by", "behind after", "outside outdoors", "inside indoors", "front fore", "top summit", "side flank",
}

// synonyms returns a map from a word to its synonyms.
var synonyms = sync.OnceValue(func() map[string][]string { return groupSynonyms(synonymGroups) })

// groupSynonyms returns for each word the other words of its groups.
func groupSynonyms(groups []string) map[string][]string {
	table := map[string][]string{}
	for _, group := range groups {
		words := strings.Fields(group)
		for _, word := range words {
			for _, other := range words {
				if other != word && !slices.Contains(table[word], other) {
					table[word] = append(table[word], other)
				}
			}
		}
	}
	return table
}

// plainWords returns the lower-case words of a text with letters only, as EDA prepares it.
func plainWords(text string) []string {
	return strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) })
}

// changes returns the number of words that EDA changes at a rate, at least one.
func changes(words int, rate float64) int { return max(1, int(rate*float64(words))) }

// replaceSynonyms replaces all occurrences of some words that have synonyms by one of their
// synonyms.
func replaceSynonyms(text string, rate float64, random *rand.Rand) string {
	words := plainWords(text)
	var known []string
	for _, word := range words {
		if len(synonyms()[word]) > 0 && !slices.Contains(known, word) {
			known = append(known, word)
		}
	}
	random.Shuffle(len(known), func(i, j int) { known[i], known[j] = known[j], known[i] })
	for _, word := range known[:min(changes(len(words), rate), len(known))] {
		replacement := pick(synonyms()[word], random)
		for i := range words {
			if words[i] == word {
				words[i] = replacement
			}
		}
	}
	return strings.Join(words, " ")
}

// insertSynonyms inserts synonyms of words of the text at random positions.
func insertSynonyms(text string, rate float64, random *rand.Rand) string {
	words := plainWords(text)
	var candidates []string
	for _, word := range words {
		candidates = append(candidates, synonyms()[word]...)
	}
	if len(candidates) > 0 {
		for range changes(len(words), rate) {
			words = slices.Insert(words, random.IntN(len(words)+1), pick(candidates, random))
		}
	}
	return strings.Join(words, " ")
}

// swapWords exchanges words at pairs of different positions.
func swapWords(text string, rate float64, random *rand.Rand) string {
	words := plainWords(text)
	if len(words) > 1 {
		for range changes(len(words), rate) {
			i, j := random.IntN(len(words)), random.IntN(len(words)-1)
			if j >= i {
				j++
			}
			words[i], words[j] = words[j], words[i]
		}
	}
	return strings.Join(words, " ")
}

// deleteWords drops each word with the given probability, and keeps one of them if all would be
// dropped.
func deleteWords(text string, rate float64, random *rand.Rand) string {
	words := plainWords(text)
	var kept []string
	for _, word := range words {
		if random.Float64() >= rate {
			kept = append(kept, word)
		}
	}
	if len(kept) == 0 && len(words) > 0 {
		kept = []string{pick(words, random)}
	}
	return strings.Join(kept, " ")
}

// pick returns a random word.
func pick(words []string, random *rand.Rand) string { return words[random.IntN(len(words))] }
