package socket

import (
	"errors"
	"runtime/debug"
	"sync"
	"time"
)

// maxHeld is the maximum number of bytes that a kernel holds for all peers without a valid
// signature together, on all sockets. A message of a client is counted until its signature has been
// checked, which only its first one on each connection is.
const maxHeld = 64 << 20

// A budget counts the bytes of unfinished and unchecked messages of peers without a valid
// signature. When they exceed the maximum, the peer that holds most of them is disconnected: it
// has sent more than any client that begins.
type budget struct {
	most int

	mu       sync.Mutex // guards the fields below
	held     map[*peer]int
	total    int
	returned time.Time // of the last return of memory to the system
}

func newBudget() *budget { return &budget{most: maxHeld, held: map[*peer]int{}} }

// errBudget is the error of a peer that is disconnected because of the budget.
var errBudget = errors.New("socket: too many bytes of peers without a valid signature")

// take counts bytes that are about to be allocated for a peer.
func (b *budget) take(p *peer, bytes int) error {
	var cut []*peer
	b.mu.Lock()
	b.held[p] += bytes
	b.total += bytes
	for b.total > b.most {
		largest := p
		for other, n := range b.held {
			if n > b.held[largest] {
				largest = other
			}
		}
		b.total -= b.held[largest]
		delete(b.held, largest)
		cut = append(cut, largest)
	}
	b.mu.Unlock()
	var err error
	for _, c := range cut {
		c.close()
		if c == p {
			err = errBudget
		}
	}
	if len(cut) > 0 {
		b.giveBack()
	}
	return err
}

// release returns the bytes of a peer: its message has been checked, or it has ended.
func (b *budget) release(p *peer) {
	if b == nil {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.total -= b.held[p]
	delete(b.held, p)
}

// returnEvery is the least time between two returns of memory to the system, each of which costs a
// garbage collection.
const returnEvery = 10 * time.Second

// giveBack returns the memory of disconnected peers to the system, once their goroutines have
// ended.
func (b *budget) giveBack() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if time.Since(b.returned) < returnEvery {
		return
	}
	b.returned = time.Now()
	time.AfterFunc(time.Second, debug.FreeOSMemory)
}
