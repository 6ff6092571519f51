package cache

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"
)

// live is the part of a [Cache] that may ask. A cache in replay has none, and a
// plan uses no more of it than the store.
type live struct {
	cache   *Cache
	home    string // of the store, as given
	flights flights

	opened, openedRun sync.Once

	mu    sync.Mutex
	store *Store        // nil if there is none to be had
	run   *Store        // what was asked for again in this run, by whichever process
	again map[Key]Reply // what this process asked for again, so that it does so once
}

func newLive(c *Cache, home string) *live { return &live{cache: c, home: home} }

// open returns the store, or nil. Without one, replies are still recorded; they
// are only not shared.
func (l *live) open() *Store {
	l.opened.Do(func() {
		without := "Replies are recorded, but not shared with other packages and branches"
		if l.cache.mode == Plan {
			without = "Of what it may hold, the plan knows nothing"
		}
		home, err := l.home, error(nil)
		if home == "" {
			home, err = defaultHome()
		}
		if err != nil {
			l.cache.warn("no store: %v. %s", err, without)
			return
		}
		if _, err := os.Stat(filepath.Join(home, storeFile)); l.cache.mode == Plan && errors.Is(err, fs.ErrNotExist) {
			return // a plan makes nothing
		}
		store, err := OpenStore(home)
		if err != nil {
			l.cache.warn("no store: %v. %s", err, without)
			return
		}
		l.mu.Lock()
		defer l.mu.Unlock()
		l.home, l.store = home, store
	})
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.store
}

// defaultHome is where the store lies if nobody says otherwise.
func defaultHome() (string, error) {
	dir, err := os.UserCacheDir()
	if err != nil {
		return "", err
	}
	return filepath.Join(dir, "ragtest", "v1"), nil
}

// stores returns those that are open.
func (l *live) stores() []*Store {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.DeleteFunc([]*Store{l.store, l.run}, func(s *Store) bool { return s == nil })
}

func (l *live) warnings() []string {
	var w []string
	for _, s := range l.stores() {
		w = append(w, s.Warnings()...)
	}
	return w
}

// do answers r without the recording's first look, which the caller had.
// Concurrent calls for one key share one answer.
func (l *live) do(ctx context.Context, r Request, fill func(context.Context) (Reply, error)) (Reply, error) {
	if l.cache.mode == Off {
		return ask(ctx, fill)
	}
	return l.flights.do(ctx, r.Key(), func() (Reply, error) { return l.lead(ctx, r, fill) })
}

func ask(ctx context.Context, fill func(context.Context) (Reply, error)) (Reply, error) {
	reply, err := fill(ctx)
	if err != nil {
		return Reply{}, err
	}
	reply.Source = Asked
	return reply, nil
}

// lead answers r for all goroutines of this process that wait for it.
func (l *live) lead(ctx context.Context, r Request, fill func(context.Context) (Reply, error)) (Reply, error) {
	if l.cache.mode != Auto {
		return l.once(r, func() (Reply, error) {
			if l.cache.mode == Verify {
				return l.verify(ctx, r, fill)
			}
			return l.find(ctx, r, fill)
		})
	}
	return l.find(ctx, r, fill)
}

// once keeps a process from asking twice in the modes that ask for what is
// known.
func (l *live) once(r Request, do func() (Reply, error)) (Reply, error) {
	k := r.Key()
	l.mu.Lock()
	reply, ok := l.again[k]
	l.mu.Unlock()
	if ok {
		reply.Source = Recorded
		return reply, nil
	}
	reply, err := do()
	if err != nil {
		return Reply{}, err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.again == nil {
		l.again = map[Key]Reply{}
	}
	l.again[k] = reply
	return reply, nil
}

// find looks for the reply, and asks where there is none. The order is:
// somebody may have answered since; take the key's lock, so that no other
// process pays at the same time; look again; ask; keep.
func (l *live) find(ctx context.Context, r Request, fill func(context.Context) (Reply, error)) (Reply, error) {
	rec, store := l.cache.recording(r.Kind), l.open()
	known := store
	if l.cache.mode == Refresh {
		known = l.openRun()
	}
	if reply, ok, err := l.look(ctx, rec, known, r); ok || err != nil {
		return reply, err
	}
	if known != nil {
		unlock, err := known.Lock(ctx, r.Key())
		switch {
		case err == nil:
			defer unlock()
		case ctx.Err() != nil:
			return Reply{}, err
		case !errors.Is(err, ErrLockWait): // which leaves a warning of its own
			l.cache.warn("%v. The reply was asked for without a lock, and may have been paid for twice", err)
		}
		if reply, ok, err := l.look(ctx, rec, known, r); ok || err != nil {
			return reply, err
		}
	}
	if err := rec.writable(); err != nil {
		return Reply{}, err
	}
	reply, err := ask(ctx, fill)
	if err != nil {
		return Reply{}, err
	}
	return l.keep(ctx, rec, r, reply, store, known)
}

// look finds what was answered since the process began, or by others: in the
// file, unless the mode is to replace what is there, and in the store. What
// only the store had is recorded.
func (l *live) look(ctx context.Context, rec *recording, known *Store, r Request) (Reply, bool, error) {
	if l.cache.mode == Auto {
		if reply, ok, err := rec.get(r, true); ok || err != nil {
			return reply, ok, err
		}
	}
	if known == nil {
		return Reply{}, false, nil
	}
	reply, ok := l.stored(known, r)
	if !ok {
		return Reply{}, false, nil
	}
	if err := rec.writable(); err != nil {
		return Reply{}, false, err
	}
	text, err := encode(r, reply)
	if err != nil {
		return Reply{}, false, err
	}
	reply, err = l.record(ctx, rec, r, reply, text)
	return reply, err == nil, err
}

// stored reads r's exchange from a store. One that cannot be used is as good as
// none, as the judge can still be asked.
func (l *live) stored(store *Store, r Request) (Reply, bool) {
	text, ok, err := store.Get(r.Key())
	if err != nil {
		l.cache.warn("the store could not be read: %v", err)
		return Reply{}, false
	}
	if !ok {
		return Reply{}, false
	}
	x, err := ReadExchange(text)
	if err == nil && x.Request != r.digest() {
		err = errors.New("has the key of another request")
	}
	if err != nil {
		l.cache.warn("the store's exchange %s %v", r.Key(), err)
		return Reply{}, false
	}
	return x.reply(Stored), true
}

// keep writes a reply that was just paid for. The store comes first, as it is
// what others look at; if one of the two cannot be written the other has it.
func (l *live) keep(ctx context.Context, rec *recording, r Request, reply Reply, stores ...*Store) (Reply, error) {
	text, err := encode(r, reply)
	if err != nil {
		return Reply{}, err
	}
	var last *Store
	for _, s := range stores {
		if s == nil || s == last {
			continue
		}
		last = s
		if err := s.Put(r.Key(), text); err != nil {
			l.cache.warn("the reply was not stored, only recorded: %v", err)
		}
	}
	// What is paid for is written down even if the test has ended meanwhile.
	return l.record(context.WithoutCancel(ctx), rec, r, reply, text)
}

func (l *live) record(ctx context.Context, rec *recording, r Request, reply Reply, text []byte) (Reply, error) {
	unlock, err := l.lockRecording(ctx, rec)
	if err != nil {
		return Reply{}, err
	}
	defer unlock()
	kept, err := rec.add(r, reply, text, l.cache.mode == Refresh)
	var file *fs.PathError
	var rename *os.LinkError
	switch {
	case err == nil:
		return kept, nil
	case errors.As(err, &file), errors.As(err, &rename): // the reply is paid for and good; settle tries again
		l.cache.warn("the reply was not recorded yet: %v. It is tried again when the run ends", err)
		return reply, nil
	}
	return Reply{}, err
}

// settle sorts rec when the run ends.
func (l *live) settle(rec *recording) error {
	if !rec.grew() {
		return nil
	}
	unlock, err := l.lockRecording(context.Background(), rec)
	if err != nil {
		return err
	}
	defer unlock()
	return rec.settle(l.cache.mode == Refresh)
}

func (l *live) close() error {
	var errs []error
	for _, s := range l.stores() {
		errs = append(errs, s.Close())
	}
	return errors.Join(errs...)
}
