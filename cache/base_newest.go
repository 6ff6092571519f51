package cache

import (
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"time"
)

// listBase looks which base is the newest, and forgets an older one.
func (s *Store) listBase() error {
	if !hasBase {
		return nil
	}
	ns, _, err := numbered(filepath.Join(s.dir, baseDir))
	if err != nil {
		return err
	}
	top := 0
	if len(ns) > 0 {
		top = ns[0]
	}
	if top == s.baseTop {
		return nil
	}
	kept, _, err := numbered(filepath.Join(s.dir, foldedDir))
	if err != nil {
		return err
	}
	s.closeBase()
	s.baseTop, s.baseSought = top, false
	s.baseGen = listedGen(s.baseDir(top))
	if len(kept) == 0 && top == 0 {
		s.baseGen = 0
	} else if len(kept) > 0 && kept[0] > top {
		s.baseGen = unknownGen // a base was lost, and its segments must be read
	}
	return nil
}

// baseTries and basePause bound the wait for a base that is being moved away.
const (
	baseTries = 50
	basePause = 2 * time.Millisecond
)

// openBase returns the newest sound base, or nil, and sets damaged ones aside.
// It is sought once, and again when there is a newer one.
func (s *Store) openBase() *base {
	if s.baseSought || !hasBase {
		return s.base
	}
	s.baseSought = true
	damaged := map[int]*errBaseDamaged{}
	newest := true
	for try := 1; ; try++ {
		var err error
		newest, err = s.tryBases(damaged)
		if err == nil {
			break
		}
		if !errors.Is(err, errBaseGone) || try == baseTries {
			s.warn(fmt.Sprintf("cache: the base of %s is not used: %v: what it holds may be asked again", s.dir, err))
			break
		}
		time.Sleep(basePause)
	}
	s.baseGen = 0
	from := 0
	if s.base != nil {
		s.baseGen, from = s.base.list.gen, s.base.n
	}
	if s.base != nil && newest {
		for _, g := range s.segs {
			if (g.gone || g.folded) && !g.own {
				s.dropSegment(g) // all it holds is in this base
			}
		}
	}
	s.readFolded(from)
	s.warnMissing(from)
	for _, n := range slices.Backward(slices.Sorted(maps.Keys(damaged))) {
		s.setAside(n, damaged[n])
	}
	return s.base
}

// tryBases opens the newest base it can, and notes the damaged ones it meets.
// newest is false when there is a newer one that it could not open.
func (s *Store) tryBases(damaged map[int]*errBaseDamaged) (newest bool, err error) {
	ns, _, err := numbered(filepath.Join(s.dir, baseDir))
	if err != nil {
		return false, err
	}
	newest = true
	for _, n := range ns {
		b, err := openBaseDir(s.baseDir(n), n)
		var bad *errBaseDamaged
		switch {
		case err == nil:
			s.base = b
			return newest, nil
		case errors.As(err, &bad):
			damaged[n] = bad
		case errors.Is(err, errBaseGone):
			return false, err
		default:
			s.warn(fmt.Sprintf("cache: base %s cannot be opened: %v: what only it holds will be asked again", s.baseDir(n), err))
		}
		newest = false
	}
	return newest, nil
}

// baseDir is the folder of base n.
func (s *Store) baseDir(n int) string {
	return filepath.Join(s.dir, baseDir, strconv.Itoa(n))
}

// closeBase closes the base if it is open.
func (s *Store) closeBase() {
	if s.base != nil {
		s.base.db.Close() // it was read only: there is nothing to lose
		s.base = nil
	}
}
