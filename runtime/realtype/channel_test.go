package realtype

import (
	"fmt"
	"reflect"
	"testing"
)

// ringOf makes a channel whose ring of elements begins at a given place.
func ringOf(capacity, start int, elements ...any) chan any {
	c := make(chan any, capacity)
	for range start {
		c <- nil
		<-c
	}
	for _, e := range elements {
		c <- e
	}
	return c
}

func TestRefreshReachesWhatChannelsHoldInItsOrder(t *testing.T) {
	forged, v := old(t, "sent")
	for capacity := 3; capacity <= 5; capacity++ { // full, and with room
		for start := range capacity {
			for _, shut := range []bool{false, true} {
				c := ringOf(capacity, start, v, 2, []any{v})
				if shut {
					close(c)
				}
				inner := make(chan (<-chan any), 1)
				inner <- c
				Refresh([]any{&inner})
				wantSame(t, "length of the outer one", len(inner), 1)
				wantSame(t, "length", len(c), 3)
				first := <-c
				wantSame(t, "type", reflect.TypeOf(first) == forged.Real(), true)
				wantSame(t, "values", fmt.Sprint(first, <-c, <-c), "L1 2 [L1]")
				if !shut {
					c <- 7
					close(c)
					wantSame(t, "sent afterwards", <-c, 7)
				}
				_, ok := <-c
				wantSame(t, "more", ok, false)
			}
		}
	}
}

func TestRefreshLeavesChannelsWithoutElementsAlone(t *testing.T) {
	closed := make(chan any)
	close(closed)
	var none chan any
	empty, unbuffered := make(chan any, 2), make(chan any)
	Refresh([]any{&closed, &none, &empty, &unbuffered})
	wantSame(t, "length", len(empty), 0)
	empty <- 1
	wantSame(t, "element", <-empty, 1)
}

// A channel of structs has elements of several words, of which one is an interface value.
func TestRefreshReachesIntoTheElementsOfChannels(t *testing.T) {
	_, v := old(t, "parts")
	type element = struct {
		n    int
		Held any
		s    string
	}
	c := make(chan element, 2)
	c <- element{1, v, "one"}
	c <- element{2, v, "two"}
	Refresh([]any{&c})
	wantSame(t, "elements", fmt.Sprint(<-c, <-c), "{1 L1 one} {2 L1 two}")
}
