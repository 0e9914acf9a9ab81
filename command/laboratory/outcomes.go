package laboratory

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"gosphere/asymvlm/retrieval"
)

// outcomes are what a result file says of each query, in the order of the data set: whether its best item is right, the place of its
// uncertainty among all (equal ones share a place, from 0 for the most certain), and the group that it is drawn with, such as the image of
// a caption. They are empty in results of earlier versions. Those of cross-validations are fold by fold and have no places: the uncertainties
// of different adapters are not compared.
type outcomes struct {
	Hits   bits   `json:"hits,omitempty"`
	Places places `json:"uncertainty_places,omitempty"`
	Groups places `json:"groups,omitempty"` // empty where every query is a group of its own
}

func newOutcomes(d retrieval.Direction, groups []int) outcomes {
	if len(d.Hits) == 0 {
		return outcomes{}
	}
	return outcomes{Hits: d.Hits, Places: placesOf(d.Uncertainty), Groups: groups}
}

// placesOf returns the place of each value among the different values.
func placesOf(values []float64) places {
	order := slices.Compact(slices.Sorted(slices.Values(values)))
	list := make(places, len(values))
	for i, value := range values {
		list[i], _ = slices.BinarySearchFunc(order, value, cmp.Compare)
	}
	return list
}

// sample returns the outcomes as retrieval computes with them, in the levels of the result; nil for those of cross-validations, which have
// no levels of all queries.
func (d direction) sample() (*retrieval.Outcomes, retrieval.Groups, error) {
	if len(d.Hits) == 0 {
		return nil, nil, errNoOutcomes
	}
	uncertainty, groupOf := make([]float64, len(d.Places)), d.Groups
	for i, place := range d.Places {
		uncertainty[i] = float64(place)
	}
	if len(groupOf) == 0 {
		for i := range d.Hits {
			groupOf = append(groupOf, i)
		}
	}
	if len(groupOf) != len(d.Hits) {
		return nil, nil, fmt.Errorf("groups of %d queries, and hits of %d", len(groupOf), len(d.Hits))
	}
	groups, err := retrieval.GroupsOf(groupOf)
	if err != nil {
		return nil, nil, err
	}
	if len(d.Places) == 0 {
		return nil, groups, nil
	}
	o, err := retrieval.NewOutcomes(d.Hits, uncertainty, len(d.Levels))
	return o, groups, err
}

var errNoOutcomes = fmt.Errorf("it does not say which queries hit, as results of earlier versions; measure it again by gosphere eval or crossval")

// bits are written as a text of 0 and 1.
type bits []bool

// MarshalText writes a 1 for true.
func (b bits) MarshalText() ([]byte, error) {
	text := make([]byte, len(b))
	for i, bit := range b {
		text[i] = '0'
		if bit {
			text[i] = '1'
		}
	}
	return text, nil
}

// UnmarshalText reads a text of 0 and 1.
func (b *bits) UnmarshalText(text []byte) error {
	*b = make(bits, len(text))
	for i, sign := range text {
		if sign != '0' && sign != '1' {
			return fmt.Errorf("hits with %q at %d, want 0 or 1", sign, i)
		}
		(*b)[i] = sign == '1'
	}
	return nil
}

// places are written as numbers with spaces between them.
type places []int

// MarshalText writes the numbers.
func (p places) MarshalText() ([]byte, error) {
	var text []byte
	for i, place := range p {
		if i > 0 {
			text = append(text, ' ')
		}
		text = strconv.AppendInt(text, int64(place), 10)
	}
	return text, nil
}

// UnmarshalText reads the numbers.
func (p *places) UnmarshalText(text []byte) error {
	*p = nil
	for field := range strings.FieldsSeq(string(text)) {
		place, err := strconv.Atoi(field)
		if err != nil {
			return fmt.Errorf("places with %q, want whole numbers", field)
		}
		*p = append(*p, place)
	}
	return nil
}
