package cache

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"github.com/dgraph-io/badger/v4"
)

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
