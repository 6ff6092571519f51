package cache

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"
)

// storeSegments returns the paths of the segments in the store.
func storeSegments(t testing.TB, dir string) []string {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(dir, segmentDir, "*"+segmentExt))
	if err != nil {
		t.Fatal(err)
	}
	return paths
}

// storeFlip flips a bit of the byte at off.
func storeFlip(t testing.TB, path string, off int64) {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	b[off] ^= 0x10
	if err := os.WriteFile(path, b, 0o600); err != nil {
		t.Fatal(err)
	}
}

func storeCut(t testing.TB, path string, size func(old int64) int64) {
	t.Helper()
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(path, size(info.Size())); err != nil {
		t.Fatal(err)
	}
}

func storeHalf(n int64) int64 { return n / 2 }
func storeZero(int64) int64   { return 0 }

// A flipped bit in a value costs that value; one in a head, the rest of the
// segment; one in the magic line, the segment. Never is a wrong value served.
func TestCacheCorruptSegmentFlippedByte(t *testing.T) {
	frame := int64(len(appendFrame(nil, storeKey(0), 1, storeValue(0, 1, 200))))
	start := int64(len(segmentMagic))
	for _, c := range []struct {
		name      string
		off       int64
		lostFrom  int
		lostUntil int
		warning   string
	}{
		{"value", start + 4*frame + frameHead + 30, 4, 5, fmt.Sprintf("damaged at byte %d: the record of key %s", start+4*frame, storeKey(4))},
		{"length", start + 4*frame + 1, 4, 10, fmt.Sprintf("damaged at byte %d: the head", start+4*frame)},
		{"generation", start + 4*frame + 5, 4, 10, "the head of a record"},
		{"key", start + 4*frame + 20, 4, 10, "the head of a record"},
		{"magic", 3, 0, 10, "damaged at byte 0: it does not begin like a segment"},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			storeFill(t, dir, 0, 10, false)
			path := storeSegments(t, dir)[0]
			storeFlip(t, path, c.off)
			for range 2 { // before and after a fold
				s := storeOpen(t, dir)
				for i := range 10 {
					if i >= c.lostFrom && i < c.lostUntil {
						storeWantNone(t, s, storeKey(i))
					} else {
						storeWant(t, s, storeKey(i), storeValue(i, 1, 200))
					}
				}
				if len(storeSegments(t, dir)) > 0 {
					storeWarned(t, s, path, c.warning, "asked again")
				}
				storeClose(t, s)
				storeFold(t, dir)
			}
			s := storeOpen(t, dir)
			storePut(t, s, storeKey(c.lostFrom), []byte("paid again"))
			storeWant(t, s, storeKey(c.lostFrom), []byte("paid again"))
			if hasBase {
				storeQuiet(t, s)
			}
		})
	}
}

// A bit that flips after it was read is noticed too.
func TestStoreFlippedByteAfterReading(t *testing.T) {
	dir := t.TempDir()
	storeFill(t, dir, 0, 10, false)
	s := storeOpen(t, dir)
	storeWant(t, s, storeKey(0), storeValue(0, 1, 200))
	path := storeSegments(t, dir)[0]
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := f.WriteAt([]byte{0}, int64(len(segmentMagic)+frameHead+20)); err != nil {
		t.Fatal(err)
	}
	storeWantNone(t, s, storeKey(0))
	storeWarned(t, s, path, "has checksum", "asked again")
	storeWant(t, s, storeKey(1), storeValue(1, 1, 200))
}

// A segment cut anywhere keeps what lies before the cut.
func TestCacheCorruptSegmentTruncated(t *testing.T) {
	frame := int64(len(appendFrame(nil, storeKey(0), 1, storeValue(0, 1, 200))))
	start := int64(len(segmentMagic))
	for _, size := range []int64{0, 5, start, start + 10, start + frame, start + frame + frameHead, start + 3*frame - 1} {
		dir := t.TempDir()
		storeFill(t, dir, 0, 5, false)
		storeCut(t, storeSegments(t, dir)[0], func(int64) int64 { return size })
		whole := int((size - start) / frame)
		s := storeOpen(t, dir)
		for i := range 5 {
			if i < whole {
				storeWant(t, s, storeKey(i), storeValue(i, 1, 200))
			} else {
				storeWantNone(t, s, storeKey(i))
			}
		}
		if size > start && (size-start)%frame != 0 {
			storeWarned(t, s, "ends inside a record", "asked again")
		}
		storePut(t, s, storeKey(4), []byte("paid again"))
		storeWant(t, s, storeKey(4), []byte("paid again"))
	}
}

// A segment cut under a reader that knows what it held.
func TestStoreTruncatedSegmentUnderReader(t *testing.T) {
	dir := t.TempDir()
	writer := storeOpen(t, dir)
	storePut(t, writer, storeKey(0), storeValue(0, 1, 200))
	storePut(t, writer, storeKey(1), storeValue(1, 1, 200))
	s := storeOpen(t, dir)
	storeWant(t, s, storeKey(1), storeValue(1, 1, 200))
	storeCut(t, storeSegments(t, dir)[0], func(n int64) int64 { return n - 10 })
	storeWantNone(t, s, storeKey(1))
	storeWarned(t, s, "was cut from", "asked again")
	storeWant(t, s, storeKey(0), storeValue(0, 1, 200))
	storePut(t, s, storeKey(1), []byte("paid again"))
	storeWant(t, s, storeKey(1), []byte("paid again"))
}

// storeDamages are the ways in which a base comes to harm.
var storeDamages = []string{
	"truncated table", "flipped byte in table", "zero-length table", "deleted table", "extra table",
	"half MANIFEST", "zero-length MANIFEST", "deleted MANIFEST",
	"half KEYREGISTRY", "zero-length KEYREGISTRY",
	"leftover .mem", "zero-length .mem", "leftover value log",
	"deleted LIST", "half LIST", "zero-length LIST", "flipped byte in LIST", "all files deleted",
}

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

// A fold killed between any two of its steps has happened or has not: each
// state it can leave is made here from the states before and after it.
func TestStoreKilledFold(t *testing.T) {
	storeNeedsBase(t)
	before := t.TempDir()
	storeFill(t, before, 0, 20, true)
	storeFill(t, before, 20, 40, true)
	storeFill(t, before, 40, 50, false)
	storeFill(t, before, 50, 60, false)
	after := storeCopy(t, before)
	storeFold(t, after)
	segments := storeSegments(t, before)

	// restore copies path from the state before into dir.
	restore := func(t *testing.T, dir, path string) {
		t.Helper()
		if err := os.CopyFS(filepath.Join(dir, path), os.DirFS(filepath.Join(before, path))); err != nil {
			t.Fatal(err)
		}
	}
	// unmove moves a kept segment back.
	unmove := func(t *testing.T, dir, path string) {
		t.Helper()
		name := filepath.Base(path)
		if err := os.Rename(filepath.Join(dir, foldedDir, "3", name), filepath.Join(dir, segmentDir, name)); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		name string
		from string
		make func(t *testing.T, dir string)
	}{
		{"while copying", before, func(t *testing.T, dir string) {
			tmp := filepath.Join(dir, baseDir, tmpBase)
			if err := os.CopyFS(tmp, os.DirFS(filepath.Join(dir, baseDir, "2"))); err != nil {
				t.Fatal(err)
			}
			storeDamage(t, tmp, "truncated table")
			storeDamage(t, tmp, "deleted LIST")
		}},
		{"while Badger writes", before, func(t *testing.T, dir string) {
			tmp := filepath.Join(dir, baseDir, tmpBase)
			if err := os.CopyFS(tmp, os.DirFS(filepath.Join(dir, baseDir, "2"))); err != nil {
				t.Fatal(err)
			}
			storeDamage(t, tmp, "leftover .mem")
		}},
		{"before the rename", before, func(t *testing.T, dir string) {
			if err := os.CopyFS(filepath.Join(dir, baseDir, tmpBase), os.DirFS(filepath.Join(after, baseDir, "3"))); err != nil {
				t.Fatal(err)
			}
		}},
		{"after the rename", after, func(t *testing.T, dir string) {
			unmove(t, dir, segments[0])
			unmove(t, dir, segments[1])
			if err := os.Remove(filepath.Join(dir, foldedDir, "3")); err != nil {
				t.Fatal(err)
			}
			restore(t, dir, filepath.Join(foldedDir, "2"))
			restore(t, dir, filepath.Join(baseDir, "1"))
		}},
		{"while moving segments", after, func(t *testing.T, dir string) {
			unmove(t, dir, segments[1])
			restore(t, dir, filepath.Join(foldedDir, "2"))
			restore(t, dir, filepath.Join(baseDir, "1"))
		}},
		{"before sweeping", after, func(t *testing.T, dir string) {
			restore(t, dir, filepath.Join(foldedDir, "2"))
			restore(t, dir, filepath.Join(baseDir, "1"))
		}},
		{"while sweeping", after, func(t *testing.T, dir string) {
			restore(t, dir, filepath.Join(foldedDir, "2"))
			restore(t, dir, filepath.Join(baseDir, "1"))
			old := filepath.Join(dir, baseDir, "old-1")
			if err := os.Rename(filepath.Join(dir, baseDir, "1"), old); err != nil {
				t.Fatal(err)
			}
			storeDamage(t, old, "deleted table")
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := storeCopy(t, c.from)
			c.make(t, dir)
			for range 2 { // as it was left, and after the next fold
				s := storeOpen(t, dir)
				for i := range 60 {
					storeWant(t, s, storeKey(i), storeValue(i, 1, 200))
				}
				storeWantNone(t, s, storeKey(99))
				storeQuiet(t, s)
				storeClose(t, s)
				storeFold(t, dir)
			}
			// And the newest base may yet be damaged.
			ns, _, _ := numbered(filepath.Join(dir, baseDir))
			storeDamage(t, filepath.Join(dir, baseDir, strconv.Itoa(ns[0])), "half MANIFEST")
			s := storeOpen(t, dir)
			for i := range 60 {
				storeWant(t, s, storeKey(i), storeValue(i, 1, 200))
			}
			storeWarned(t, s, "is damaged", "none of its 60 records is gone")
			storeClose(t, s)
			s = storeOpen(t, dir)
			if s.Get(storeKey(99)); s.base == nil || s.base.list.records != 60 {
				t.Errorf("the base is %+v, want one of 60 records", s.base)
			}
			storeQuiet(t, s)
			storeClose(t, s)
			names, _ := dirNames(filepath.Join(dir, baseDir))
			for _, name := range names {
				if name == tmpBase || strings.HasPrefix(name, oldTag) {
					t.Errorf("%s is left", name)
				}
			}
		})
	}
}

// The clock may be set back: the generation decides which record is the newest,
// whatever the times of the files say.
func TestStoreClockSetBack(t *testing.T) {
	dir := t.TempDir()
	for version := 1; version <= 3; version++ {
		before := storeSegments(t, dir)
		s := storeOpen(t, dir)
		storePut(t, s, storeKey(1), storeValue(1, version, 100))
		storeClose(t, s)
		for _, path := range storeSegments(t, dir) {
			if !storeHas(before, path) {
				then := time.Date(2040-10*version, 1, 1, 0, 0, 0, 0, time.UTC)
				if err := os.Chtimes(path, then, then); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	storeWant(t, storeOpen(t, dir), storeKey(1), storeValue(1, 3, 100))
	storeFold(t, dir)
	storeWant(t, storeOpen(t, dir), storeKey(1), storeValue(1, 3, 100))
}

func storeHas(paths []string, path string) bool {
	for _, p := range paths {
		if p == path {
			return true
		}
	}
	return false
}

// The folder of the store may be removed under a process that uses it, as a
// user who clears caches does: nothing fails but storing.
func TestStoreRemovedUnderProcess(t *testing.T) {
	if !hasBase {
		t.Skip("open files cannot be removed here")
	}
	dir := t.TempDir()
	s := storeOpen(t, dir)
	storePut(t, s, storeKey(1), []byte("one"))
	names, _ := dirNames(dir)
	for _, name := range names {
		if err := os.RemoveAll(filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	storeWant(t, s, storeKey(1), []byte("one"))
	storeWantNone(t, s, storeKey(2))
	storePut(t, s, storeKey(2), []byte("two"))
	storeWant(t, s, storeKey(2), []byte("two"))
	storeClose(t, s)
	storePut(t, storeOpen(t, dir), storeKey(2), []byte("two"))
}

// Many segments are no trouble, and Close folds them.
func TestStoreManySegments(t *testing.T) {
	dir := t.TempDir()
	for i := range foldFiles {
		storeFill(t, dir, i, i+1, false)
	}
	if hasBase && len(storeSegments(t, dir)) > 1 {
		t.Errorf("%d segments are left", len(storeSegments(t, dir)))
	}
	s := storeOpen(t, dir)
	for i := range foldFiles {
		storeWant(t, s, storeKey(i), storeValue(i, 1, 200))
	}
	storeQuiet(t, s)
}

func TestStoreListIsExact(t *testing.T) {
	want := baseList{records: 3, gen: 9, files: []baseFile{{"000001.sst", 1 << 40, 0xdeadbeef}, {"MANIFEST", 0, 0}}}
	text := want.String()
	got, err := parseList(text)
	if err != nil || fmt.Sprint(got) != fmt.Sprint(want) {
		t.Fatalf("%v, %v", got, err)
	}
	for i := range text {
		if _, err := parseList(text[:i]); err == nil {
			t.Errorf("the first %d bytes pass", i)
		}
		b := []byte(text)
		b[i] ^= 1
		if _, err := parseList(string(b)); err == nil {
			t.Errorf("a flipped bit in byte %d passes (%s)", i, strconv.Quote(string(b)))
		}
	}
}
