package laboratory

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"gosphere/asymvlm/retrieval"
)

// outcomes holds the results of each query, in the order of the data set: whether its best item is
// correct, the rank of its uncertainty among all queries (equal values share a rank; 0 is the most
// certain), and the group with which it is resampled, such as the image of a caption. All are empty
// in results of earlier versions. Outcomes of cross-validations are fold by fold and have no ranks,
// because uncertainties of different adapters are not comparable.
type outcomes struct {
	Hits   bits   `json:"hits,omitempty"`
	Places places `json:"uncertainty_places,omitempty"`
	Groups places `json:"groups,omitempty"` // empty if every query is a group of its own
}

func newOutcomes(d retrieval.Direction, groups []int) outcomes {
	if len(d.Hits) == 0 {
		return outcomes{}
	}
	return outcomes{Hits: d.Hits, Places: placesOf(d.Uncertainty), Groups: groups}
}

// placesOf returns the rank of each value among the distinct values.
func placesOf(values []float64) places {
	order := slices.Compact(slices.Sorted(slices.Values(values)))
	list := make(places, len(values))
	for i, value := range values {
		list[i], _ = slices.BinarySearchFunc(order, value, cmp.Compare)
	}
	return list
}

// sample returns the outcomes in retrieval's form, in the levels of the result. It returns nil for
// cross-validations, which have no levels over all queries.
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
		return nil, nil, fmt.Errorf("groups of %d queries, but hits of %d", len(groupOf), len(d.Hits))
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

var errNoOutcomes = fmt.Errorf("it does not record which queries hit, because an earlier version wrote it; measure it again with gosphere eval or crossval")

// bits are encoded as a string of 0 and 1.
type bits []bool

// MarshalText encodes true as 1.
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

// UnmarshalText parses a string of 0 and 1.
func (b *bits) UnmarshalText(text []byte) error {
	*b = make(bits, len(text))
	for i, sign := range text {
		if sign != '0' && sign != '1' {
			return fmt.Errorf("hits: %q at %d, want 0 or 1", sign, i)
		}
		(*b)[i] = sign == '1'
	}
	return nil
}

// places are encoded as numbers separated by blanks.
type places []int

// MarshalText encodes the numbers.
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

// UnmarshalText parses the numbers.
func (p *places) UnmarshalText(text []byte) error {
	*p = nil
	for field := range strings.FieldsSeq(string(text)) {
		place, err := strconv.Atoi(field)
		if err != nil {
			return fmt.Errorf("places: %q, want integers", field)
		}
		*p = append(*p, place)
	}
	return nil
}
