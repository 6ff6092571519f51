package cache

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"go.uber.org/goleak"
)

// storeKey is the i-th key of the tests.
func storeKey(i int) (k Key) {
	binary.BigEndian.PutUint64(k[:], uint64(i)*0x9E3779B97F4A7C15)
	binary.BigEndian.PutUint64(k[8:], uint64(i))
	return k
}

// storeValue is a value of n bytes that tells its key and version.
func storeValue(i, version, n int) []byte {
	v := fmt.Appendf(nil, `{"key":%d,"version":%d,"reply":"`, i, version)
	r := rand.New(rand.NewPCG(uint64(i), uint64(version)))
	for len(v) < n {
		v = binary.BigEndian.AppendUint64(v, r.Uint64())
	}
	return v
}

func storeOpen(t testing.TB, dir string) *Store {
	t.Helper()
	s, err := OpenStore(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

func storePut(t testing.TB, s *Store, k Key, v []byte) {
	t.Helper()
	if err := s.Put(k, v); err != nil {
		t.Fatal(err)
	}
}

// storeWant fails unless s holds v under k.
func storeWant(t testing.TB, s *Store, k Key, v []byte) {
	t.Helper()
	got, ok, err := s.Get(k)
	if err != nil || !ok {
		t.Fatalf("Get(%s) = %v, %v; warnings %q", k, ok, err, s.Warnings())
	}
	if !bytes.Equal(got, v) {
		t.Fatalf("Get(%s) = %.60q (%d bytes), want %.60q (%d bytes)", k, got, len(got), v, len(v))
	}
}

func storeWantNone(t testing.TB, s *Store, k Key) {
	t.Helper()
	if got, ok, err := s.Get(k); ok || err != nil {
		t.Fatalf("Get(%s) = %.60q, %v, %v, want nothing", k, got, ok, err)
	}
}

// storeWarned fails unless exactly one warning holds all words.
func storeWarned(t testing.TB, s *Store, words ...string) {
	t.Helper()
	n := 0
	for _, w := range s.Warnings() {
		all := true
		for _, word := range words {
			all = all && strings.Contains(w, word)
		}
		if all {
			n++
		}
	}
	if n != 1 {
		t.Fatalf("%d warnings with all of %q among %q, want 1", n, words, s.Warnings())
	}
}

func storeQuiet(t testing.TB, s *Store) {
	t.Helper()
	if w := s.Warnings(); len(w) > 0 {
		t.Fatalf("unexpected warnings %q", w)
	}
}

// storeFill puts records [from, to) through a store of its own and folds on
// request.
func storeFill(t testing.TB, dir string, from, to int, fold bool) {
	t.Helper()
	s := storeOpen(t, dir)
	for i := from; i < to; i++ {
		storePut(t, s, storeKey(i), storeValue(i, 1, 200))
	}
	storeClose(t, s)
	if fold {
		storeFold(t, dir)
	}
}

func storeFold(t testing.TB, dir string) {
	t.Helper()
	s := storeOpen(t, dir)
	if err := s.Fold(); err != nil {
		t.Fatal(err)
	}
	storeClose(t, s)
}

func storeClose(t testing.TB, s *Store) {
	t.Helper()
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
}

func storeNeedsBase(t testing.TB) {
	t.Helper()
	if !hasBase {
		t.Skip("this system has no base: Badger cannot be opened read-only")
	}
}

func TestStoreKeepsWhatIsPut(t *testing.T) {
	defer goleak.VerifyNone(t)
	dir := filepath.Join(t.TempDir(), "a", "b")
	s := storeOpen(t, dir)
	storeWantNone(t, s, storeKey(1))
	storePut(t, s, storeKey(1), storeValue(1, 1, 2000))
	storePut(t, s, storeKey(2), nil)
	storeWant(t, s, storeKey(1), storeValue(1, 1, 2000))
	storeWant(t, s, storeKey(2), nil)
	storeQuiet(t, s)
	storeClose(t, s)
	storeClose(t, s)

	again := storeOpen(t, dir)
	storeWant(t, again, storeKey(1), storeValue(1, 1, 2000))
	storeWant(t, again, storeKey(2), nil)
	storeWantNone(t, again, storeKey(3))
	storeQuiet(t, again)
	storeClose(t, again)
}

func TestStoreClosedIsAnError(t *testing.T) {
	s := storeOpen(t, t.TempDir())
	storeClose(t, s)
	if _, _, err := s.Get(storeKey(1)); !errors.Is(err, os.ErrClosed) {
		t.Errorf("Get after Close: %v", err)
	}
	if err := s.Put(storeKey(1), nil); !errors.Is(err, os.ErrClosed) {
		t.Errorf("Put after Close: %v", err)
	}
	if err := s.Fold(); !errors.Is(err, os.ErrClosed) {
		t.Errorf("Fold after Close: %v", err)
	}
}

// What one store acknowledges, another sees at once: a new record, a
// replacement of one it has read, and both across folds.
func TestStoreSeesOthers(t *testing.T) {
	dir := t.TempDir()
	a, b := storeOpen(t, dir), storeOpen(t, dir)
	for version := 1; version <= 6; version++ {
		from, to := a, b
		if version%2 == 0 {
			from, to = b, a
		}
		for i := range 20 {
			storePut(t, from, storeKey(i), storeValue(i, version, 100))
			storeWant(t, to, storeKey(i), storeValue(i, version, 100))
		}
		if version == 4 {
			storeFill(t, dir, 100, 110, true)
			storeWant(t, a, storeKey(105), storeValue(105, 1, 200))
		}
	}
	storeQuiet(t, a)
	storeQuiet(t, b)
}

// A reader that knows an old generation from a segment finds the newer one in a
// base that was folded behind its back.
func TestStoreNewestGenerationIsInBase(t *testing.T) {
	storeNeedsBase(t)
	dir := t.TempDir()
	old := storeOpen(t, dir) // lives on, so that its segment is not folded
	storePut(t, old, storeKey(1), storeValue(1, 1, 100))
	reader := storeOpen(t, dir)
	storeWant(t, reader, storeKey(1), storeValue(1, 1, 100))

	s := storeOpen(t, dir)
	storePut(t, s, storeKey(1), storeValue(1, 2, 100))
	storeClose(t, s)
	storeFold(t, dir)

	storeWant(t, reader, storeKey(1), storeValue(1, 2, 100))
	storeWant(t, old, storeKey(1), storeValue(1, 2, 100))
	storeWant(t, storeOpen(t, dir), storeKey(1), storeValue(1, 2, 100))
	storePut(t, old, storeKey(1), storeValue(1, 3, 100))
	storeWant(t, reader, storeKey(1), storeValue(1, 3, 100))
}

func TestStoreFolds(t *testing.T) {
	storeNeedsBase(t)
	defer goleak.VerifyNone(t)
	dir := t.TempDir()
	reader := storeOpen(t, dir) // open all along, so that folds happen under it
	for round := range 5 {
		storeFill(t, dir, 100*round, 100*round+120, true) // 20 keys are put again
		for i := range 100*round + 120 {
			storeWant(t, reader, storeKey(i), storeValue(i, 1, 200))
		}
		if names, _ := dirNames(filepath.Join(dir, segmentDir)); len(names) > 0 {
			t.Fatalf("round %d: segments %q are left", round, names)
		}
	}
	if reader.base.list.records != 520 || reader.base.list.gen != 2 {
		t.Errorf("LIST says %d records up to generation %d, want 520 and 2", reader.base.list.records, reader.base.list.gen)
	}
	bases, _, _ := numbered(filepath.Join(dir, baseDir))
	kept, _, _ := numbered(filepath.Join(dir, foldedDir))
	if fmt.Sprint(bases, kept) != "[5 4] [5]" {
		t.Errorf("bases %v and folded segments %v are kept, want [5 4] and [5]", bases, kept)
	}
	if len(reader.segs) > 1 {
		t.Errorf("the reader still holds %d segments", len(reader.segs))
	}
	storeQuiet(t, reader)
	storeClose(t, reader)
}

func TestStoreClosesWithAFoldWhenWorthwhile(t *testing.T) {
	storeNeedsBase(t)
	dir := t.TempDir()
	storeFill(t, dir, 0, foldRecords-1, false)
	if ns, _, _ := numbered(filepath.Join(dir, baseDir)); len(ns) != 0 {
		t.Fatal("folded a handful of records")
	}
	storeFill(t, dir, foldRecords, foldRecords+1, false) // never looks: fills blindly, but Put looks
	if ns, _, _ := numbered(filepath.Join(dir, baseDir)); len(ns) != 1 {
		t.Fatal("did not fold")
	}
	storeWant(t, storeOpen(t, dir), storeKey(foldRecords), storeValue(foldRecords, 1, 200))
}

func TestStoreHoldsLargeValues(t *testing.T) {
	dir := t.TempDir()
	sizes := []int{0, 1, pieceSize - frameHead - 1, pieceSize - frameHead, pieceSize - frameHead + 1, 2 * pieceSize, 5<<20 + 3}
	s := storeOpen(t, dir)
	var values [][]byte
	for i, n := range sizes {
		values = append(values, bytes.Repeat(storeValue(i, 1, 1000), 1+n/1000)[:n])
		storePut(t, s, storeKey(i), values[i])
	}
	for range 2 {
		for i := range sizes {
			storeWant(t, s, storeKey(i), values[i])
		}
		storeClose(t, s)
		storeFold(t, dir)
		s = storeOpen(t, dir)
	}
	// A shorter value under the key of a long one.
	storePut(t, s, storeKey(6), storeValue(6, 2, 700_000))
	storeClose(t, s)
	storeFold(t, dir)
	s = storeOpen(t, dir)
	storeWant(t, s, storeKey(6), storeValue(6, 2, 700_000))
	storeQuiet(t, s)
}

func TestStoreTwoAtOnceAreApart(t *testing.T) {
	a, b := storeOpen(t, t.TempDir()), storeOpen(t, t.TempDir())
	storePut(t, a, storeKey(1), []byte("a"))
	storeWantNone(t, b, storeKey(1))
	storePut(t, b, storeKey(1), []byte("b"))
	storeWant(t, a, storeKey(1), []byte("a"))
	storeWant(t, b, storeKey(1), []byte("b"))
}

func TestStoreGoroutines(t *testing.T) {
	defer goleak.VerifyNone(t)
	dir := t.TempDir()
	stores := []*Store{storeOpen(t, dir), storeOpen(t, dir)}
	var paid sync.Map
	var wg sync.WaitGroup
	for g := range 8 {
		wg.Go(func() {
			s := stores[g%2]
			for i := range 100 {
				k := storeKey(i)
				unlock, err := s.Lock(t.Context(), k)
				if err != nil {
					t.Error(err)
					return
				}
				if _, ok, _ := s.Get(k); !ok {
					if _, twice := paid.LoadOrStore(k, true); twice {
						t.Errorf("key %d was paid for twice", i)
					}
					if err := s.Put(k, storeValue(i, 1, 100)); err != nil {
						t.Error(err)
					}
				}
				unlock()
				unlock() // harmless
			}
		})
	}
	wg.Wait()
	for _, s := range stores {
		for i := range 100 {
			storeWant(t, s, storeKey(i), storeValue(i, 1, 100))
		}
		storeQuiet(t, s)
		storeClose(t, s)
	}
}
