package cache

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"
)

// Layout of a store's folder. The file STORE names the format and grows by one
// byte whenever a segment is born: a reader that finds its size unchanged need
// not list the folder again, and no clock is involved.
const (
	storeFile   = "STORE"
	storeFormat = "ragtest store 1\n"
	segmentDir  = "segments"
	foldedDir   = "folded"
	baseDir     = "base"
	lockDir     = "locks"
)

// defaultLockWait is how long [Store.Lock] waits unless told otherwise.
const defaultLockWait = 2 * time.Minute

// Store keeps replies for all packages, branches and clones of one user. Each
// process appends what it stores to its own segment and reads those of the
// others; segments of processes that are gone are folded into a Badger base,
// which everybody opens read-only.
//
// A Store may be used by many goroutines, and any number of Stores, in one
// process or many, may use one folder.
type Store struct {
	// LockWait bounds the wait in [Store.Lock]. Set it before the first use.
	LockWait time.Duration

	dir string

	mu     sync.Mutex // guards what follows
	closed bool
	roll   *os.File // STORE
	rolled int64    // size of STORE when the folders were last listed
	index  map[Key]place
	segs   map[string]*segment
	own    *segment // what this process appends to; nil until the first Put
	buf    []byte

	base       *base // nil until needed, or when there is none
	baseSought bool  // base need not be looked for again
	baseTop    int   // the newest base when the folders were last listed
	baseGen    uint64
	folding    bool // this Store holds the lock of the folder

	queueMu sync.Mutex
	queues  [lockShards]chan struct{}

	warnMu   sync.Mutex
	warnings []string
}

// place is where a record lies. Values are not kept in memory: reading a few
// KB back costs a few µs, and a store can be larger than a process should be.
type place struct {
	stamp
	seg *segment
	off int64
}

// OpenStore opens the store in dir and creates it if need be. A store that can
// be read but not written to opens, and its Put and Lock fail.
func OpenStore(dir string) (*Store, error) {
	dir, err := filepath.Abs(dir) // the process may change directory later
	if err != nil {
		return nil, storeError("find", dir, err)
	}
	roll, err := openRoll(dir)
	if err != nil {
		return nil, err
	}
	return &Store{
		LockWait: defaultLockWait,
		dir:      dir,
		roll:     roll,
		rolled:   -1,
		baseTop:  -1,
		index:    map[Key]place{},
		segs:     map[string]*segment{},
	}, nil
}

// Get returns the newest value stored under k by any process.
func (s *Store) Get(k Key) (value []byte, ok bool, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	p, ok, b, err := s.find(k)
	if err != nil {
		return nil, false, err
	}
	if ok && s.baseGenOf(b, k) <= p.gen {
		frame, err := p.seg.readFrame(p.off, k, p.stamp)
		if err == nil {
			return frame[frameHead:], true, nil
		}
		s.warn(fmt.Sprintf("cache: record at byte %d of %s is damaged (%v): it is gone and will be asked again", p.off, p.seg.path, err))
		delete(s.index, k)
		b = s.openBase() // it may hold an older one
	}
	if b == nil {
		return nil, false, nil
	}
	value, ok, err = b.value(k)
	if err != nil {
		s.warn(fmt.Sprintf("cache: %s: %v: it is gone and will be asked again", b.dir, err))
	}
	return value, ok && err == nil, nil
}

// find returns the newest record under k in the segments, and the base if that
// may hold a newer one.
func (s *Store) find(k Key) (p place, ok bool, b *base, err error) {
	if err := s.refresh(); err != nil {
		return p, false, nil, err
	}
	if p, ok = s.index[k]; ok && p.gen >= s.baseGen {
		return p, true, nil, nil // the base holds nothing newer under any key
	}
	b = s.openBase()
	p, ok = s.index[k] // kept segments may have been read in place of a damaged base
	return p, ok, b, nil
}

// baseGenOf returns the generation of the record under k in b, which may be
// nil, or 0.
func (s *Store) baseGenOf(b *base, k Key) uint64 {
	if b == nil {
		return 0
	}
	st, ok, err := b.head(k)
	if err != nil || !ok { // a damaged one is nothing
		return 0
	}
	return st.gen
}

// Put stores value under k before it returns: one write to this process's own
// segment, which outlives the process. It replaces what is known under k.
func (s *Store) Put(k Key, value []byte) error {
	if len(value) > maxValue {
		return fmt.Errorf("cache: value of %d bytes for key %s is larger than the %d a record may have", len(value), k, maxValue)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	p, _, b, err := s.find(k)
	if err != nil {
		return err
	}
	known := max(p.gen, s.baseGenOf(b, k))
	if s.own == nil {
		if s.own, err = s.newSegment(); err != nil {
			return err
		}
	}
	g := s.own
	s.buf = appendFrame(s.buf[:0], k, known+1, value)
	frame := s.buf
	if cap(s.buf) > 1<<20 {
		s.buf = nil
	}
	if _, err := g.f.Write(frame); err != nil {
		s.abandon()
		return storeError("write to", g.path, err)
	}
	_, st, _ := parseHead(frame)
	s.index[k] = place{st, g, g.end}
	g.end += int64(len(frame))
	g.n++
	return nil
}

// newSegment creates this process's segment. It is locked before it has a
// magic line: a segment that has one, and no lock, belongs to nobody.
func (s *Store) newSegment() (*segment, error) {
	name := fmt.Sprintf("%d-%08x%s", os.Getpid(), rand.Uint32(), segmentExt)
	path := filepath.Join(s.dir, segmentDir, name)
	f, err := os.OpenFile(path, os.O_RDWR|os.O_APPEND|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return nil, storeError("create", path, err)
	}
	ok, err := tryLock(f, true)
	if err == nil && !ok {
		err = errors.New("another process has locked it")
	}
	if err == nil {
		_, err = f.WriteString(segmentMagic)
	}
	if err == nil {
		err = appendTo(filepath.Join(s.dir, storeFile), ".")
	}
	if err != nil {
		os.Remove(path)
		f.Close()
		var se *StoreError
		if errors.As(err, &se) {
			return nil, err
		}
		return nil, storeError("write to", path, err)
	}
	g := &segment{name: name, path: path, f: f, end: int64(len(segmentMagic)), own: true}
	s.segs[name] = g
	return g, nil
}

// abandon ends the own segment after a short write: the torn frame is cut off
// and the next Put begins a new segment, so that no reader that has seen half
// of the frame takes other bytes for its end.
func (s *Store) abandon() {
	g := s.own
	s.own = nil
	if g.n == 0 {
		os.Remove(g.path)
		g.f.Close()
		delete(s.segs, g.name)
		return
	}
	_ = g.f.Truncate(g.end) // else the next who folds drops the torn frame
}

// warn keeps a warning, once.
func (s *Store) warn(w string) {
	s.warnMu.Lock()
	defer s.warnMu.Unlock()
	if !slices.Contains(s.warnings, w) {
		s.warnings = append(s.warnings, w)
	}
}

// Warnings returns what went wrong without failing anything. Each says what is
// gone and what to do.
func (s *Store) Warnings() []string {
	s.warnMu.Lock()
	defer s.warnMu.Unlock()
	return slices.Clone(s.warnings)
}

// Close ends the use of the store. When the segments of processes that are
// gone have grown to be many, it folds them into the base first.
func (s *Store) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nil
	}
	for _, g := range s.segs {
		if g.own { // nobody appends to it from here on
			g.own, g.dead = false, true
			_ = unlock(g.f)
		}
	}
	s.own = nil
	if s.rolled >= 0 && hasBase && s.worthFolding() {
		if err := s.fold(); err != nil {
			s.warn(fmt.Sprintf("%v; the segments stay as they are and nothing is lost", err))
		}
	}
	s.closed = true
	s.closeBase()
	for _, g := range s.segs {
		g.f.Close()
	}
	s.roll.Close()
	s.index, s.segs = nil, nil
	return nil
}
