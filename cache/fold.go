package cache

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/dgraph-io/badger/v4"
)

// Close folds when the segments of processes that are gone hold this much.
// Below it, reading them costs a starting process a few milliseconds, less than
// opening a base; above it, a fold costs less than the judge calls of one test.
const (
	foldRecords = 5000
	foldBytes   = 32 << 20
	foldFiles   = 64
)

// foldSpare is the space that must be left on the disk after a fold. Badger
// writes through memory maps, and a full disk then kills the process (SIGBUS);
// so a fold is not begun when space could run out.
const foldSpare = 64 << 20

// Fold moves the records of processes that are gone into a new base, whether
// or not it is worthwhile yet. It does nothing when another process is folding.
//
// A fold works on a copy. What others see changes in one rename, of base/tmp
// to base/<n+1>; killed before it, the fold has not happened, killed after it,
// segments that were not moved yet are read and folded once more, which changes
// nothing. A copy costs the disk one base more than changing it in place, and
// buys that there is no repairing, that readers go on reading, and that the
// base before is at hand when this one is damaged. The copy is a real one: a
// hard link would share its bytes, and Badger truncates a table before it
// removes it.
func (s *Store) Fold() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return fmt.Errorf("cache: store %s: %w", s.dir, os.ErrClosed)
	}
	return s.fold()
}

// worthFolding reports whether Close should fold.
func (s *Store) worthFolding() bool {
	var files, records int
	var bytes int64
	for _, g := range s.segs {
		if g.folded {
			return true // a damaged base waits to be built again
		}
		if g.dead && !g.gone {
			files++
			records += g.n
			bytes += g.end
		}
	}
	return files >= foldFiles || records >= foldRecords || bytes >= foldBytes
}

func (s *Store) fold() error {
	if !hasBase {
		return nil
	}
	lock, err := s.lockFold()
	if err != nil || lock == nil {
		return err
	}
	defer lock.Close()
	s.folding = true
	defer func() { s.folding = false }()

	if err := s.list(); err != nil {
		return err
	}
	if s.base == nil || s.base.n != s.baseTop {
		s.closeBase()
		s.baseSought = false
	}
	from := 0
	if b := s.openBase(); b != nil {
		from = b.n
	}
	if left, _, err := numbered(filepath.Join(s.dir, baseDir)); err != nil {
		return err
	} else if len(left) > 0 && left[0] != from {
		return fmt.Errorf("cache: not folding: base %s cannot be opened (see the warnings)", s.baseDir(left[0]))
	}
	dead := s.deadSegments()
	if len(dead) == 0 {
		return nil
	}
	if err := s.roomToFold(dead); err != nil {
		return err
	}
	next, err := s.nextFold()
	if err != nil {
		return err
	}
	tmp := s.tmpBase()
	err = s.writeBase(tmp, dead)
	if err == nil {
		err = os.Rename(tmp, s.baseDir(next))
	}
	if err != nil {
		return errors.Join(fmt.Errorf("cache: fold into %s: %w", s.baseDir(next), err), os.RemoveAll(tmp))
	}
	if err := syncPath(filepath.Join(s.dir, baseDir)); err != nil {
		return storeError("sync", filepath.Join(s.dir, baseDir), err)
	}
	s.rolled = -1 // list again: there is a new base
	if err := s.keepSegments(dead, next); err != nil {
		return err
	}
	return s.sweep(from)
}

// lockFold takes the lock of those who fold or set aside; nil means that
// another process has it.
func (s *Store) lockFold() (*os.File, error) {
	path := filepath.Join(s.dir, lockDir, "fold")
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, storeError("open lock", path, err)
	}
	ok, err := tryLock(f, true)
	if err != nil {
		err = storeError("lock", path, err)
	}
	if err != nil || !ok {
		f.Close()
		return nil, err
	}
	return f, nil
}

// deadSegments returns the segments to fold, in the order of their names: those
// whose writers are gone, and those kept from folds whose base was lost.
func (s *Store) deadSegments() []*segment {
	var dead []*segment
	for _, g := range s.segs {
		if g.folded || g.dead && !g.gone {
			dead = append(dead, g)
		}
	}
	slices.SortFunc(dead, func(a, b *segment) int { return strings.Compare(a.name, b.name) })
	return dead
}

// roomToFold fails when the disk might run full. Badger may write every table
// anew, and the new records twice: to its log and to a table.
func (s *Store) roomToFold(dead []*segment) error {
	var need int64
	if s.base != nil {
		need = 2 * s.base.list.bytes()
	}
	for _, g := range dead {
		need += 2 * g.end
	}
	need += foldSpare
	free, err := freeSpace(s.dir)
	if err != nil || free >= need {
		return nil // where it cannot be known, fold
	}
	return fmt.Errorf("cache: not folding %s: it may take %d MB and the disk has %d: free space, or set %s to a folder on another disk; nothing is lost", s.dir, need>>20, free>>20, cacheHome())
}

// nextFold returns a number that no base and no kept segment has had.
func (s *Store) nextFold() (int, error) {
	_, top, err := numbered(filepath.Join(s.dir, baseDir))
	if err != nil {
		return 0, err
	}
	_, top2, err := numbered(filepath.Join(s.dir, foldedDir))
	return max(top, top2) + 1, err
}

func (s *Store) tmpBase() string { return filepath.Join(s.dir, baseDir, tmpBase) }

// writeBase makes a base in dir: a copy of the present one and the records of
// the dead segments.
func (s *Store) writeBase(dir string, dead []*segment) error {
	if err := os.RemoveAll(dir); err != nil { // of a fold that was killed
		return err
	}
	if err := os.Mkdir(dir, 0o700); err != nil {
		return err
	}
	var list baseList
	if s.base != nil {
		list = s.base.list
		for _, f := range list.files {
			if err := copyFile(f, s.base.dir, dir); err != nil {
				return err
			}
		}
	}
	db, err := badger.Open(baseOptions(dir))
	if err != nil {
		return err
	}
	err = s.writeRecords(db, dead, &list)
	if err := errors.Join(err, db.Close()); err != nil {
		return err
	}
	return list.write(dir)
}

// copyFile copies one file of a base and checks it on the way.
func copyFile(want baseFile, from, to string) (err error) {
	out, err := os.OpenFile(filepath.Join(to, want.name), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, out.Close()) }()
	got, err := sumFile(filepath.Join(from, want.name), out, make([]byte, copyBuffer))
	if err != nil {
		return err
	}
	return want.compare(got)
}

// writeRecords writes the newest records that lie in dead segments.
func (s *Store) writeRecords(db *badger.DB, dead []*segment, list *baseList) error {
	keys := map[*segment][]Key{}
	for k, p := range s.index {
		keys[p.seg] = append(keys[p.seg], k)
	}
	batch := db.NewWriteBatch()
	defer batch.Cancel()
	for _, g := range dead {
		slices.SortFunc(keys[g], func(a, b Key) int { return int(s.index[a].off - s.index[b].off) })
		for _, k := range keys[g] {
			p := s.index[k]
			known := false
			if s.base != nil {
				st, ok, err := s.base.head(k)
				if ok && st.gen > p.gen {
					continue
				}
				known = ok && err == nil
			}
			frame, err := g.readFrame(p.off, k, p.stamp)
			if err != nil {
				s.warn(fmt.Sprintf("cache: record at byte %d of %s is damaged (%v): it is gone and will be asked again", p.off, g.path, err))
				continue
			}
			for i := 0; len(frame) > 0; i++ {
				n := min(len(frame), pieceSize)
				if err := batch.Set(pieceKey(k, i), frame[:n]); err != nil {
					return err
				}
				frame = frame[n:]
			}
			if !known {
				list.records++
			}
			list.gen = max(list.gen, p.gen)
		}
	}
	return batch.Flush()
}

// write makes LIST for the files in dir, all of them safe on the disk. The
// value log and its statistics are empty and are left out; Badger makes them
// anew.
func (l *baseList) write(dir string) error {
	names, err := dirNames(dir)
	if err != nil {
		return err
	}
	slices.Sort(names)
	l.files = nil
	for _, name := range names {
		path := filepath.Join(dir, name)
		switch ext := filepath.Ext(name); {
		case ext == ".vlog", name == "DISCARD":
			if info, err := os.Stat(path); err != nil || ext == ".vlog" && info.Size() > 64 {
				return errors.Join(err, fmt.Errorf("%s holds values", path))
			}
			if err := os.Remove(path); err != nil {
				return err
			}
			continue
		case ext == ".mem", name == "LOCK":
			return fmt.Errorf("%s is left after Badger was closed", path)
		}
		f, err := sumFile(path, io.Discard, make([]byte, copyBuffer))
		if err != nil {
			return err
		}
		if err := syncPath(path); err != nil {
			return err
		}
		l.files = append(l.files, f)
	}
	path := filepath.Join(dir, listFile)
	if err := os.WriteFile(path, []byte(l.String()), 0o600); err != nil {
		return err
	}
	return errors.Join(syncPath(path), syncPath(dir))
}

// syncPath makes a file or folder safe on the disk.
func syncPath(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}

// keepSegments moves segments out of the readers' way, to be kept until the
// next fold.
func (s *Store) keepSegments(dead []*segment, n int) error {
	dir := filepath.Join(s.dir, foldedDir, strconv.Itoa(n))
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return storeError("create", dir, err)
	}
	for _, g := range dead {
		if g.folded {
			continue
		}
		to := filepath.Join(dir, g.name)
		if err := os.Rename(g.path, to); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return storeError("move", g.path, err)
		}
		g.path = to
	}
	return nil
}

// sweep removes what is older than base n, from which the newest was made, and
// the segments that are in base n.
func (s *Store) sweep(n int) error {
	dir := filepath.Join(s.dir, baseDir)
	bases, _, err := numbered(dir)
	if err != nil {
		return err
	}
	for _, m := range bases {
		if m < n {
			// Somebody may be about to open it: then it stays until the next fold.
			_, _ = s.moveBase(m, oldTag)
		}
	}
	if err := removeTagged(dir, oldTag); err != nil {
		return err
	}
	kept, _, err := numbered(filepath.Join(s.dir, foldedDir))
	if err != nil {
		return err
	}
	for _, m := range kept {
		if m <= n {
			if err := os.RemoveAll(filepath.Join(s.dir, foldedDir, strconv.Itoa(m))); err != nil {
				return storeError("remove", filepath.Join(s.dir, foldedDir, strconv.Itoa(m)), err)
			}
		}
	}
	return nil
}

// moveBase renames base m to tag<m>, unless somebody is opening it.
func (s *Store) moveBase(m int, tag string) (to string, err error) {
	var damaged *errBaseDamaged
	list, err := lockList(s.baseDir(m), true)
	if err == nil {
		defer list.Close()
	} else if !errors.As(err, &damaged) { // without LIST nobody opens it
		return "", err
	}
	to = filepath.Join(s.dir, baseDir, tag+strconv.Itoa(m))
	return to, os.Rename(s.baseDir(m), to)
}

// removeTagged removes the folders whose names begin with tag.
func removeTagged(dir, tag string) error {
	names, err := dirNames(dir)
	if err != nil {
		return err
	}
	for _, name := range names {
		if strings.HasPrefix(name, tag) {
			if err := os.RemoveAll(filepath.Join(dir, name)); err != nil {
				return storeError("remove", filepath.Join(dir, name), err)
			}
		}
	}
	return nil
}
