package tokenizer

import (
	"container/heap"
	"fmt"
	"sync"
)

// bytePairs is a vocabulary of byte pair encoding: the ids of single bytes, inside a word and at
// its end, and the pairs to merge, by priority.
type bytePairs struct {
	inside, atEnd [256]int32
	merges        map[uint64]merge // by the two ids, the first in the upper half
	texts         []string

	mutex sync.RWMutex // guards words
	words map[string][]int32
}

// A merge is the result of merging two neighbors. Lower ranks are merged first.
type merge struct{ rank, id int32 }

// The word cache holds the ids of recent words, because captions repeat few words.
const (
	cachedWords    = 1 << 16
	cachedWordSize = 64 // in bytes; longer words are not cached
)

// byteSymbols returns the printable character that represents each byte in the vocabulary files of
// GPT-2 and CLIP, and the order in which they start CLIP's vocabulary.
func byteSymbols() (symbols [256]rune, order []byte) {
	printable := func(b int) bool { return b >= '!' && b <= '~' || b >= 0xA1 && b <= 0xAC || b >= 0xAE }
	var others []byte
	next := rune(256)
	for b := range 256 {
		if printable(b) {
			symbols[b] = rune(b)
			order = append(order, byte(b))
			continue
		}
		symbols[b] = next
		others = append(others, byte(b))
		next++
	}
	return symbols, append(order, others...)
}

// endOfWord marks a token that ends a word in the vocabulary files.
const endOfWord = "</w>"

// newBytePairs returns the tables for a vocabulary and its merges in order of priority.
func newBytePairs(vocabulary map[string]int32, size int, pairs [][2]string) (*bytePairs, error) {
	b := &bytePairs{merges: make(map[uint64]merge, len(pairs)), texts: invert(vocabulary, size), words: map[string][]int32{}}
	symbols, _ := byteSymbols()
	for i, symbol := range symbols {
		var inside, atEnd bool
		b.inside[i], inside = vocabulary[string(symbol)]
		b.atEnd[i], atEnd = vocabulary[string(symbol)+endOfWord]
		if !inside || !atEnd {
			return nil, fmt.Errorf("vocabulary lacks %q or %q", string(symbol), string(symbol)+endOfWord)
		}
	}
	for rank, pair := range pairs {
		first, known := vocabulary[pair[0]]
		second, alsoKnown := vocabulary[pair[1]]
		id, joined := vocabulary[pair[0]+pair[1]]
		if !known || !alsoKnown || !joined {
			return nil, fmt.Errorf("merge %d, %q with %q: vocabulary lacks one of them or both together", rank+1, pair[0], pair[1])
		}
		key := uint64(first)<<32 | uint64(second)
		if _, twice := b.merges[key]; !twice {
			b.merges[key] = merge{int32(rank), id}
		}
	}
	return b, nil
}

// appendWord appends the ids of a word of UTF-8 bytes.
func (b *bytePairs) appendWord(dst []int32, word []byte) []int32 {
	b.mutex.RLock()
	ids, cached := b.words[string(word)]
	b.mutex.RUnlock()
	if cached {
		return append(dst, ids...)
	}
	ids = b.merged(word)
	if len(word) <= cachedWordSize {
		b.mutex.Lock()
		if len(b.words) >= cachedWords {
			clear(b.words)
		}
		b.words[string(word)] = ids
		b.mutex.Unlock()
	}
	return append(dst, ids...)
}

// A candidate is a pair of neighbors that may be merged.
type candidate struct {
	merge
	left   int32 // index of the left symbol
	lefts  int32 // ids of both when the candidate was created; if either has changed, the candidate is stale
	rights int32
}

// candidates is a heap ordered by rank, then from left to right.
type candidates []candidate

func (c candidates) Len() int { return len(c) }
func (c candidates) Less(i, j int) bool {
	return c[i].rank < c[j].rank || c[i].rank == c[j].rank && c[i].left < c[j].left
}
func (c candidates) Swap(i, j int) { c[i], c[j] = c[j], c[i] }

// Push appends a candidate. It implements heap.Interface.
func (c *candidates) Push(x any) { *c = append(*c, x.(candidate)) }

// Pop removes the last candidate. It implements heap.Interface.
func (c *candidates) Pop() any {
	last := (*c)[len(*c)-1]
	*c = (*c)[:len(*c)-1]
	return last
}

// merged splits a word into bytes and merges pairs until no pair is in the table. It takes time
// n·log n, so that a word of a million letters cannot stall the program.
func (b *bytePairs) merged(word []byte) []int32 {
	type symbol struct{ id, previous, next int32 }
	symbols := make([]symbol, len(word))
	for i, c := range word {
		symbols[i] = symbol{b.inside[c], int32(i) - 1, int32(i) + 1}
	}
	last := len(word) - 1
	symbols[last].id, symbols[last].next = b.atEnd[word[last]], -1
	var queue candidates
	push := func(left int32) {
		if left < 0 || symbols[left].next < 0 {
			return
		}
		first, second := symbols[left].id, symbols[symbols[left].next].id
		if m, ok := b.merges[uint64(first)<<32|uint64(second)]; ok {
			heap.Push(&queue, candidate{m, left, first, second})
		}
	}
	for i := range last {
		push(int32(i))
	}
	for len(queue) > 0 {
		c := heap.Pop(&queue).(candidate)
		left := &symbols[c.left]
		if left.id != c.lefts || left.next < 0 || symbols[left.next].id != c.rights {
			continue
		}
		right := &symbols[left.next]
		left.id, left.next = c.id, right.next
		right.id = -1 // makes candidates that start here stale
		if left.next >= 0 {
			symbols[left.next].previous = c.left
		}
		push(left.previous)
		push(c.left)
	}
	ids := make([]int32, 0, 4)
	for i := int32(0); i >= 0; i = symbols[i].next {
		ids = append(ids, symbols[i].id)
	}
	return ids
}

// token returns the vocabulary's text of an id.
func (b *bytePairs) token(id int32) string { return b.texts[id] }
