package retrieval

import (
	"cmp"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"

	"gosphere/asymvlm/embedding"
)

func TestRankingIsThatOfSortingWithManyEqualScoresOnAnyNumberOfCores(t *testing.T) {
	source := rand.New(rand.NewPCG(8, 9))
	const images, texts = 1100, 2300
	scores, table := embedding.NewMatrix(images, texts), make([]int, texts)
	for i := range scores.Values {
		scores.Values[i] = float32(source.IntN(60)) // hundreds share the best score
	}
	for i := range table {
		table[i] = i % images
	}
	for _, cores := range []int{1, 3} {
		before := runtime.GOMAXPROCS(cores)
		ranking, err := Rank(FromMatrix(scores), table)
		runtime.GOMAXPROCS(before)
		if err != nil {
			t.Fatal(err)
		}
		for query := 0; query < images; query += 37 {
			want := sorted(texts, func(text int) float32 { return scores.At(query, text) })
			if got := ranking.ImageToText.Items[query*depth : (query+1)*depth]; !slices.Equal(got, want) {
				t.Fatalf("%d cores: image %d retrieves %v, want %v", cores, query, got, want)
			}
		}
		for query := 0; query < texts; query += 41 {
			want := sorted(images, func(image int) float32 { return scores.At(image, query) })
			if got := ranking.TextToImage.Items[query*depth : (query+1)*depth]; !slices.Equal(got, want) {
				t.Fatalf("%d cores: text %d retrieves %v, want %v", cores, query, got, want)
			}
		}
	}
}

// sorted returns the best items by sorting all of them.
func sorted(items int, score func(int) float32) []int32 {
	order := make([]int32, items)
	for i := range order {
		order[i] = int32(i)
	}
	slices.SortStableFunc(order, func(a, b int32) int { return cmp.Compare(score(int(b)), score(int(a))) })
	return order[:depth]
}

func TestFirstNaNIsNamedOnAnyNumberOfCores(t *testing.T) {
	scores, table := embedding.NewMatrix(3, 2000), make([]int, 2000)
	for i := range table {
		table[i] = i % 3
	}
	nan := scores.Values[0] / scores.Values[0]
	scores.Set(1, 1900, nan)
	scores.Set(2, 5, nan)
	before := runtime.GOMAXPROCS(3)
	defer runtime.GOMAXPROCS(before)
	if _, err := Rank(FromMatrix(scores), table); err == nil || !strings.HasSuffix(err.Error(), "score of image 1 and text 1900 is NaN") {
		t.Errorf("error %v", err)
	}
}
