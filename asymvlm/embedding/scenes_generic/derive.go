package main

import (
	"cmp"
	"slices"
	"strings"
)

// A generic is a text that describes many images.
type generic struct {
	level    int // 0 anything, 1 a kind of thing, 2 a noun, 3 an adjective and a noun, 4 two nouns
	sentence string
	images   []int
}

// The least numbers of images of a text, by level.
var least = [5]int{0, 25, 25, 10, 6}

// anything are texts that describe every image.
var anything = []string{"something", "a picture", "an image of something", "a photo", "things", "a scene", "there is something here", "a photograph of a place"}

// kinds are texts of level 1, with the nouns that belong to each.
var kinds = []struct{ sentences, nouns string }{
	{"an animal|animals|a living thing", "dog puppy dogs cat kitten cats horse horses cow cows sheep elephant elephants giraffe giraffes zebra zebras bear bears bird birds duck ducks goat goats lamb lion monkey deer pony animal animals"},
	{"a pet", "dog puppy dogs cat kitten cats"},
	{"a wild animal", "elephant elephants giraffe giraffes zebra zebras bear bears lion monkey deer"},
	{"a person|people|someone", "man men woman women boy boys girl girls child children kid kids person people baby player players skier skiers surfer surfers lady guy toddler rider batter snowboarder skateboarder pitcher catcher"},
	{"a child", "boy boys girl girls child children kid kids baby toddler"},
	{"food|something to eat", "pizza sandwich cake food salad bread fruit banana bananas apple apples orange oranges broccoli donut donuts hotdog meat vegetables carrots soup pasta rice fries cheese dessert"},
	{"a fruit", "banana bananas apple apples orange oranges strawberries pineapple pear grapes"},
	{"a vehicle|a means of transport", "car cars bus buses train trains truck trucks motorcycle motorcycles bicycle bicycles bike bikes airplane airplanes plane planes jet boat boats van taxi scooter tram trolley ship"},
	{"furniture|a piece of furniture", "chair chairs table tables couch sofa bed desk bench benches dresser cabinet cabinets shelf bookshelf stool ottoman"},
	{"a sport|someone doing a sport", "tennis baseball soccer skiing surfing skateboarding snowboarding frisbee skateboard surfboard skis snowboard racket batter volleyball"},
	{"a room|indoors", "room kitchen bathroom bedroom living office"},
	{"a device|electronics", "laptop computer phone television tv keyboard monitor remote camera microwave oven refrigerator toaster"},
	{"water|a body of water", "ocean sea lake river water pond beach wave waves"},
	{"a place outdoors", "street road park field beach mountain snow ocean grass forest city sidewalk"},
	{"a container", "bowl vase cup bottle box basket glass suitcase bag mug plate pot"},
	{"clothing", "shirt hat tie suit jacket dress helmet coat jeans gloves"},
}

// prepositions join two nouns in level 4.
var prepositions = []string{"on", "in", "with", "near", "at", "behind", "under", "by"}

// joints are words that end a noun phrase.
var joints = append([]string{"and", "while", "that", "next", "is"}, prepositions...)

// notNouns are words after an article and before a preposition that are no nouns of a thing to see.
var notNouns = strings.Fields("a an the is are one two other his her its their it very large small big little young old white black red blue green brown yellow lot bunch couple group number pair " +
	"front back top side middle view close picture photo image photograph shot piece bit type sort kind row line set variety background foreground corner edge center left right day time way distance " +
	"sitting standing walking riding eating laying lying playing looking holding wearing parked filled covered made and or of to for from that this there some many several person's lots displayed up down out over while as ready")

// wordsOf splits a caption into lower-case words.
func wordsOf(caption string) []string {
	return strings.FieldsFunc(strings.ToLower(caption), func(r rune) bool { return (r < 'a' || r > 'z') && r != '\'' })
}

// ranks returns the place of each identifier in increasing order.
func ranks(ids []int64) map[int64]int {
	slices.Sort(ids)
	place := make(map[int64]int, len(ids))
	for i, id := range ids {
		place[id] = i
	}
	return place
}

// found collects the images of phrases.
type found map[string][]int

// add records that an image has a phrase. Images come in increasing order.
func (f found) add(phrase string, image int) {
	if list := f[phrase]; len(list) == 0 || list[len(list)-1] != image {
		f[phrase] = append(list, image)
	}
}

// derive returns the generic texts of images with captions.
func derive(images [][][]string) (texts []generic) {
	words := found{}
	heads := found{} // words between an article and a preposition or the end, which are nouns mostly
	for image, captions := range images {
		for _, caption := range captions {
			for i, word := range caption {
				words.add(word, image)
				if i > 0 && isArticle(caption[i-1]) && (i+1 == len(caption) || slices.Contains(prepositions, caption[i+1]) || caption[i+1] == "is") {
					heads.add(word, image)
				}
			}
		}
	}
	all := make([]int, len(images))
	for i := range all {
		all[i] = i
	}
	for _, sentence := range anything {
		texts = append(texts, generic{0, sentence, all})
	}
	for _, kind := range kinds {
		var union []int
		for _, noun := range strings.Fields(kind.nouns) {
			union = append(union, words[noun]...)
		}
		slices.Sort(union)
		for _, sentence := range strings.Split(kind.sentences, "|") {
			texts = append(texts, generic{1, sentence, slices.Compact(slices.Clone(union))})
		}
	}
	nouns := map[string]bool{}
	for noun, list := range heads {
		if len(list) >= least[2]/2 && len(words[noun]) >= least[2] && len(noun) > 2 && !slices.Contains(notNouns, noun) {
			nouns[noun] = true
		}
	}
	phrases := phrasesOf(images, nouns)
	for level, of := range [5]found{2: named(words, nouns), 3: phrases[0], 4: phrases[1]} {
		first := len(texts)
		for phrase, list := range of {
			if len(list) >= least[level] && !slices.ContainsFunc(texts[:first], func(t generic) bool { return t.sentence == article(phrase) }) {
				texts = append(texts, generic{level, article(phrase), list})
			}
		}
		slices.SortFunc(texts[first:], func(a, b generic) int { return cmp.Compare(a.sentence, b.sentence) })
	}
	return texts
}

// named returns the images of nouns.
func named(words found, nouns map[string]bool) found {
	of := found{}
	for noun := range nouns {
		of[noun] = words[noun]
	}
	return of
}

// phrasesOf returns the images of an adjective before a noun, and of two nouns joined by a
// preposition.
func phrasesOf(images [][][]string, nouns map[string]bool) (phrases [2]found) {
	phrases = [2]found{{}, {}}
	for image, captions := range images {
		for _, caption := range captions {
			for i, word := range caption {
				if !nouns[word] {
					continue
				}
				if i > 1 && isArticle(caption[i-2]) && !slices.Contains([]string{"of", "the", "a", "an", "one", "other", "is"}, caption[i-1]) {
					phrases[0].add(caption[i-1]+" "+word, image)
				}
				if i+3 < len(caption) && slices.Contains(prepositions, caption[i+1]) && isArticle(caption[i+2]) {
					for _, end := range []int{i + 3, i + 4} { // with or without an adjective
						if end < len(caption) && nouns[caption[end]] && (end+1 == len(caption) || slices.Contains(joints, caption[end+1])) {
							phrases[1].add(word+" "+caption[i+1]+" "+definite(caption[end])+" "+caption[end], image)
							break
						}
					}
				}
			}
		}
	}
	return phrases
}

// single are nouns of which a scene has one.
var single = strings.Fields("sky water air ocean beach grass wall street snow sun shade sand ground floor city")

// definite returns the article of the second noun of a phrase.
func definite(noun string) string {
	if slices.Contains(single, noun) {
		return "the"
	}
	return "a"
}

func isArticle(word string) bool { return word == "a" || word == "an" || word == "the" }

// article puts an indefinite article before a phrase, and before the noun after a preposition.
func article(phrase string) string {
	words := strings.Fields("a " + phrase)
	for i, word := range words[:len(words)-1] {
		if word == "a" && strings.ContainsRune("aeiou", rune(words[i+1][0])) {
			words[i] = "an"
		}
	}
	return strings.Join(words, " ")
}
