package cache

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"
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
