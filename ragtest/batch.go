package ragtest

import (
	"context"
	"slices"
	"sync"

	"github.com/ragomega/ragomega/cache"
)

// batch is what one Embed wants. The texts that are not known are asked for
// together, when the first of them turns out not to be.
type batch struct {
	e     *Embedder
	cache *cache.Cache
	texts []string
}

// arrivals are vectors that came with a batch and were not yet kept, each under
// a key of its own. Copies of an Embedder share them: batches that overlap pay
// for no text twice, as one asks after the other.
type arrivals struct {
	turn chan struct{} // has room for the one who asks
	mu   sync.Mutex
	got  map[string][]float32
}

func (a *arrivals) put(identity, text string, v []float32) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.got[identity+"\x00"+text] = v
}

// take returns a vector that arrived, once: it is kept from then on.
func (a *arrivals) take(identity, text string) ([]float32, bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	v, ok := a.got[identity+"\x00"+text]
	delete(a.got, identity+"\x00"+text)
	return v, ok
}

func (a *arrivals) has(identity, text string) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	_, ok := a.got[identity+"\x00"+text]
	return ok
}

// maxBatch is the number of texts in one request. Servers take at least that
// many.
const maxBatch = 256

// get returns the vector of text, which is not known yet.
func (b batch) get(ctx context.Context, text string) ([]float32, error) {
	arrived := b.e.arrived
	select {
	case arrived.turn <- struct{}{}:
		defer func() { <-arrived.turn }()
	case <-ctx.Done():
		return nil, endOf(ctx)
	}
	if v, ok := arrived.take(b.e.identity, text); ok {
		return v, nil
	}
	// The texts before this one are known by now, as Embed takes them in order.
	rest := []string{text}
	for _, t := range b.texts[slices.Index(b.texts, text)+1:] {
		if len(rest) == maxBatch {
			break
		}
		if slices.Contains(rest, t) || arrived.has(b.e.identity, t) {
			continue
		}
		req, err := b.e.exchange(t)
		if err != nil {
			return nil, err
		}
		if !b.cache.Known(req) {
			rest = append(rest, t)
		}
	}
	vectors, err := b.e.request(ctx, rest)
	if err != nil {
		return nil, err
	}
	for i, t := range rest[1:] {
		arrived.put(b.e.identity, t, vectors[i+1])
	}
	return vectors[0], nil
}

// plan notes what get would ask for, from the i-th text on: those before it are
// known.
func (b batch) plan(ctx context.Context, i int) {
	p := planned{most: maxBatch}
	for _, text := range b.texts[i:] {
		if req, err := b.e.exchange(text); err == nil && !b.cache.Known(req) {
			p.add(req)
		}
	}
	notePlanned(ctx, p)
}
