package cache

// Known reports whether [Cache.Do] would answer r without asking. It lets a
// caller ask for several things at once, and only for those that are not known.
// What is known now may be unusable when it is read, and what is not may be
// known a moment later: Do decides.
func (c *Cache) Known(r Request) bool {
	r = r.hashed()
	if c.mode == Auto || !c.mode.asks() {
		if _, ok, err := c.recording(r.Kind).get(r, false); ok || err != nil {
			return true // an error is what Do returns, too
		}
	}
	var store *Store
	switch {
	case c.mode == Auto, c.mode == Plan:
		store = c.live.open()
	case c.mode == Refresh:
		store = c.live.openRun()
	}
	if store == nil {
		return false
	}
	_, ok := c.live.stored(store, r)
	return ok
}
