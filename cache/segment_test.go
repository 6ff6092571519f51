package cache

import (
	"bytes"
	"hash/crc32"
	"os"
	"path/filepath"
	"testing"
)

// segWriter writes a segment byte by byte, as a process would.
type segWriter struct {
	t    *testing.T
	f    *os.File
	path string
}

func segCreate(t *testing.T, dir, name string) segWriter {
	t.Helper()
	path := filepath.Join(dir, segmentDir, name+segmentExt)
	f, err := os.OpenFile(path, os.O_RDWR|os.O_APPEND|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	if ok, err := tryLock(f, true); err != nil || !ok {
		t.Fatal(ok, err)
	}
	w := segWriter{t, f, path}
	w.write([]byte(segmentMagic))
	if err := appendTo(filepath.Join(dir, storeFile), "."); err != nil {
		t.Fatal(err)
	}
	return w
}

func (w segWriter) write(b []byte) {
	w.t.Helper()
	if _, err := w.f.Write(b); err != nil {
		w.t.Fatal(err)
	}
}

// A reader stops at a record that is not whole yet and reads it when it is.
func TestSegmentIsReadAsItGrows(t *testing.T) {
	dir := t.TempDir()
	s := storeOpen(t, dir)
	w := segCreate(t, dir, "grows")
	for i := range 3 {
		for _, b := range appendFrame(nil, storeKey(i), 1, []byte{'v', byte(i)}) {
			storeWantNone(t, s, storeKey(i))
			w.write([]byte{b})
		}
		storeWant(t, s, storeKey(i), []byte{'v', byte(i)})
	}
	storeQuiet(t, s)
	w.write(appendFrame(nil, storeKey(4), 1, []byte("torn"))[:frameHead+1])
	storeWantNone(t, s, storeKey(4))
	storeQuiet(t, s) // the writer lives and may yet finish
	w.f.Close()
	storeWarned(t, segOpened(t, dir), "ends inside a record", w.path)
}

// segOpened returns a store that has read its segments.
func segOpened(t *testing.T, dir string) *Store {
	t.Helper()
	s := storeOpen(t, dir)
	storeWantNone(t, s, storeKey(1<<20))
	return s
}

// A segment is seen when its writer announces it, not before.
func TestSegmentWithoutMagicIsLeftAlone(t *testing.T) {
	dir := t.TempDir()
	s := storeOpen(t, dir)
	path := filepath.Join(dir, segmentDir, "young"+segmentExt)
	if err := os.WriteFile(path, []byte(segmentMagic[:4]), 0o600); err != nil {
		t.Fatal(err)
	}
	storeFill(t, dir, 0, 1, false)
	storeWant(t, s, storeKey(0), storeValue(0, 1, 200))
	storeFold(t, dir)
	storeQuiet(t, segOpened(t, dir))
	if _, err := os.Stat(path); err != nil {
		t.Error(err)
	}
}

// Two writers who both waited out a lock may write one generation: all readers
// take the same of the two.
func TestSegmentTieIsTheSameForAll(t *testing.T) {
	values := []string{"one reply", "another reply"}
	var got []string
	for order := range 2 {
		dir := t.TempDir()
		storeOpen(t, dir)
		a, b := segCreate(t, dir, "a"), segCreate(t, dir, "b")
		a.write(appendFrame(nil, storeKey(1), 1, []byte(values[order])))
		b.write(appendFrame(nil, storeKey(1), 1, []byte(values[1-order])))
		v, _, _ := storeOpen(t, dir).Get(storeKey(1))
		a.f.Close()
		b.f.Close()
		storeFold(t, dir)
		w, _, _ := storeOpen(t, dir).Get(storeKey(1))
		got = append(got, string(v), string(w))
	}
	for _, v := range got {
		if v != got[0] || v == "" {
			t.Fatalf("readers disagree: %q", got)
		}
	}
}

// FuzzSegment checks that no file makes the reader panic, and that whatever it
// returns has been written so. It reads the bytes as they are, and it cuts them
// into values, writes those, and damages one byte and the end.
func FuzzSegment(f *testing.F) {
	var sound []byte
	sound = append(sound, segmentMagic...)
	sound = appendFrame(sound, storeKey(1), 1, []byte("value"))
	sound = appendFrame(sound, storeKey(2), 7, nil)
	f.Add(sound, uint32(0), byte(0), uint32(0))
	f.Add(sound, uint32(20), byte(1), uint32(0))
	f.Add(sound, uint32(70), byte(0x80), uint32(3))
	f.Add([]byte(segmentMagic), uint32(5), byte(2), uint32(1))
	f.Add([]byte{}, uint32(0), byte(0), uint32(0))
	f.Fuzz(func(t *testing.T, raw []byte, at uint32, flip byte, cut uint32) {
		if len(raw) > 1<<16 {
			t.Skip("more of the same")
		}
		segScan(t, raw)

		written := map[Key][]byte{}
		file := []byte(segmentMagic)
		for i := 0; len(raw) > 0; i++ {
			n := min(len(raw), 1+int(raw[0])%64)
			written[storeKey(i)] = raw[:n]
			file = appendFrame(file, storeKey(i), uint64(n), raw[:n])
			raw = raw[n:]
		}
		whole := len(file)
		file[int(at)%len(file)] ^= flip
		file = file[:len(file)-int(cut)%len(file)]
		found := segScan(t, file)
		for k, v := range found {
			if want, ok := written[k]; !ok || !bytes.Equal(v, want) {
				t.Fatalf("key %s has %q, not %q (%t)", k, v, want, ok)
			}
		}
		if flip == 0 && len(file) == whole && len(found) != len(written) {
			t.Fatalf("found %d of %d records in a sound segment", len(found), len(written))
		}
	})
}

// segScan reads a segment in one go and in two, and returns what it holds.
func segScan(t *testing.T, file []byte) map[Key][]byte {
	t.Helper()
	found := map[Key][]byte{}
	r := bytes.NewReader(file)
	visit := func(off int64, k Key, st stamp) {
		if off < int64(len(segmentMagic)) || off+frameHead+int64(st.size) > int64(len(file)) {
			t.Fatalf("record at %d with %d bytes in a file of %d", off, st.size, len(file))
		}
		v, err := parseFrame(file[off:off+frameHead+int64(st.size)], k)
		if err != nil {
			t.Fatal(err)
		}
		if crc32.Checksum(v, castagnoli) != st.sum {
			t.Fatalf("wrong checksum at %d", off)
		}
		found[k] = v
	}
	end, _ := scanSegment(r, 0, int64(len(file)), visit)
	if end < 0 || end > int64(len(file)) {
		t.Fatalf("ends at %d in a file of %d", end, len(file))
	}
	n := len(found)
	half, _ := scanSegment(r, 0, int64(len(file)/2), visit)
	if again, _ := scanSegment(r, half, int64(len(file)), visit); again != end && half < int64(len(file)/2) {
		t.Fatalf("ends at %d, and in two steps at %d", end, again)
	}
	if len(found) < n {
		t.Fatal("records got lost")
	}
	return found
}
