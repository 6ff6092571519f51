package cache

import (
	"os"
	"path/filepath"
	"testing"

	"go.uber.org/goleak"
)

func storeDamage(t testing.TB, base, how string) {
	t.Helper()
	tables, _ := filepath.Glob(filepath.Join(base, "*.sst"))
	if len(tables) == 0 {
		t.Fatalf("no tables in %s", base)
	}
	table, manifest, registry, list := tables[0], filepath.Join(base, "MANIFEST"), filepath.Join(base, "KEYREGISTRY"), filepath.Join(base, listFile)
	create := func(name string, size int) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(base, name), make([]byte, size), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	remove := func(path string) {
		t.Helper()
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
	}
	switch how {
	case "truncated table":
		storeCut(t, table, storeHalf)
	case "flipped byte in table":
		storeFlip(t, table, 100)
	case "zero-length table":
		storeCut(t, table, storeZero)
	case "deleted table":
		remove(table)
	case "extra table":
		create("999999.sst", 4096)
	case "half MANIFEST":
		storeCut(t, manifest, storeHalf)
	case "zero-length MANIFEST":
		storeCut(t, manifest, storeZero)
	case "deleted MANIFEST":
		remove(manifest)
	case "half KEYREGISTRY":
		storeCut(t, registry, storeHalf)
	case "zero-length KEYREGISTRY":
		storeCut(t, registry, storeZero)
	case "leftover .mem":
		create("00009.mem", 4096)
	case "zero-length .mem":
		create("00009.mem", 0)
	case "leftover value log":
		create("000009.vlog", 4096)
	case "deleted LIST":
		remove(list)
	case "half LIST":
		storeCut(t, list, storeHalf)
	case "zero-length LIST":
		storeCut(t, list, storeZero)
	case "flipped byte in LIST":
		storeFlip(t, list, 30)
	case "all files deleted":
		names, _ := dirNames(base)
		for _, name := range names {
			remove(filepath.Join(base, name))
		}
	default:
		t.Fatalf("no damage %q", how)
	}
}

// storeThreeFolds makes a store of three folds of 20 records each.
func storeThreeFolds(t testing.TB) string {
	t.Helper()
	dir := t.TempDir()
	for n := range 3 {
		storeFill(t, dir, 20*n, 20*n+20, true)
	}
	return dir
}

func storeCopy(t testing.TB, from string) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "copy")
	if err := os.CopyFS(dir, os.DirFS(from)); err != nil {
		t.Fatal(err)
	}
	return dir
}

// Of three folds, the last base is damaged: the one before it and the segments
// kept since give everything back, and the next fold makes a new base.
func TestCacheCorruptBase(t *testing.T) {
	storeNeedsBase(t)
	whole := storeThreeFolds(t)
	for _, how := range storeDamages {
		t.Run(how, func(t *testing.T) {
			defer goleak.VerifyNone(t)
			dir := storeCopy(t, whole)
			storeFill(t, dir, 60, 70, false) // in a segment
			storeDamage(t, filepath.Join(dir, baseDir, "3"), how)

			s := storeOpen(t, dir)
			for i := range 70 {
				storeWant(t, s, storeKey(i), storeValue(i, 1, 200))
			}
			storeWantNone(t, s, storeKey(99))
			aside := filepath.Join(dir, baseDir, "damaged-3")
			storeWarned(t, s, filepath.Join(dir, baseDir, "3")+" is damaged", aside)
			if len(s.Warnings()) != 1 {
				t.Errorf("more warnings than one: %q", s.Warnings())
			}
			if _, err := os.Stat(aside); err != nil {
				t.Error(err)
			}
			storeClose(t, s) // folds, since a base was lost

			s = storeOpen(t, dir)
			for i := range 70 {
				storeWant(t, s, storeKey(i), storeValue(i, 1, 200))
			}
			storeQuiet(t, s)
			if s.base == nil || s.base.n != 4 || s.base.list.records != 70 {
				t.Errorf("the base is %+v, want number 4 with 70 records", s.base)
			}
			storeClose(t, s)
		})
	}
}

// When every base is damaged, what the kept segments hold is read from there,
// the rest is gone, and the warning counts it.
func TestCacheCorruptBases(t *testing.T) {
	storeNeedsBase(t)
	whole := storeThreeFolds(t)
	for _, how := range []string{"truncated table", "half MANIFEST", "zero-length MANIFEST", "half KEYREGISTRY", "leftover .mem", "half LIST", "all files deleted"} {
		t.Run(how, func(t *testing.T) {
			defer goleak.VerifyNone(t)
			dir := storeCopy(t, whole)
			storeDamage(t, filepath.Join(dir, baseDir, "2"), how)
			storeDamage(t, filepath.Join(dir, baseDir, "3"), how)
			s := storeOpen(t, dir)
			for i := range 60 {
				if i < 40 {
					storeWantNone(t, s, storeKey(i))
				} else {
					storeWant(t, s, storeKey(i), storeValue(i, 1, 200))
				}
			}
			switch how {
			case "half LIST", "all files deleted":
				storeWarned(t, s, filepath.Join(dir, baseDir, "3"), "how many records it held is not known", "asked again")
			default:
				storeWarned(t, s, filepath.Join(dir, baseDir, "3"), "up to 40 of its 60 records are gone and will be asked again")
			}
			storePut(t, s, storeKey(0), storeValue(0, 1, 200))
			storeClose(t, s)

			s = storeOpen(t, dir)
			storeWant(t, s, storeKey(0), storeValue(0, 1, 200))
			storeWant(t, s, storeKey(45), storeValue(45, 1, 200))
			storeWantNone(t, s, storeKey(20))
			storeQuiet(t, s)
			storeClose(t, s)
		})
	}
}

// A base that somebody removed is missed: the store is not silently empty.
func TestStoreRemovedBase(t *testing.T) {
	storeNeedsBase(t)
	whole := storeThreeFolds(t)
	for _, c := range []struct {
		gone []string
		lost int // the first so many records
	}{{[]string{"3"}, 0}, {[]string{"2", "3"}, 40}} {
		dir := storeCopy(t, whole)
		for _, n := range c.gone {
			if err := os.RemoveAll(filepath.Join(dir, baseDir, n)); err != nil {
				t.Fatal(err)
			}
		}
		s := storeOpen(t, dir)
		for i := range 60 {
			if i < c.lost {
				storeWantNone(t, s, storeKey(i))
			} else {
				storeWant(t, s, storeKey(i), storeValue(i, 1, 200))
			}
		}
		storeWarned(t, s, filepath.Join(dir, baseDir, "3")+" is missing", "asked again")
		storeClose(t, s)
		s = storeOpen(t, dir)
		storeWant(t, s, storeKey(50), storeValue(50, 1, 200))
		storeQuiet(t, s)
		storeClose(t, s)
	}
}

// While another process folds, a damaged base stays where it is and is not used.
func TestStoreDamagedBaseWhileFolding(t *testing.T) {
	storeNeedsBase(t)
	dir := t.TempDir()
	storeFill(t, dir, 0, 20, true)
	storeDamage(t, filepath.Join(dir, baseDir, "1"), "truncated table")
	folder := storeOpen(t, dir)
	lock, err := folder.lockFold()
	if err != nil || lock == nil {
		t.Fatal(lock, err)
	}
	s := storeOpen(t, dir)
	storeWant(t, s, storeKey(5), storeValue(5, 1, 200))
	storeWarned(t, s, "is damaged", "could not be set aside: another process is folding", "none of its 20 records is gone")
	if err := s.Fold(); err != nil {
		t.Error(err)
	}
	lock.Close()
	if err := s.Fold(); err != nil {
		t.Error(err)
	}
	storeWant(t, s, storeKey(5), storeValue(5, 1, 200))
	again := storeOpen(t, dir)
	storeWant(t, again, storeKey(5), storeValue(5, 1, 200))
	storeQuiet(t, again)
}

// A base of another release is neither used nor harmed, and not folded over.
func TestStoreBaseOfAnotherRelease(t *testing.T) {
	storeNeedsBase(t)
	dir := t.TempDir()
	storeFill(t, dir, 0, 20, true)
	storeFill(t, dir, 20, 30, false)
	list := filepath.Join(dir, baseDir, "1", listFile)
	if err := os.WriteFile(list, []byte("ragtest base 2\nall is different\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.RemoveAll(filepath.Join(dir, foldedDir, "1")); err != nil {
		t.Fatal(err)
	}
	s := storeOpen(t, dir)
	storeWantNone(t, s, storeKey(5))
	storeWant(t, s, storeKey(25), storeValue(25, 1, 200))
	storeWarned(t, s, list[:len(list)-len(listFile)-1], "another release wrote it")
	if err := s.Fold(); err == nil {
		t.Error("folded over it")
	}
	if _, err := os.Stat(list); err != nil {
		t.Error(err)
	}
}

func TestStoreOfAnotherRelease(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, storeFile), []byte("ragtest store 2\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := OpenStore(dir); err == nil {
		t.Fatal("opened a store of another format")
	} else {
		t.Log(err)
	}
}
