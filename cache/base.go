package cache

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/dgraph-io/badger/v4"
	"github.com/dgraph-io/badger/v4/options"
)

// A base is a closed Badger database in base/<n>, n counting folds, with a
// LIST of its files. It is never changed: a fold makes the next one from a
// copy, and the one before is kept, so that a damaged base is rebuilt from it
// and from the segments folded since.
//
// Badger is not asked to judge damage: for a cut table it panics in a goroutine
// of its own, where nobody can recover, and from half a MANIFEST it makes an
// empty database. So every byte is compared with LIST before Badger sees it.
const (
	listFile   = "LIST"
	listFormat = "ragtest base 1"
	tmpBase    = "tmp"
	damagedTag = "damaged-"
	oldTag     = "old-"
)

// pieceSize is the largest value given to Badger. Larger records are cut into
// pieces below Badger's value threshold (1 MB), so that the value log stays
// empty: it is the part of Badger with the most ways to grow and to break.
const pieceSize = 512 << 10

// baseOptions are small on purpose: the defaults create files of 2 GB.
func baseOptions(dir string) badger.Options {
	return badger.DefaultOptions(dir).
		WithLogger(nil).
		WithMetricsEnabled(false).
		WithMemTableSize(8 << 20).
		WithNumMemtables(2).
		WithNumLevelZeroTables(4).
		WithNumLevelZeroTablesStall(8).
		WithNumCompactors(2).
		WithValueLogFileSize(16 << 20).
		WithCompression(options.Snappy).
		WithBlockCacheSize(4 << 20).
		WithIndexCacheSize(0).
		WithDetectConflicts(false)
}

// baseList is what LIST says.
type baseList struct {
	records int    // keys in the base
	gen     uint64 // the highest generation among them
	files   []baseFile
}

// baseFile is one file of a base.
type baseFile struct {
	name string
	size int64
	sum  uint32
}

// bytes returns the size of all files.
func (l baseList) bytes() (n int64) {
	for _, f := range l.files {
		n += f.size
	}
	return n
}

// String is the text of LIST; its last line is a checksum of the others.
func (l baseList) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\nrecords %d\ngeneration %d\n", listFormat, l.records, l.gen)
	for _, f := range l.files {
		fmt.Fprintf(&b, "file %s %d %08x\n", f.name, f.size, f.sum)
	}
	fmt.Fprintf(&b, "sum %08x\n", crc32.Checksum([]byte(b.String()), castagnoli))
	return b.String()
}

// errListFormat reports a LIST of a release this one does not know. Such a base
// is left alone.
var errListFormat = errors.New("another release wrote it")

// parseList reads what String writes.
func parseList(text string) (l baseList, err error) {
	if first, _, _ := strings.Cut(text, "\n"); first != listFormat {
		if strings.HasPrefix(first, "ragtest base ") && strings.HasSuffix(text, "\n") {
			return l, errListFormat
		}
		return l, fmt.Errorf("%s begins with %.40q", listFile, first)
	}
	cut := strings.LastIndex(text, "\nsum ") + 1
	if want := fmt.Sprintf("sum %08x\n", crc32.Checksum([]byte(text[:cut]), castagnoli)); text[cut:] != want {
		return l, fmt.Errorf("%s has a wrong checksum", listFile)
	}
	for _, line := range strings.Split(text[:cut], "\n") {
		word, rest, _ := strings.Cut(line, " ")
		switch word {
		case "records":
			_, err = fmt.Sscan(rest, &l.records)
		case "generation":
			_, err = fmt.Sscan(rest, &l.gen)
		case "file":
			var f baseFile
			_, err = fmt.Sscanf(rest, "%s %d %x", &f.name, &f.size, &f.sum)
			l.files = append(l.files, f)
		}
		if err != nil {
			return l, fmt.Errorf("%s: %q: %w", listFile, line, err)
		}
	}
	return l, nil
}

// check compares the files in dir with l, every byte of them. For 100,000
// records, 94 MB, it takes 30 to 40 ms with the files in memory (see
// BenchmarkStoreCheckBase100k), paid by a process whose first key is in no
// segment: less than one judge call, once.
func (l baseList) check(dir string) error {
	names, err := dirNames(dir)
	if err != nil {
		return err
	}
	for _, name := range names {
		known := func(f baseFile) bool { return f.name == name }
		if name != listFile && !strings.HasPrefix(name, ".") && !slices.ContainsFunc(l.files, known) {
			return fmt.Errorf("%s does not belong there", name)
		}
	}
	buf := make([]byte, copyBuffer)
	for _, want := range l.files {
		got, err := sumFile(filepath.Join(dir, want.name), io.Discard, buf)
		if err != nil {
			return err
		}
		if err := want.compare(got); err != nil {
			return err
		}
	}
	return nil
}

// compare says how got differs from f.
func (f baseFile) compare(got baseFile) error {
	if got.size != f.size {
		return fmt.Errorf("%s has %d bytes, not %d", f.name, got.size, f.size)
	}
	if got.sum != f.sum {
		return fmt.Errorf("%s has checksum %08x, not %08x", f.name, got.sum, f.sum)
	}
	return nil
}

const copyBuffer = 256 << 10

// sumFile reads a file to its end through buf, copying it to w.
func sumFile(path string, w io.Writer, buf []byte) (baseFile, error) {
	f, err := os.Open(path)
	if err != nil {
		return baseFile{}, err
	}
	defer f.Close()
	sum := crc32.New(castagnoli)
	n, err := io.CopyBuffer(io.MultiWriter(sum, w), struct{ io.Reader }{f}, buf)
	return baseFile{filepath.Base(path), n, sum.Sum32()}, err
}

// base is an open base.
type base struct {
	n    int
	dir  string
	list baseList
	db   *badger.DB
}

// errBaseGone reports a base that another process is using or moving.
var errBaseGone = errors.New("another process is using or moving it")

// errBaseDamaged reports a base that is not what LIST says.
type errBaseDamaged struct {
	why   error
	list  baseList
	known bool // list could be read
}

func (e *errBaseDamaged) Error() string { return e.why.Error() }

// openBaseDir checks base n and opens it. While it does so it holds a shared
// lock on LIST, which whoever wants to move or remove the base respects; once
// open, the files are held by the process and need no name any more.
func openBaseDir(dir string, n int) (*base, error) {
	b := &base{n: n, dir: dir}
	list, err := lockList(dir, false)
	if err != nil {
		return nil, err
	}
	defer list.Close()
	text, err := io.ReadAll(list)
	if err != nil {
		return nil, &errBaseDamaged{why: err}
	}
	if b.list, err = parseList(string(text)); errors.Is(err, errListFormat) {
		return nil, err
	} else if err != nil {
		return nil, &errBaseDamaged{why: err}
	}
	if err := b.list.check(dir); err != nil {
		return nil, &errBaseDamaged{why: err, list: b.list, known: true}
	}
	if b.db, err = badger.Open(baseOptions(dir).WithReadOnly(true)); err != nil {
		return nil, err
	}
	return b, nil
}

// lockList opens and locks the LIST in dir.
func lockList(dir string, exclusive bool) (*os.File, error) {
	path := filepath.Join(dir, listFile)
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		if _, err := os.Stat(dir); err != nil {
			return nil, errBaseGone
		}
		return nil, &errBaseDamaged{why: fmt.Errorf("%s is missing", listFile)}
	} else if err != nil {
		return nil, err
	}
	if ok, err := tryLock(f, exclusive); err != nil || !ok {
		f.Close()
		return nil, errors.Join(err, errBaseGone)
	}
	// It may have been moved before the lock was ours.
	mine, err := f.Stat()
	if there, err2 := os.Stat(path); err != nil || err2 != nil || !os.SameFile(mine, there) {
		f.Close()
		return nil, errBaseGone
	}
	return f, nil
}

// pieceKey is Badger's key for the i-th piece of a record.
func pieceKey(k Key, i int) []byte {
	if i == 0 {
		return k[:]
	}
	return binary.BigEndian.AppendUint32(slices.Clone(k[:]), uint32(i))
}

// head returns the stamp of the record under k.
func (b *base) head(k Key) (st stamp, ok bool, err error) {
	err = b.db.View(func(txn *badger.Txn) error {
		item, err := txn.Get(k[:])
		if err != nil {
			return err
		}
		return item.Value(func(piece []byte) error {
			var key Key
			if key, st, ok = parseHead(piece); !ok || key != k {
				return fmt.Errorf("the record of key %s is damaged", k)
			}
			return nil
		})
	})
	if errors.Is(err, badger.ErrKeyNotFound) {
		return st, false, nil
	}
	return st, ok && err == nil, err
}

// value returns the value under k, its checksum checked.
func (b *base) value(k Key) (value []byte, ok bool, err error) {
	var frame []byte
	err = b.db.View(func(txn *badger.Txn) error {
		for i, want := 0, 0; i == 0 || len(frame) < want; i++ {
			item, err := txn.Get(pieceKey(k, i))
			if err != nil {
				if i > 0 {
					return fmt.Errorf("piece %d of the record of key %s is missing", i, k)
				}
				return err
			}
			if err := item.Value(func(piece []byte) error {
				frame = append(frame, piece...)
				return nil
			}); err != nil {
				return err
			}
			if i == 0 {
				_, st, ok := parseHead(frame)
				if !ok {
					return fmt.Errorf("the record of key %s is damaged", k)
				}
				want = frameHead + int(st.size)
				frame = slices.Grow(frame, want-min(want, len(frame)))
			}
		}
		return nil
	})
	if errors.Is(err, badger.ErrKeyNotFound) {
		return nil, false, nil
	}
	if err != nil {
		return nil, false, err
	}
	value, err = parseFrame(frame, k)
	return value, err == nil, err
}

// numbered returns the numbers among the names in a folder, newest first, and
// the highest number that any name in it ends with.
func numbered(dir string) (ns []int, top int, err error) {
	names, err := dirNames(dir)
	if err != nil {
		return nil, 0, err
	}
	for _, name := range names {
		if n, err := strconv.Atoi(name); err == nil && n > 0 {
			ns = append(ns, n)
			top = max(top, n)
		} else if n, err := strconv.Atoi(name[strings.LastIndex(name, "-")+1:]); err == nil {
			top = max(top, n)
		}
	}
	slices.Sort(ns)
	slices.Reverse(ns)
	return ns, top, nil
}

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

// unknownGen makes every look-up open the base.
const unknownGen = ^uint64(0)

// listedGen reads from LIST alone whether the base in dir can hold anything
// newer than a segment. Where LIST cannot be read, the base must be opened to
// find out.
func listedGen(dir string) uint64 {
	text, err := os.ReadFile(filepath.Join(dir, listFile))
	if err != nil {
		return unknownGen
	}
	l, err := parseList(string(text))
	if err != nil {
		return unknownGen
	}
	return l.gen
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
