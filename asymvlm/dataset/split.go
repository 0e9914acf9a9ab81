package dataset

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"gosphere/asymvlm/embedding"
)

// Split divides a set by image: the given share of the images, from 0 to 1, is for the test, in a
// random order of the seed. Captions follow their images. Images with equal embeddings stay
// together, so that none is in both parts. A share that leaves a part without images or texts is an
// error.
func Split(set *embedding.Set, share float64, seed uint64) (train, test *embedding.Set, err error) {
	if !(share > 0 && share < 1) {
		return nil, nil, fmt.Errorf("dataset: a test share of %g, want a number between 0 and 1", share)
	}
	groups, places := [][]int{}, map[uint64]int{}
	image := 0
	if err := eachRow(set.Sides()[0], func(hash uint64) {
		place, known := places[hash]
		if !known {
			place = len(groups)
			places[hash], groups = place, append(groups, nil)
		}
		groups[place] = append(groups[place], image)
		image++
	}); err != nil {
		return nil, nil, err
	}
	rand.New(rand.NewPCG(seed, 1)).Shuffle(len(groups), func(i, j int) { groups[i], groups[j] = groups[j], groups[i] })
	var parts [2][]int // test, train
	wanted := int(share*float64(set.Images.Rows) + 0.5)
	for _, group := range groups {
		part := 1
		if len(parts[0]) < wanted {
			part = 0
		}
		parts[part] = append(parts[part], group...)
	}
	var sets [2]*embedding.Set
	for i, rows := range parts {
		slices.Sort(rows)
		if len(rows) == 0 {
			return nil, nil, fmt.Errorf("dataset: a test share of %g of %d images with %d distinct embeddings leaves a part without images", share, set.Images.Rows, len(groups))
		}
		if sets[i], err = set.SelectImages(rows); err != nil {
			return nil, nil, err
		}
		if sets[i].Texts.Rows == 0 {
			return nil, nil, fmt.Errorf("dataset: a test share of %g of %d images leaves a part without captions", share, set.Images.Rows)
		}
	}
	return sets[1], sets[0], nil
}
