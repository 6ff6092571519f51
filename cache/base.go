package cache

import (
	"encoding/binary"
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

// base is an open base.
type base struct {
	n    int
	dir  string
	list baseList
	db   *badger.DB
}

// errBaseGone reports a base that another process is using or moving.
var errBaseGone = errors.New("another process is using or moving it")

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
