package cache

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// errBaseDamaged reports a base that is not what LIST says.
type errBaseDamaged struct {
	why   error
	list  baseList
	known bool // list could be read
}

func (e *errBaseDamaged) Error() string { return e.why.Error() }

// warnMissing tells of a base that somebody removed: segments kept from its fold
// are newer than any base there is, and no fold leaves that.
func (s *Store) warnMissing(from int) {
	_, top, err := numbered(filepath.Join(s.dir, baseDir)) // also those set aside
	kept, _, err2 := numbered(filepath.Join(s.dir, foldedDir))
	if err != nil || err2 != nil || len(kept) == 0 || kept[0] <= top {
		return
	}
	than := "the kept segments"
	if from > 0 {
		than = s.baseDir(from) + " and " + than
	}
	s.warn(fmt.Sprintf("cache: base %s is missing: what it held beyond %s is gone and will be asked again", s.baseDir(kept[0]), than))
}

// readFolded reads the segments kept from folds after base n: all that a lost
// base held beyond base n.
func (s *Store) readFolded(n int) {
	dir := filepath.Join(s.dir, foldedDir)
	kept, _, err := numbered(dir)
	if err != nil {
		s.warn(err.Error())
		return
	}
	for _, m := range kept {
		if m <= n {
			continue
		}
		sub := filepath.Join(dir, strconv.Itoa(m))
		names, err := dirNames(sub)
		if err != nil {
			s.warn(err.Error())
		}
		for _, name := range names {
			if !strings.HasSuffix(name, segmentExt) {
				continue
			}
			if s.segs[name] == nil {
				s.addSegment(filepath.Join(sub, name))
			}
			if g := s.segs[name]; g != nil && !g.own {
				s.seal(g)
				g.folded = true
			}
		}
	}
}

// setAside moves a damaged base away, so that the next fold builds a new one,
// and says what is lost with it. Only the newest such base is kept.
func (s *Store) setAside(n int, bad *errBaseDamaged) {
	where := "set aside as "
	to, err := s.moveAside(n)
	if err != nil {
		where = fmt.Sprintf("not used (it could not be set aside: %v)", err)
	} else {
		where += to + " (remove it when you have looked at it)"
	}
	what := "how many records it held is not known; those that an older base or a kept segment holds are read from there, the others"
	if bad.known {
		gone := max(0, bad.list.records-s.recovered())
		if gone == 0 {
			s.warn(fmt.Sprintf("cache: base %s is damaged: %v: it is %s; none of its %d records is gone: they are read from the base before it and from kept segments", s.baseDir(n), bad.why, where, bad.list.records))
			return
		}
		what = fmt.Sprintf("up to %d of its %d records", gone, bad.list.records)
	}
	s.warn(fmt.Sprintf("cache: base %s is damaged: %v: it is %s; %s are gone and will be asked again", s.baseDir(n), bad.why, where, what))
}

// recovered counts the records of the open base and the kept segments.
func (s *Store) recovered() (n int) {
	if s.base != nil {
		n = s.base.list.records
	}
	for k, p := range s.index {
		if !p.seg.folded {
			continue
		}
		if s.base != nil {
			if _, ok, err := s.base.head(k); ok && err == nil {
				continue
			}
		}
		n++
	}
	return n
}

// moveAside renames base n under the lock of those who fold.
func (s *Store) moveAside(n int) (to string, err error) {
	if !s.folding {
		lock, err := s.lockFold()
		if err != nil {
			return "", err
		}
		if lock == nil {
			return "", errors.New("another process is folding")
		}
		defer lock.Close()
	}
	if to, err = s.moveBase(n, damagedTag); err != nil {
		return "", err
	}
	dir := filepath.Join(s.dir, baseDir)
	names, err := dirNames(dir)
	if err != nil {
		return "", err
	}
	for _, name := range names {
		if strings.HasPrefix(name, damagedTag) && name != filepath.Base(to) {
			if err := os.RemoveAll(filepath.Join(dir, name)); err != nil {
				return "", err
			}
		}
	}
	return to, nil
}
